"""A line on the error stream that says what a command is busy with, and goes away when it is done."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from scotyard_env.compiler import progress

if TYPE_CHECKING:  # every command has a status line, also those that need no game
    import numpy as np

    from scotyard_env.policy import Decision, Policy
    from scotyard_env.view import View

PATIENCE = 1.0  # seconds of thinking after which it is said
CLEAR = "\r\x1b[2K"
FIRST_USE = "compiling on first use, kept for the next time"


class StatusLine:
    """What is going on now; where nothing can be overwritten, one line says that something is compiled."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._is_told = False
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """Show what is compiled and how far it is, whenever something is."""
        with progress.listening(self._show_step):
            yield

    @contextlib.contextmanager
    def thinking(self, who: str) -> Iterator[None]:
        """Show that somebody is thinking, once that takes longer than one likes to wait."""
        timer = threading.Timer(PATIENCE, self._show, [f"{who} is thinking"])
        timer.daemon = True
        if self._can_overwrite():
            timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._show("")

    def _show_step(self, kernel: str, done: int, total: int) -> None:
        if self._can_overwrite():
            self._show("" if done == total else f"{FIRST_USE}: {kernel}, {done} of {total}")
        elif not self._is_told:
            print(f"{FIRST_USE} ...", file=self._stream, flush=True)
        self._is_told = True

    def _show(self, text: str) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):  # a closed stream has nobody to tell
            if self._can_overwrite():
                self._stream.write(f"{CLEAR}{text}")
                self._stream.flush()

    def _can_overwrite(self) -> bool:
        return self._stream.isatty() and os.environ.get("TERM") != "dumb"


class Announced:
    """A policy whose long thoughts are announced."""

    def __init__(self, policy: Policy, name: str, line: StatusLine) -> None:
        self._policy, self._name, self._line = policy, name, line

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action as the policy does."""
        with self._line.thinking(self._name):
            return self._policy.act(view, rng)
