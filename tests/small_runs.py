"""Training small enough for a test."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from torch.nn import Module

GAME = {"board": "docklands", "rules": "docklands"}
SMALL: dict[str, Any] = {  # arguments that all scripts have
    **GAME,
    "num_envs": 32,
    "num_steps": 16,
    "hidden_size": 16,
    "minibatch_size": 128,
    "eval_games": 10,
}


def same(one: Module, other: Module) -> bool:
    """Tell whether two networks have the same numbers."""
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(a.equal(b) for a, b in pairs)


def interrupt(patch: pytest.MonkeyPatch, script: Any) -> None:
    """Let somebody press Ctrl-C while a script makes an update."""
    learn = script.learn

    def interrupted(*given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return learn(*given)

    patch.setattr(script, "learn", interrupted)


def fail(job: str) -> None:
    """Stand for a training in a process of its own that goes wrong."""
    if job == "raises":
        raise ValueError("something is wrong")
    os._exit(9)


def read_tags(run: Path) -> set[str]:
    """Read the tags of all curves in a folder."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    files = run.glob("events.out.tfevents.*")
    return {tag for file in files for tag in EventAccumulator(str(file)).Reload().Tags()["scalars"]}


def as_version_0_1_0(content: dict[str, Any]) -> dict[str, Any]:
    """Write the checkpoint of a learner as version 0.1.0 did."""
    old = {name: value for name, value in content.items() if name not in ("format", "rng", "results")}
    games, made_for, actor = content["games"], dict(content["made_for"]), dict(content["actor"])
    made_for["units"] = made_for.pop("hidden_size")
    actor["instinct"] = actor.pop("linear_skip")
    return old | {
        "made_for": made_for,
        "actor": actor,
        "rngs": [content["rng"], games["rngs"][0]],
        "games": [games["states"]],
        "duel": [games["playing"], games["deciders"], content["results"]],
    }
