"""Policies that misbehave, each in its way; workers import them from here."""

from __future__ import annotations

import contextlib
import ctypes
import io
import locale
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scotyard_env.policy import Decision
from scotyard_env.state import MR_X
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


@dataclass
class Loose:
    """Plays the first legal action, and cannot be hashed: it may change."""

    since: int = 0

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal[0])


@dataclass(frozen=True)
class Raises(First):
    def misbehave(self, view: View) -> Decision:
        raise ZeroDivisionError("nobody\ndivides by zero")


@dataclass(frozen=True)
class RaisesAsMrX(First):
    since: int = 0

    def misbehave(self, view: View) -> Decision:
        if view.seat == MR_X:
            raise ZeroDivisionError
        return Decision(view.legal[0])


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


@dataclass(frozen=True)
class Interrupted(First):
    """Is there when a person presses Ctrl-C, and takes no notice."""

    def misbehave(self, view: View) -> Decision:
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        return Decision(view.legal[0])


@dataclass(frozen=True)
class BornOnce(First):
    """Cannot be brought into another process."""

    born: int = 0

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        if os.getpid() != self.born:
            raise OSError("born elsewhere")


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


# Every kind of misbehaviour, by name: what it does, and what is said of it


class Bare(BaseException):
    """Like nobody's exception."""


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not to be said")


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("not to be shown")


class Unindexable:
    def __index__(self) -> int:
        raise RuntimeError("not to be counted")


class Fickle(Decision):
    """Says something else when it is asked again."""

    def __getattribute__(self, name: str) -> Any:
        if name != "action":
            return super().__getattribute__(name)
        asked = self.__dict__.setdefault("asked", [])
        asked.append(name)
        return -1 if len(asked) > 1 else super().__getattribute__(name)


def throw(error: BaseException) -> Any:
    raise error


def recurse(view: View) -> Any:
    return recurse(view)


def fork(view: View) -> int:
    os.fork()
    return view.legal[0]


def leave_thread(view: View) -> int:
    threading.Thread(target=time.sleep, args=(3600,)).start()
    return view.legal[0]


def leave_child(view: View) -> int:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    return view.legal[0]


def use_pools(view: View) -> int:
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(abs, range(4)))
    with multiprocessing.get_context("fork").Pool(1) as processes:
        processes.map(abs, range(4))
    return view.legal[0]


def change_process(view: View) -> int:
    os.environ.clear()
    sys.path.clear()
    sys.setrecursionlimit(300)
    np.random.seed(0)  # noqa: NPY002  # it is odd
    np.seterr(all="raise")
    locale.setlocale(locale.LC_ALL, "C")
    warnings.simplefilter("error")
    logging.disable(logging.CRITICAL)
    logging.root.handlers.clear()
    os.chdir("/")
    sys.stdout = sys.stderr = io.StringIO()
    signal.signal(signal.SIGALRM, lambda *_: None)
    return view.legal[0]


def patch_ours(view: View) -> int:
    from scotyard_env import game

    game.Game.winner = property(lambda _: "detectives")  # type: ignore[assignment]
    return view.legal[0]


def fill_temporary_folder(view: View) -> int:
    with tempfile.NamedTemporaryFile(prefix="odd-", delete=False) as file:
        file.write(bytes(1_000_000))
    return view.legal[0]


def write_record(view: View) -> int:
    action = view.legal[0]
    view.states["tickets"][:] = 77
    return action


def write_rules(view: View) -> int:
    view.packed_rules["purses"][:] = 77
    return view.legal[0]


