"""Reading moves as people write them: ``88``, ``taxi 88``, ``t88``, ``2x t45 b58``, several on one line.

A line is read whole before any of it is played, and from what its seat knows: what is wrong with a line tells nothing
of where Mr. X is.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from scotyard_env.notation import DOUBLE_TEXT, LETTERS, PASS_TEXT, action_text, describe_action
from scotyard_env.playing import play_if_legal
from scotyard_env.render.captions import count_of, seat_name
from scotyard_env.state import BLACK, BUS, DOUBLE, FERRY, MR_X, TAXI, TICKETS, TRANSPORTS, UNDERGROUND
from scotyard_env.view import View
from scotyard_env.wording import one_line

FARE_WORDS = {
    "t": TAXI,
    "taxi": TAXI,
    "b": BUS,
    "bus": BUS,
    "u": UNDERGROUND,
    "underground": UNDERGROUND,
    "tube": UNDERGROUND,
    "k": BLACK,
    "black": BLACK,
    "ferry": BLACK,
}
OTHER_WORDS = {DOUBLE_TEXT: DOUBLE_TEXT, "double": DOUBLE_TEXT, PASS_TEXT: PASS_TEXT, "pass": PASS_TEXT}
LONGEST_SHOWN = 30  # characters of what was typed that are said back
WRITE = "write a move such as 88, t88 or taxi 88, or ? for help"

_FARES = "|".join(sorted(FARE_WORDS, key=len, reverse=True))
_WORD = re.compile(rf"({'|'.join(OTHER_WORDS)})(?![^\s,;])|(?:({_FARES})\s*)?([0-9]{{1,3}})(?![^\s,;])")
_GAP = re.compile(r"[\s,;]*")


class MisreadError(ValueError):
    """A line that is no move of the seat to move."""


class Wish(NamedTuple):
    """One move as it was written."""

    text: str
    fare: int | None  # None: not said
    station: int | None  # None: a double move or a pass


def read_moves(view: View, line: str) -> list[int]:
    """Return the actions that a line stands for, those of a whole turn at most; what cannot be played is refused."""
    ahead, actions = look_ahead(view), []
    for wish in split_wishes(line):
        if not is_same_turn(view, ahead):
            raise MisreadError(_tell_too_many(view, wish))
        actions.append(choose(ahead, wish))
        advance(ahead, actions[-1])
    return actions


def split_wishes(line: str) -> list[Wish]:
    """Take a line apart into the moves that are written there."""
    text, position, wishes = line.lower(), 0, []
    while (position := _skip(text, position)) < len(text):
        match = _WORD.match(text, position)
        if match is None:
            word = one_line(re.split(r"[\s,;]", text[position:], maxsplit=1)[0], LONGEST_SHOWN)
            raise MisreadError(f"{word!r} is no move: {WRITE}")
        other, fare, station = match.groups()
        wish = Wish(OTHER_WORDS[other], None, None) if other else Wish(match[0], FARE_WORDS.get(fare), int(station))
        wishes.append(wish)
        position = match.end()
    if not wishes:
        raise MisreadError(f"there is no move in {one_line(line, LONGEST_SHOWN)!r}: {WRITE}")
    return wishes


def _skip(text: str, position: int) -> int:
    gap = _GAP.match(text, position)
    return position if gap is None else gap.end()


# Looking ahead, without knowing where Mr. X is


def look_ahead(view: View) -> View:
    """Return a copy of a view on which moves can be tried."""
    return View(view.board, view.rules, view.state, view.viewer)


def advance(ahead: View, action: int) -> None:
    """Play a legal action on a copy, and pass for the detectives after it who are stuck."""
    play_if_legal(ahead.board.packed, ahead.packed_rules, ahead.states, action)
    while ahead.seat != MR_X and is_stuck(ahead):
        play_if_legal(ahead.board.packed, ahead.packed_rules, ahead.states, ahead.legal[0])


def is_stuck(view: View) -> bool:
    """Return whether the seat to move can only pass."""
    return view.legal_moves == [PASS_TEXT]


def is_same_turn(view: View, ahead: View) -> bool:
    """Return whether the side that moves in a view is still to move on a copy of it."""
    return ahead.winner is None and (view.seat == MR_X) == (ahead.seat == MR_X)


# Choosing what is meant


def choose(view: View, wish: Wish) -> int:
    """Return the legal action that is meant; without a ticket named, never a black one where another will do."""
    fitting = [action for action in view.legal if _fits(view, action, wish)]
    if wish.fare is None and len(fitting) > 1:
        fitting = [action for action in fitting if describe_action(view.board, action).fare != TICKETS[BLACK]]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        ways = " or ".join(action_text(view.board, action).lower() for action in fitting)
        raise MisreadError(f"there are several ways to {wish.station}: write {ways}")
    raise MisreadError(f"{_tell_problem(view, wish)}; {seat_name(view.seat)} may go: {tell_legal(view)}")


def _fits(view: View, action: int, wish: Wish) -> bool:
    told = describe_action(view.board, action)
    if wish.station is None:
        return told.text == wish.text
    return told.station == wish.station and wish.fare in (None, LETTERS.index(told.text[0]))


def _tell_too_many(view: View, wish: Wish) -> str:
    if view.seat == MR_X:
        return f"{wish.text} is too much: one move a turn, or two after 2x, as in 2x t45 b58"
    return f"{wish.text} is too much: this round {count_of(len(view.stations) - view.seat, 'detective')} may still move"


def _tell_problem(view: View, wish: Wish) -> str:
    """Say why nothing fits a wish."""
    seat, station = seat_name(view.seat), view.stations[view.seat]
    if wish.station is None:
        return _tell_no_double(view) if wish.text == DOUBLE_TEXT else f"{seat} can move, and who can must"
    if not 1 <= wish.station <= view.board.stations:
        return f"there is no station {wish.station}, only 1 to {view.board.stations}"
    if wish.station in view.stations[1:]:
        return f"a detective stands on {wish.station}"
    between = {by for a, b, by in view.board.links if {a, b} == {station, wish.station}}
    if not between:
        return f"no link leads from {station} to {wish.station}"
    if wish.fare not in (None, BLACK) and TRANSPORTS[wish.fare] not in between:
        return f"from {station} to {wish.station} it goes by {' or '.join(sorted(between))}"
    return _tell_no_ticket(view, wish, between)


def _tell_no_double(view: View) -> str:
    if view.seat != MR_X:
        return "only Mr. X makes double moves"
    if view.state.owed:
        return "a double move is announced already"
    return "no double move is open to Mr. X now"


def _tell_no_ticket(view: View, wish: Wish, between: set[str]) -> str:
    """Say that a ticket is missing for a link that is there; with all tickets, a double move is in the way."""
    purse = view.tickets[view.seat]
    needed = [BLACK if by == TRANSPORTS[FERRY] else TRANSPORTS.index(by) for by in sorted(between)]
    needed = needed if wish.fare is None else [wish.fare]
    if all(purse[kind] == 0 for kind in needed):
        return f"{seat_name(view.seat)} has no {' or '.join(TICKETS[kind] for kind in needed)} ticket"
    return f"after {wish.station} there would be no second move"


# What is legal, in words


def tell_legal(view: View) -> str:
    """List the legal moves in one line."""
    return ", ".join(f"{ticket} {places}" for ticket, places in group_legal(view))


def group_legal(view: View) -> Iterator[tuple[str, str]]:
    """Give the tickets that can be played, with what to write; black only with what no other ticket reaches."""
    told = [describe_action(view.board, action) for action in view.legal]
    reached = {ticket: [one.station for one in told if one.fare == ticket and one.station] for ticket in TICKETS}
    black = reached.pop(TICKETS[BLACK])
    for ticket, stations in reached.items():
        if stations:
            yield ticket, " ".join(map(str, stations))
    if black:
        others = set().union(*reached.values())  # which black tickets reach too, as they pay for every link
        rest = [str(station) for station in black if station not in others]
        yield TICKETS[BLACK], " ".join(["any of these", *rest] if others else rest)
    if DOUBLE_TEXT in view.legal_moves:
        yield TICKETS[DOUBLE], DOUBLE_TEXT
