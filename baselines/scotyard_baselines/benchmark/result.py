"""A result of the benchmark as a file: which task, which policy on which side, and the score of every pairing.

It is a file of scores (arena/score_file.py) with a head. All of it but thinking times is the same on every machine.
"""

import dataclasses
from pathlib import Path
from typing import Any

import scotyard_env
from scotyard_baselines.benchmark.task import Task
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.score import Score
from scotyard_env.arena.score_file import Player, ScoreFileError, Scores, read_record, write_record
from scotyard_env.policy import SIDES, Side
from scotyard_env.wording import brief, one_line

FORMAT = "scotyard-benchmark-1"


@dataclasses.dataclass(frozen=True)
class Bound:
    """How often a policy loses to a learned best response to it, or to another policy of its side."""

    kind: str  # learned (against this very policy) or transferred (against another)
    against: str  # the policy that the response was learned against
    budget: str  # of its training
    wins: int  # of the response
    games: int
    weights: str  # digest of the network

    def __str__(self) -> str:
        return f"{Rate(self.wins, self.games)} ({self.kind}, {self.budget})"


@dataclasses.dataclass
class BenchmarkResult:
    """The scores of a policy in a task, complete or not yet."""

    task: str
    task_version: int
    task_digest: str
    policy: str  # its name among the scores
    side: Side
    scores: Scores
    version: str = scotyard_env.__version__
    bounds: tuple[Bound, ...] = ()

    @classmethod
    def begin(cls, task: Task, policy: str, side: Side, scores: Scores) -> "BenchmarkResult":
        """Begin a result of a task."""
        return cls(task.name, task.version, task.digest, policy, side, scores)

    @property
    def player(self) -> Player:
        """The policy as it was when it played."""
        return self.scores.players[self.side][self.policy]

    @property
    def rows(self) -> dict[str, Score]:
        """What was achieved against each opponent."""
        return {pair[1 - SIDES.index(self.side)]: score for pair, score in self.scores.pairs.items()}

    def rate(self, opponent: str | None = None) -> Rate:
        """Return how often the policy wins against an opponent, or against all of them."""
        rows = self.rows
        kept = list(rows.values()) if opponent is None else [rows[opponent]] if opponent in rows else []
        caught = Rate(sum(one.rate.wins for one in kept), sum(one.games for one in kept))
        return caught if self.side == "detectives" else caught.lost

    def is_whole(self, task: Task) -> bool:
        """Tell whether it has all games of a task."""
        rows = self.rows
        return all(one in rows and rows[one].games == task.games for one in task.opponents(self.side))

    def to_json(self) -> dict[str, Any]:
        """Write the result as JSON has it."""
        return {
            "format": FORMAT,
            "task": self.task,
            "task_version": self.task_version,
            "task_digest": self.task_digest,
            "policy": self.policy,
            "side": self.side,
            "version": self.version,
            "bounds": [dataclasses.asdict(one) for one in self.bounds],
            **self.scores.to_json(),
        }

    def save(self, path: Path) -> None:
        """Write the result with its checksum."""
        write_record(path, self.to_json())


def read_result(path: Path) -> BenchmarkResult:
    """Read a result; one that is damaged, or was changed by hand, is refused."""
    stored = read_record(path, FORMAT)
    try:
        result = BenchmarkResult(
            task=stored["task"],
            task_version=stored["task_version"],
            task_digest=stored["task_digest"],
            policy=stored["policy"],
            side=stored["side"],
            scores=Scores.from_json(stored),
            version=stored["version"],
            bounds=tuple(Bound(**one) for one in stored["bounds"]),
        )
        _check(result)
    except (KeyError, TypeError, ValueError) as error:
        raise ScoreFileError(f"{path} is no result that can be read: {brief(error)}") from error
    return result


def _check(result: BenchmarkResult) -> None:
    texts = (result.task, result.task_digest, result.policy, result.version)
    if not all(isinstance(text, str) for text in texts) or type(result.task_version) is not int:
        raise ValueError("its task, policy and version are no texts")
    if result.side not in SIDES:
        raise ValueError(f"its side cannot be {one_line(repr(result.side), 80)}")
    place = SIDES.index(result.side)
    if not result.scores.pairs or any(pair[place] != result.policy for pair in result.scores.pairs):
        raise ValueError(f"its scores are not those of {one_line(result.policy, 80)}")
    for bound in result.bounds:
        if not 0 <= bound.wins <= bound.games:
            raise ValueError(f"a bound of it cannot be {bound.wins} of {bound.games}")
