"""A task of the benchmark: a game, opponents, and how many games are played against each."""

import dataclasses
import functools
import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

from scotyard_env.arena.referee import Setting
from scotyard_env.arena.tournament import make_setting
from scotyard_env.policy import PolicyLike, Side

TASKS = Path(__file__).with_name("tasks.toml")


class TaskError(ValueError):
    """A task that does not exist."""


@dataclasses.dataclass(frozen=True)
class Task:
    """What is played, so that two policies that did it can be compared."""

    name: str
    version: int
    about: str
    board: str
    rules: str
    seed: int
    games: int  # against each opponent
    mr_x: tuple[str, ...]  # opponents of detectives
    detectives: tuple[str, ...]  # opponents of a Mr. X
    move_limit: float | None = None  # seconds; None = ten minutes, after which a move is stopped

    @property
    def title(self) -> str:
        """Name and version, as they are cited."""
        return f"{self.name} v{self.version}"

    @property
    def digest(self) -> str:
        """A short text that differs for tasks that differ in anything but their words."""
        told = {name: value for name, value in dataclasses.asdict(self).items() if name != "about"}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]

    def opponents(self, side: Side) -> tuple[str, ...]:
        """List the opponents of a policy that plays a side."""
        return self.detectives if side == "mr_x" else self.mr_x

    def set_up(self, name: str, policy: PolicyLike, side: Side) -> Setting:
        """Put together the games of a policy, under a name, on a side."""
        entries: dict[Side, Any] = {"mr_x": list(self.mr_x), "detectives": list(self.detectives)}
        entries[side] = {name: policy}
        return make_setting(
            **entries,
            games=self.games,
            board=self.board,
            rules=self.rules,
            seed=self.seed,
            move_limit=self.move_limit,
        )


@functools.lru_cache(maxsize=1)
def read_tasks() -> dict[str, Task]:
    """Read all tasks by name."""
    stored = tomllib.loads(TASKS.read_text(encoding="utf-8"))
    return {
        name: Task(name=name, **{**one, "mr_x": tuple(one["mr_x"]), "detectives": tuple(one["detectives"])})
        for name, one in stored.items()
    }


def find_task(name: str) -> Task:
    """Return a task by name."""
    tasks = read_tasks()
    if name not in tasks:
        raise TaskError(f"there is no task {name!r}: choose from {', '.join(tasks)}")
    return tasks[name]


def list_tasks() -> str:
    """Write a line or two for each task."""
    lines = []
    for task in read_tasks().values():
        lines += [
            f"{task.title:18} {task.about}",
            f"{'':18} {task.rules} on {task.board}, {task.games} games each, seed {task.seed}",
            f"{'':18} a Mr. X plays against {', '.join(task.detectives)}",
            f"{'':18} detectives play against {', '.join(task.mr_x)}",
        ]
    return "\n".join(lines)
