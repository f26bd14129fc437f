"""A learned best response as files: ``response.json`` records what it answers and how well, ``response.npz`` plays it.

Both are in one folder. The weights are a file like any other of our networks, so ``file:response.npz`` is a policy. The
record holds a digest of them, so that two files that do not belong together are refused. All figures are those of the
response: its wins are games that the policy has lost.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

from scotyard_baselines.networks.move_scorer import FileScorer
from scotyard_baselines.robustness.challenge import Challenge, read_count, read_field, show
from scotyard_env.arena.config import first_difference
from scotyard_env.arena.content import digest_file
from scotyard_env.arena.rating import Rate
from scotyard_env.files import write_whole
from scotyard_env.json_files import read_json
from scotyard_env.wording import brief

FORMAT = "scotyard-response-1"
RECORD, WEIGHTS = "response.json", "response.npz"


class ResponseError(ValueError):
    """A file that is no response, or a damaged one."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One training: its initial network, its seed, and its win rate on the deals on which the runs are compared."""

    start: str
    seed: int
    rate: Rate

    @property
    def name(self) -> str:
        """The name of the run, which is that of its folder."""
        return f"{self.start}-{self.seed}"

    def to_json(self) -> dict[str, Any]:
        """Write the run as JSON has it."""
        return {"start": self.start, "seed": self.seed, "wins": self.rate.wins, "games": self.rate.games}

    @classmethod
    def from_json(cls, stored: Any) -> "Run":
        """Read a run."""
        if not isinstance(stored, dict):
            raise ValueError(f"a run of it cannot be {show(stored)}")
        return cls(read_field(stored, "start", str), read_count("seed", stored.get("seed")), read_rate(stored))


@dataclasses.dataclass(frozen=True)
class Response:
    """The strongest best response to a policy that some trainings have found."""

    challenge: Challenge
    command: str  # that made it
    runs: tuple[Run, ...]
    chosen: int  # the run with the highest win rate of all
    rate: Rate  # of the chosen one, on other deals
    weights: str  # digest of response.npz

    def to_json(self) -> dict[str, Any]:
        """Write the record as JSON has it."""
        return {
            "format": FORMAT,
            **self.challenge.to_json(),
            "runs": [run.to_json() for run in self.runs],
            "chosen": self.chosen,
            "wins": self.rate.wins,
            "interval": [round(limit, 4) for limit in self.rate.interval],
            "weights": self.weights,
            "command": self.command,
        }

    @classmethod
    def from_json(cls, stored: Any) -> "Response":
        """Read a record; ValueError says what is wrong with it."""
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise ValueError(f'it lacks "format": "{FORMAT}"')
        challenge = Challenge.from_json(stored)
        runs = tuple(Run.from_json(run) for run in read_field(stored, "runs", list))
        response = cls(
            challenge=challenge,
            command=read_field(stored, "command", str),
            runs=runs,
            chosen=read_count("chosen", stored.get("chosen"), most=len(runs) - 1),
            rate=read_rate(stored),
            weights=read_field(stored, "weights", str),
        )
        response.check(stored)
        return response

    def check(self, stored: dict[str, Any]) -> None:
        """Refuse a record whose fields do not fit together."""
        if problem := first_difference(stored, self.to_json()):
            raise ValueError(f"its fields do not fit together: {problem}")
        budget, games = self.challenge.budget, self.challenge.games
        pairs = [(start, seed) for start in budget.starts for seed in budget.seeds]
        if [(run.start, run.seed) for run in self.runs] != pairs or any(run.rate.games != games for run in self.runs):
            raise ValueError("its runs are not those of its budget and games")
        if self.runs[self.chosen].rate.wins < max(run.rate.wins for run in self.runs):
            raise ValueError(f"its chosen cannot be {self.chosen}: another run wins more")

    def save(self, folder: Path, weights: bytes) -> None:
        """Write the weights, then the record: so there is no record without its weights."""
        write_whole(folder / WEIGHTS, weights)
        write_whole(folder / RECORD, json.dumps(self.to_json(), indent=2) + "\n")


@dataclasses.dataclass(frozen=True)
class Stored:
    """A response and the folder that it was read from."""

    response: Response
    folder: Path

    @property
    def player(self) -> FileScorer:
        """The response as a policy."""
        return FileScorer(file=str(self.folder.absolute() / WEIGHTS))


def read_rate(stored: dict[str, Any]) -> Rate:
    """Read wins out of games."""
    games = read_count("games", stored.get("games"), least=1)
    return Rate(read_count("wins", stored.get("wins"), most=games), games)


def load_response(folder: Path) -> Stored:
    """Read the response in a folder; refuse one that is damaged, or whose weights are not those that it records."""
    path = folder / RECORD
    try:
        response = Response.from_json(read_json(path))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ResponseError(f"{path} is no response that can be read: {brief(error)}; train it again") from error
    if not (folder / WEIGHTS).is_file():
        raise ResponseError(f"{path} has no {WEIGHTS} beside it: train it again")
    if digest_file(folder / WEIGHTS) != response.weights:
        raise ResponseError(f"{folder / WEIGHTS} is not the player that {RECORD} tells of: train it again")
    stored = Stored(response, folder)
    stored.player  # noqa: B018  # refuses weights that cannot be played
    return stored


def find_responses(folder: Path) -> tuple[Stored, ...]:
    """Read every response in a folder and in those below it, in the order of their paths."""
    if not folder.is_dir():
        raise ResponseError(f"{folder}: there is no such folder; give one with results of scotyard train best_response")
    found = tuple(load_response(path.parent) for path in sorted(folder.rglob(RECORD)))
    if not found:
        raise ResponseError(f"{folder} holds no {RECORD}: scotyard train best_response makes one")
    return found
