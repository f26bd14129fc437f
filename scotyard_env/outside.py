"""Policies outside of this process that are asked by messages: what programs and servers have in common.

Each decision is a message with all that a seat may know, and so whoever answers need remember nothing; before the first
one, and whenever the games change, a hello says on which board, by which rules and for which side. wire.py says what is
in them.
"""

import abc
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from scotyard_env.explanation import Explains
from scotyard_env.notation import parse_action
from scotyard_env.policy import Decision, side_of
from scotyard_env.view import View
from scotyard_env.wire import WireError, frame, from_line, hello, to_line

LONGEST_ANSWER = 65_536  # bytes, end of line included
LONGEST_QUOTE = 60  # characters of a wrong answer that are quoted


class OutsideError(ValueError):
    """Somebody outside who ended, or answered something that is no answer."""


class Talk(abc.ABC):
    """A conversation with somebody outside, which ends for good when something goes wrong in it."""

    def __init__(self, close: Callable[[], object]) -> None:
        self.close = close  # may be called again
        self._told: tuple[Any, ...] | None = None  # board, rules and side of the last hello

    @property
    def has_begun(self) -> bool:
        """Whether something was asked before."""
        return self._told is not None

    @property
    def is_lost(self) -> bool:
        """Whether another conversation may begin in place of this one, since nobody waits for anything in it."""
        return False

    @abc.abstractmethod
    def ask(self, messages: list[bytes]) -> bytes:
        """Send messages and wait for the answer to the last of them."""

    def decide(self, view: View, seed: int) -> str:
        """Ask for a move; where that fails, end the conversation."""
        games = view.board, view.rules, side_of(view)
        question = to_line({"type": "decide", "seed": seed, "frame": frame(view)})
        try:
            answer = self.ask([question] if games == self._told else [to_line(hello(*games)), question])
            self._told = games
            return read_move(answer)
        except BaseException:
            self.close()
            raise


class OutsidePolicy(Explains):
    """A policy that asks somebody outside; a frozen dataclass whose fields say whom."""

    is_stranger: ClassVar[bool] = True  # what they do is not up to us

    def begin(self) -> Talk:
        """Begin a conversation."""
        raise NotImplementedError

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Ask for a move, in a conversation that begins now if there is none."""
        seed = int(rng.integers(2**32))
        talk: Talk | None = vars(self).get("_talk")
        self.keep(None)
        if talk is None or talk.is_lost:
            talk = self.begin()
        move = talk.decide(view, seed)
        self.keep(talk)  # one in which something went wrong does not go on: the next game has a new one
        return Decision(parse_action(view.board, move))

    def keep(self, talk: Talk | None) -> None:
        """Keep a conversation for the next decision."""
        object.__setattr__(self, "_talk", talk)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_talk"}  # a copy has one of its own


def read_move(answer: bytes) -> str:
    """Read the move in an answer, which is one JSON object."""
    try:
        move = from_line(answer).get("move")
    except WireError:
        move = None
    if not isinstance(move, str):
        shown = answer.decode(errors="replace").removesuffix("\n")
        shown = repr(shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}...")
        raise OutsideError(f'the program answered {shown}: give a line such as {{"move": "T45"}}')
    return move
