"""Playing an action that comes from outside: read it, play it if it is legal, and say why if it is not.

``Game``, the shells and ``Batch`` all go through here; searches, which know what is legal, call ``rules.apply``.
"""

import operator
from typing import Any

import numpy as np

from scotyard_env.board import Board
from scotyard_env.kernel import kernel
from scotyard_env.notation import NotationError, action_text, parse_action
from scotyard_env.rules import apply, is_legal
from scotyard_env.state import FARES, MAX_STATIONS, SEATS
from scotyard_env.view import View

NO_ACTION = -1  # what stands for no action, and is open to nobody
MOST_ACTIONS = FARES * MAX_STATIONS + 2
FIRST_GAME = np.zeros(1, np.int64)  # the number of the only game, where there is one


def read_action(board: Board, move: Any) -> int:
    """Return the action that an integer or a text such as ``"T45"`` stands for; NO_ACTION if it is neither."""
    try:
        action = parse_action(board, move) if isinstance(move, str) else operator.index(move)
    except (NotationError, TypeError):
        return NO_ACTION
    return action if 0 <= action < MOST_ACTIONS else NO_ACTION  # which is what compiled code can take


def explain_illegal(view: View, move: Any) -> str:
    """Return why a move, text or integer, cannot be played, and which can, as far as whoever is told may know."""
    if view.winner is not None:
        return f"{move!r} comes too late: the game is over, won by {view.winner}"
    seat = SEATS[view.seat]
    try:
        action = parse_action(view.board, move) if isinstance(move, str) else operator.index(move)
        problem = f"{action_text(view.board, action)} is not open to {seat}"
    except NotationError as error:
        problem = str(error)
    except TypeError:
        problem = f"{move!r} is neither text nor an integer"
    legal = ", ".join(view.legal_moves)  # none of a hidden Mr. X
    return f"{problem}: legal for {seat} are {legal}" if legal else f"{problem}: only {seat} may know what is"


@kernel
def play_if_legal(boards, rules, states, action):
    """Play an action in the first of some games if it is open to the seat to move; return whether it was.

    This is ``lockstep.play_rows`` for one game without two arrays, whose handing over would cost a third of the time.
    """
    legal = is_legal(boards[0], rules[0], states[0], action)
    if legal:
        apply(boards[0], rules[0], states[0], action)
    return legal
