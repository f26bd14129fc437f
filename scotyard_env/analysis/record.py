"""An analysis as it grows: what was played on from each moment and what was said, as a file."""

import dataclasses
import hashlib
import json
from os import PathLike
from pathlib import Path
from typing import Any

import scotyard_env
from scotyard_env.analysis.judges import Judges, Wanted
from scotyard_env.analysis.opinions import Opinions
from scotyard_env.analysis.rollouts import CURVES, Curve
from scotyard_env.analysis.swing import Chance, Chances
from scotyard_env.explanation import Explanation
from scotyard_env.files import write_whole
from scotyard_env.json_files import read_json
from scotyard_env.policy import SIDES
from scotyard_env.replay import Replay
from scotyard_env.wording import brief

FORMAT = "scotyard-analysis-1"
ROLLOUTS = 128  # games from a moment and a curve, unless told otherwise
MOST_ROLLOUTS = 100_000
LONGEST_NAME = 200  # characters of a policy's name


class AnalysisError(ValueError):
    """A file that holds no analysis, or that of another game."""


def digest_game(replay: Replay) -> str:
    """Return a short text that stands for a game, whatever was said of it."""
    return _digest(dataclasses.replace(replay, explanations=(), practice=None).to_line())


def digest_task(replay: Replay, wanted: Wanted, rollouts: int) -> str:
    """Return a short text that stands for a game and for how it is to be analysed, by which version of this package."""
    task = [FORMAT, scotyard_env.__version__, digest_game(replay), dataclasses.astuple(wanted), rollouts]
    return _digest(json.dumps(task))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclasses.dataclass(frozen=True)
class Record:
    """What was found out about a game so far."""

    game: str  # the digest of the game
    task: str  # and of the whole task, by which it is kept
    judges: Judges
    rollouts: int
    steps: int  # that were played
    planned: int
    counts: dict[Curve, list[tuple[int, int]]]  # by moment: games that the detectives won, and games
    opinions: Opinions

    @property
    def is_complete(self) -> bool:
        """Whether all that was planned is there."""
        return self.steps == self.planned

    def chances(self, replay: Replay) -> Chances:
        """Return the chances at every moment; the result of a game that is over is known."""
        found: Chances = {curve: [Chance(*one) for one in self.counts[curve]] for curve in CURVES}
        if replay.winner is not None:
            for curve in CURVES:
                found[curve][-1] = Chance(int(replay.winner == "detectives"), 1, is_known=True)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON takes it."""
        return {
            "format": FORMAT,
            "game": self.game,
            "task": self.task,
            "judges": {**dataclasses.asdict(self.judges), "opinions": dict(self.judges.opinions)},
            "rollouts": self.rollouts,
            "steps": self.steps,
            "planned": self.planned,
            "counts": self.counts,
            "opinions": {at: [one.to_dict() for one in told] for at, told in self.opinions.items()},
        }

    def save(self, path: str | PathLike[str], *, sync: bool = True) -> None:
        """Write the analysis to a file, whole or not at all."""
        write_whole(path, json.dumps(self.to_dict(), separators=(",", ":"), allow_nan=False) + "\n", sync=sync)


def load_record(path: Path, replay: Replay) -> Record:
    """Read the analysis of a game from a file that anybody may have written; ``AnalysisError`` says what is wrong."""
    try:
        return read_record(read_json(path), replay)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AnalysisError(f"{path} holds no analysis of this game: {brief(error)}") from error


def read_record(fields: Any, replay: Replay) -> Record:
    """Read the analysis of a game from JSON; whatever is odd in it raises."""
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise ValueError(f'it lacks "format": "{FORMAT}"')
    if fields["game"] != digest_game(replay):
        raise ValueError("it is that of another game")
    rollouts = _whole(fields["rollouts"], MOST_ROLLOUTS)
    planned = _whole(fields["planned"], MOST_ROLLOUTS)
    counts: dict[Curve, list[tuple[int, int]]] = {
        curve: [_count(one, rollouts) for one in fields["counts"][curve]] for curve in CURVES
    }
    if any(len(counts[curve]) != len(replay) + 1 for curve in CURVES):
        raise ValueError("its game has another number of moves")
    return Record(
        _word(fields["game"]),
        _word(fields["task"]),
        _read_judges(fields["judges"]),
        rollouts,
        _whole(fields["steps"], planned),
        planned,
        counts,
        _read_opinions(fields["opinions"], replay),
    )


def _read_judges(fields: Any) -> Judges:
    opinions = tuple((side, tuple(map(_word, fields["opinions"][side]))) for side in SIDES)
    return Judges(_word(fields["mr_x"]), _word(fields["detectives"]), _word(fields["belief"]), opinions)


def _read_opinions(fields: Any, replay: Replay) -> Opinions:
    opinions: Opinions = {}
    seats = [game.seat for game in replay.games()]
    for text, told in fields.items():
        at = _whole(int(text), len(replay) - 1)
        read = tuple(Explanation.from_dict(one, replay.board, len(replay.stations)) for one in told)
        if any(one.seat != seats[at] for one in read):
            raise ValueError(f"it has an opinion of another seat's move at moment {at}")
        opinions[at] = read
    return opinions


def _count(pair: Any, most: int) -> tuple[int, int]:
    wins, games = pair
    return _whole(wins, _whole(games, most)), games


def _whole(value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"it has {value!r} where a whole number of 0 to {most} should be")
    return value


def _word(value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable() or len(value) > LONGEST_NAME:
        raise ValueError("it has a name that is none")
    return value
