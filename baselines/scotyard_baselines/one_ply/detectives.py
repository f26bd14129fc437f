"""What a move is worth to a detective who looks one move ahead."""

from scotyard_env.encode.features import list_possible
from scotyard_env.kernel import kernel
from scotyard_env.rules import destination, fare_of, pass_action

OWN_DISTANCE = 1e-3  # of the mover's own mean distance, where the team's is the same
TICKET = 1e-6  # of every ticket left of the kind spent, where distances are the same


@kernel
def score_by_total_distance(board, view, scratch, actions, values, count):
    """Score by the mean distance to all possible stations (greedy); where that is equal, by the tickets left."""
    size = list_possible(board, view, scratch)
    for index in range(count):
        if actions[index] == pass_action(board):
            values[index] = 0.0
            continue
        to, total = destination(actions[index]), 0.0  # no whole number: plain Python would add up bytes
        for place in range(size):
            total += board.distance[to, scratch.stations[place]]
        values[index] = -total / size + TICKET * view.tickets[view.seat, fare_of(actions[index])]


@kernel
def score_by_coverage(board, view, scratch, actions, values, count):
    """Score by the team's mean distance after the move; where that is equal, by its own, then by the tickets left."""
    size = list_possible(board, view, scratch)
    for index in range(count):
        if actions[index] == pass_action(board):
            values[index] = 0.0
            continue
        to, own, team = destination(actions[index]), 0.0, 0.0
        for place in range(size):
            distance = board.distance[to, scratch.stations[place]]
            own += distance
            team += min(distance, scratch.colleagues[place])
        tickets = view.tickets[view.seat, fare_of(actions[index])]
        values[index] = -team / size - OWN_DISTANCE * own / size + TICKET * tickets
