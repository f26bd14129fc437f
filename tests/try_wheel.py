"""Try the installed package where nothing else is; ``make dist`` runs it in an empty environment, away from here."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np

import scotyard_baselines
import scotyard_env
import scotyard_training
from scotyard_env import render
from scotyard_env.policy import policy_class, policy_names, sides_of


def try_where_it_is() -> None:
    """The packages are those of the wheel, with their types, boards and weights."""
    home = Path(sysconfig.get_path("purelib"))
    for package in (scotyard_env, scotyard_baselines, scotyard_training):
        assert Path(str(package.__file__)).is_relative_to(home), f"{package.__name__} is not from the wheel"
    assert (home / "scotyard_env" / "py.typed").exists()
    for name in scotyard_env.Board.names():
        assert scotyard_env.Board.named(name).stations > 0


def try_environments() -> None:
    """One game of random moves through the AEC API, one step of every other shell."""
    env = scotyard_env.make()
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
    solo = scotyard_env.make_solo(side="mr_x", opponent="greedy")
    observation, _ = solo.reset(seed=7)
    solo.step(solo.action_space.sample(observation["action_mask"]))
    scotyard_env.make_vec(4, side="detectives").reset(seed=7)


def try_policies() -> None:
    """Every policy that is registered decides in the position it is for."""
    for name in policy_names():
        policy = scotyard_env.make_policy(name)
        for side in sides_of(policy_class(name)):
            game = scotyard_env.Game(board="docklands", seed=7)
            if side == "detectives":
                game.play(game.legal[0])
            game.play(policy.act(game.view(game.seat), np.random.default_rng(7)).action)
        print(f"  {name}")


def try_command() -> None:
    """The command plays a match and draws it."""
    scotyard = str(Path(sys.executable).with_name("scotyard"))
    subprocess.run([scotyard, "policies"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([scotyard, "match", "--seed", "7", "--out", "match"], check=True, stdout=subprocess.DEVNULL)
    replay = scotyard_env.Replay.load("match/replay.jsonl")
    assert replay.game().winner is not None
    assert render.rgb_array(replay.game().view(-1)).shape == (900, 1200, 3)


for attempt in (try_where_it_is, try_environments, try_policies, try_command):
    print(f"{attempt.__name__.replace('_', ' ')}: {attempt.__doc__}")
    attempt()
print(f"scotyard-env {scotyard_env.__version__} works")
