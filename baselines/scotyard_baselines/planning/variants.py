"""The two variants of minimax: what every parameter is unless it is given, and the weights they come to."""

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.planning.distances import TICKET_WORTH
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.weights import NONE, SOONER, SWAP, make_weights
from scotyard_env.board import Board
from scotyard_env.state import BLACK, FARES
from scotyard_env.view import View

if TYPE_CHECKING:
    from scotyard_baselines.minimax import Minimax

OURS: dict[str, Any] = {
    "depth": 4,
    "particles": 8,
    "belief": "choice_model",
    "evaluation": "ours",
    "merge": "particles",
    "dominance": "swap",
    "distances": "hops",
    "double_answers": False,
    "discount": 0.8,
    "worst_case_weight": 0.5,
    "capture": 1.0,
    "w_1": 0.01,
    "w_2": 0.01,
    "w_3": 0.02,
    "w_4": 0.002,
    "coverage": 0.01,
    "choke": 0.005,
    "perimeter": 0.01,
    "beam": 8,
    "width": 4,
    "few_tickets": 2,
    "adaptive": True,
    "alpha_beta": True,
    "pawn_order": True,
    "move_order": True,
    "answer_order": True,
    "transposition_table": True,
}
DOCUMENT: dict[str, Any] = {
    **OURS,
    "depth": 2,
    "belief": "evasive",
    "evaluation": "document",
    "merge": "minimum",
    "dominance": "document",
    "distances": "weighted",
    "double_answers": True,
    "capture": 0.0,
    "w_1": 1.0,
    "w_2": 0.1,
    "w_3": 0.002,
    "w_4": 0.2,
    "coverage": 0.0,
    "choke": 0.0,
    "perimeter": 0.0,
    "beam": 0,
    "width": 0,
}
VARIANTS = {"ours": OURS, "document": DOCUMENT}
DEEPEST_BY_THE_CLOCK = 6  # layers that our variant tries one after the other if it is given time and no depth
TERMS = {  # the parameters that weigh a term of the value, and what the terms are called
    "capture": "capture time",
    "w_1": "w_1 distance to the centroid",
    "w_2": "w_2 entropy reduction",
    "w_3": "w_3 ticket pressure",
    "w_4": "w_4 clustering",
    "coverage": "coverage of exits",
    "choke": "choke points",
    "perimeter": "perimeter of a reveal",
}
DOMINANCE = {"none": NONE, "swap": SWAP, "document": SOONER}


def fill_in(policy: "Minimax") -> None:
    """Give every parameter that was not given the value that the policy's variant has for it."""
    if policy.variant not in VARIANTS:
        raise ValueError(f"there is no variant {policy.variant!r}: there are {', '.join(VARIANTS)}")
    defaults = dict(VARIANTS[policy.variant])
    if policy.variant == "ours" and policy.seconds is not None:
        defaults["depth"] = DEEPEST_BY_THE_CLOCK
    for name, default in defaults.items():
        if getattr(policy, name) is None:
            object.__setattr__(policy, name, default)


@functools.lru_cache(maxsize=256)
def weights_of(policy: "Minimax", board: Board, hands_over: bool, has_replies: bool) -> NDArray[np.void]:
    """Return the parameters as a record for compiled code, which only reads it."""
    is_minimum = policy.merge == "minimum"
    return make_weights(
        discount=policy.discount,
        capture=policy.capture,
        worst_case_weight=1.0 if is_minimum else policy.worst_case_weight,
        centroid_cost=policy.w_1,
        entropy_drop=policy.w_2,
        ticket_cost=policy.w_3,
        scarce_ticket=policy.w_3,
        cluster_cost=policy.w_4,
        coverage=policy.coverage,
        choke=policy.choke,
        perimeter=policy.perimeter,
        most_links=int(board.arrays.links[:, :BLACK].sum(axis=1).max()),
        has_leaves=policy.evaluation == "document",
        has_minimum=is_minimum,
        has_doubles=policy.double_answers,
        hands_over=hands_over,
        has_replies=has_replies,
        has_cuts=policy.alpha_beta,
        has_pawn_order=policy.pawn_order,
        has_move_order=policy.move_order,
        dominance=DOMINANCE[policy.dominance],
    )


def bound_values(policy: "Minimax", view: View, farthest: int, first_entropy: float) -> tuple[float, float]:
    """Return what no position is worth less than, and no position more.

    The search has distances up to the farthest, and begins with this entropy.
    """
    bonuses = policy.capture + policy.coverage + policy.choke + policy.perimeter
    if policy.evaluation == "ours":
        return -(policy.w_1 * farthest + policy.w_3 + policy.w_4), bonuses + policy.w_2 + policy.w_3
    purses = sum(float(TICKET_WORTH @ np.maximum(tickets[:FARES], 0)) for tickets in view.tickets)
    most = math.log2(MAX_PARTICLES)
    least = -(policy.w_1 * farthest + policy.w_2 * most + policy.w_3 * purses + policy.w_4)
    return least, bonuses + policy.w_2 * first_entropy + policy.w_3 * purses
