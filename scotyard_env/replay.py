"""Games as JSON lines: a replay is a start and its moves, enough to play the game again exactly."""

import dataclasses
import itertools
import json
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from scotyard_env.board import Board
from scotyard_env.explanation import Explanation, explain
from scotyard_env.files import write_whole
from scotyard_env.game import Game, IllegalMoveError, PositionError, set_up
from scotyard_env.json_files import parse_json, read_lines
from scotyard_env.links import BoardError
from scotyard_env.policy import SIDES, PolicyLike, check_fit, make_policy, side_of
from scotyard_env.ruleset import RuleSet, RuleSetError
from scotyard_env.state import SPECTATOR, station_list
from scotyard_env.view import View, may_know_thoughts
from scotyard_env.wording import brief

FORMAT = "scotyard-replay-1"
SAVED_GAME = "scotyard-saved-game-1"  # the format of games that somebody has not yet played to their end


class ReplayError(ValueError):
    """A file or line that holds no replay, or one that cannot be played."""


class Moment(NamedTuple):
    """What somebody may know at a moment of a game."""

    view: View
    explanation: Explanation | None  # why the next action is what it is


class Practice(NamedTuple):
    """The help that a person had in a practice game."""

    undos: int = 0  # moves taken back
    hints: int = 0  # asked for

    def __str__(self) -> str:
        return f"a practice game (moves taken back: {self.undos}, hints: {self.hints})"

    @classmethod
    def from_dict(cls, fields: object) -> "Practice":
        """Read it from JSON that anybody may have written; else raise ``ReplayError``."""
        counts = fields if isinstance(fields, dict) else {}
        if counts.keys() != set(cls._fields) or not all(type(n) is int and n >= 0 for n in counts.values()):
            raise ReplayError("the replay has a field of the wrong kind: practice has counts of undos and hints")
        return cls(**counts)


