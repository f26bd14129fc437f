"""Several processes that learn together: each plays its share of the games, and all make the same steps.

Every process has networks and optimizer for itself. For each minibatch it works out the gradients of its share of the
decisions, and torch.distributed adds these up: all weights stay equal to the last bit. The first process is the one
that the user has started; it tells the others what to do next, saves and shows.
"""

import contextlib
import datetime
import multiprocessing
import signal
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Semaphore
from typing import Any, NamedTuple, TypeVar

import torch
import torch.distributed as distributed
from numpy.typing import NDArray
from torch import Tensor

from scotyard_env.rng import policy_rng

PATIENCE = datetime.timedelta(days=1)  # that a process waits for the others, of which the first evaluates for long

Command = TypeVar("Command")


class Team(NamedTuple):
    """The place of a process among those that learn together."""

    size: int = 1
    rank: int = 0  # of this process; 0 is the first

    def seed(self, seed: int) -> int:
        """Return the seed of the games of this process, given that of the run."""
        return seed if self.rank == 0 else int(policy_rng(seed, "team", self.rank).integers(2**32))

    def add_up(self, values: Tensor | NDArray[Any]) -> None:
        """Add up the values of all processes, in place."""
        if self.size > 1:
            distributed.all_reduce(torch.as_tensor(values))

    def tell(self, word: str) -> None:
        """Tell the others what to do next, as the first."""
        if self.size > 1:
            distributed.broadcast_object_list([word])

    def hear(self) -> str:
        """Wait for what the first tells."""
        heard = [""]
        distributed.broadcast_object_list(heard)
        return heard[0]

    def gather(self, content: Any) -> list[Any]:
        """Return what each process has to give, to the first; an empty list to the others."""
        if self.size == 1:
            return [content]
        given: list[Any] = [None] * self.size if self.rank == 0 else []
        distributed.gather_object(content, given if self.rank == 0 else None)
        return given


ALONE = Team()


@contextlib.contextmanager
def lead(size: int, follow: Callable[[Team, Command], None], command: Command) -> Iterator[None]:
    """Start the other processes, which follow the first one; end them in the end."""
    if size == 1:
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        context = multiprocessing.get_context("spawn")  # what torch has at work does not survive a fork
        ready = context.Semaphore(0)
        given = [(Team(size, rank), folder, ready, follow, command) for rank in range(1, size)]
        others = [context.Process(target=_follow, args=one, daemon=True) for one in given]
        for process in others:
            process.start()
        try:
            _await(ready, others)
            _join(Team(size), folder)
            yield
            Team(size).tell("stop")
            for process in others:
                process.join()
        except RuntimeError as error:  # torch's word for a connection that is lost
            raise ValueError(f"a process of the team has ended early, and says above why: {error}") from error
        finally:
            if distributed.is_initialized():
                distributed.destroy_process_group()
            for process in others:
                process.kill()


def _await(ready: Semaphore, others: list[SpawnProcess]) -> None:
    """Wait until all others have begun: torch would wait for one that cannot, without a word."""
    for _ in others:
        while not ready.acquire(timeout=1.0):
            if not all(process.is_alive() for process in others):
                raise ValueError("a process of the team could not begin, and says above why; --processes 1 needs none")


def _join(team: Team, folder: str) -> None:
    place: dict[str, Any] = {"rank": team.rank, "world_size": team.size, "timeout": PATIENCE}
    distributed.init_process_group("gloo", f"file://{folder}/team", **place)


def _follow(
    team: Team, folder: str, ready: Semaphore, follow: Callable[[Team, Command], None], command: Command
) -> None:
    """Be one of the others; Ctrl-C is for the first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ready.release()
    _join(team, folder)
    follow(team, command)
    distributed.destroy_process_group()
