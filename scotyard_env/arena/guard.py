"""Asking a policy for its move, whatever it does: the one door through which policies play in the arena.

What comes through is a plain decision or a ``ForfeitError``. A person's Ctrl-C stops the match; a policy that raises
``KeyboardInterrupt`` itself forfeits like any other that raises. In the main thread a policy that is late is called
back as far as Python can interrupt it; who must be stopped in any case plays in a worker process.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol, TypeVar

import numpy as np

from scotyard_env.arena.forfeit import ForfeitError, forfeit_by_raising, late
from scotyard_env.arena.process_state import ProcessState
from scotyard_env.policy import SIDES, Decision, Policy, PolicyError, Side, clean_decision
from scotyard_env.view import View

GRACE = 1.0  # seconds beyond the move limit after which a policy is stopped: one that comes back says so itself
LAST_RESORT = 2.0  # and after which its process is ended: by then the guard in it has had a second to stop it
START_UP = 120.0  # seconds that a policy may take to be made and to compile, on top of its move limit
POLL = 0.05  # seconds between looks at the clock
T = TypeVar("T")


class Listener(Protocol):
    """Somebody who must know how far a match is even if it never ends, such as whoever looks after the worker."""

    def begin(self, side: int, is_start: bool = False) -> None:
        """A side starts to think; at the start, when it is made and compiles, it may take longer."""

    def end(self, action: int | None) -> None:
        """It has played this; None if that is no part of the match."""


class LateError(BaseException):
    """Raised inside a policy to call it back."""


class Guard:
    """Asks the policies of a match, and keeps what one of them does from the other and from this process."""

    def __init__(
        self, *, move_limit: float | None = None, listener: Listener | None = None, has_strangers: bool = True
    ) -> None:
        self.move_limit = move_limit
        self.listener = listener
        self._state = ProcessState() if has_strangers else None  # to be put back after code that is not ours
        self._deadline = float("inf")  # of the policy that thinks
        self._is_interrupted = False  # by a person
        self._handler: Any = None  # of SIGINT, before ours
        self._over = threading.Event()
        self._clock = threading.Lock()  # nobody is called back who has just come back
        self._is_called_back = False

    def __enter__(self) -> "Guard":
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and self.listener is None:  # who has a listener is called back by it
            self._handler = signal.signal(signal.SIGINT, self._take_signal)
            if self.move_limit is not None and hasattr(signal, "pthread_kill"):
                threading.Thread(target=self._watch_clock, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self._state is not None:
            self._state.restore()

    def ask(self, side: int, policy: Policy, view: View, rng: np.random.Generator) -> tuple[Decision, float]:
        """Return what a policy decides, in plain types, and the seconds it took."""
        start = time.perf_counter()
        decision = self.call(side, lambda: _read(SIDES[side], policy.act(view, rng)))
        seconds = time.perf_counter() - start
        if self.move_limit is not None and seconds > self.move_limit:
            raise ForfeitError(SIDES[side], late(self.move_limit))
        return decision, seconds

    def call(self, side: int, function: Callable[[], T], *, is_start: bool = False, doing: str = "") -> T:
        """Call something of a policy's; whatever it raises is a forfeit."""
        if self.listener is not None:
            self.listener.begin(side, is_start)
        try:
            return self._call(function, START_UP if is_start else 0.0)
        except ForfeitError:
            raise
        except LateError:
            raise ForfeitError(SIDES[side], late(self.move_limit or 0.0), is_hang=True) from None
        except BaseException as error:
            if self._is_interrupted:
                raise KeyboardInterrupt from error
            raise forfeit_by_raising(SIDES[side], error, doing) from error

    def _call(self, function: Callable[[], T], allowance: float) -> T:
        process = os.getpid()
        if self.move_limit is not None:
            self._deadline = time.monotonic() + self.move_limit + GRACE + allowance
        try:
            return function()
        finally:
            with self._clock:
                self._deadline = float("inf")
            if os.getpid() != process:  # a policy has forked, and its child comes back here: it has no part in this
                os._exit(0)
            if self._state is not None:
                self._state.restore_recursion_limit()
            if self._is_interrupted:  # and the policy has caught it
                raise KeyboardInterrupt

    def _take_signal(self, number: int, frame: FrameType | None) -> None:
        """Call back a policy that is late; otherwise it is a person who interrupts."""
        if self._is_called_back:
            self._is_called_back = False
            if time.monotonic() > self._deadline:
                raise LateError
            return
        if callable(self._handler):  # a job in the background ignores it
            self._is_interrupted = True
            self._handler(number, frame)

    def _watch_clock(self) -> None:
        main = threading.main_thread().ident
        while main is not None and not self._over.wait(POLL):
            with self._clock:
                if time.monotonic() > self._deadline:
                    self._is_called_back = True
                    signal.pthread_kill(main, signal.SIGINT)


def _read(side: Side, decision: object) -> Decision:
    """Take a decision as plain types; what is none forfeits."""
    try:
        return clean_decision(decision)
    except PolicyError as error:
        raise ForfeitError(side, str(error)) from error
