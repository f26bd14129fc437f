"""Matches as Ray tasks, for when one machine is not enough: the same matches, hence the same results.

Ray plays a match again when its worker or its node dies. A match that fails all the same is played on this machine,
where it is known which side ended its process.
"""

import contextlib
import faulthandler
import functools
import socket
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from scotyard_env.arena.guard import LAST_RESORT, START_UP
from scotyard_env.arena.processes import SILENCE, Crew
from scotyard_env.arena.referee import Outcome, Referee, Setting, conclude
from scotyard_env.arena.result import Key

RETRIES = 3  # of Ray, when a worker or a node dies
PATIENCE = 10.0  # seconds to wait for a cluster's answer
AHEAD = 3  # matches handed out for each processor of the cluster


class EngineError(ValueError):
    """An engine that does not exist or is not installed."""


class Watchdog:
    """Ends its process when somebody thinks for far too long, even inside compiled code."""

    def __init__(self, limit: float) -> None:
        self._limit = limit

    def begin(self, side: int, is_start: bool = False) -> None:
        """Start to wait."""
        faulthandler.dump_traceback_later(self._limit + LAST_RESORT + is_start * START_UP, exit=True)

    def end(self, action: int | None) -> None:
        """Wait no more."""
        faulthandler.cancel_dump_traceback_later()


@functools.lru_cache(maxsize=1)
def _referee(path: tuple[str, ...], pickled: bytes) -> Referee:
    """Make the referee of a tournament once in a process that plays many of its matches.

    Modules of the user's are looked for where the process that started the tournament finds them.
    """
    from ray import cloudpickle

    sys.path.extend(folder for folder in path if folder not in sys.path)
    return Referee(cloudpickle.loads(pickled))


def _play(path: tuple[str, ...], pickled: bytes, key: Key) -> Outcome:
    referee = _referee(path, pickled)
    limit = referee.setting.move_limit
    return conclude(key, referee.run(key, Watchdog(SILENCE if limit is None else limit)))


def play_on_cluster(setting: Setting, keys: Iterable[Key], address: str | None = None) -> Iterator[Outcome]:
    """Play matches on the Ray cluster at an address, or on one made for the purpose, and give each as it ends."""
    ray = import_ray()
    with connect(ray, address):
        task = ray.remote(max_retries=RETRIES)(_play)
        path, pickled = ray.put(tuple(sys.path)), ray.put(ray.cloudpickle.dumps(setting))
        pending: dict[Any, Key] = {}
        failed: list[Key] = []
        waiting = iter(keys)
        while True:
            most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
            for key in _take(waiting, most - len(pending)):
                pending[task.remote(path, pickled, key)] = key
            if not pending:
                break
            for done in ray.wait(list(pending))[0]:
                key = pending.pop(done)
                try:
                    yield ray.get(done)
                except ray.exceptions.RayTaskError:  # not a forfeit: a mistake of ours, which is not to be hidden
                    raise
                except ray.exceptions.RayError:
                    failed.append(key)
        yield from Crew(setting, failed, workers=1).play()


def _take(keys: Iterator[Key], most: int) -> list[Key]:
    return [key for _, key in zip(range(most), keys, strict=False)]


def import_ray() -> Any:
    """Return the library Ray, if it is installed."""
    try:
        import ray
        from ray import cloudpickle, exceptions  # noqa: F401  # they are found as ray.cloudpickle and ray.exceptions
    except ImportError as error:
        raise EngineError("the engine ray is not installed: pip install 'scotyard-env[ray]'") from error
    return ray


@contextlib.contextmanager
def connect(ray: Any, address: str | None) -> Iterator[None]:
    """Connect to a cluster, unless this process is connected already; then it stays so.

    Without an address it is one of our own: Ray by itself would join whatever ran here last, even if that is gone.
    """
    if ray.is_initialized():
        yield
        return
    if address is not None:
        _check_reachable(address)
    ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR")
    try:
        yield
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Refuse an address where nobody answers: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        try:
            socket.create_connection((host, int(port)), timeout=PATIENCE).close()
        except (OSError, OverflowError) as error:
            raise EngineError(f"no Ray cluster answers at {address}: {error}") from error
