"""Policies that play at tables: made once in processes of their own, asked with a view, stopped when they are late.

A worker is handed a view and a generator, so that it knows what its seat may know and no more. One that is late is
ended, one that crashes is replaced and asked once more; whoever asks is told which of the two it was.
"""

import asyncio
import contextlib
import multiprocessing
import signal
import threading
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from typing import Any, Literal

import numpy as np

from scotyard_env.explanation import Explanation, explain
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.state import MR_X
from scotyard_env.view import View

Failure = Literal["late", "crashed"]


class BotError(Exception):
    """A policy that gave no move; the reason is late or crashed."""

    def __init__(self, reason: Failure) -> None:
        super().__init__(reason)
        self.reason = reason


class Bots:
    """A number of workers, each of which has made all policies and decides one move at a time."""

    def __init__(self, policies: Mapping[str, str], workers: int, limit: float, first: float) -> None:
        self.limit = limit
        self.first = first  # the limit of a policy's first decision in a worker, which may have to be compiled
        self._policies = dict(policies)
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._workers = [_Worker(self._policies) for _ in range(workers)]
        for worker in self._workers:
            self._free.put_nowait(worker)

    async def decide(self, name: str, view: View, rng: np.random.Generator) -> Explanation:
        """Return what a policy plays for the seat to move, and why; else raise ``BotError``."""
        worker = await self._free.get()
        try:
            for _ in range(2):
                try:
                    return await asyncio.to_thread(worker.ask, name, view, rng, self.limit, self.first)
                except TimeoutError:
                    worker.restart()
                    raise BotError("late") from None
                except (EOFError, OSError, PolicyError):
                    worker.restart()
            raise BotError("crashed")
        finally:
            self._free.put_nowait(worker)

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.end()


class _Worker:
    """A process that has made the policies, and the connection to it."""

    def __init__(self, policies: dict[str, str]) -> None:
        self._policies = policies
        self._begin()

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, self._policies), daemon=True)
        with deaf_to_interrupts():
            self._process.start()
        theirs.close()
        self._is_ready = False
        self._asked: set[tuple[str, bool]] = set()  # by policy and whether as Mr. X

    def ask(self, name: str, view: View, rng: np.random.Generator, limit: float, first: float) -> Explanation:
        """Ask for a decision; the time to get ready is not counted, and there is more of it for the first of a kind."""
        if not self._is_ready:
            self._connection.recv()
            self._is_ready = True
        self._connection.send((name, view, rng))
        kind = (name, view.seat == MR_X)
        if not self._connection.poll(limit if kind in self._asked else first):
            raise TimeoutError
        self._asked.add(kind)
        answer = self._connection.recv()
        if not isinstance(answer, Explanation):
            raise PolicyError(answer)
        return answer

    def restart(self) -> None:
        """End the process and begin another one."""
        self.end()
        self._begin()

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._connection.close()


@contextlib.contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Let processes that begin here ignore Ctrl-C, which is for the server alone."""
    if threading.current_thread() is not threading.main_thread():  # which alone may say so
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(connection: Connection, policies: dict[str, str]) -> None:
    """Make the policies, then answer until the server is gone."""
    made = {name: make_policy(given) for name, given in policies.items()}
    with contextlib.suppress(EOFError, OSError):
        connection.send("ready")
        while True:
            name, view, rng = connection.recv()
            connection.send(_answer(made[name], view, rng, name))


def _answer(policy: Any, view: View, rng: np.random.Generator, name: str) -> Explanation | str:
    try:
        return explain(policy, view, rng, name=name)
    except PolicyError as error:
        return str(error)
