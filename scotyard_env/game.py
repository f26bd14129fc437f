"""One game in progress: checks legality, raises, tells spectators."""

import dataclasses
import logging
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

import numpy as np

from scotyard_env.board import Board
from scotyard_env.notation import action_texts
from scotyard_env.playing import explain_illegal, play_if_legal, read_action
from scotyard_env.rules import begin, wipe
from scotyard_env.rules import deal as deal_cards
from scotyard_env.ruleset import RuleSet, look_up, resolve
from scotyard_env.state import (
    BLACK,
    DOUBLE,
    MAX_DETECTIVES,
    MAX_SEATS,
    MR_X,
    SEATS,
    SPECTATOR,
    TICKETS,
    UNLIMITED,
    State,
    new_states,
    station_set,
)
from scotyard_env.view import Position, PublicMove, View, public_move

_LOG = logging.getLogger(__name__)


class IllegalMoveError(ValueError):
    """An action that is not open to the seat to move."""


class PositionError(ValueError):
    """Stations and tickets from which no game can start."""


class Spectator:
    """A spectator of the public game: override the methods for the events you need."""

    def round_started(self, round: int) -> None:
        """Mr. X begins his turn of this round."""

    def move_made(self, move: PublicMove) -> None:
        """A seat has acted; a hidden destination arrives as unknown."""

    def rotation_completed(self, round: int) -> None:
        """Every detective has had its turn of this round."""

    def game_over(self, winner: str) -> None:
        """The game has ended."""


