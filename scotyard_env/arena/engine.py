"""Where matches are played: in this process, in processes of their own, on a Ray cluster."""

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, get_args

from scotyard_env.arena.referee import Outcome, Referee, Setting
from scotyard_env.arena.result import Key

EngineName = Literal["processes", "ray"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)


@dataclasses.dataclass(frozen=True)
class Engine:
    """Plays matches, in any order: what they come to depends on the setting only."""

    name: EngineName = "processes"
    workers: int | None = None  # processes; None = this process plays
    address: str | None = None  # of a Ray cluster; None = one is made on this machine

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise ValueError(f"engine is {self.name!r}: choose from {', '.join(ENGINES)}")
        if self.address is not None and self.name != "ray":
            raise ValueError(f"address is {self.address!r}, which goes with the engine ray, not with {self.name}")
        if self.workers is not None:
            check_count("workers", self.workers)

    def play(self, setting: Setting, keys: Iterable[Key], folder: Path | None = None) -> Iterator[Outcome]:
        """Play matches, and give each as it ends; with a folder, processes on this machine write the replays there."""
        if self.name == "ray":
            from scotyard_env.arena.cluster import play_on_cluster

            return play_on_cluster(setting, keys, self.address)
        if self.workers is None:
            return map(Referee(setting).play, keys)
        from scotyard_env.arena.processes import Crew

        return Crew(setting, keys, workers=self.workers, folder=folder).play()


def check_count(name: str, value: object) -> None:
    """Refuse what is no number of things."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} is {value!r}: give a whole number of at least 1")
