"""The turns of Mr. X that a search compares: of one move, or a double with both its moves; what each costs him.

The kernels write on the desk of the search (phantom.py).
"""

import numpy as np

from scotyard_env.kernel import kernel
from scotyard_env.rules import apply, destination, double_action, fare_of, legal_actions
from scotyard_env.state import BLACK
from scotyard_env.threats import is_threatened

MAX_TURNS = 1024

TURN = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("total", "f8"),  # value of all rollouts
                ("price", "f8"),  # of the tickets it spends, and of what the learned player holds against it
                ("actions", "i8", (3,)),
                ("steps", "i8"),  # how many of them
                ("visits", "i8"),
            ],
            align=True,
        ),
    )
)


@kernel
def list_turns(board, rules, states, index, desk):
    """List every turn of Mr. X, single moves first; give how many those are, and how many all are."""
    count = 0
    double = double_action(board)
    moves = legal_actions(board, rules, states[index], desk.legal[0])
    for move in range(moves):
        if desk.legal[0, move] != double and states[index].owed != 2:
            write_turn(desk, count, desk.legal[0, move], -1, -1)
            count += 1
    singles = count
    if moves > 0 and desk.legal[0, moves - 1] == double:
        desk.states[1] = states[index]
        apply(board, rules, desk.states[1], double)
        count = list_pairs(board, rules, desk, count, double)
    elif states[index].owed == 2:
        desk.states[1] = states[index]
        count = list_pairs(board, rules, desk, count, -1)
    return singles, count


@kernel
def list_pairs(board, rules, desk, count, double):
    """List the pairs of moves of a double that is announced in desk.states[1]; those that end in safety, if any do."""
    before = count
    for is_wary in (True, False):
        firsts = legal_actions(board, rules, desk.states[1], desk.legal[1])
        for first in range(firsts):
            desk.states[2] = desk.states[1]
            apply(board, rules, desk.states[2], desk.legal[1, first])
            seconds = legal_actions(board, rules, desk.states[2], desk.legal[2])
            for second in range(seconds):
                to = destination(desk.legal[2, second])
                if count < MAX_TURNS and not (is_wary and is_threatened(board, desk.states[2], to)):
                    if double >= 0:
                        write_turn(desk, count, double, desk.legal[1, first], desk.legal[2, second])
                    else:
                        write_turn(desk, count, desk.legal[1, first], desk.legal[2, second], -1)
                    count += 1
        if count > before:
            break
    return count


@kernel
def write_turn(desk, place, first, second, third):
    """Write a turn down: its actions, -1 where there are fewer, and its price."""
    turn, style = desk.turns[place], desk.styles[0]
    turn.actions[0], turn.actions[1], turn.actions[2] = first, second, third
    turn.total = 0.0
    turn.visits = 0
    turn.steps = 1 if second < 0 else 2 if third < 0 else 3
    turn.price = desk.dislikes[first] + (style.double_price if third >= 0 else 0.0)
    for step in range(1 if third >= 0 else 0, turn.steps):
        if fare_of(turn.actions[step]) == BLACK:
            turn.price += style.black_price


@kernel
def mean_value(turn):
    """Value a turn by its rollouts, its price paid."""
    return turn.total / turn.visits - turn.price


@kernel
def sort_turns(desk, left):
    """Put the best turns first."""
    for place in range(1, left):
        turn, here = desk.order[place], place
        while here > 0 and mean_value(desk.turns[desk.order[here - 1]]) < mean_value(desk.turns[turn]):
            desk.order[here] = desk.order[here - 1]
            here -= 1
        desk.order[here] = turn