class Game(Position):
    """One game in progress, with the truth in it: ``Game(board="london", rules="classic", seed=7)``.

    Boards and rules are names or objects; without them it is ``classic`` on London. The same seed deals the same game.
    """

    def __init__(
        self,
        board: str | Board | None = None,
        rules: str | RuleSet | None = None,
        *,
        detectives: int | None = None,
        seed: int | None = None,
    ) -> None:
        found, edition = resolve(board, rules, detectives)
        check_seed(seed)
        self._begin(found, edition, deal(found, edition, np.random.default_rng(seed)))

    @classmethod
    def from_position(
        cls,
        board: str | Board | None = None,
        rules: str | RuleSet | None = None,
        *,
        stations: Sequence[int],
        tickets: Sequence[Sequence[int | str]] | None = None,
        possible: Iterable[int] | None = None,
    ) -> "Game":
        """Start a game from given stations, Mr. X's first; there are as many detectives as stations after his.

        Tickets are given by seat as taxi, bus, underground, black, double (``"unlimited"`` may stand in Mr. X's), and
        are those of the rules if left out. The table knows that Mr. X starts on one of ``possible``: every station that
        no detective holds, if left out. Start cards play no part, and the game's rules have none.
        """
        if not 2 <= len(stations) <= MAX_SEATS:
            wanted = f"give one for Mr. X and one for each of 1 to {MAX_DETECTIVES} detectives"
            raise PositionError(f"{len(stations)} stations: {wanted}")
        found, edition = look_up(board, rules)
        edition = dataclasses.replace(edition, detectives=len(stations) - 1, detective_starts=None, mr_x_starts=None)
        return cls.from_start(found, edition, set_up(found, edition, stations, tickets, possible))

    @classmethod
    def from_start(cls, board: Board, rules: RuleSet, state: State) -> "Game":
        """Begin a game from the record of its start, as ``deal`` and ``set_up`` make it."""
        game = cls.__new__(cls)
        game._begin(board, rules, state)
        return game

    def _begin(self, board: Board, rules: RuleSet, state: State) -> None:
        super().__init__(board, rules, state)
        self._start: State = state.copy()
        self._actions: list[int] = []
        self.spectators: list[Spectator] = []

    @property
    def start(self) -> State:
        """The record before the first action, as a copy."""
        return self._start.copy()

    @property
    def actions(self) -> list[int]:
        """Every action so far, as a copy."""
        return self._actions.copy()

    @property
    def moves(self) -> list[str]:
        """Every action so far as text, hidden stations included."""
        texts = action_texts(self.board)
        return [texts[action] for action in self._actions]

    def play(self, move: int | str) -> None:
        """Play an action of the seat to move, text or integer; if it is not legal, raise and change nothing."""
        seat, round_before = (self.seat, self.round) if self.spectators else (MR_X, 0)
        action = read_action(self.board, move)
        if not play_if_legal(self.board.packed, self.packed_rules, self.states, action):
            raise IllegalMoveError(explain_illegal(self.view(SPECTATOR), move))
        self._actions.append(action)
        if self.spectators:
            self._tell(seat, round_before, action)

    def view(self, seat: int) -> View:
        """Return what a seat may know of the game."""
        return View.of(self, seat)

    def clone(self) -> "Game":
        """Copy the game; the copy is independent and has no spectators."""
        clone = type(self).__new__(type(self))
        own = {"states": self.states.copy(), "_actions": self._actions.copy(), "spectators": []}
        clone.__dict__.update(self.__dict__ | own)  # board, rules and start do not change
        return clone

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self.clone()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the game so far to a file, from which ``Replay.load`` brings back any moment of it."""
        from scotyard_env.replay import Replay

        Replay.of(self).save(path)

    def _tell(self, seat: int, round_before: int, action: int) -> None:
        """Return the spectators what the table saw of an action."""
        if self.round > round_before:
            self._notify("round_started", self.round)
        self._notify("move_made", public_move(self.board, self.state, seat, action))
        if seat == self.state.seats - 1:
            self._notify("rotation_completed", self.round)
        if self.winner is not None:
            self._notify("game_over", self.winner)

    def _notify(self, event: str, *about: object) -> None:
        for spectator in tuple(self.spectators):
            try:
                getattr(spectator, event)(*about)
            except Exception:  # a spectator's mistake is not the game's
                _LOG.exception("spectator %r failed at %s; the game goes on", spectator, event)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "spectators": []}

    def __repr__(self) -> str:
        status = f"won by {self.winner}" if self.winner else f"{SEATS[self.seat]} to move"
        return f"<Game {self.rules.name} on {self.board.name}: round {self.round}, {status}>"


def check_seed(seed: object) -> None:
    """Refuse what is no seed."""
    if seed is not None and (not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0):
        raise ValueError(f"seed is {seed!r}: give a whole number of at least 0, or None for a game by chance")


def deal(board: Board, rules: RuleSet, rng: np.random.Generator) -> State:
    """Deal a new game by chance."""
    states = new_states(1)
    deal_cards(board.arrays, rules.arrays(board), states[0], rng.random(MAX_SEATS))
    return states[0]


def set_up(
    board: Board,
    rules: RuleSet,
    stations: Sequence[int],
    tickets: Sequence[Sequence[int | str]] | None,
    possible: Iterable[int] | None,
) -> State:
    """Return the record of a game about to start from a given position, or say what is wrong with it."""
    if len(stations) != 1 + rules.detectives:
        raise PositionError(f"{len(stations)} stations for {1 + rules.detectives} seats: give one for each")
    _check_stations(board, stations)
    purses = rules.purses if tickets is None else _read_purses(stations, tickets)
    start = set(range(1, board.stations + 1) if possible is None else possible) - set(stations[1:])
    if stations[MR_X] not in start:
        raise PositionError(f"possible leaves out station {stations[MR_X]}, where Mr. X stands")
    for station in start:
        _check_station(board, "possible", station)
    states = new_states(1)
    state = states[0]
    wipe(state)
    state.seats = len(stations)
    state.station[: len(stations)] = stations
    state.tickets[: len(stations)] = purses
    state.start[:] = station_set(start)
    begin(board.arrays, rules.arrays(board), state)
    return state


def _check_station(board: Board, who: str, station: object) -> None:
    if not isinstance(station, int | np.integer) or isinstance(station, bool) or not 1 <= station <= board.stations:
        raise PositionError(
            f"{who}: {station!r} is not a station of board {board.name!r}, which has 1 to {board.stations}"
        )


def _check_stations(board: Board, stations: Sequence[int]) -> None:
    holder: dict[int, str] = {}
    for seat, station in enumerate(stations):
        _check_station(board, SEATS[seat], station)
        if station in holder:
            raise PositionError(
                f"{holder[station]} and {SEATS[seat]} both stand on station {station}: one to a station"
            )
        holder[station] = SEATS[seat]


def _read_purses(stations: Sequence[int], tickets: Sequence[Sequence[int | str]]) -> list[list[int]]:
    if len(tickets) != len(stations):
        raise PositionError(
            f"tickets for {len(tickets)} seats, stations for {len(stations)}: give one purse for each seat"
        )
    return [_read_purse(seat, purse) for seat, purse in enumerate(tickets)]


def _read_purse(seat: int, purse: Sequence[int | str]) -> list[int]:
    if len(purse) != len(TICKETS):
        raise PositionError(f"{SEATS[seat]} has {len(purse)} counts of tickets: give {', '.join(TICKETS)}")
    read = []
    for kind, tickets in enumerate(purse):
        unlimited = seat == MR_X and kind != DOUBLE and tickets in ("unlimited", UNLIMITED)
        is_count = isinstance(tickets, int | np.integer) and not isinstance(tickets, bool) and 0 <= tickets <= 999
        if not unlimited and not is_count:
            raise PositionError(f"{SEATS[seat]} has {tickets!r} {TICKETS[kind]} tickets: give a number from 0 to 999")
        if seat != MR_X and kind in (BLACK, DOUBLE) and tickets != 0:
            raise PositionError(f"{SEATS[seat]} has {tickets} {TICKETS[kind]} tickets: only Mr. X may have them")
        read.append(UNLIMITED if unlimited else int(tickets))
    return read
