"""What a seat may know: redact and imagine. The only file that hides anything.

A view is a state with a hole: the same record with Mr. X's station blanked. ``imagine`` fills the hole and gives a
state that the kernel can play on; that is all that search under uncertainty needs.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.kernel import kernel
from scotyard_env.notation import ActionDescription, action_text, describe_action, log_text, move_text
from scotyard_env.rules import action_count, double_action, fare_of, legal_actions
from scotyard_env.ruleset import Rules, RuleSet
from scotyard_env.state import MR_X, NOWHERE, PLAYING, SEATS, SPECTATOR, STATE, WINNERS, State, new_states, station_list

MOVERS = np.zeros(0, np.int64)  # no viewers, which stands for the seats to move


@kernel
def redact_into(views, index, state, seat):
    """Write what a seat may know of a state into views[index]: all of it but Mr. X's station, which only he knows.

    A spectator is told once the game is over.
    """
    views[index] = state
    if seat != MR_X and not (seat == SPECTATOR and state.winner != PLAYING):
        views[index].station[MR_X] = NOWHERE


@kernel
def redact_first(states, seat, views):
    """Write what a seat may know of the first state into the first view."""
    redact_into(views, 0, states[0], seat)


@kernel
def redact_rows(states, games, viewers, views):
    """Write what each viewer, without viewers the seat to move, may know of its game into the next row of views."""
    for index in range(len(games)):
        state = states[games[index]]
        redact_into(views, index, state, viewers[index] if len(viewers) > 0 else state.seat)


def redact(state: State, seat: int) -> State:
    """Return what a seat may know of a state, as a record of its own."""
    views = new_states(1)
    redact_into(views, 0, state, seat)
    return views[0]


def imagine(view: State, station: int) -> State:
    """Return the state it would be if Mr. X stood on this station, as a record of its own."""
    state = view.copy()
    state.station[MR_X] = station
    return state


def may_know_thoughts(viewer: int, seat: int, is_over: bool) -> bool:
    """Tell whether a viewer may know why a seat moves as it does: its own side may, a spectator after the game."""
    return is_over if viewer == SPECTATOR else (viewer == MR_X) == (seat == MR_X)


class PublicMove(NamedTuple):
    """An action as the table sees it: Mr. X's station is unknown unless he showed it."""

    seat: int
    text: str  # "T45", "T?" where the station is hidden, "2x", "--"
    station: int  # where the seat stands now, NOWHERE if that is hidden


def public_move(board: Board, state: State, seat: int, action: int) -> PublicMove:
    """Describe an action to the table, from the state that it led to."""
    if seat != MR_X:
        return PublicMove(seat, action_text(board, action), int(state.station[seat]))
    if action == double_action(board.arrays):
        return PublicMove(seat, action_text(board, action), NOWHERE)
    shown = int(state.log_shown[state.entries - 1])
    return PublicMove(seat, move_text(fare_of(action), shown), shown)


