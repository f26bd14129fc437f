"""Run several trainings: one after the other in this process, in worker processes, or on a Ray cluster.

A job is a name and the argument of the task. A worker process logs to ``log.txt`` in the folder of the job. It stops in
good order, its checkpoint written, when it is asked to or when this process ends.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scotyard_env.arena.cluster import RETRIES, connect, import_ray
from scotyard_env.arena.engine import Engine

Given = TypeVar("Given")
Result = TypeVar("Result")
LOG = "log.txt"


def spread(
    task: Callable[[Given], Result], jobs: dict[str, Given], engine: Engine, folder: Path
) -> Iterator[tuple[str, Result]]:
    """Do a task for every job where the engine says, and give each result by the name of its job as it is there."""
    if engine.name == "ray":
        yield from spread_on_cluster(task, jobs, engine.address)
    elif engine.workers is None:
        yield from ((name, task(given)) for name, given in jobs.items())
    else:
        yield from spread_over_processes(task, jobs, engine.workers, folder)


# ------------------------------------------------------------------------------------------------------- processes
class Worker(NamedTuple):
    """A process that does one job, as seen from here."""

    name: str
    process: Any
    results: Connection
    lifeline: Connection  # closing it asks the process to stop

    def read(self) -> Any:
        """Return the result of the job, or raise what became of it."""
        try:
            is_done, told = self.results.recv()
        except EOFError:
            self.process.join()
            raise ValueError(
                f"the process of {self.name} has ended early (exit code {self.process.exitcode})"
            ) from None
        self.process.join()
        if not is_done:
            raise ValueError(f"{self.name}: {told}")
        return told


def spread_over_processes(
    task: Callable[[Given], Result], jobs: dict[str, Given], workers: int, folder: Path
) -> Iterator[tuple[str, Result]]:
    """Do the jobs in so many processes at a time; those that are under way when one fails are asked to stop."""
    waiting, busy = list(jobs), list[Worker]()
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                name = waiting.pop(0)
                log = folder / name / LOG
                busy.append(start(task, name, jobs[name], log))
                print(f"{name} is under way, {log} tells how it goes", flush=True)
            ready = wait([worker.results for worker in busy])
            for worker in [worker for worker in busy if worker.results in ready]:
                busy.remove(worker)
                yield worker.name, worker.read()
    finally:
        for worker in busy:
            worker.lifeline.close()
        for worker in busy:
            worker.process.join()


def start(task: Callable[[Given], Result], name: str, given: Given, log: Path) -> Worker:
    """Start a process for a job."""
    context = multiprocessing.get_context("spawn")  # what torch has at work does not survive a fork
    results, theirs = context.Pipe(duplex=False)
    their_lifeline, lifeline = context.Pipe(duplex=False)
    log.parent.mkdir(parents=True, exist_ok=True)
    process = context.Process(target=work, args=(task, given, theirs, their_lifeline, log))
    process.start()
    theirs.close()
    their_lifeline.close()
    return Worker(name, process, results, lifeline)


def work(task: Callable[[Given], Result], given: Given, results: Connection, lifeline: Connection, log: Path) -> None:
    """Do one job in a process of its own; Ctrl-C is for the one that has started it."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(file, stream)
    threading.Thread(target=stop_with, args=(lifeline,), daemon=True).start()
    try:
        results.send((True, task(given)))
    except (ValueError, OSError) as error:
        results.send((False, str(error)))
    except BaseException:
        results.send((False, f"it failed, {log} says how"))
        traceback.print_exc()


def stop_with(lifeline: Connection) -> None:
    """Ask this process to stop once the other end of a connection is closed."""
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv()
    os.kill(os.getpid(), signal.SIGTERM)


# ------------------------------------------------------------------------------------------------------------- Ray
def spread_on_cluster(
    task: Callable[[Given], Result], jobs: dict[str, Given], address: str | None
) -> Iterator[tuple[str, Result]]:
    """Do the jobs as tasks of the Ray cluster at an address, or of one made for the purpose."""
    ray = import_ray()
    with connect(ray, address):
        remote = ray.remote(max_retries=RETRIES)(work_on_cluster)
        path = tuple(sys.path)
        pending = {remote.remote(path, task, given): name for name, given in jobs.items()}
        while pending:
            for done in ray.wait(list(pending))[0]:
                name = pending.pop(done)
                try:
                    yield name, ray.get(done)
                except ray.exceptions.RayTaskError as error:
                    if isinstance(error.cause, ValueError | OSError):
                        raise ValueError(f"{name}: {error.cause}") from error
                    raise


def work_on_cluster(path: tuple[str, ...], task: Callable[[Given], Result], given: Given) -> Result:
    """Do one job; modules of the user's are looked for where the process that gives it finds them."""
    sys.path.extend(folder for folder in path if folder not in sys.path)
    return task(given)