FORFEITS: dict[str, tuple[Callable[[View], Any], str]] = {  # of any process
    "sys.exit(0)": (lambda _: sys.exit(0), "raised SystemExit: 0"),
    "sys.exit(3)": (lambda _: sys.exit(3), "raised SystemExit: 3"),
    "KeyboardInterrupt": (lambda _: throw(KeyboardInterrupt()), "raised KeyboardInterrupt"),
    "GeneratorExit": (lambda _: throw(GeneratorExit()), "raised GeneratorExit"),
    "BaseException": (lambda _: throw(Bare("bare")), "raised Bare: bare"),
    "exception": (lambda _: throw(KeyError("lost")), "raised KeyError: 'lost'"),
    "warning": (lambda _: throw(UserWarning("beware")), "raised UserWarning: beware"),
    "__str__ raises": (lambda _: throw(UnspeakableError()), "raised an exception that raises when it is shown"),
    "__repr__ raises": (lambda _: Unshowable(), "gave something that raises when it is shown, which is no Decision"),
    "action's __repr__ raises": (
        lambda _: Decision(Unshowable()),  # type: ignore[arg-type]
        "something that raises when it is shown is not an action",
    ),
    "__index__ raises": (lambda _: Decision(Unindexable()), "is not an action, which is an int"),  # type: ignore[arg-type]
    "lone surrogate": (lambda _: throw(ValueError("\udcff \u202e")), r"raised ValueError: \udcff \u202e"),
    "long reason": (lambda _: throw(ValueError("long " * 100_000)), "raised ValueError: long long"),
    "writes into the rules": (write_rules, "raised ValueError"),
    "memory": (lambda _: throw(MemoryError()), "raised MemoryError"),
    "recursion": (recurse, "raised RecursionError"),
    "None": (lambda _: None, "gave None, which is no Decision"),
    **{
        f"action {action!r}": (lambda _, action=action: Decision(action), "played an illegal move: ")
        for action in (-1, 10**9, 10**30, float("nan"), 3.5, True, None, "T45", np.array([1, 2]))
    },
}
CONTAINED: dict[str, Callable[[View], Any]] = {  # played on as if nothing had happened
    "fork": fork,
    "pools": use_pools,
    "changes the process": change_process,
    "prints": lambda view: print("x" * 1_000_000) or view.legal[0],
    "says odd things beside its action": lambda view: Decision(
        view.legal[0],
        value=float("nan"),
        candidates=[(0, 1.0)],  # type: ignore[arg-type]
        probabilities=((view.legal[0], "sure"), 3, (view.legal[0], 1.0)),  # type: ignore[arg-type]
        plan=(None, view.legal[0]),  # type: ignore[arg-type]
        terms=((7, 1.0), ("one", float("inf")), ("two", 2)),  # type: ignore[arg-type]
    ),
    "changes its answer": lambda view: Fickle(view.legal[0]),
    "NumPy integer": lambda view: Decision(np.int64(view.legal[0])),  # type: ignore[arg-type]
    "writes into its record": write_record,
}
IN_WORKERS: dict[str, tuple[Callable[[View], Any], str | None]] = {  # would end or spoil this process
    "os._exit": (lambda _: os._exit(0), "ended its process (exit code 0)"),
    "segmentation fault": (lambda _: ctypes.string_at(0), "ended its process (SIGSEGV)"),
    "SIGALRM": (lambda _: signal.raise_signal(signal.SIGALRM), "ended its process (SIGALRM)"),
    "closes all files": (lambda view: os.closerange(0, 256) or view.legal[0], "closed the connection of its process"),
    "closes the streams": (lambda view: sys.stdout.close() or sys.stderr.close() or view.legal[0], None),
    "changes our rules": (patch_ours, "changed the rules of the match in its process"),
    "leaves a thread": (leave_thread, None),
    "leaves a child": (leave_child, None),
    "fills the temporary folder": (fill_temporary_folder, None),
}


@dataclass(frozen=True)
class Odd(First):
    """Does one of these things in round 3."""

    kind: str = ""

    def misbehave(self, view: View) -> Decision:
        if view.round > self.since:
            return Decision(view.legal[0])
        given = {**FORFEITS, **IN_WORKERS}.get(self.kind)
        done = (CONTAINED[self.kind] if given is None else given[0])(view)
        return Decision(done) if type(done) is int else done
