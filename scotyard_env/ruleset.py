"""RuleSet: every number of a printed edition as a field, and the named editions.

An own variant is ``dataclasses.replace(RuleSet.named("classic"), detectives=3)``. What cannot be played is refused
when the rule set is made; what does not fit a board is refused when the two meet (``RuleSet.arrays``).
"""

import dataclasses
import functools
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.files import write_whole
from scotyard_env.kernel import record_type
from scotyard_env.packing import freeze
from scotyard_env.state import MAX_DETECTIVES, MAX_LOG, MAX_SEATS, MAX_STATIONS, TICKETS, UNLIMITED

Count = int | Literal["unlimited", "detectives"]  # a number of tickets, no end of them, or as many as detectives

COMMON_STARTS = (13, 26, 29, 34, 50, 53, 91, 94, 103, 112, 117, 132, 138, 141, 155, 174, 197, 198)
DETECTIVE_STARTS_2013 = (13, 26, 29, 34, 50, 53, 91, 94, 103, 112, 117, 123, 138, 141, 155, 174)
MR_X_STARTS_2013 = (35, 45, 51, 71, 78, 104, 106, 127, 132, 146, 166, 170, 172)
FORMAT = "scotyard_env rules 1"
FILE = ".json"  # the ending that tells a file from a name
MOST_TICKETS = 999  # of one kind in one purse; far from what a 16-bit count holds, even handed over by five


class RuleSetError(ValueError):
    """A rule set that cannot be played, or not on this board."""


RULES = record_type(  # a rule set on a board as the kernel reads it: one record, as compiled code passes on a pointer
    [
        ("detectives", "i2"),
        ("log_entries", "i2"),  # room in the log
        ("round_limit", "i2"),
        ("hand_over", "u1"),
        ("reveals", "u1", (MAX_LOG + 1,)),  # 1 = Mr. X shows himself at this log entry
        ("purses", "i2", (MAX_SEATS, len(TICKETS))),  # tickets dealt, by seat and kind; may be UNLIMITED
        ("detective_cards", "i2"),  # size of the deck that follows
        ("detective_starts", "i2", (MAX_STATIONS,)),
        ("mr_x_cards", "i2"),
        ("mr_x_starts", "i2", (MAX_STATIONS,)),
    ]
)
Rules = Any  # one record of RULES


