"""Text for the small things: an action as ``T45``, ``2x`` or ``--``, an entry of Mr. X's log as ``K@115``."""

import functools
import operator
import re
from typing import NamedTuple

from scotyard_env.board import Board
from scotyard_env.rules import destination, double_action, fare_of, move_action, pass_action
from scotyard_env.state import FARES, NOWHERE, TICKETS, State

LETTERS = "TBUK"  # by fare: taxi, bus, underground, black
DOUBLE_TEXT = "2x"
PASS_TEXT = "--"
HIDDEN = "?"  # stands where a station is not known

_MOVE = re.compile(rf"([{LETTERS}])([0-9]{{1,3}})")


class NotationError(ValueError):
    """Text or a number that stands for no action."""


class ActionDescription(NamedTuple):
    """What an action does; as text it is in words."""

    text: str  # "T45", "2x", "--"
    station: int | None  # that a move leads to; None where there is none
    fare: str | None  # the ticket that pays for a move: taxi, bus, underground or black; None where there is none

    def __str__(self) -> str:
        if self.station is None:
            return "double move" if self.text == DOUBLE_TEXT else "pass"
        return f"{self.fare} to {self.station}"


def describe_action(board: Board, action: int | str) -> ActionDescription:
    """Tell where an action, integer or text, leads and what pays for it."""
    number = parse_action(board, action) if isinstance(action, str) else operator.index(action)
    text = action_text(board, number)
    if text in (DOUBLE_TEXT, PASS_TEXT):
        return ActionDescription(text, None, None)
    return ActionDescription(text, int(destination(number)), TICKETS[fare_of(number)])


def action_text(board: Board, action: int) -> str:
    """Write an action as text."""
    if 0 <= action < FARES * board.stations:
        return move_text(fare_of(action), destination(action))
    if action == double_action(board.arrays):
        return DOUBLE_TEXT
    if action == pass_action(board.arrays):
        return PASS_TEXT
    raise NotationError(f"{action} is not an action: board {board.name!r} has 0 to {pass_action(board.arrays)}")


@functools.lru_cache(maxsize=64)
def action_texts(board: Board) -> tuple[str, ...]:
    """Write every action of a board as text, by its number."""
    return tuple(action_text(board, action) for action in range(pass_action(board.arrays) + 1))


def move_text(fare: int, station: int) -> str:
    """Write a move as text; the station may be unknown."""
    return f"{LETTERS[fare]}{HIDDEN if station == NOWHERE else station}"


def parse_action(board: Board, text: str) -> int:
    """Read an action from its text."""
    if text == DOUBLE_TEXT:
        return int(double_action(board.arrays))
    if text == PASS_TEXT:
        return int(pass_action(board.arrays))
    match = _MOVE.fullmatch(text)
    if match is None:
        raise NotationError(
            f"{text!r} is not an action: write T45, B58, U46 or K115 (black), {DOUBLE_TEXT} or {PASS_TEXT}"
        )
    letter, station = match[1], int(match[2])
    if not 1 <= station <= board.stations:
        raise NotationError(f"{text!r} leads nowhere: board {board.name!r} has stations 1 to {board.stations}")
    return int(move_action(station, LETTERS.index(letter)))


def log_text(state: State) -> list[str]:
    """Write Mr. X's log as the table sees it: the fare of each entry, and the station where he showed it."""
    entries = zip(state.log[: state.entries], state.log_shown[: state.entries], strict=True)
    return [LETTERS[fare] + (f"@{shown}" if shown != NOWHERE else "") for fare, shown in entries]
