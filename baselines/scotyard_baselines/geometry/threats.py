"""What the scripted Mr. Xs share: who threatens him, when to double, and when a black ticket is worth its while."""

import numpy as np

from scotyard_env.kernel import kernel
from scotyard_env.rules import can_move_on, may_move
from scotyard_env.state import BLACK, BUS, FERRY, MR_X, UNDERGROUND, WORDS, lowest
from scotyard_env.threats import is_threatened, nearest_detective


@kernel
def is_black_wasted(board, rules, view):
    """Tell whether a black ticket would hide nothing: the filter of Nijssen and Winands.

    It would in the first two rounds, where he is about to show himself, and where nobody could have left but by taxi.
    """
    return view.rounds <= 2 or rules.reveals[view.entries + 1] or has_taxis_only(board, view)


@kernel
def has_taxis_only(board, view):
    """Tell whether no possible station has other links than taxi."""
    for word in range(WORDS):
        rest = view.possible[word]
        while rest != 0:
            links = board.links[64 * word + lowest(rest)]
            rest &= rest - np.uint64(1)
            if links[BUS] + links[UNDERGROUND] + links[FERRY] > 0:
                return False
    return True


@kernel
def is_emergency(board, view):
    """Tell whether every single move of Mr. X ends where a detective could step at once."""
    station = view.station[MR_X]
    for row in range(board.first[station], board.first[station + 1]):
        to = board.to[row]
        if may_move(view, MR_X, to, board.fare[row]) and not is_threatened(board, view, to):
            return False
    return True


@kernel
def best_second_half(board, view, station, paid):
    """Measure how well off Mr. X can be after going on from a station: the distance, plus 100 if he is safe."""
    best = -1.0
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        is_last_spent = fare == paid and view.tickets[MR_X, fare] == 1
        if not is_last_spent and may_move(view, MR_X, to, fare):
            safety = 0.0 if is_threatened(board, view, to) else 100.0
            best = max(best, safety + nearest_detective(board, view, to))
    return best


@kernel
def best_double(board, view):
    """Measure how well off Mr. X can be after a double move."""
    station = view.station[MR_X]
    best = -1.0
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        if may_move(view, MR_X, to, fare) and can_move_on(board, view, to, fare):
            best = max(best, best_second_half(board, view, to, fare))
    return best


@kernel
def is_double_due(board, view):
    """Tell whether to double: only in an emergency, and only if it leads out of it."""
    return is_emergency(board, view) and best_double(board, view) >= 100.0


@kernel
def price_of(fare, wasted):
    """Price a ticket in the unit of one move of distance, so that black ones are not thrown away."""
    return 0.5 if fare == BLACK and wasted else 0.0
