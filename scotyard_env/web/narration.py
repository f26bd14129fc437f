"""What happened between two moments of a game, in words: from two views, so that only what they know is told."""

from typing import NamedTuple

from scotyard_env.notation import DOUBLE_TEXT, PASS_TEXT, move_text
from scotyard_env.policy import Side
from scotyard_env.render.captions import seat_name, why_over
from scotyard_env.state import BLACK, MR_X, NOWHERE
from scotyard_env.view import View

RIDES = ("takes a taxi", "takes the bus", "takes the underground", "pays with a black ticket")
LOSSES = {  # by reason
    "resigned": {"mr_x": "Mr. X gives up", "detectives": "The detectives give up"},
    "late": {"mr_x": "The policy of Mr. X took too long", "detectives": "The policy of the detectives took too long"},
    "crashed": {"mr_x": "The policy of Mr. X failed twice", "detectives": "The policy of the detectives failed twice"},
}


class Told(NamedTuple):
    """An action as somebody saw it."""

    move: str  # "T46", "T?" where the station is hidden, "2x", "--"
    words: str  # a sentence


def tell_action(before: View, after: View) -> Told:
    """Tell of the action that led from one view to the next one."""
    move, words = _tell_mr_x(before, after) if before.seat == MR_X else _tell_detective(before, after)
    return Told(move, f"{words}." if after.winner is None else f"{words}. {why_over(after)}")


def _tell_mr_x(before: View, after: View) -> Told:
    who, entries = seat_name(MR_X), int(after.state.entries)
    if entries == before.state.entries:
        return Told(DOUBLE_TEXT, f"{who} announces a double move")
    fare, shown = int(after.state.log[entries - 1]), int(after.state.log_shown[entries - 1])
    station = shown or after.stations[MR_X]
    where = f" and shows himself on {shown}" if shown != NOWHERE else f" to {station}" if station != NOWHERE else ""
    return Told(move_text(fare, station), f"{who} {RIDES[fare]}{where}")


def _tell_detective(before: View, after: View) -> Told:
    seat, station = before.seat, after.stations[before.seat]
    purse, left = before.tickets[seat], after.tickets[seat]
    spent = [fare for fare in range(BLACK) if left[fare] < purse[fare]]
    if not spent:
        return Told(PASS_TEXT, f"{seat_name(seat)} is stuck and passes")
    return Told(move_text(spent[0], station), f"{seat_name(seat)} {RIDES[spent[0]]} to {station}")


def tell_loss(lost: Side, reason: str) -> str:
    """Say how a side lost that did not play on: it resigned, or its policy was late or crashed."""
    return f"{LOSSES[reason][lost]}: {'the detectives win' if lost == 'mr_x' else 'Mr. X wins'}."
