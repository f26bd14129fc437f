"""Training small enough for a test."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from torch.nn import Module

GAME = {"board": "docklands", "rules": "docklands"}
SMALL: dict[str, Any] = {  # arguments that all scripts have
    **GAME,
    "games": 32,
    "horizon": 16,
    "units": 16,
    "minibatch": 128,
    "evaluate_games": 10,
}


def same(one: Module, other: Module) -> bool:
    """Tell whether two networks have the same numbers."""
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(a.equal(b) for a, b in pairs)


def interrupt(patch: pytest.MonkeyPatch, learner: type) -> None:
    """Let somebody press Ctrl-C while a learner makes an update."""
    learn = learner.learn  # type: ignore[attr-defined]

    def interrupted(self: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return learn(self)

    patch.setattr(learner, "learn", interrupted)
