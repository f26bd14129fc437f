"""RLlib pins its own Gymnasium: these tests run where it is installed (extra ``rllib``), and are skipped elsewhere."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

pytest.importorskip("ray.rllib", reason="needs the extra rllib")
os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}

import ray
from ray.cluster_utils import Cluster

from scotyard_training import rllib

SMALL = {"board": "docklands", "rules": "docklands", "train_batch_size": 256, "hidden_size": 16}


def test_the_rewards_that_rllib_sees_are_the_results_of_games() -> None:
    table = rllib.Table({"board": "docklands", "rules": "docklands"})
    for seed in range(10):
        shown, _ = table.reset(seed=seed)
        ends = {"__all__": False}
        while not ends["__all__"]:
            ((agent, seen),) = shown.items()
            shown, rewards, ends, _, _ = table.step({agent: int(seen["action_mask"].argmax())})
        won = table.env.view("detective_1").winner == "detectives"
        assert rewards["detective_1"] == -rewards["mr_x"] == (1 if won else -1)


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
        again = rllib.Command(iterations=1, num_env_runners=1, num_envs=2, out=tmp_path, resume=True, **SMALL)  # type: ignore[arg-type]
        assert rllib.train(again)["charts/env_steps"] > figures["charts/env_steps"]
    finally:
        ray.shutdown()
        cluster.shutdown()
