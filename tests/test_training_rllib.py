"""RLlib pins its own Gymnasium: these tests run where it is installed (extra ``rllib``), and are skipped elsewhere."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("ray.rllib", reason="needs the extra rllib")
os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}

import ray
from ray.cluster_utils import Cluster

from scotyard_env.duel import play_games
from scotyard_env.policy import SIDES, make_policy
from scotyard_training import rllib
from scotyard_training.learning.file_players import HeldScorer
from scotyard_training.learning.rllib_scorer import ScorerModule, Table

SMALL = {"board": "docklands", "rules": "docklands", "train_batch_size": 256, "hidden_size": 16}
GAME = {"board": "docklands", "rules": "docklands", "central_critic": True}


def play(table: Table, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Play the first legal action in every turn; tell who was shown what."""
    shown, _ = table.reset(seed=seed)
    ends = {"__all__": False}
    while not ends["__all__"]:
        ((agent, seen),) = shown.items()
        assert table.observation_spaces[agent].contains(seen)
        yield agent, seen
        shown, table.rewards, ends, _, _ = table.step({agent: int(seen["ids"][0])})


def test_the_rewards_that_rllib_sees_are_the_results_of_games() -> None:
    table = Table(GAME)
    for seed in range(10):
        assert len(list(play(table, seed))) > 3
        won = table.env.view("detective_1").winner == "detectives"
        assert table.rewards["detective_1"] == -table.rewards["mr_x"] == (1 if won else -1)


def test_only_a_central_critic_is_told_where_mr_x_is() -> None:
    central, own = Table(GAME), Table(GAME | {"central_critic": False})
    for (_, told), (_, untold) in zip(play(central, 1), play(own, 1), strict=True):
        assert told["mr_x"][0] == central.env.view("mr_x").stations[0]
        assert told["privileged"].any()
        assert not untold["mr_x"].any()
        assert not untold["privileged"].any()
        for name in untold.keys() - {"mr_x", "privileged"}:
            np.testing.assert_array_equal(told[name], untold[name])


def test_the_module_plays_what_the_exported_player_would() -> None:
    table = Table(GAME)
    module = make_module(table)
    for agent, seen in play(table, 2):
        batch = {name: torch.from_numpy(np.asarray(array))[None] for name, array in seen.items()}
        logits = module.forward_inference({"obs": batch})["action_dist_inputs"][0]
        view = table.env.view(agent)
        wanted = dict(HeldScorer(held=module.actor.weights()).act(view, np.random.default_rng(0)).probabilities)
        found = torch.softmax(logits, 0)
        assert sorted(wanted) == view.legal == (logits > -1e30).nonzero()[:, 0].tolist()
        assert found[view.legal].tolist() == pytest.approx([wanted[action] for action in view.legal], abs=1e-4)


def make_module(table: Table) -> ScorerModule:
    settings = {"hidden_size": 16, "linear_skip_init": "mr_x"}
    space = table.observation_spaces["mr_x"], table.action_spaces["mr_x"]
    return ScorerModule(observation_space=space[0], action_space=space[1], model_config=settings)


def test_both_sides_learn_on_a_cluster_of_two_nodes(tmp_path: Path) -> None:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    try:
        ray.init(address=cluster.address)
        assert len(ray.nodes()) == 2
        args = rllib.Command(iterations=2, num_env_runners=1, num_envs=2, out=tmp_path, **SMALL)  # type: ignore[arg-type]
        figures = rllib.train(args)
        assert figures["charts/env_steps"] >= 512
        assert 0 <= figures["rollout/win_rate/detectives"] <= 1 or math.isnan(figures["rollout/win_rate/detectives"])
        for side in SIDES:
            player = make_policy(f"file:{tmp_path / side}.npz")
            assert (
                0 <= play_games(*(player, "random") if side == "mr_x" else ("random", player), 5, 1, "docklands") <= 5
            )
        again = rllib.Command(iterations=1, num_env_runners=1, num_envs=2, out=tmp_path, resume=True, **SMALL)  # type: ignore[arg-type]
        assert rllib.train(again)["charts/env_steps"] > figures["charts/env_steps"]
    finally:
        ray.shutdown()
        cluster.shutdown()