@dataclasses.dataclass(frozen=True)
class RuleSet:
    """The numbers of one edition of the game; the defaults are those of ``classic``, which research plays."""

    name: str = "custom"
    board: str = "london"  # the board of this edition, played on when no other is asked for
    detectives: int = 5
    detective_tickets: tuple[int, int, int] = (10, 8, 4)  # taxi, bus, underground; for each detective
    mr_x_tickets: tuple[Count, Count, Count, Count, int] = (4, 3, 3, 5, 2)  # taxi, bus, underground, black, double
    hand_over: bool = True  # a ticket spent by a detective goes to Mr. X; if not, it leaves play
    log_entries: int | None = 24  # Mr. X wins when the log is full and the round complete; None = no such end
    round_limit: int | None = None  # Mr. X wins when this many rounds are complete; None = no such end
    reveals: tuple[int, ...] = (3, 8, 13, 18, 24)  # log entries at which Mr. X shows himself
    detective_starts: tuple[int, ...] | None = COMMON_STARTS  # decks of start cards; None = every station of the board
    mr_x_starts: tuple[int, ...] | None = COMMON_STARTS

    def __post_init__(self) -> None:
        for field in ("detective_tickets", "mr_x_tickets", "reveals", "detective_starts", "mr_x_starts"):
            if isinstance(getattr(self, field), list):
                object.__setattr__(self, field, tuple(getattr(self, field)))
        self._check_kinds()
        self._check_counts()
        self._check_end()
        self._check_starts()

    @classmethod
    def named(cls, name: str) -> "RuleSet":
        """Look up an edition by its name."""
        if name not in EDITIONS:
            raise RuleSetError(f"there is no rule set {name!r}: there are {', '.join(EDITIONS)}")
        return EDITIONS[name]

    @staticmethod
    def names() -> tuple[str, ...]:
        """List the names of the editions."""
        return tuple(EDITIONS)

    @classmethod
    def for_board(cls, board: Board) -> "RuleSet":
        """Choose the rules for a board if none are named: its own edition's, else ``classic`` with starts anywhere."""
        for edition in EDITIONS.values():
            if edition.board == board.name and board == Board.named(edition.board):
                return edition
        if board.name in Board.names() and board == Board.named(board.name):
            return EDITIONS["classic"]
        return dataclasses.replace(EDITIONS["classic"], name="custom", detective_starts=None, mr_x_starts=None)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "RuleSet":
        """Return a rule set from its fields by name, as ``to_dict`` gives them."""
        known = [field.name for field in dataclasses.fields(cls)]
        unknown = [name for name in fields if name not in known]
        if unknown:
            raise RuleSetError(f"a rule set has no field {unknown[0]!r}: it has {', '.join(known)}")
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, fit for JSON."""
        return self.__dict__.copy()  # every field is a plain value that cannot change

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "RuleSet":
        """Read a file of rules."""
        try:
            fields = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:  # not JSON, or not even text
            raise RuleSetError(f"{os.fspath(path)} is not a JSON file: {error}") from None
        if not isinstance(fields, dict) or fields.pop("format", None) != FORMAT:
            raise RuleSetError(f'{os.fspath(path)} has no rules: expected an object with "format": "{FORMAT}"')
        try:
            return cls.from_dict(fields)
        except RuleSetError as error:
            raise RuleSetError(f"{os.fspath(path)}: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of rules, whole or not at all."""
        lines = [f"  {json.dumps(field)}: {json.dumps(value)}" for field, value in self.to_dict().items()]
        write_whole(path, "{\n" + ",\n".join([f'  "format": "{FORMAT}"', *lines]) + "\n}\n")

    @property
    def log_room(self) -> int:
        """How many entries the log can be asked to hold."""
        if self.log_entries is not None:
            return self.log_entries
        assert self.round_limit is not None  # one of the two ends is set
        return self.round_limit + self.mr_x_tickets[4]

    @property
    def most_actions(self) -> int:
        """How many actions a game has at most: Mr. X's moves and announcements, and every turn of a detective."""
        rounds = self.log_room if self.round_limit is None else min(self.round_limit, self.log_room)
        announcements = min(self.mr_x_tickets[4], self.log_room // 2)
        return self.log_room + announcements + rounds * self.detectives

    @property
    def purses(self) -> tuple[tuple[int, ...], ...]:
        """The tickets dealt to each seat, by kind; UNLIMITED is -1."""
        words = {"unlimited": UNLIMITED, "detectives": self.detectives}
        mr_x = tuple(words[count] if isinstance(count, str) else count for count in self.mr_x_tickets)
        return (mr_x, *[(*self.detective_tickets, 0, 0)] * self.detectives)

    def packed(self, board: Board) -> NDArray[np.void]:
        """Put the rules in the kernel's form for a board, an array of one record; refuse a board they do not fit."""
        return _pack(self, board)

    def arrays(self, board: Board) -> Rules:
        """Return the record itself."""
        return _pack(self, board)[0]

    def _check_kinds(self) -> None:
        wanted: dict[str, tuple[Any, str]] = {
            "name": (str, "a text"),
            "board": (str, "the name of a board"),
            "hand_over": (bool, "True or False"),
            "detective_tickets": (tuple, "taxi, bus, underground"),
            "mr_x_tickets": (tuple, "taxi, bus, underground, black, double"),
            "reveals": (tuple, "log entries, such as (3, 8, 13)"),
            "detective_starts": (tuple | None, "stations, or None for every station"),
            "mr_x_starts": (tuple | None, "stations, or None for every station"),
        }
        for field, (kind, words) in wanted.items():
            if not isinstance(getattr(self, field), kind):
                raise RuleSetError(f"{field} is {getattr(self, field)!r}: give {words}")

    def _check_counts(self) -> None:
        if not _is_count(self.detectives) or not 1 <= self.detectives <= MAX_DETECTIVES:
            raise RuleSetError(f"detectives is {self.detectives!r}: the game takes 1 to {MAX_DETECTIVES}")
        if len(self.detective_tickets) != 3:
            raise RuleSetError(f"detective_tickets is {self.detective_tickets}: give taxi, bus, underground")
        if len(self.mr_x_tickets) != 5:
            raise RuleSetError(f"mr_x_tickets is {self.mr_x_tickets}: give taxi, bus, underground, black, double")
        for kind, tickets in zip(TICKETS, self.detective_tickets, strict=False):
            _check_tickets(f"detective_tickets: {kind}", tickets, ())
        for kind, count in zip(TICKETS, self.mr_x_tickets, strict=True):
            _check_tickets(f"mr_x_tickets: {kind}", count, () if kind == "double" else ("unlimited", "detectives"))

    def _check_end(self) -> None:
        for field in ("log_entries", "round_limit"):
            limit = getattr(self, field)
            if limit is not None and (not _is_count(limit) or not 1 <= limit <= MAX_LOG):
                raise RuleSetError(f"{field} is {limit!r}: give a number from 1 to {MAX_LOG}, or None for no such end")
        if self.log_entries is None and self.round_limit is None:
            raise RuleSetError("log_entries and round_limit are both None: the game must end, so set one of them")
        if self.log_room > MAX_LOG:
            raise RuleSetError(
                f"round_limit plus double tickets comes to {self.log_room}: a log has room for {MAX_LOG} entries"
            )
        for entry in self.reveals:
            if not _is_count(entry) or not 1 <= entry <= self.log_room:
                raise RuleSetError(f"reveals has {entry!r}: the log has entries 1 to {self.log_room}")

    def _check_starts(self) -> None:
        for field in ("detective_starts", "mr_x_starts"):
            deck = getattr(self, field)
            for station in deck or ():
                if not _is_count(station) or not 1 <= station <= MAX_STATIONS:
                    raise RuleSetError(f"{field} has {station!r}: stations are numbered 1 to {MAX_STATIONS}")
            if deck is not None and len(set(deck)) < len(deck):
                raise RuleSetError(f"{field} has a station twice: every card is there once")
        if self.detective_starts is not None and len(self.detective_starts) < self.detectives:
            raise RuleSetError(
                f"{self.detectives} detectives cannot start on {len(self.detective_starts)} stations (detective_starts)"
            )
        if self.mr_x_starts is not None and self.detective_starts is not None:
            _check_room_for_mr_x(self.detectives, self.detective_starts, self.mr_x_starts)


def look_up(board: str | Board | None = None, rules: str | RuleSet | None = None) -> tuple[Board, RuleSet]:
    """Turn names, files that end in .json, objects or nothing at all into a board and a rule set."""
    if not isinstance(rules, str | RuleSet | None):
        raise RuleSetError(f"rules is {rules!r}: give a name out of {', '.join(RuleSet.names())}, or a RuleSet")
    edition = _find_rules(rules) if isinstance(rules, str) else rules
    if board is None:
        board = "london" if edition is None else edition.board
    if not isinstance(board, str | Board):
        raise RuleSetError(f"board is {board!r}: give a name out of {', '.join(Board.names())}, or a Board")
    found = _find_board(board) if isinstance(board, str) else board
    return found, edition or RuleSet.for_board(found)


def _find_rules(name: str) -> RuleSet:
    return RuleSet.load(name) if name.endswith(FILE) else RuleSet.named(name)


def _find_board(name: str) -> Board:
    return Board.load(name) if name.endswith(FILE) else Board.named(name)


def resolve(
    board: str | Board | None = None, rules: str | RuleSet | None = None, detectives: int | None = None
) -> tuple[Board, RuleSet]:
    """Look up a board and a rule set, change the number of detectives if asked to, and make sure that they fit."""
    found, edition = look_up(board, rules)
    if detectives is not None:
        edition = dataclasses.replace(edition, detectives=detectives)
    edition.arrays(found)
    return found, edition


@functools.lru_cache(maxsize=64)
def _pack(rules: RuleSet, board: Board) -> NDArray[np.void]:
    everywhere = range(1, board.stations + 1)
    decks = {"detective_starts": rules.detective_starts, "mr_x_starts": rules.mr_x_starts}
    for field, deck in decks.items():
        beyond = [station for station in deck or () if station > board.stations]
        if beyond:
            raise RuleSetError(
                f"{field} of rule set {rules.name!r} has station {beyond[0]}, but board {board.name!r} ends at "
                f"{board.stations}: leave the rules out to play by those of the board, or give a deck that fits, None "
                "for every station"
            )
    detective_starts, mr_x_starts = (tuple(everywhere) if deck is None else deck for deck in decks.values())
    if len(detective_starts) < rules.detectives:
        raise RuleSetError(f"{rules.detectives} detectives cannot start on {len(detective_starts)} stations")
    _check_room_for_mr_x(rules.detectives, detective_starts, mr_x_starts)
    packed = np.zeros(1, RULES)
    record: Rules = packed[0]
    record.detectives = rules.detectives
    record.log_entries = rules.log_room
    record.round_limit = MAX_LOG if rules.round_limit is None else rules.round_limit
    record.hand_over = rules.hand_over
    record.reveals[list(rules.reveals)] = 1
    record.purses[: rules.detectives + 1] = rules.purses
    record.detective_cards = len(detective_starts)
    record.detective_starts[: len(detective_starts)] = detective_starts
    record.mr_x_cards = len(mr_x_starts)
    record.mr_x_starts[: len(mr_x_starts)] = mr_x_starts
    return freeze(packed)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_tickets(what: str, tickets: object, words: tuple[str, ...]) -> None:
    if tickets in words or (isinstance(tickets, int) and _is_count(tickets) and 0 <= tickets <= MOST_TICKETS):
        return
    also = "".join(f" or {word!r}" for word in words)
    raise RuleSetError(f"{what} is {tickets!r}: give a number from 0 to {MOST_TICKETS}{also}")


def _check_room_for_mr_x(detectives: int, detective_starts: tuple[int, ...], mr_x_starts: tuple[int, ...]) -> None:
    """Refuse decks that may leave Mr. X no card: the detectives draw first."""
    shared = set(detective_starts) & set(mr_x_starts)
    if len(mr_x_starts) - min(detectives, len(shared)) < 1:
        raise RuleSetError(
            f"{detectives} detectives may take all {len(mr_x_starts)} start stations of Mr. X (mr_x_starts): add one"
        )


_EDITIONS = (
    RuleSet(name="classic"),
    RuleSet(
        name="ravensburger_2013",
        detective_tickets=(11, 8, 4),
        mr_x_tickets=("unlimited", "unlimited", "unlimited", 5, 2),
        hand_over=False,
        round_limit=22,
        detective_starts=DETECTIVE_STARTS_2013,
        mr_x_starts=MR_X_STARTS_2013,
    ),
    RuleSet(name="ravensburger_2000", mr_x_tickets=(4, 3, 3, "detectives", 2), reveals=(3, 8, 13, 18)),
    RuleSet(name="milton_bradley_1985", board="london_milton_bradley_1985"),
    RuleSet(
        name="bristol",
        detective_tickets=(11, 8, 4),
        detective_starts=tuple(station for station in DETECTIVE_STARTS_2013 if station not in (13, 34)),
        mr_x_starts=tuple(station for station in MR_X_STARTS_2013 if station != 146),
    ),
    RuleSet(
        name="docklands",
        board="docklands",
        detectives=2,
        detective_tickets=(8, 5, 2),
        mr_x_tickets=(4, 2, 1, 2, 1),
        log_entries=12,
        reveals=(3, 8),
        detective_starts=(1, 3, 6, 12, 14, 16, 19, 21, 25, 27, 29, 32),
        mr_x_starts=(1, 3, 6, 12, 14, 16, 19, 21, 25, 27, 29, 32),
    ),
    RuleSet(
        name="glasses",
        board="glasses",
        detectives=2,
        detective_tickets=(5, 0, 0),
        mr_x_tickets=(5, 0, 0, 0, 0),
        hand_over=False,
        log_entries=5,
        reveals=(),
        detective_starts=(1, 11),
        mr_x_starts=(6,),
    ),
)
EDITIONS: Mapping[str, RuleSet] = {edition.name: edition for edition in _EDITIONS}
