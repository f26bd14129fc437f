"""A worker process as seen from the process that looks after it."""

import contextlib
import multiprocessing
import os
import pickle
import shutil
import signal
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any

from scotyard_env.arena.guard import GRACE, LAST_RESORT, START_UP
from scotyard_env.arena.referee import Setting
from scotyard_env.arena.worker import AWAY, CHANGES, COMPILING, IDLE, IS_START, IS_THINKING, MATCH, NOTES, Task, work

LOADING = 20.0  # seconds that a policy may take at its start on top of the limit, unless it compiles
Lane = tuple[str | None, str | None]  # the strangers of a match, by side: a worker plays the matches of one lane


class Member:
    """A worker as seen from here: its process, what it was handed, what it notes."""

    def __init__(self, lane: Lane, setting: Setting, folder: Path | None) -> None:
        context = _context()
        self.lane = lane
        self.note = context.RawArray("q", NOTES)
        self.note[MATCH] = IDLE
        self.handed: deque[int] = deque()  # matches, in the order in which they are played
        self.is_ready = False
        self.pace = AWAY  # seconds a match
        self._changes, self._changed = 0, time.monotonic()  # of its notes, and when the last was seen
        self._heard = time.monotonic()  # when it last told something
        self._temporary = tempfile.mkdtemp(prefix="scotyard-")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(setting, theirs, self.note, folder, self._temporary))
        try:
            self.process.start()
        except BaseException:
            shutil.rmtree(self._temporary)
            raise
        theirs.close()

    def hand(self, tasks: list[Task]) -> None:
        """Give it matches to play."""
        self.handed.extend(task.match for task in tasks)
        with contextlib.suppress(OSError):  # if it is gone, that is noticed soon enough
            self.connection.send(tasks)

    def hear(self) -> list[tuple[int, Any]] | None:
        """Return what it has played; None if it is gone."""
        is_alive = self.process.is_alive()  # before its last words are read
        done: list[tuple[int, Any]] = []
        try:
            while self.connection.poll():
                done += self.connection.recv()
                self.is_ready = True
        except (EOFError, OSError, pickle.UnpicklingError):
            is_alive = False
        if done:
            self.pace = (time.monotonic() - self._heard) / len(done)
            self._heard = time.monotonic()
        return done if done or is_alive else None

    def is_silent(self, limit: float) -> bool:
        """Tell whether its notes have not changed for longer than it takes to move, or to start and then move."""
        if self.note[CHANGES] != self._changes:
            self._changes, self._changed = self.note[CHANGES], time.monotonic()
        limit += LAST_RESORT
        if self.note[COMPILING] or not self.note[IS_THINKING]:
            limit += START_UP
        elif self.note[IS_START]:
            limit += LOADING
        is_busy = bool(self.handed) or not self.is_ready
        return is_busy and time.monotonic() - self._changed > limit

    def retire(self) -> None:
        """Let it go when it has played all that there is."""
        with contextlib.suppress(OSError):
            self.connection.send(None)
        self.process.join(GRACE)
        self.stop()

    def stop(self) -> None:
        """End it and all that was started in it, and delete what that has left in its temporary folder."""
        self.connection.close()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        shutil.rmtree(self._temporary, ignore_errors=True)


def _context() -> Any:
    """Choose how processes start: forked off a clean process that has imported all this, where there is such a thing.

    This process itself is not forked: threads do not take kindly to it.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([work.__module__, "scotyard_env.arena.warm"])
    return context
