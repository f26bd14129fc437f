"""What is kept of a match: one line of JSON."""

import dataclasses
import json
from typing import Any, NamedTuple

from scotyard_env.arena.forfeit import ForfeitError
from scotyard_env.arena.match import Clock
from scotyard_env.game import Game
from scotyard_env.notation import DOUBLE_TEXT, LETTERS
from scotyard_env.policy import SIDES, Side
from scotyard_env.replay import Replay
from scotyard_env.state import BLACK, MR_X


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

    @property
    def key(self) -> Key:
        """Which match it was."""
        return Key(self.mr_x, self.detectives, self.number)

    @property
    def same(self) -> dict[str, Any]:
        """Everything but the time it took: what the same seed gives again."""
        fields = dataclasses.asdict(self)
        del fields["seconds"]
        return fields

    def to_line(self) -> str:
        """Write the result as one line of JSON."""
        return json.dumps(self.__dict__, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str) -> "Result":
        """Read a result from one line of JSON."""
        fields = json.loads(line)
        if not isinstance(fields, dict):
            raise ValueError("this is not a result")
        try:
            lists = {name: tuple(fields[name]) for name in ("stations", "decisions", "seconds")}
            return cls(**{**fields, **lists})
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is not a result: {error}") from error


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
    )
