"""In which order enumeration branches: over the most threatening pawn first, and over its most promising choices."""

import numpy as np

from scotyard_env.arrays import order_by, sort_ascending
from scotyard_env.kernel import kernel


@kernel
def order_pawns(board, node, weights, choices, scratch):
    """Put the most threatening pawn, the one nearest to the belief's centre, first.

    Before it come those whom the others could leave without a station, in the order of their turns.
    """
    scratch.pawns = node.seats - node.seat
    distance = board.distance[:, scratch.centroid]
    for place in range(scratch.pawns):
        seat = node.seat + place
        scratch.pawn[place] = seat
        if choices.count[seat] < scratch.pawns:
            scratch.urgency[seat] = np.inf
        elif weights.has_pawn_order:
            scratch.urgency[seat] = -float(distance[node.station[seat]])
        else:
            scratch.urgency[seat] = 0.0
    order_by(scratch.urgency, scratch.pawn, scratch.pawns)


@kernel
def order_choices(choices, scratch, seat, has_move_order):
    """Put the choices that cover the exits best first, or at least among the first of the width, there by station."""
    count, order = choices.count[seat], scratch.order[seat]
    for choice in range(count):
        order[choice] = choice  # by station
    if scratch.width < count or has_move_order:
        order_by(scratch.promise[seat], order, count)
    if not has_move_order:
        sort_ascending(order, min(scratch.width, count))


@kernel
def measure_promise(board, node, choices, scratch, station):
    """Return how well a station covers the exits, nearer ones more, and whether it catches him."""
    promise = 0.0
    for index in range(choices.exit_count):
        distance = board.distance[station, choices.exits[index]]
        promise += scratch.exit_weight[choices.exits[index]] * 0.5**distance
    for particle in range(node.particles):
        if node.particle[particle] == station:
            promise += node.weight[particle]
    return promise
