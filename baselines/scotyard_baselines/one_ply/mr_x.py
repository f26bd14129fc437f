"""What an action is worth to a Mr. X who looks one move ahead; a double move is for emergencies."""

from scotyard_baselines.geometry.black_tickets import hides_nothing
from scotyard_baselines.geometry.escape import best_second_half, is_double_due, ticket_cost
from scotyard_env.encode.features import look_ahead
from scotyard_env.kernel import kernel
from scotyard_env.rules import destination, double_action, fare_of
from scotyard_env.threats import count_safe_exits, is_threatened, nearest_detective

EXIT_WEIGHT = 4.0  # possible stations that a safe way out of the destination is worth to who hides
DISTANCE_WEIGHT = 4.0  # possible stations that a move of distance from the nearest detective is worth to who hides
BLACK_WEIGHT = 20.0  # possible stations that a move of distance is worth in the cost of a black ticket
SAFETY = 1000.0  # to who hides, more than all possible stations are worth


@kernel
def score_by_distance(board, rules, view, scratch, actions, values, count):
    """Score by the distance to the nearest detective (greedy); where that is equal, by the size of the possible set."""
    scratch.sizes[:] = 0
    wasted = hides_nothing(board, rules, view)
    for index in range(count):
        action = actions[index]
        if action == double_action(board):
            values[index] = 1000.0 if is_double_due(board, view) else -1000.0
            continue
        to, fare = destination(action), fare_of(action)
        if view.owed == 2:
            values[index] = best_second_half(board, view, to, fare) - ticket_cost(fare, wasted)
        else:
            look_ahead(board, view, scratch, fare)
            nearest = nearest_detective(board, view, to)
            values[index] = nearest + scratch.sizes[fare] / 1000.0 - ticket_cost(fare, wasted)


@kernel
def score_by_hiding(board, rules, view, scratch, weights, actions, values, count):
    """Score by safety first, then by the number of stations where he may then be and by room to run (hider).

    weights are those of a safe exit and of a move of distance from the nearest detective, in possible stations.
    """
    exit_weight, distance_weight = weights
    scratch.sizes[:] = 0
    wasted = hides_nothing(board, rules, view)
    is_reveal = rules.reveals[view.entries + 1]
    for index in range(count):
        action = actions[index]
        if action == double_action(board):
            values[index] = 10_000.0 if is_double_due(board, view) else -10_000.0
            continue
        to, fare = destination(action), fare_of(action)
        if view.owed == 2:
            values[index] = best_second_half(board, view, to, fare) - ticket_cost(fare, wasted)
        else:
            look_ahead(board, view, scratch, fare)
            size = 1 if is_reveal else scratch.sizes[fare]
            safety = 0.0 if is_threatened(board, view, to) else SAFETY
            nearest = nearest_detective(board, view, to)
            room = exit_weight * count_safe_exits(board, view, to) + distance_weight * nearest
            values[index] = safety + size + room - BLACK_WEIGHT * ticket_cost(fare, wasted)
