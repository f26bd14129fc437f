"""A process that plays matches, and notes in shared memory what it is about."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from numba.core import event

from scotyard_env.arena.referee import Referee, Setting, conclude
from scotyard_env.arena.replays import write_replay
from scotyard_env.arena.result import Key
from scotyard_env.state import MAX_LOG, MAX_SEATS

# What a worker notes, one number each; plain numbers, as it does so twice for every move
MATCH = 0  # its number among those that are played; IDLE between matches
SIDE = 1  # that thinks, or was the last to
IS_START = 2  # it is being made, or compiles
IS_THINKING = 3
COMPILING = 4  # how many things Numba compiles
CHANGES = 5  # of these notes: as long as they stay the same, it is silent
HAS_CLOSED = 6  # the side has closed the connection, through which nothing can be told any more
PLAYED = 7  # actions so far
ACTIONS = 8  # and from here on, which ones
NOTES = ACTIONS + MAX_LOG * (MAX_SEATS + 2)
IDLE = -1
AWAY = 0.02  # seconds after which a worker hands in what it has played


class Task(NamedTuple):
    """A match that a worker is to play: contenders by their place in the setting, so that it is short."""

    match: int
    mr_x: int
    detectives: int
    number: int  # of the deal


class Worker(event.Listener):
    """Plays the matches of one process."""

    def __init__(self, setting: Setting, connection: Connection, memory: Any, folder: Path | None) -> None:
        self._setting = setting
        self._referee = Referee(setting)
        self._connection = connection
        self._identity = os.fstat(connection.fileno()).st_ino
        self._note = memory
        self._folder = folder  # where it writes replays

    def run(self) -> None:
        """Play what comes in, until there is nothing more; the first message says that it is ready."""
        self._connection.send([])
        for tasks in iter(self._connection.recv, None):
            done, start = [], time.monotonic()
            for task in tasks:
                done.append((task.match, self._play(task)))
                if time.monotonic() - start > AWAY:
                    self._connection.send(done)
                    done, start = [], time.monotonic()
            if done:
                self._connection.send(done)

    def _play(self, task: Task) -> Any:
        """Play a match; of one with strangers tell only how it went, so that nobody but us takes it down."""
        key = Key(self._setting.mr_x[task.mr_x].name, self._setting.detectives[task.detectives].name, task.number)
        self._note[PLAYED] = 0
        self._note[MATCH] = task.match
        course = self._referee.run(key, listener=self)
        self._note[IS_THINKING] = 0
        self._note[CHANGES] += 1
        if any(self._setting.lane(key)):
            told: Any = (course.game.actions, course.clock, course.forfeit)
        else:
            told = conclude(key, course)
            if self._folder is not None and told.replay is not None:
                with contextlib.suppress(OSError):  # then whoever gets it tries, and says what is wrong
                    write_replay(self._folder, key, told.replay)
                    told = told._replace(replay=None)
        self._note[MATCH] = IDLE
        return told

    def begin(self, side: int, is_start: bool = False) -> None:
        """Note that a side starts to think."""
        self._note[SIDE] = side
        self._note[IS_START] = is_start
        self._note[IS_THINKING] = 1
        self._note[CHANGES] += 1

    def end(self, action: int | None) -> None:
        """Note what it has played, if it left the means to tell it."""
        if not self._is_connected():
            self._note[HAS_CLOSED] = 1
            leave()
        self._note[IS_THINKING] = 0
        self._note[CHANGES] += 1
        if action is not None:
            self._note[ACTIONS + self._note[PLAYED]] = action
            self._note[PLAYED] += 1

    def on_start(self, compiled: Any) -> None:
        """Note that Numba begins to compile."""
        self._note[COMPILING] += 1
        self._note[CHANGES] += 1

    def on_end(self, compiled: Any) -> None:
        """Note that it has compiled."""
        self._note[COMPILING] -= 1
        self._note[CHANGES] += 1

    def _is_connected(self) -> bool:
        try:
            return os.fstat(self._connection.fileno()).st_ino == self._identity
        except OSError:
            return False


def work(setting: Setting, connection: Connection, memory: Any, folder: Path | None, temporary: str) -> None:
    """Be a worker: what a process of a tournament does from its start to its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # what a policy starts is ended together with this process
    os.environ["TMPDIR"] = tempfile.tempdir = temporary  # and what it leaves there is deleted
    threading.Thread(target=_end_with_parent, args=(temporary,), daemon=True).start()
    try:
        worker = Worker(setting, connection, memory, folder)
        event.register("numba:compile", worker)
        worker.run()
    except (EOFError, OSError):  # nobody listens any more
        pass
    leave()


def leave() -> NoReturn:
    """End this process and all that was started in it, without waiting for anything."""
    with contextlib.suppress(Exception):  # whatever has become of them
        sys.stdout.flush()
        sys.stderr.flush()
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _end_with_parent(temporary: str) -> None:
    """End this process when the one that started it is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    shutil.rmtree(temporary, ignore_errors=True)
    leave()
