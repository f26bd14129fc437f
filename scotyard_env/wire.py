"""A view as JSON, by an allow-list: what programs and pages outside are told, and nothing else is.

``frame(view)`` is all that a seat may know, so that ``read_frame`` can make the same view of it again. ``hello`` says
on which board and by which rules. ``messages.schema.json``, beside this file, says what every message looks like.
"""

import functools
import json
from typing import Any, Literal, TypedDict

from scotyard_env.belief import weigh
from scotyard_env.board import FORMAT, Board
from scotyard_env.notation import LETTERS
from scotyard_env.policy import SIDES, Side
from scotyard_env.rules import wipe
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import NO_FARE, NOWHERE, TRANSPORTS, WINNERS, new_states, station_list, station_set
from scotyard_env.view import View

PROTOCOL = 1
DIGITS = 6  # of a probability
NOTHING = "-"  # what a detective paid who did not move


class WireError(ValueError):
    """A message that is not one of ours, or not of this version."""


class Frame(TypedDict):
    """What a seat may know; stations and tickets by seat, Mr. X first."""

    viewer: int  # the seat that knows this; -1 = a spectator
    seat: int  # the seat to move
    round: int  # 0 before Mr. X's first action
    owed: int  # moves that Mr. X still owes after announcing a double
    stations: list[int]  # 0 = hidden
    tickets: list[list[int]]  # taxi, bus, underground, black, double; -1 = unlimited
    log: list[str]  # "T", or "K@115" where he showed himself
    log_rounds: list[int]  # the round of each log entry; both halves of a double share theirs
    trail: list[list[int]]  # the detectives after each round, the deal first; 0 = that turn has not come yet
    fares: list[str]  # what the detectives paid in each of these, "T-": the first took a taxi, the second nothing
    start: list[int]  # where Mr. X might have started
    seen: int  # the station where he was seen last; 0 = never yet
    seen_entry: int  # the log entry at which he was; 0 = never yet
    possible: list[int]  # where he may be
    belief: list[float]  # the probability of each of these, by path counts
    legal: list[str]  # the moves of the seat to move, if the viewer has it
    winner: str | None


class Hello(TypedDict):
    """What games are about to be played."""

    type: Literal["hello"]
    protocol: int
    side: Side  # that the program plays
    board: dict[str, Any]
    rules: dict[str, Any]


def frame(view: View) -> Frame:
    """Write what a seat may know."""
    state, entries, detectives = view.state, int(view.state.entries), int(view.state.seats) - 1
    possible, weights = view.possible, weigh(view)
    return {
        "viewer": view.viewer,
        "seat": view.seat,
        "round": view.round,
        "owed": int(state.owed),
        "stations": view.stations,
        "tickets": view.tickets,
        "log": view.log,
        "log_rounds": state.log_round[:entries].tolist(),
        "trail": state.trail[: view.round + 1, :detectives].tolist(),
        "fares": [_write_fares(row) for row in state.fares[: view.round + 1, :detectives].tolist()],
        "start": station_list(state.start),
        "seen": int(state.seen),
        "seen_entry": int(state.seen_entry),
        "possible": possible,
        "belief": [round(float(weights[station]), DIGITS) for station in possible],
        "legal": view.legal_moves if view.seat == view.viewer else [],
        "winner": view.winner,
    }


def read_frame(board: Board, rules: RuleSet, told: Frame) -> View:
    """Return the view that a frame was written from."""
    states = new_states(1)
    state = states[0]
    wipe(state)
    try:
        entries, detectives = len(told["log"]), len(told["stations"]) - 1
        state.seats, state.seat, state.rounds, state.owed = 1 + detectives, told["seat"], told["round"], told["owed"]
        state.station[: 1 + detectives] = told["stations"]
        state.tickets[: 1 + detectives] = told["tickets"]
        state.trail[: told["round"] + 1, :detectives] = told["trail"]
        state.fares[: told["round"] + 1, :detectives] = [_read_fares(row) for row in told["fares"]]
        state.log_round[:entries] = told["log_rounds"]
        for number, (fare, _, shown) in enumerate(entry.partition("@") for entry in told["log"]):
            state.log[number] = LETTERS.index(fare)
            state.log_shown[number] = int(shown or NOWHERE)
        state.entries, state.seen, state.seen_entry = entries, told["seen"], told["seen_entry"]
        state.start[:], state.possible[:] = station_set(told["start"]), station_set(told["possible"])
        state.winner = WINNERS.index(told["winner"])
        return View(board, rules, state, told["viewer"])
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise WireError(f"this is no frame: {type(error).__name__}: {error}") from error


def _write_fares(row: list[int]) -> str:
    return "".join(NOTHING if fare == NO_FARE else LETTERS[fare] for fare in row)


def _read_fares(row: str) -> list[int]:
    return [NO_FARE if letter == NOTHING else LETTERS.index(letter) for letter in row]


def hello(board: Board, rules: RuleSet, side: Side) -> Hello:
    """Write which games are about to be played."""
    links = {transport: [[a, b] for a, b, by in board.links if by == transport] for transport in TRANSPORTS}
    shown = {"format": FORMAT, "name": board.name, "links": {by: pairs for by, pairs in links.items() if pairs}}
    return {"type": "hello", "protocol": PROTOCOL, "side": side, "board": shown, "rules": rules.to_dict()}


def read_hello(told: Hello) -> tuple[Board, RuleSet, Side]:
    """Return the board, the rules and the side that a hello was written from."""
    if told.get("protocol") != PROTOCOL:
        raise WireError(f"the protocol is {told.get('protocol')!r}: this version speaks {PROTOCOL}")
    try:
        board, rules, side = _take_board(json.dumps(told["board"])), RuleSet.from_dict(told["rules"]), told["side"]
    except (KeyError, TypeError, ValueError) as error:
        raise WireError(f"this is no hello: {type(error).__name__}: {error}") from error
    if side not in SIDES:
        raise WireError(f"the side is {side!r}: there are {' and '.join(SIDES)}")
    return board, rules, side


@functools.lru_cache(maxsize=16)
def _take_board(text: str) -> Board:
    """Return the board of a hello, the same object each time; ours if it is one of ours, which knows how it looks."""
    board = Board.from_dict(json.loads(text))
    known = Board.named(board.name) if board.name in Board.names() else board
    return known if known.links == board.links else board


def to_line(message: Any) -> bytes:
    """Write a message as one line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def from_line(line: bytes) -> dict[str, Any]:
    """Read a message from its line."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError(f"this is not JSON: {error}") from error
    if not isinstance(message, dict):
        raise WireError(f"this is no JSON object: {message!r}")
    return message
