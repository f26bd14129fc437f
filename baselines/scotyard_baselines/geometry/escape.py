"""Ways out for a Mr. X who looks one move ahead: emergencies, double moves that end them, and what tickets cost him."""

from scotyard_env.kernel import kernel
from scotyard_env.rules import can_move_on, may_move
from scotyard_env.state import BLACK, MR_X
from scotyard_env.threats import is_threatened, nearest_detective

SAFE = 100.0  # what safety from a step of the detectives is worth, in moves of distance
WASTED_BLACK = 0.5  # what a black ticket that hides nothing costs, in moves of distance


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
def is_double_due(board, view):
    """Tell whether to double: only in an emergency, and only if it leads out of it."""
    return is_emergency(board, view) and best_double(board, view) >= SAFE


@kernel
def best_double(board, view):
    """Return how well off Mr. X can be after a double move."""
    station = view.station[MR_X]
    best = -1.0
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        if may_move(view, MR_X, to, fare) and can_move_on(board, view, to, fare):
            best = max(best, best_second_half(board, view, to, fare))
    return best


@kernel
def best_second_half(board, view, station, paid):
    """Return how well off Mr. X can be after going on from a station: the distance, plus SAFE if he is safe."""
    best = -1.0
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        is_last_spent = fare == paid and view.tickets[MR_X, fare] == 1
        if not is_last_spent and may_move(view, MR_X, to, fare):
            safety = 0.0 if is_threatened(board, view, to) else SAFE
            best = max(best, safety + nearest_detective(board, view, to))
    return best


@kernel
def ticket_cost(fare, is_black_wasted):
    """Return what a ticket costs, in moves of distance, so that black ones are not thrown away."""
    return WASTED_BLACK if fare == BLACK and is_black_wasted else 0.0
