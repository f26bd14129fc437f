"""Analyses of finished games: one at a time in a process of its own, told to all who listen, stopped when nobody does.

What is finished is remembered here and kept in a folder; the process keeps every step there too, so that an analysis
which was stopped goes on where it was. Only games that are over get here: what is told of one is all that there is.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import os
from collections import OrderedDict
from collections.abc import AsyncGenerator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from scotyard_env.analysis.judges import Wanted
from scotyard_env.analysis.record import ROLLOUTS, digest_task
from scotyard_env.analysis.review import analyse, find_kept
from scotyard_env.analysis.shelf import tidy
from scotyard_env.analysis.telling import Teller
from scotyard_env.arena.folder import make_folder
from scotyard_env.replay import Replay
from scotyard_env.web.bots import deaf_to_interrupts
from scotyard_env.web.limits import ANALYSES, ANALYSES_KEPT, ANALYSES_ON_DISK, ANALYSIS_STEP, SOCKETS

_LOG = logging.getLogger(__name__)
FOLDER = "analyses"
KINDNESS = 10  # by which the process lets others go first
FAILED = {"type": "error", "code": "no_analysis"}

Message = dict[str, Any]  # {"type": "queued", "ahead": 1}, {"type": "analysis", ...} or {"type": "error", ...}


class BusyError(Exception):
    """As many games are analysed, or as many listen, as may be."""


class _Job:
    """An analysis that is asked for: the newest that is known of it, and how many listen."""

    def __init__(self, digest: str, replay: Replay) -> None:
        self.digest = digest
        self.replay = replay
        self.latest: Message | None = None
        self.is_over = False
        self.listeners = 0
        self.news = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def tell(self, message: Message, is_last: bool = False) -> None:
        """Let all who listen know; who is slow hears only the newest."""
        self.latest, self.is_over = message, is_last
        self.news.set()
        self.news = asyncio.Event()


class Analyses:
    """The analyses of a server."""

    def __init__(self, folder: Path, wanted: Wanted | None = None, rollouts: int = ROLLOUTS) -> None:
        self.folder = folder / FOLDER
        make_folder(self.folder)
        self._wanted, self._rollouts = wanted or Wanted(), rollouts
        self._jobs: OrderedDict[str, _Job] = OrderedDict()  # running, then waiting
        self._finished: OrderedDict[str, Message] = OrderedDict()
        self._turn = asyncio.Lock()
        self._worker: _Worker | None = None

    async def follow(self, replay: Replay) -> AsyncGenerator[Message, None]:
        """Give what is found out about a game, as it is found out; raise ``BusyError`` if there is no room."""
        digest = digest_task(replay, self._wanted, self._rollouts)
        known = self._finished.get(digest) or await asyncio.to_thread(self._load, replay)
        if known is not None:
            self._remember(digest, known)
            yield known
            return
        job = self._open(digest, replay)
        job.listeners += 1
        try:
            async for message in self._listen(job):
                yield message
        finally:
            job.listeners -= 1
            if job.listeners == 0:
                await self._drop(job)

    def has_room_for(self, replay: Replay) -> bool:
        """Tell whether a game can be analysed, or listened to, just now."""
        digest = digest_task(replay, self._wanted, self._rollouts)
        job = self._jobs.get(digest)
        return job.listeners < SOCKETS if job is not None else len(self._jobs) < ANALYSES

    def _open(self, digest: str, replay: Replay) -> _Job:
        if not self.has_room_for(replay):
            raise BusyError
        job = self._jobs.get(digest)
        if job is None:
            job = self._jobs[digest] = _Job(digest, replay)
            job.task = asyncio.create_task(self._run(job))
        return job

    async def _listen(self, job: _Job) -> AsyncGenerator[Message, None]:
        """Give the newest whenever there is news; opinions, which never change, once."""
        if job.latest is None:
            yield {"type": "queued", "ahead": list(self._jobs).index(job.digest)}
        told: Message | None = None
        while True:
            news = job.news
            if job.latest is not None and job.latest is not told:
                is_first, told = told is None, job.latest
                yield {name: value for name, value in told.items() if is_first or name != "opinions"}
            elif job.is_over:
                return
            else:
                await news.wait()

    async def _run(self, job: _Job) -> None:
        """Analyse a game when its turn comes."""
        try:
            async with self._turn:
                await self._ask(job)
        except asyncio.CancelledError:
            raise
        except Exception:
            _LOG.exception("an analysis failed")
            self._end_worker()
            job.tell(FAILED, is_last=True)
        finally:
            self._jobs.pop(job.digest, None)

    async def _ask(self, job: _Job) -> None:
        worker = self._worker = self._worker or _Worker(self.folder, self._wanted, self._rollouts)
        try:
            message = await asyncio.to_thread(worker.begin, job.replay.to_line())
            while message["type"] == "analysis" and message["done"] < message["planned"]:
                job.tell(message)
                message = await asyncio.to_thread(worker.receive)
        except asyncio.CancelledError:
            self._end_worker()
            raise
        if message["type"] == "analysis":
            self._remember(job.digest, message)
            await asyncio.to_thread(tidy, self.folder, ANALYSES_ON_DISK)
        job.tell(message, is_last=True)

    async def _drop(self, job: _Job) -> None:
        """Stop an analysis that nobody listens to."""
        if job.task is not None and not job.task.done():
            self._jobs.pop(job.digest, None)
            job.task.cancel()
            await asyncio.gather(job.task, return_exceptions=True)

    def _load(self, replay: Replay) -> Message | None:
        """Return an analysis that is kept whole in the folder."""
        record = find_kept(replay, self._wanted, self._rollouts, self.folder)
        if record is None or not record.is_complete:
            return None
        return {"type": "analysis", **Teller(replay, record.judges.belief).tell(record)}

    def _remember(self, digest: str, message: Message) -> None:
        self._finished[digest] = message
        self._finished.move_to_end(digest)
        while len(self._finished) > ANALYSES_KEPT:
            self._finished.popitem(last=False)

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    async def close(self) -> None:
        """Stop all analyses."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._end_worker()


