"""Play a policy through a task: only the matches that its result file lacks, so that it can be stopped at any time."""

import dataclasses
import re
from pathlib import Path

from scotyard_baselines.benchmark.result import BenchmarkResult, read_result
from scotyard_baselines.benchmark.task import Task
from scotyard_env.arena.engine import Engine
from scotyard_env.arena.folder import make_folder
from scotyard_env.arena.referee import Setting
from scotyard_env.arena.score_file import Pair, Scores
from scotyard_env.arena.score_keeping import play_missing
from scotyard_env.arena.tournament import Progress
from scotyard_env.policy import SIDES, Side, make_policy, sides_of


@dataclasses.dataclass
class Attempt:
    """A policy that plays a task on a side, and the file for its result."""

    task: Task
    policy: str  # as it is asked for
    side: Side
    name: str  # in tables
    path: Path

    def __post_init__(self) -> None:
        self.setting: Setting = self.task.set_up(self.name, self.policy, self.side)
        self.result = self._open()
        before = self.result.scores.players[self.side].get(self.name)
        self.words = self.result.scores.welcome((*self.setting.mr_x, *self.setting.detectives))
        if before is not None and not before.plays_like(self.result.player):
            self.result.bounds = ()  # they are of how it played

    @property
    def wanted(self) -> dict[Pair, int]:
        """Games that each pairing of the task shall have."""
        opponents = self.task.opponents(self.side)
        pairs = [(self.name, one) if self.side == "mr_x" else (one, self.name) for one in opponents]
        return dict.fromkeys(pairs, self.task.games)

    def play(self, engine: Engine, progress: Progress | None = None, deadline: float | None = None) -> bool:
        """Play what is missing; tell whether the result is whole."""
        make_folder(self.path.parent)
        return play_missing(
            self.result.scores, self.setting, self.wanted, engine, self.save, progress=progress, deadline=deadline
        )

    def save(self) -> None:
        """Save the result once it has a score; a file without any says nothing."""
        if self.result.scores.pairs:
            self.result.save(self.path)

    def _open(self) -> BenchmarkResult:
        """Begin a result, or go on with the one in the file; another one is refused."""
        setting = self.setting
        begun = Scores(setting.board, setting.rules, setting.seed)
        result = BenchmarkResult.begin(self.task, self.name, self.side, begun)
        if self.path.exists():
            there = read_result(self.path)
            same = ("task", "task_digest", "policy", "side")
            if any(getattr(there, field) != getattr(result, field) for field in same):
                told = f"{there.policy} as {there.side} in {there.task} v{there.task_version}"
                raise ValueError(f"{self.path} is the result of {told}: take another --out")
            result.scores, result.bounds = there.scores, there.bounds
        return result


def choose_side(policy: str, side: Side | None) -> Side:
    """Return the side that a policy plays; it must be said of one that plays both."""
    sides = sides_of(make_policy(policy, side=side))
    if side is None and len(sides) > 1:
        raise ValueError(f"{policy} plays both sides: say which by --side, {' or '.join(SIDES)}")
    return side or sides[0]


def name_file(task: Task, side: Side, name: str) -> str:
    """Return the name of a result's file."""
    return f"{task.name}-v{task.version}-{side}-{re.sub(r'[^A-Za-z0-9_.=-]+', '-', name)}.json"
