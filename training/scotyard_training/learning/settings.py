"""The settings that the training scripts share: what each of them may be, checked before anything is made."""

from pathlib import Path
from typing import Annotated, Any

from scotyard_baselines.networks.weights import MOST_HIDDEN
from scotyard_env.ranges import Range, check_ranges
from scotyard_env.ruleset import resolve

MOST_DECISIONS = 2**20  # between two updates: they are kept in memory, a few kilobytes each

Decisions = Annotated[int, Range(1, 10**12)]
Games = Annotated[int, Range(1, 2**16)]  # at once, or of an evaluation
Steps = Annotated[int, Range(1, 2**16)]
Width = Annotated[int, Range(2, MOST_HIDDEN)]
Rate = Annotated[float, Range(0, 1)]  # a rate of 1 is a hundred times too large already
Coefficient = Annotated[float, Range(0, 1000)]
Processes = Annotated[int, Range(1, 256)]


def check_settings(settings: Any, last: Path) -> None:
    """Refuse settings that make no sense, and to begin anew where there is a checkpoint already."""
    check_ranges(settings)
    resolve(settings.board, settings.rules)  # say at once where they do not fit
    if hasattr(settings, "num_steps") and settings.num_envs * settings.num_steps > MOST_DECISIONS:
        given = f"num_envs times num_steps is {settings.num_envs * settings.num_steps:,} decisions"
        raise ValueError(f"{given}: give at most {MOST_DECISIONS:,} between two updates")
    processes = getattr(settings, "processes", 1)
    for name in ("num_envs", "minibatch_size"):
        if processes > 1 and getattr(settings, name) % processes:
            raise ValueError(f"{name} is {getattr(settings, name)}: give a multiple of the {processes} processes")
    if not settings.resume and last.exists():
        raise ValueError(f"{last.parent} has a checkpoint already: --resume goes on with it, another --out begins anew")
