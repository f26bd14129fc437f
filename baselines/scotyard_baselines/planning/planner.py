"""The planner by coordinate ascent: a belief and a view in, the first move of the best joint plan out.

Every ``Pursuit`` policy plays it, each with a belief of its own, and phantom expects it of the detectives it models.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.choice_model import CHOICE_SCRATCH, infer_belief, narrow_belief
from scotyard_baselines.geometry.detours import detours
from scotyard_baselines.planning.choices import (
    CHOICES,
    list_choices,
    list_detours,
    list_replies,
    name_action,
    write_actions,
)
from scotyard_baselines.planning.coordinate_ascent import ASCENT_SCRATCH, BLOCKED, ascend
from scotyard_baselines.planning.node import NODE, keep_all, keep_likeliest, look_at
from scotyard_baselines.planning.value import price_choices
from scotyard_baselines.planning.weights import make_weights
from scotyard_env.board import Board
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision
from scotyard_env.rules import move_action, pass_action
from scotyard_env.state import MR_X, count, has
from scotyard_env.view import View

PLAIN_DISCOUNT = 0.8  # of the plain hunters: what a round more until Mr. X is caught leaves of a plan's worth
PLAIN_DISTANCE_COST = 0.002  # price of a move of distance of each detective from where he may be
MIX_LEVELS = 3  # shares of the uniform belief that hunters draw from: none, half, all of uniform_mix


class PlannerScratch(NamedTuple):
    """The scratch memory of a planner, one record of each kind."""

    nodes: NDArray[np.void]
    choices: NDArray[np.void]
    ascents: NDArray[np.void]
    beliefs: NDArray[np.void]  # of the choice model
    detours: NDArray[np.uint8]  # of the board


def new_planner_scratch(board: Board) -> PlannerScratch:
    """Return scratch memory for one decision after another on a board."""
    return PlannerScratch(
        np.zeros(1, NODE),
        np.zeros(1, CHOICES),
        np.zeros(1, ASCENT_SCRATCH),
        np.zeros(1, CHOICE_SCRATCH),
        detours(board),
    )


def make_plain_weights() -> NDArray[np.void]:
    """Return the weights of plain hunters: the soonest pair counts and the mean reply, and tickets cost nothing."""
    return make_weights(discount=PLAIN_DISCOUNT, distance_cost=PLAIN_DISTANCE_COST)


def read_decision(view: View, action: int, scratch: PlannerScratch) -> Decision:
    """Return the decision for an action that was planned for a view, with the plan and what every choice is worth."""
    choices, ascent = scratch.choices[0], scratch.ascents[0]
    actions = np.empty(choices.count[view.seat], np.int64)
    write_actions(view.board.packed, scratch.choices, view.seat, actions)
    valued = zip(actions.tolist(), ascent.value[: len(actions)].tolist(), strict=True)
    candidates = sorted((pair for pair in valued if np.isfinite(pair[1])), key=lambda pair: -pair[1])
    others = [(seat, int(ascent.best_plan[seat])) for seat in range(view.seat + 1, len(view.stations))]
    stay = int(pass_action(view.board.arrays))
    plan = [
        stay if choice == BLOCKED else int(move_action(choices.to[seat, choice], choices.fare[seat, choice]))
        for seat, choice in others
    ]
    price = sum(float(choices.bonus[seat, choice]) for seat, choice in others if choice != BLOCKED)
    price += float(choices.bonus[view.seat, actions.tolist().index(action)])
    value = dict(candidates)[action]
    terms = (("capture times", value - price), ("distances and tickets", price))
    return Decision(action, value, tuple(candidates), plan=(action, *plan), terms=terms)


@kernel
def choose_action(board, times, view, particles, uniform_mix, draws, weights, scratch):
    """Return the first move of the best plan by the choice model; its belief is inferred once a round, then narrowed.

    So call it for the detectives of a game in the order of their turns, with the same scratch memory.
    """
    model = scratch.beliefs[0]
    if view.seat == MR_X + 1:
        infer_belief(board, times, view, model)
    else:
        narrow_belief(board, view, model)
    mix_in_uniform(board, view, model.belief, uniform_mix)
    return choose_by_belief(board, times, view, particles, draws, model.belief, weights, scratch)


@kernel
def choose_by_belief(board, times, view, particles, draws, belief, weights, scratch):
    """Return the first move of the best plan for a belief."""
    look_around(board, view, particles, belief, weights, scratch)
    return ascend_first(board, times, draws, weights, scratch)


@kernel
def ascend_first(board, times, draws, weights, scratch):
    """Return the first move of the best plan at the node that ``look_around`` has written."""
    node, choices = scratch.nodes[0], scratch.choices[0]
    ascend(board, times, node, weights, choices, scratch.ascents[0], draws)
    choice = choices.plan[node.seat]
    return name_action(board, choices.to[node.seat, choice], choices.fare[node.seat, choice])


@kernel
def look_around(board, view, particles, belief, weights, scratch):
    """Write the node of a view and a belief, and list the choices and replies there."""
    node, choices = scratch.nodes[0], scratch.choices[0]
    look_at(view, node)
    if count(view.possible) > particles:
        keep_likeliest(belief, particles, node)
    else:
        keep_all(board, belief, node)
    list_replies(board, node, weights, choices)
    for seat in range(node.seat, node.seats):
        list_choices(board, node, choices, seat)
        price_choices(board, node, weights, choices, seat)
    list_detours(node, weights, choices, scratch.detours)


@kernel
def mix_in_uniform(board, state, belief, share):
    """Give a share of a belief to all possible stations alike."""
    each = share / count(state.possible)
    for station in range(1, board.stations + 1):
        if has(state.possible, station):
            belief[station] = (1.0 - share) * belief[station] + each
