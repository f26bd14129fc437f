"""How plans are valued, and which of them are looked at: one record for every planner, 0 for what it leaves out."""

import functools

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import LONG, MAX_PAIRS
from scotyard_env.kernel import record_type
from scotyard_env.packing import freeze

NEAR = 12  # distances beyond this are all the same
NONE, SWAP, SOONER = range(3)  # rules of dominance

WEIGHTS = record_type(
    [
        ("soonest", "f8", (LONG + 1, NEAR + 1)),  # of an exit, by the soonest pair's capture time and the distance of
        #                                           the nearest detective
        ("all_pairs", "f8", (MAX_PAIRS * LONG + 1,)),  # of an exit, by the capture times of all pairs added up
        ("all_pairs_weight", "f8"),  # share of that, against the soonest pair
        ("worst_case_weight", "f8"),  # share of Mr. X's best reply, against the mean of all
        ("capture", "f8"),  # of Mr. X caught; of an exit, that times the discount for each round until then
        ("scarce_ticket", "f8"),  # of a reply that costs Mr. X a scarce ticket
        ("ceiling", "f8"),  # no particle is worth more
        ("distance_cost", "f8"),  # price of a move of a detective's expected distance to the particles
        ("centroid_cost", "f8"),  # of a move of the team's average distance to their centroid (w_1)
        ("entropy_drop", "f8"),  # of all entropy gone (w_2)
        ("ticket_cost", "f8"),  # of a detective's last ticket of a kind; of one of several, that divided (w_3)
        ("cluster_cost", "f8"),  # of all detectives in one cluster (w_4)
        ("choke", "f8"),  # of standing where most links meet
        ("perimeter", "f8"),  # of standing around where Mr. X is about to show himself
        ("most_links", "f8"),  # of a station of the board
        ("has_exits", "u1"),  # 1 = exits are worth anything: by capture time or coverage
        ("has_leaves", "u1"),  # 1 = plans are valued by Evaluate of the document; 0 = by where Mr. X may flee to
        ("has_minimum", "u1"),  # 1 = a plan is worth the least of all replies; 0 = particles are averaged
        ("has_doubles", "u1"),  # 1 = Mr. X may reply with a double move
        ("counts_tickets", "u1"),  # 1 = detectives make detours for want of tickets
        ("hands_over", "u1"),  # 1 = tickets that a plan hands to Mr. X count for his replies
        ("has_replies", "u1"),  # 0 = the last layer is the detectives': Mr. X is judged where he is
        ("has_cuts", "u1"),
        ("has_pawn_order", "u1"),
        ("has_move_order", "u1"),
        ("dominance", "u1"),  # which plans are dropped: NONE, SWAP or SOONER
    ]
)


@functools.lru_cache(maxsize=64)
def make_weights(
    *,
    discount: float,
    capture: float = 1.0,
    coverage: float = 0.0,
    scarce_ticket: float = 0.0,
    all_pairs_weight: float = 0.0,
    detectives: int = 1,
    most_links: int = 1,
    has_replies: bool = True,
    **terms: float,
) -> NDArray[np.void]:
    """Return weights that value an exit by capture times the discount to the power of its time, and by other terms.

    The time is the soonest pair's, or guessed from the distance of the nearest detective if no pair catches him; for a
    share of all_pairs_weight it is the mean of all pairs of so many detectives. An exit beside a detective gains
    coverage. Other terms are fields of WEIGHTS, 0 unless given.
    """
    pairs = detectives * (detectives - 1) // 2
    weights = np.zeros(1, WEIGHTS)
    time, near = np.ogrid[: LONG + 1, : NEAR + 1]
    rounds = np.where(time < LONG, time, np.minimum(2 * near + 1, LONG))
    weights[0].soonest[:] = capture * discount**rounds + coverage * (near <= 1)
    weights[0].all_pairs[:] = capture * discount ** (np.arange(MAX_PAIRS * LONG + 1) / max(pairs, 1))
    weights[0].all_pairs_weight = all_pairs_weight if pairs else 0.0
    weights[0].capture, weights[0].scarce_ticket = capture, scarce_ticket
    weights[0].ceiling = capture + coverage + scarce_ticket
    weights[0].has_exits = capture > 0.0 or coverage > 0.0
    weights[0].most_links, weights[0].has_replies = most_links, has_replies
    for name, value in terms.items():
        weights[0][name] = value
    return freeze(weights)