class _Worker:
    """A process that analyses games, and the connection to it."""

    def __init__(self, folder: Path, wanted: Wanted, rollouts: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, folder, wanted, rollouts), daemon=True)
        with deaf_to_interrupts():
            self._process.start()
        theirs.close()

    def begin(self, line: str) -> Message:
        """Begin to analyse a game; return the first that is known of it."""
        self._connection.send(line)
        return self.receive()

    def receive(self) -> Message:
        """Wait for the next that is known; a process that is stuck or gone raises."""
        if not self._connection.poll(ANALYSIS_STEP):
            raise TimeoutError("a step of an analysis took too long")
        message: Message = self._connection.recv()
        return message

    def end(self) -> None:
        """End the process; a thread that waits for it is told by the end of the connection, which is then let go."""
        self._process.kill()
        self._process.join()


def _work(connection: Connection, folder: Path, wanted: Wanted, rollouts: int) -> None:
    """Analyse one game after the other, until the server is gone."""
    if hasattr(os, "nice"):
        os.nice(KINDNESS)
    with contextlib.suppress(EOFError, OSError):
        while True:
            replay = Replay.from_line(connection.recv())
            try:
                _tell_all(connection, replay, folder, wanted, rollouts)
            except ValueError:  # nobody can judge the game
                _LOG.exception("a game cannot be analysed")
                connection.send(FAILED)


def _tell_all(connection: Connection, replay: Replay, folder: Path, wanted: Wanted, rollouts: int) -> None:
    teller: Teller | None = None
    for record in analyse(replay, wanted, rollouts, folder):
        teller = teller or Teller(replay, record.judges.belief)
        connection.send({"type": "analysis", **teller.tell(record)})
