"""Matches on the cores of this machine: the standard library's process pool, and somebody who looks after it.

Every worker notes in shared memory what it is about. So a policy that never returns can be stopped from outside, and
when a worker dies it is known in which match. The pool is then set up again and goes on; a match in which workers keep
dying is played by itself, and forfeited by the side that was thinking if it ends the same way.
"""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.arena.match import late
from scotyard_env.arena.referee import Outcome, Referee, Setting, adjudicate
from scotyard_env.arena.replays import write_replay
from scotyard_env.arena.result import Key
from scotyard_env.policy import SIDES
from scotyard_env.state import MAX_LOG, MAX_SEATS

NOTE = np.dtype(  # what a worker notes
    [
        ("pid", "i8"),  # 0 = no worker here yet
        ("match", "i8"),  # index into the keys; IDLE between matches
        ("side", "i8"),  # that thinks
        ("since", "f8"),  # when it began to, by time.monotonic(); 0 = nobody thinks
        ("played", "i8"),  # actions so far
        ("actions", "i4", (MAX_LOG * (MAX_SEATS + 2),)),
    ]
)
IDLE = -1
AWAY = 0.02  # seconds after which a worker hands in what it has played
BUNDLE = 8  # matches that a worker takes at once, at most
POLL = 0.05  # seconds between looks at the clock
GRACE = 1.0  # seconds beyond the move limit after which a worker is stopped: one that is alive says so itself
DEATHS = 2  # of workers in one match before it is played by itself
FALSE_STARTS = 3  # pools in a row that die before any match has begun


_NO_START = (
    "worker processes end before they begin to play: what they print says why; a script that starts them must do so"
    ' under if __name__ == "__main__", and policies must be such as can be imported or pickled'
)


class WorkerError(ValueError):
    """Worker processes that cannot be started, or not with these policies."""


class Notes:
    """The shared memory in which every worker has a row."""

    def __init__(self, context: Any, workers: int) -> None:
        self.memory = context.RawArray("b", workers * NOTE.itemsize)
        self.next_row = context.Value("i", 0)
        self.rows["match"] = IDLE

    @property
    def rows(self) -> NDArray[np.void]:
        """The rows of all workers."""
        return np.frombuffer(self.memory, NOTE)

    def take_row(self) -> NDArray[np.void]:
        """Give a worker its row."""
        with self.next_row.get_lock():
            row = self.next_row.value
            self.next_row.value += 1
        return self.rows[row : row + 1]


class Worker:
    """One process that plays matches, and notes what it is about."""

    def __init__(self, setting: Setting, notes: Notes, folder: Path | None) -> None:
        self._referee = Referee(setting)
        self._folder = folder
        self._row = notes.take_row()
        self._row["pid"] = os.getpid()

    def play_some(self, bundle: list[tuple[int, Key]]) -> list[Outcome]:
        """Play matches until some time has passed: one that takes long, or several that do not."""
        enough, outcomes = time.monotonic() + AWAY, []
        for match, key in bundle:
            outcomes.append(self._play(match, key))
            if time.monotonic() > enough:
                break
        return outcomes

    def _play(self, match: int, key: Key) -> Outcome:
        self._row["played"] = 0
        self._row["match"] = match
        outcome = self._referee.play(key, listener=self)
        self._row["since"] = 0  # nobody thinks any more, also if the match was forfeited
        if self._folder is not None and outcome.replay is not None:
            write_replay(self._folder, key, outcome.replay)
            outcome = outcome._replace(replay=None)
        self._row["match"] = IDLE
        return outcome

    def begin(self, side: int, allowance: float = 0.0) -> None:
        """Note that a side starts to think."""
        self._row["side"] = side
        self._row["since"] = time.monotonic() + allowance

    def end(self, action: int | None) -> None:
        """Note what it has played."""
        self._row["since"] = 0
        if action is not None:
            played = int(self._row["played"][0])
            self._row["actions"][0, played] = action
            self._row["played"] = played + 1


_HERE: list[Worker] = []  # in a worker process: what the start of the process leaves for its matches


