"""What is said over a socket: messages to players, made from views, and messages from them, read with care."""

from typing import Any

from scotyard_env.explanation import Explanation
from scotyard_env.json_files import parse_json
from scotyard_env.policy import SIDES, Side
from scotyard_env.render.captions import NO_REVEAL, headline, next_reveal, tell_winner
from scotyard_env.render.thoughts import list_numbers, list_steps
from scotyard_env.view import View
from scotyard_env.web.narration import tell_action, tell_loss
from scotyard_env.wire import Frame, frame

WANTED: dict[str, dict[str, type]] = {  # by type of message: its fields
    "hello": {"token": str},
    "move": {"n": int, "move": str},
    "hint": {"n": int},
    "undo": {"n": int},
    "resign": {"n": int},
    "rematch": {"swap": bool},
}


class MessageError(ValueError):
    """A message that is none of ours."""


class LiveFrame(Frame):
    """A frame, with what is said of it to people."""

    type: str  # "frame"
    n: int  # events so far
    move: str  # the last action, as the viewer saw it; empty at the start
    told: str
    headline: str
    next_reveal: str


def live_frame(n: int, before: View, view: View) -> LiveFrame:
    """Write what a viewer may know now, and what led to it."""
    is_start = before.states.tobytes() == view.states.tobytes()
    move, told = ("", "The game begins.") if is_start else tell_action(before, view)
    words = {"headline": headline(view), "next_reveal": next_reveal(view)}
    return {**frame(view), "type": "frame", "n": n, "move": move, "told": told, **words}  # type: ignore[typeddict-item]


def last_frame(n: int, view: View, lost: Side, reason: str) -> LiveFrame:
    """Write what everybody may know when a side did not play on."""
    winner = SIDES[1 - SIDES.index(lost)]
    words = {"headline": tell_winner(winner, view.round), "told": tell_loss(lost, reason), "next_reveal": NO_REVEAL}
    return {**live_frame(n, view, view), "winner": winner, "legal": [], **words}  # type: ignore[typeddict-item]


def hint(n: int, view: View, advice: Explanation) -> dict[str, Any]:
    """Write what a policy would play in the place of the seat to move."""
    title = f"{advice.policy} would play {advice.move}"
    drawn = {"steps": list_steps(view, advice), "numbers": list_numbers(view, advice)}
    return {"type": "hint", "n": n, "move": advice.move, "title": title, "lines": advice.lines(), **drawn}


def read_message(text: str | bytes) -> dict[str, Any]:
    """Read a message that anybody may have sent: it has the fields of its type, of their kinds, and no others."""
    try:
        told = parse_json(text)
    except ValueError as error:
        raise MessageError("this is not JSON") from error
    if not isinstance(told, dict) or not isinstance(told.get("type"), str) or told["type"] not in WANTED:
        raise MessageError("there is no such message")
    fields = WANTED[told["type"]]
    if told.keys() != {"type", *fields} or not all(type(told[name]) is kind for name, kind in fields.items()):
        raise MessageError("the message has other fields")
    return told
