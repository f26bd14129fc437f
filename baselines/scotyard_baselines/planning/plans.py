"""Joint plans of the detectives: what they can do together in the rest of a round, and what it is worth.

A node is a moment as the hunters see it: where they stand, what they can pay, and the particles, stations where
Mr. X is likely to be with their weights. A plan gives every detective who has not moved yet a station to go to. Its
worth is the weight of the particles it catches plus, for every other, how lost Mr. X is where he may flee to from it.
"""

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.planning.choices import LONG, MAX_CHOICES, MAX_PARTICLES, NEAR, keep_likeliest
from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK, FARES, MAX_DETECTIVES, MR_X

MAX_PAIRS = MAX_DETECTIVES * (MAX_DETECTIVES - 1) // 2
MAX_REPLIES = MAX_PARTICLES * MAX_CHOICES

NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("weight", "f8", (MAX_PARTICLES,)),  # of each particle; they add up to at most 1
                ("particle", "i2", (MAX_PARTICLES,)),  # stations where Mr. X may be
                ("particles", "i2"),
                ("station", "i2", (MAX_DETECTIVES,)),
                ("tickets", "i2", (MAX_DETECTIVES, BLACK)),
                ("mr_x_tickets", "i2", (FARES,)),
                ("detectives", "i2"),
                ("mover", "i2"),  # the first detective who has not moved yet
            ],
            align=True,
        ),
    )
)

TABLE = np.dtype(  # what there is to choose from at one node, and the plan at hand
    (
        np.record,
        np.dtype(
            [
                ("bonus", "f8", (MAX_DETECTIVES, MAX_CHOICES)),  # of a choice by itself: minus its price
                ("to", "i2", (MAX_DETECTIVES, MAX_CHOICES)),
                ("fare", "i1", (MAX_DETECTIVES, MAX_CHOICES)),
                ("choices", "i2", (MAX_DETECTIVES,)),
                ("plan", "i2", (MAX_DETECTIVES,)),  # the choice of each pawn of the plan at hand
                ("landed", "i2", (MAX_DETECTIVES,)),  # where every detective stands after it
            ],
            align=True,
        ),
    )
)

WEIGHTS = np.dtype(  # how a plan is valued
    (
        np.record,
        np.dtype(
            [
                ("nearness", "f8", (LONG + 1, NEAR + 1)),  # of an exit, by capture time and distance of the nearest
                ("all_pairs", "f8", (MAX_PAIRS * LONG + 1,)),  # of an exit, by the capture times of all pairs added up
                ("pairs", "f8"),  # share of that, against the soonest pair
                ("approach", "f8"),  # price of a move of distance of each detective to the particles
                ("thrift", "f8"),  # price of a detective's last ticket of a kind; of one of several, that divided
                ("caution", "f8"),  # share of Mr. X's best reply, against the mean of all
            ],
            align=True,
        ),
    )
)


def make_weights(
    discount: float, approach: float, thrift: float = 0.0, caution: float = 0.0, pairs: float = 0.0, detectives: int = 1
) -> NDArray[np.void]:
    """Value an exit by the discount to the power of its capture time; without a pair, of twice the distance.

    The time is the soonest pair's, and for a share of pairs the mean of all pairs of so many detectives.
    """
    number = detectives * (detectives - 1) // 2
    weights = np.zeros(1, WEIGHTS)
    time, near = np.ogrid[: LONG + 1, : NEAR + 1]
    weights[0].nearness[:] = discount ** np.where(time < LONG, time, np.minimum(2 * near + 1, LONG))
    weights[0].all_pairs[:] = discount ** (np.arange(MAX_PAIRS * LONG + 1) / max(number, 1))
    weights[0].pairs = pairs if number else 0.0
    weights[0].approach, weights[0].thrift, weights[0].caution = approach, thrift, caution
    return weights


# ---------------------------------------------------------------------------------------------------- the possibilities


@kernel
def look_at(view, belief, particles, node):
    """Take down a moment as the detectives see it, with the likeliest stations of a belief; the belief is used up."""
    look_at_pawns(view, node)
    keep_likeliest(belief, particles, node)


@kernel
def look_at_pawns(view, node):
    """Take down what everybody sees: where the detectives stand, whose turn it is, and all tickets."""
    node.detectives, node.mover = view.seats - 1, view.seat - 1
    for detective in range(node.detectives):
        node.station[detective] = view.station[detective + 1]
        for fare in range(BLACK):
            node.tickets[detective, fare] = view.tickets[detective + 1, fare]
    for fare in range(FARES):
        node.mr_x_tickets[fare] = view.tickets[MR_X, fare]


@kernel
def list_choices(board, node, weights, table, detective):
    """List the stations that a detective can go to, each with the ticket it has most of; or staying, if it is stuck."""
    station = node.station[detective]
    count = 0
    for move in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[move], board.fare[move]
        if fare == BLACK or node.tickets[detective, fare] == 0 or count == MAX_CHOICES:
            continue
        if is_held(node, detective, to):
            continue
        if count > 0 and table.to[detective, count - 1] == to:  # moves are sorted by station
            if node.tickets[detective, fare] > node.tickets[detective, table.fare[detective, count - 1]]:
                table.fare[detective, count - 1] = fare
            continue
        table.to[detective, count] = to
        table.fare[detective, count] = fare
        count += 1
    if count == 0:
        table.to[detective, 0] = station
        table.fare[detective, 0] = -1
        count = 1
    table.choices[detective] = count
    for choice in range(count):
        table.bonus[detective, choice] = -price_choice(board, node, weights, table, detective, choice)


@kernel
def price_choice(board, node, weights, table, detective, choice):
    """Price a choice by itself: how far it ends from the particles, and how scarce the ticket is that it takes."""
    fare = table.fare[detective, choice]
    price = weights.approach * expected_distance(board, node, table.to[detective, choice])
    if fare >= 0 and node.tickets[detective, fare] > 0:  # else it stays, or has no end of them
        price += weights.thrift / node.tickets[detective, fare]
    return price


@kernel
def is_held(node, detective, station):
    """Tell whether a station is held when a detective's turn comes: by one that has moved, or one that moves later."""
    for other in range(node.detectives):
        if (other < node.mover or other > detective) and node.station[other] == station:
            return True
    return False


@kernel
def expected_distance(board, node, station):
    """Measure how far a station is from the particles, by their weight."""
    total = 0.0
    for particle in range(node.particles):
        total += node.weight[particle] * board.distance[station, node.particle[particle]]
    return total