def _start_worker(setting: Setting, notes: Notes, folder: Path | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _HERE.append(Worker(setting, notes, folder))


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _play_some(bundle: list[tuple[int, Key]]) -> list[Outcome]:
    return _HERE[0].play_some(bundle)


def _context() -> Any:
    """Choose how processes start: forked off a clean process that has imported all this, where there is such a thing.

    This process itself is not forked: threads do not take kindly to it.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


class Pool:
    """A process pool with its notes, from which it is known what each worker is about."""

    def __init__(self, setting: Setting, workers: int, folder: Path | None) -> None:
        context = _context()
        self.workers = workers
        self.stopped: set[int] = set()  # matches in which somebody thought for too long
        self._limit = setting.move_limit
        self._notes = Notes(context, workers)
        self._pool = ProcessPoolExecutor(workers, context, _start_worker, (setting, self._notes, folder))

    def play(self, matches: "deque[int]", keys: list[Key]) -> Iterator[tuple[int, Outcome]]:
        """Play matches until none is left or the pool is dead."""
        pending: dict[Future[list[Outcome]], list[int]] = {}
        try:
            while matches or pending:
                while matches and len(pending) < 2 * self.workers:  # one to play, one to go on with
                    bundle = [matches.popleft() for _ in range(self._fair_share(len(matches)))]
                    pending[self._pool.submit(_play_some, [(match, keys[match]) for match in bundle])] = bundle
                done, _ = wait(pending, None if self._limit is None else POLL, FIRST_COMPLETED)
                for future in done:
                    bundle, outcomes = pending.pop(future), future.result()
                    matches.extendleft(reversed(bundle[len(outcomes) :]))
                    yield from zip(bundle, outcomes, strict=False)
                self._stop_overdue()
        except BrokenProcessPool:
            pass

    def _fair_share(self, left: int) -> int:
        """Choose how many matches a worker takes at once: few towards the end, so that nobody waits for another."""
        return max(1, min(BUNDLE, left // (4 * self.workers)))

    def under_way(self) -> list[Any]:
        """List the notes of the workers that are in a match."""
        return [row for row in self._notes.rows if row["pid"] and row["match"] != IDLE]

    def _stop_overdue(self) -> None:
        """End the workers in which somebody has thought for far too long, and with them the pool."""
        if self._limit is not None:
            latest = time.monotonic() - self._limit - GRACE
            for row in self.under_way():
                if 0 < row["since"] < latest:
                    self.stopped.add(int(row["match"]))
                    _kill(int(row["pid"]))

    def close(self) -> None:
        """Let the workers go."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def abort(self) -> None:
        """End the workers in the middle of what they do."""
        for row in self._notes.rows:
            if row["pid"]:
                _kill(int(row["pid"]))
        self._pool.shutdown(wait=False, cancel_futures=True)


def _check_sendable(setting: Setting) -> None:
    """Refuse policies that cannot be sent to another process."""
    try:
        pickle.dumps(setting)
    except Exception as error:  # whatever a policy's own way to be pickled may raise
        raise WorkerError(
            f"these policies cannot be sent to worker processes, play them in this one: {error}"
        ) from error


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


class Crew:
    """Plays matches in worker processes, though pools may die."""

    def __init__(self, setting: Setting, keys: Iterable[Key], workers: int, folder: Path | None = None) -> None:
        _check_sendable(setting)
        self._setting = setting
        self._folder = folder  # where the workers write replays
        self._keys = list(keys)
        self._workers = workers
        self._waiting = list(range(len(self._keys)))
        self._deaths: Counter[int] = Counter()  # of workers, by match
        self._false_starts = 0

    def play(self) -> Iterator[Outcome]:
        """Play all matches, and give each as it ends."""
        while self._waiting:
            suspects = [match for match in self._waiting if self._deaths[match] >= DEATHS]
            taken = suspects[:1] or self._waiting
            self._waiting = [match for match in self._waiting if match != taken[0]] if suspects else []
            yield from self._shift(taken)

    def _shift(self, matches: list[int]) -> Iterator[Outcome]:
        """Play matches with one pool; what is left when it dies waits for the next."""
        left = dict.fromkeys(matches)
        pool = Pool(self._setting, min(self._workers, len(matches)), self._folder)
        try:
            for match, outcome in pool.play(deque(matches), self._keys):
                del left[match]
                self._false_starts = 0
                yield outcome
            pool.close()
        except BaseException:
            pool.abort()
            raise
        if left:
            yield from self._clear_up(pool, left)
            self._waiting = [*left, *self._waiting]

    def _clear_up(self, pool: Pool, left: dict[int, None]) -> Iterator[Outcome]:
        """Decide the matches that ended a pool and cannot be played; note the others that were under way."""
        under_way = [row for row in pool.under_way() if int(row["match"]) in left]
        self._false_starts += not under_way
        if self._false_starts >= FALSE_STARTS:
            raise WorkerError(_NO_START)
        for row in under_way:
            match = int(row["match"])
            if match in pool.stopped and self._setting.move_limit is not None:
                reason = late(self._setting.move_limit)
            elif self._deaths[match] >= DEATHS:
                reason = "ended its process, and did so again whenever the match was played"
            else:
                self._deaths[match] += not pool.stopped
                continue
            del left[match]
            actions = row["actions"][: row["played"]].tolist()
            yield adjudicate(self._setting, self._keys[match], actions, SIDES[row["side"]], reason)
