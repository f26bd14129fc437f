"""What is kept of a match: one line of JSON."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from scotyard_env.arena.forfeit import ForfeitError, traceback_id
from scotyard_env.arena.match import Clock
from scotyard_env.game import Game
from scotyard_env.json_files import parse_json
from scotyard_env.notation import DOUBLE_TEXT, LETTERS
from scotyard_env.policy import SIDES, Side
from scotyard_env.replay import Replay
from scotyard_env.state import BLACK, MAX_SEATS, MR_X
from scotyard_env.wording import one_line

Check = Callable[[Any], bool]


class Key(NamedTuple):
    """Which match of a tournament: two contenders by name, and the number of the deal."""

    mr_x: str
    detectives: str
    number: int

    def player(self, side: Side) -> str:
        """Return the contender of a side."""
        return self.mr_x if side == "mr_x" else self.detectives


@dataclasses.dataclass(frozen=True)
class Result:
    """One finished match of a tournament."""

    mr_x: str  # contenders by name
    detectives: str
    number: int  # of the deal, from 0; the same number is the same deal in every pairing
    stations: tuple[int, ...]  # at the start, by seat
    winner: str  # a side
    round: int  # in which it ended
    entries: int  # of Mr. X's log
    actions: int  # of all seats
    caught: int | None  # station where Mr. X was caught; None if he was not
    mean_possible: float | None  # mean size of the possible set after his turns; None if he had none
    black: int  # tickets that Mr. X used
    double: int
    decisions: tuple[int, int]  # by side
    seconds: tuple[float, float]  # of thinking, by side
    forfeit: str | None = None  # the side that failed, and hence lost
    reason: str | None = None  # how it failed
    traceback: str | None = None  # of what it raised, by the name under which the folder has it

    @property
    def key(self) -> Key:
        """Which match it was."""
        return Key(self.mr_x, self.detectives, self.number)

    @property
    def same(self) -> dict[str, Any]:
        """Everything but the time it took and where its tracebacks lead: what the same seed gives again."""
        fields = dataclasses.asdict(self)
        del fields["seconds"], fields["traceback"]
        return fields

    def to_line(self) -> str:
        """Write the result as one line of JSON."""
        return json.dumps(self.__dict__, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str | bytes) -> "Result":
        """Read a result from one line of JSON; ValueError says what is wrong with it."""
        fields = parse_json(line)
        if not isinstance(fields, dict):
            raise ValueError("this is not a result")
        for field in dataclasses.fields(cls):
            if field.name not in fields and field.default is dataclasses.MISSING:
                raise ValueError(f"this is not a result: it lacks {field.name!r}")
        for name, value in fields.items():
            if name not in _CHECKS:
                raise ValueError(f"this is not a result: it has {one_line(name, 40)!r}")
            if not _CHECKS[name](value):
                raise ValueError(f"this is not a result: {name} is {one_line(repr(value), 80)}")
        lists: dict[str, Any] = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
        return cls(**{**fields, **lists})


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**31


def _is_round(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**15  # as many as a game can have


def _is_real(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value < 2**53  # type: ignore[operator]  # it is a number


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_side(value: object) -> bool:
    return isinstance(value, str) and value in SIDES


def _none_or(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(check: Check, least: int, most: int) -> Check:
    return lambda value: isinstance(value, list) and least <= len(value) <= most and all(map(check, value))


_CHECKS: dict[str, Check] = {  # what each field of a line must be
    "mr_x": _is_text,
    "detectives": _is_text,
    "number": _is_count,
    "stations": _list_of(_is_count, 2, MAX_SEATS),
    "winner": _is_side,
    "round": _is_round,
    "entries": _is_round,
    "actions": _is_count,
    "caught": _none_or(_is_count),
    "mean_possible": _none_or(_is_real),
    "black": _is_count,
    "double": _is_count,
    "decisions": _list_of(_is_count, 2, 2),
    "seconds": _list_of(_is_real, 2, 2),
    "forfeit": _none_or(_is_side),
    "reason": _none_or(_is_text),
    "traceback": _none_or(_is_text),
}


def sum_up(key: Key, game: Game, replay: Replay, clock: Clock, forfeit: ForfeitError | None) -> Result:
    """Take down what is to be known of a match that is over."""
    if forfeit is None:
        assert game.winner is not None
        winner = game.winner
    else:
        winner = SIDES[1 - SIDES.index(forfeit.side)]
    return Result(
        *key,
        stations=replay.stations,
        winner=winner,
        round=game.round,
        entries=int(game.states["entries"][0]),
        actions=len(replay),
        caught=int(game.states["station"][0, MR_X]) if game.winner == "detectives" else None,
        mean_possible=round(sum(clock.possible) / len(clock.possible), 3) if clock.possible else None,
        black=sum(move.startswith(LETTERS[BLACK]) for move in replay.moves),  # only Mr. X has them
        double=replay.moves.count(DOUBLE_TEXT),
        decisions=(clock.decisions[0], clock.decisions[1]),
        seconds=(round(clock.seconds[0], 6), round(clock.seconds[1], 6)),
        forfeit=None if forfeit is None else forfeit.side,
        reason=None if forfeit is None else forfeit.reason,
        traceback=None if forfeit is None or forfeit.traceback is None else traceback_id(forfeit.traceback),
    )