class Position:
    """A board, a rule set and a record, and what can be read off them; a game knows all, a view has a hole."""

    board: Board
    rules: RuleSet

    def __init__(self, board: Board, rules: RuleSet, state: State) -> None:
        self.board = board
        self.rules = rules
        self.packed_rules: NDArray[np.void] = rules.packed(board)
        self.states = new_states(1)
        self.states[0] = state

    @property
    def rule_arrays(self) -> Rules:
        """The rules in the kernel's form, as the record itself."""
        return self.packed_rules[0]

    @property
    def state(self) -> State:
        """The record itself, not a copy."""
        return self.states[0]

    @property
    def seat(self) -> int:
        """The seat to move."""
        return int(self.states["seat"][0])  # by its field: through the record it takes ten times as long

    @property
    def legal(self) -> list[int]:
        """The actions open to the seat to move, ascending; none when the game is over or when he is hidden."""
        legal = np.empty(action_count(self.board.arrays), np.int64)
        count = legal_actions(self.board.arrays, self.rule_arrays, self.state, legal)
        actions: list[int] = legal[:count].tolist()
        return actions

    @property
    def legal_moves(self) -> list[str]:
        """The same as text, such as ``["T46", "B58", "2x"]``."""
        return [action_text(self.board, action) for action in self.legal]

    def describe(self, action: int | str) -> ActionDescription:
        """Tell where an action leads and what pays for it, ``.station`` and ``.fare``; as text ``"taxi to 46"``."""
        return describe_action(self.board, action)

    @property
    def stations(self) -> list[int]:
        """Where each seat stands; 0 for a hidden Mr. X."""
        return self.state.station[: self.state.seats].tolist()  # type: ignore[no-any-return]  # a record is Any

    @property
    def tickets(self) -> list[list[int]]:
        """Tickets left by seat: taxi, bus, underground, black, double; -1 never runs out."""
        return self.state.tickets[: self.state.seats].tolist()  # type: ignore[no-any-return]  # a record is Any

    @property
    def log(self) -> list[str]:
        """Mr. X's log, such as ``["T", "B", "K@115"]``."""
        return log_text(self.state)

    @property
    def round(self) -> int:
        """The round being played; 0 before Mr. X's first action."""
        return int(self.states["rounds"][0])

    @property
    def winner(self) -> str | None:
        """``"mr_x"`` or ``"detectives"``, None while the game goes on."""
        return WINNERS[self.states["winner"][0]]

    @property
    def possible(self) -> list[int]:
        """The stations where Mr. X may be for all the table knows, ascending."""
        return station_list(self.state.possible)

    def __getstate__(self) -> dict[str, Any]:
        kept = self.__dict__.copy()
        del kept["packed_rules"]
        kept["states"] = self.states.tobytes()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self.packed_rules = self.rules.packed(self.board)
        self.states = np.frombuffer(bytearray(kept["states"]), STATE)


class View(Position):
    """What one seat may know of a game: what policies, observations and pictures are made from."""

    def __init__(self, board: Board, rules: RuleSet, state: State, viewer: int) -> None:
        if viewer != SPECTATOR and not 0 <= viewer < state.seats:
            seats = f"0 (Mr. X) to {state.seats - 1}, and {SPECTATOR} for a spectator"
            raise ValueError(f"there is no seat {viewer!r}: this game has {seats}")
        super().__init__(board, rules, redact(state, viewer))
        self.viewer = viewer  # the seat that knows this

    @classmethod
    def of(cls, position: Position, viewer: int) -> "View":
        """Return what a seat may know of a position."""
        if not SPECTATOR <= viewer < position.states["seats"][0]:
            return cls(position.board, position.rules, position.state, viewer)  # which refuses it
        view = cls.__new__(cls)
        view.board = position.board
        view.rules = position.rules
        view.packed_rules = position.packed_rules
        view.states = np.frombuffer(bytearray(STATE.itemsize), STATE)  # a third of the time of np.empty
        view.viewer = viewer
        redact_first(position.states, viewer, view.states)
        return view

    def imagine(self, station: int) -> State:
        """Return the state it would be if Mr. X stood on this station."""
        return imagine(self.state, station)

    def __repr__(self) -> str:
        viewer = "a spectator" if self.viewer == SPECTATOR else SEATS[self.viewer]
        return f"<View of {viewer}: round {self.round}, {SEATS[self.seat]} to move>"

    def _repr_svg_(self) -> str:
        """Draw the view in a notebook."""
        from scotyard_env import render

        return render.svg(self, 960, 720)


class Views:
    """Many views on one board with one rule set, as ``act_batch`` takes them: redacted records in one array."""

    def __init__(self, board: Board, rules: RuleSet, states: NDArray[np.void]) -> None:
        self.board = board
        self.rules = rules
        self.states = states

    @functools.cached_property
    def packed_rules(self) -> NDArray[np.void]:
        """The rules in the kernel's form."""
        return self.rules.packed(self.board)

    def __len__(self) -> int:
        return len(self.states)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "packed_rules"}
