"""Policies that misbehave, each in its way; workers import them from here."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scotyard_env.policy import Decision
from scotyard_env.view import View


@dataclass(frozen=True)
class First:
    """Plays the first legal action, after somebody has had a chance to misbehave in a later round."""

    since: int = 3  # round

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        if view.round >= self.since:
            return self.misbehave(view)
        return Decision(view.legal[0])

    def misbehave(self, view: View) -> Decision:
        return Decision(view.legal[0])


@dataclass(frozen=True)
class Raises(First):
    def misbehave(self, view: View) -> Decision:
        raise ZeroDivisionError("nobody\ndivides by zero")


@dataclass(frozen=True)
class Cheats(First):
    def misbehave(self, view: View) -> Decision:
        return Decision(-1)


@dataclass(frozen=True)
class Mumbles(First):
    def misbehave(self, view: View) -> Decision:
        return view.legal[0]  # type: ignore[return-value]


@dataclass(frozen=True)
class Dawdles(First):
    """Is late, but moves in the end."""

    def misbehave(self, view: View) -> Decision:
        time.sleep(0.3)
        return Decision(view.legal[0])


@dataclass(frozen=True)
class Hangs(First):
    def misbehave(self, view: View) -> Decision:
        while True:
            time.sleep(0.1)


@dataclass(frozen=True)
class Dies(First):
    """Takes its process along."""

    def misbehave(self, view: View) -> Decision:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


@dataclass(frozen=True)
class DiesOnce(First):
    """Takes its process along unless somebody has done so before."""

    grave: str = ""

    def misbehave(self, view: View) -> Decision:
        if not Path(self.grave).exists():
            Path(self.grave).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Decision(view.legal[0])


@dataclass(frozen=True)
class Timed(First):
    """Says that it thinks by the clock."""

    @property
    def is_timed(self) -> bool:
        return True


class Network:
    """A policy that is no dataclass: what it has learned is all that tells it from another."""

    def __init__(self, weights: list[float]) -> None:
        self.weights = np.array(weights)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal[int(self.weights.sum()) % len(view.legal)])


def make_first(since: int = 3) -> First:
    return First(since)


def make_nothing() -> None:
    return None


@dataclass(frozen=True)
class Signs(First):
    """Leaves a file for every Ray node it plays on, and waits until two nodes have signed."""

    since: int = 0
    book: str = ""

    def misbehave(self, view: View) -> Decision:
        import ray

        if ray.is_initialized() and ray.get_runtime_context().worker.mode == ray.WORKER_MODE:
            (Path(self.book) / ray.get_runtime_context().get_node_id()).touch()
            deadline = time.monotonic() + 120  # a node that never comes is for the test to notice
            while len(list(Path(self.book).iterdir())) < 2 and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.005)
        return Decision(view.legal[0])
