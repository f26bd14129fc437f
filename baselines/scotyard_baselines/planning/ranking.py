"""Rank the joint plans of a node by its last two layers: value each plan and Mr. X's replies to it, keep the best.

Besides the best plans of all, the best one for every first move can be kept: what a decision weighs.
"""

import numpy as np

from scotyard_baselines.planning.choices import NOBODY, STAYS, is_landing, name_action
from scotyard_baselines.planning.enumeration import give, has_next_plan
from scotyard_baselines.planning.replies import count_purse, value_particle
from scotyard_baselines.planning.value import value_team
from scotyard_env.kernel import kernel, record_type
from scotyard_env.state import MAX_SEATS

RANKED = record_type(  # one of the best plans
    [
        ("value", "f8"),
        ("to", "i2", (MAX_SEATS,)),  # where each seat goes; who has moved already stays
        ("fare", "i2", (MAX_SEATS,)),  # what it pays, or STAYS
    ]
)


@kernel
def rank_plans(boards, times, nodes, index, weights, choices, scratch, alpha, beta, ranking, count, firsts, most):
    """Value plans and keep the best, until all are valued, one reaches beta, or so many are; return how many are kept.

    Plans that cannot reach alpha, or the last place of a full ranking, are left unvalued, unless one may be the best of
    its first move: see ``keep_plan``.
    """
    board, node, table, counter = boards[0], nodes[index], choices[0], scratch[0]
    last = counter.plans + most
    while counter.plans < last and has_next_plan(board, times, node, weights[0], table, counter):
        counter.plans += 1
        least = bar(node, table, counter, alpha, ranking, count, firsts)
        value = value_plan(board, node, weights[0], table, counter, least)
        count = take_value(node, weights[0], table, counter, value, beta, ranking, count, firsts)
    return count


@kernel
def take_value(node, weights, choices, scratch, value, beta, ranking, count, firsts):
    """Keep the plan at hand if it was valued, and end the ranking if it reaches beta; return how many are kept."""
    if value == -np.inf:
        return count
    if weights.has_cuts and value >= beta:
        scratch.place = -1
    return keep_plan(node, choices, scratch, value, ranking, count, firsts)


@kernel
def value_one_plan(boards, times, nodes, index, weights, choices, scratch, ranked):
    """Return the value of one plan at a node whose ranking has begun."""
    board, node, table, counter = boards[0], nodes[index], choices[0], scratch[0]
    take_up_plan(board, times, node, table, counter, ranked)
    return value_plan(board, node, weights[0], table, counter, -np.inf)


@kernel
def take_up_plan(board, times, node, choices, scratch, ranked):
    """Make a ranked plan the plan at hand."""
    for place in range(scratch.pawns):
        seat = scratch.pawn[place]
        chosen = 0
        for choice in range(choices.count[seat]):
            if choices.to[seat, choice] == ranked.to[seat]:
                chosen = choice
        scratch.place = place
        give(board, times, node, choices, scratch, seat, chosen, ranked.to[seat])
    scratch.place = scratch.pawns


# ------------------------------------------------------------------------------------------------------- value a plan


@kernel
def value_plan(board, node, weights, choices, scratch, alpha):
    """Value the plan at hand; minus infinity if it is sure to stay below alpha."""
    value = 0.0
    for seat in range(node.seat, node.seats):
        value += choices.bonus[seat, choices.plan[seat]]
    value = value_team(board, node, weights, choices, scratch, value)
    count_purse(node, choices, scratch)
    if weights.has_minimum:
        return value_least(node, weights, choices, scratch, value, alpha)
    return value_average(node, weights, choices, scratch, value, alpha)


@kernel
def value_average(node, weights, choices, scratch, value, alpha):
    """Add the values of all particles to a value, by their weight; what is caught counts as a capture."""
    time, near = scratch.time[scratch.pawns], scratch.near[scratch.pawns]
    rest = 1.0
    for particle in range(node.particles):
        if weights.has_cuts and value + rest * weights.ceiling < alpha:
            return -np.inf
        weight = node.weight[particle]
        rest -= weight
        scratch.nodes += 1
        if is_landing(node, choices, node.particle[particle], NOBODY):
            value += weight * weights.capture
        else:
            value += weight * value_particle(weights, choices, scratch, time, near, particle)
    return value


@kernel
def value_least(node, weights, choices, scratch, value, alpha):
    """Add the value of the particle that is best for Mr. X to a value; a capture if all are caught."""
    time, near = scratch.time[scratch.pawns], scratch.near[scratch.pawns]
    least = np.inf
    for particle in range(node.particles):
        if not is_landing(node, choices, node.particle[particle], NOBODY):
            scratch.nodes += 1
            least = min(least, value_particle(weights, choices, scratch, time, near, particle))
            if weights.has_cuts and value + least < alpha:
                return -np.inf
    return value + (weights.capture if least == np.inf else least)


# ------------------------------------------------------------------------------------------------------- the best plans


@kernel
def bar(node, choices, scratch, alpha, ranking, count, firsts):
    """Return what the plan at hand must be worth to be kept anywhere."""
    is_full = count == len(ranking) and not scratch.keeps_all
    least = max(alpha, ranking[count - 1].value) if is_full else alpha
    return min(least, firsts[choices.plan[node.seat]].value) if len(firsts) > 0 else least


@kernel
def keep_plan(node, choices, scratch, value, ranking, count, firsts):
    """Put the plan at hand among the best, and among the best of each first move; return how many are ranked."""
    if len(firsts) > 0 and is_better(node, choices, value, firsts[choices.plan[node.seat]]):
        write_plan(node, choices, value, firsts[choices.plan[node.seat]])
    if not scratch.keeps_all:
        return keep(node, choices, value, ranking, count)
    if count < len(ranking):
        write_plan(node, choices, value, ranking[count])
        count += 1
    return count


@kernel
def read_ranking(boards, nodes, ranking, actions):
    """Write the actions of every ranked plan of the first node, those of the seats yet to move."""
    node = nodes[0]
    for place in range(len(ranking)):
        for seat in range(node.seat, node.seats):
            ranked = ranking[place]
            actions[place, seat - node.seat] = name_action(boards[0], ranked.to[seat], ranked.fare[seat])


@kernel
def keep(node, choices, value, ranking, count):
    """Put the plan at hand among the best, which are sorted; return how many there are now."""
    if count == len(ranking):
        if not is_better(node, choices, value, ranking[count - 1]):
            return count
        count -= 1
    here = count
    while here > 0 and is_better(node, choices, value, ranking[here - 1]):
        ranking[here] = ranking[here - 1]
        here -= 1
    write_plan(node, choices, value, ranking[here])
    return count + 1


@kernel
def write_plan(node, choices, value, ranked):
    """Copy the plan at hand into a record."""
    ranked.value = value
    for seat in range(1, node.seats):
        ranked.to[seat] = choices.landed[seat]
        is_mover = seat >= node.seat and choices.landed[seat] != node.station[seat]
        ranked.fare[seat] = choices.fare[seat, choices.plan[seat]] if is_mover else STAYS


@kernel
def is_better(node, choices, value, ranked):
    """Tell whether the plan at hand is better than a ranked one; among equals, whether its stations are lower."""
    if value != ranked.value:
        return value > ranked.value
    for seat in range(node.seat, node.seats):
        if choices.landed[seat] != ranked.to[seat]:
            return choices.landed[seat] < ranked.to[seat]
    return False