@dataclasses.dataclass(frozen=True)
class Replay:
    """The start of a game and every action since, hidden stations included."""

    board: Board
    rules: RuleSet
    stations: tuple[int, ...]  # at the start, by seat
    tickets: tuple[tuple[int, ...], ...]  # at the start, by seat and kind
    possible: tuple[int, ...]  # where Mr. X might start for all the table knew
    moves: tuple[str, ...]
    winner: str | None
    explanations: tuple[Explanation | None, ...] = ()  # of each move, None where there is none; or none at all
    practice: Practice | None = None  # None: nobody had help

    @classmethod
    def of(cls, game: Game, explanations: Sequence[Explanation | None] = ()) -> "Replay":
        """Take down a game so far, if need be with an explanation of each of its moves."""
        start = game.start
        return cls(
            board=game.board,
            rules=game.rules,
            stations=tuple(start.station[: start.seats].tolist()),
            tickets=tuple(tuple(purse) for purse in start.tickets[: start.seats].tolist()),
            possible=tuple(station_list(start.start)),
            moves=tuple(game.moves),
            winner=game.winner,
            explanations=tuple(explanations),
        )

    def __post_init__(self) -> None:
        if self.explanations and len(self.explanations) != len(self.moves):
            raise ReplayError(f"there are {len(self.explanations)} explanations of {len(self.moves)} moves")

    def __len__(self) -> int:
        return len(self.moves)

    def game(self, at: int | None = None) -> Game:
        """Play the game again up to its action number ``at``, to the end if left out; 0 is the start."""
        if at is not None and not 0 <= at <= len(self.moves):
            raise ReplayError(f"there is no moment {at}: this replay has 0 (the start) to {len(self.moves)}")
        *_, game = self.games(at)
        return game

    def games(self, at: int | None = None) -> Iterator[Game]:
        """Play the game again and give it at every moment, the start first; it is one game that goes on."""
        try:
            start = set_up(self.board, self.rules, self.stations, self.tickets, self.possible)
        except PositionError as error:
            raise ReplayError(f"the start cannot be played: {error}") from error
        game = Game.from_start(self.board, self.rules, start)
        yield game
        for number, move in enumerate(self.moves[:at], start=1):
            try:
                game.play(move)
            except IllegalMoveError as error:
                raise ReplayError(f"move {number} cannot be played: {error}") from error
            yield game

    def explain(self, mr_x: PolicyLike | None = None, detectives: PolicyLike | None = None) -> "Replay":
        """Return the replay with what policies would do at every decision of their side, and why; others stay."""
        given = {side: policy for side, policy in zip(SIDES, (mr_x, detectives), strict=True) if policy is not None}
        asked = {side: make_policy(policy, side) for side, policy in given.items()}
        for side, policy in asked.items():
            check_fit(policy, self.board, self.rules, side)
        explanations = list(self.explanations or (None,) * len(self.moves))
        for at, game in enumerate(self.games(max(0, len(self.moves) - 1))):
            side = side_of(game.view(game.seat))
            if self.moves and side in asked:
                explanations[at] = explain(asked[side], game.view(game.seat), name=str(given[side]))
        return dataclasses.replace(self, explanations=tuple(explanations))

    def moments(self, viewer: int | None = None) -> Iterator[Moment]:
        """Give every moment as a viewer may know it, the start first; without a viewer, as whoever moves next may."""
        for at, game in enumerate(self.games()):
            mover = SPECTATOR if game.winner is not None else game.seat
            view = game.view(mover if viewer is None else viewer)
            told = self.explanations[at] if at < len(self.explanations) else None
            is_told = told is not None and may_know_thoughts(view.viewer, told.seat, game.winner is not None)
            yield Moment(view, told if is_told else None)

    def _repr_html_(self) -> str:
        """Show the replay in a notebook, as a spectator saw it."""
        from scotyard_env.web.page import frame_page

        return frame_page(self)

    def to_line(self) -> str:
        """Write the replay as one line of JSON."""
        named = self.board.name in Board.names() and self.board == Board.named(self.board.name)
        fields: dict[str, Any] = {
            "format": FORMAT,
            "board": self.board.name if named else self.board.to_dict(),
            "board_signature": self.board.signature,
            "rules": self.rules.to_dict(),
            "stations": self.stations,
            "tickets": self.tickets,
            "possible": self.possible,
            "moves": " ".join(self.moves),
            "winner": self.winner,
        }
        if self.explanations:
            fields["explanations"] = [None if one is None else one.to_dict() for one in self.explanations]
        if self.practice is not None:
            fields["practice"] = self.practice._asdict()
        return json.dumps(fields, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_line(cls, line: str | bytes) -> "Replay":
        """Read a replay from one line of JSON, and check that it can be played."""
        fields = _read_fields(line)
        try:
            _check_lists(fields)
            board = fields["board"]
            replay = cls(
                board=Board.named(board) if isinstance(board, str) else Board.from_dict(board),
                rules=RuleSet.from_dict(fields["rules"]),
                stations=tuple(fields["stations"]),
                tickets=tuple(tuple(purse) for purse in fields["tickets"]),
                possible=tuple(fields["possible"]),
                moves=tuple(fields["moves"].split()),
                winner=fields["winner"],
                practice=Practice.from_dict(fields["practice"]) if "practice" in fields else None,
            )
        except KeyError as error:
            raise ReplayError(f"the replay has no field {error}") from error
        except (BoardError, RuleSetError) as error:
            raise ReplayError(f"the replay cannot be played: {error}") from error
        except (TypeError, AttributeError, OverflowError) as error:
            raise ReplayError(f"the replay has a field of the wrong kind: {error}") from error
        if replay.board.signature != fields.get("board_signature"):
            raise ReplayError(f"the replay was played on another board that is also called {replay.board.name!r}")
        replay = dataclasses.replace(replay, explanations=_read_explanations(fields, replay))
        for told, played in itertools.zip_longest(replay.explanations, replay.games()):
            if told is not None and told.seat != played.seat:
                raise ReplayError(f"the replay explains a move of seat {told.seat} where seat {played.seat} moves")
        if played.winner != replay.winner:
            raise ReplayError(f"the replay names {replay.winner} as winner, but its moves end with {played.winner}")
        return replay

    def save(self, path: str | PathLike[str]) -> None:
        """Write the replay to a file of its own; a file that is there already is replaced whole or not at all."""
        write_whole(path, self.to_line() + "\n")

    @classmethod
    def load(cls, path: str | PathLike[str], line: int = 1) -> "Replay":
        """Read one replay of a file, the first unless told otherwise."""
        if line < 1:
            raise ReplayError(f"line is {line}: the first line of a file is 1")
        for replay in itertools.islice(cls.load_all(path), line - 1, None):
            return replay
        raise ReplayError(f"{path}: the file is empty" if line == 1 else f"{path}: the file has no line {line}")

    @classmethod
    def load_all(cls, path: str | PathLike[str]) -> Iterator["Replay"]:
        """Read every replay of a file, one a line."""
        lines = read_lines(Path(path))
        for number in itertools.count(1):
            try:
                line = next(lines, None)
                if line is None:
                    return
                replay = cls.from_line(line)
            except ReplayError as error:
                raise ReplayError(f"{path}, line {number}: {brief(error)}") from error
            except ValueError as error:
                raise ReplayError(f"{path} cannot be read: {error}") from error
            yield replay


def _read_explanations(fields: dict[str, Any], replay: Replay) -> tuple[Explanation | None, ...]:
    told = fields.get("explanations", [])
    if not isinstance(told, list):
        raise ReplayError("the replay has a field of the wrong kind: explanations is not a list")
    try:
        read = (None if one is None else Explanation.from_dict(one, replay.board, len(replay.stations)) for one in told)
        return tuple(read)
    except ValueError as error:
        raise ReplayError(f"the replay has an explanation that cannot be read: {error}") from error


def _check_lists(fields: dict[str, Any]) -> None:
    """Refuse lists that hold lists where numbers should be."""
    for name, numbers in (("stations", fields["stations"]), ("possible", fields["possible"])):
        if not isinstance(numbers, list) or not all(isinstance(one, int) for one in numbers):
            raise ReplayError(f"the replay has a field of the wrong kind: {name} is not a list of stations")
    purses = fields["tickets"]
    if not isinstance(purses, list) or not all(isinstance(purse, list) for purse in purses):
        raise ReplayError("the replay has a field of the wrong kind: tickets is not a list of lists")


def _read_fields(line: str | bytes) -> dict[str, Any]:
    try:
        fields = parse_json(line)
    except ValueError as error:
        raise ReplayError(f"this is not JSON ({error})") from error
    if isinstance(fields, dict) and fields.get("format") == SAVED_GAME:
        raise ReplayError("this is a game that is not over: scotyard play --resume goes on with it")
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise ReplayError(f'this is not a replay: it lacks "format": "{FORMAT}"')
    return fields
