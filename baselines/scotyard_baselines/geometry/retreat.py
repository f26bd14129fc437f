"""The defensive move of a Mr. X who looks one move ahead, and the ticket that hides him best."""

from scotyard_baselines.geometry.black_tickets import hides_nothing
from scotyard_baselines.geometry.escape import SAFE, best_second_half, is_double_due
from scotyard_env.encode.features import look_ahead
from scotyard_env.kernel import kernel
from scotyard_env.rules import destination, double_action, fare_of
from scotyard_env.state import BLACK
from scotyard_env.threats import count_safe_exits, is_threatened, nearest_detective

EXIT = 1e-3  # what an escape route is worth to a defensive move, in moves of distance
TICKET = 1e-6  # and the ticket that hides him best


@kernel
def defend(board, rules, view, scratch, exit_worth, actions, shares, count):
    """Share the wheel equally among the moves that get Mr. X farthest away from the detectives."""
    wasted = hides_nothing(board, rules, view)
    best, equals = -1.0, 0
    for index in range(count):
        if actions[index] == double_action(board):
            shares[index] = 2.0 * SAFE if is_double_due(board, view) else -2.0 * SAFE
        else:
            shares[index] = retreat_value(board, view, destination(actions[index]), fare_of(actions[index]), exit_worth)
            if is_best_ticket(board, view, scratch, wasted, actions, index, count):
                shares[index] += TICKET
        if shares[index] > best:
            best, equals = shares[index], 0
        if shares[index] == best:
            equals += 1
    for index in range(count):
        shares[index] = 1.0 / equals if shares[index] == best else 0.0


@kernel
def retreat_value(board, view, to, fare, exit_worth):
    """Return a move's distance from the detectives; of the first half of a double, what the second can reach."""
    if view.owed == 2:
        return best_second_half(board, view, to, fare)
    safety = 0.0 if is_threatened(board, view, to) else SAFE
    return safety + nearest_detective(board, view, to) + exit_worth * count_safe_exits(board, view, to)


@kernel
def is_best_ticket(board, view, scratch, wasted, actions, index, count):
    """Tell whether no other ticket to the same station would hide Mr. X better; of equal ones the first counts."""
    own = ticket_value(board, view, scratch, wasted, fare_of(actions[index]))
    for other in range(count):
        is_same_station = other != index and actions[other] != double_action(board)
        if is_same_station and destination(actions[other]) == destination(actions[index]):
            value = ticket_value(board, view, scratch, wasted, fare_of(actions[other]))
            if value > own or (value == own and other < index):
                return False
    return True


@kernel
def ticket_value(board, view, scratch, wasted, fare):
    """Return the number of stations where Mr. X may be after paying with a ticket; -1 for black that hides nothing."""
    if fare == BLACK and wasted:
        return -1
    look_ahead(board, view, scratch, fare)
    return scratch.sizes[fare]
