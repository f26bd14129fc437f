"""Coordinate ascent over joint plans: pawns take their best choices in turn while the others' stay fixed.

Where enumeration values every plan, this starts from a few of them and improves each to a local optimum: until no
change of a single pawn's choice is an improvement.
"""

import numpy as np

from scotyard_baselines.capture.times import LONG
from scotyard_baselines.geometry.rows import add_up, add_up_later, lower, lower_later
from scotyard_baselines.planning.choices import HERE, MAX_CHOICES, NO_DETOUR, detour_row, is_landing
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.value import value_exit, value_replies
from scotyard_baselines.planning.weights import NEAR
from scotyard_env.arrays import copy_values
from scotyard_env.kernel import kernel, record_type
from scotyard_env.state import MAX_SEATS, MAX_STATIONS

MOST_SWEEPS = 8  # over all pawns; then a plan is good enough
BLOCKED = -1  # as a choice: the pawn stays, since others of the plan go wherever it could
NO_CHOICE = -2  # as a choice in the best plan: there is none yet

ASCENT_SCRATCH = record_type(
    [
        ("value", "f8", (MAX_CHOICES,)),  # of each choice of the pawn at hand; -inf = another goes there
        ("worth", "f8", (MAX_STATIONS + 1,)),  # of each exit to the detectives; or HELD
        ("is_free", "u1", (MAX_PARTICLES,)),  # neither caught nor shut in, without the pawn at hand
        ("best_plan", "i8", (MAX_SEATS,)),
        ("near", "u1", (MAX_STATIONS + 1,)),  # of each station, without the pawn at hand: distance of the nearest,
        ("time", "u1", (MAX_STATIONS + 1,)),  # rounds until the soonest pair catches Mr. X there,
        ("total", "u1", (MAX_STATIONS + 1,)),  # and those of all pairs added up; 0 if they do not count
        ("time_with", "u1", (MAX_STATIONS + 1,)),  # the soonest pair's rounds with the pawn at hand,
        ("total_with", "u1", (MAX_STATIONS + 1,)),  # and those of all pairs with it
    ]
)


@kernel
def ascend(board, times, node, weights, choices, scratch, draws):
    """Ascend from the nearest plan and from one more for each row of draws; the best plan is then the one at hand.

    The choices are listed and priced.
    """
    best = -np.inf
    scratch.best_plan[node.seat] = NO_CHOICE
    for start in range(1 + len(draws)):
        begin_plan(node, choices, draws, start - 1)
        value = improve_plan(board, times, node, weights, choices, scratch)
        if value > best:
            best = value
            for seat in range(node.seat, node.seats):
                scratch.best_plan[seat] = choices.plan[seat]
    for seat in range(node.seat, node.seats):
        send(node, choices, seat, scratch.best_plan[seat])


# ----------------------------------------------------------------------------------------------------- improve a plan


@kernel
def begin_plan(node, choices, draws, row):
    """Make a plan to begin with: every pawn goes where it is nearest to Mr. X, or where its draw in [0, 1) says."""
    for seat in range(1, node.seat):
        choices.landed[seat] = node.station[seat]
    for seat in range(node.seat, node.seats):
        choices.landed[seat] = 0
    for seat in range(node.seat, node.seats):
        chosen = BLOCKED
        first = 0 if row < 0 else int(draws[row, seat - 1] * choices.count[seat])
        for step in range(choices.count[seat]):
            choice = (first + step) % choices.count[seat]
            if not is_landing(node, choices, choices.to[seat, choice], seat) and (
                chosen == BLOCKED or (row < 0 and choices.bonus[seat, choice] > choices.bonus[seat, chosen])
            ):
                chosen = choice
        send(node, choices, seat, chosen)


@kernel
def send(node, choices, seat, choice):
    """Send a pawn where a choice leads."""
    choices.plan[seat] = choice
    choices.landed[seat] = node.station[seat] if choice == BLOCKED else choices.to[seat, choice]


@kernel
def improve_plan(board, times, node, weights, choices, scratch):
    """Let one pawn after the other take its best choice until none has a better one; return the value of the plan.

    The ascent also ends at the best plan so far, which is a local optimum already.
    """
    unmoved, seat, value = 0, node.seats - 1, -np.inf
    pawns = node.seats - node.seat
    for _ in range(MOST_SWEEPS * pawns):
        choice = best_choice(board, times, node, weights, choices, scratch, seat)
        if choice != BLOCKED:
            value = scratch.value[choice]
        unmoved = unmoved + 1 if choice == choices.plan[seat] else 1
        send(node, choices, seat, choice)
        if unmoved == pawns or is_best_plan(node, choices, scratch):
            break
        seat = seat - 1 if seat > node.seat else node.seats - 1
    return value


@kernel
def is_best_plan(node, choices, scratch):
    """Tell whether the plan at hand is the best so far."""
    for seat in range(node.seat, node.seats):
        if choices.plan[seat] != scratch.best_plan[seat]:
            return False
    return True


@kernel
def best_choice(board, times, node, weights, choices, scratch, seat):
    """Return the best choice of a pawn while the others' stay fixed; BLOCKED if they leave it none.

    The value of each of its choices is left in scratch.value.
    """
    look_without(board, times, node, weights, choices, scratch, seat)
    settled = settle(node, choices, scratch, seat)
    best = BLOCKED
    for choice in range(choices.count[seat]):
        to = choices.to[seat, choice]
        scratch.value[choice] = -np.inf
        if not is_landing(node, choices, to, seat):
            value = value_landing(board, times, node, weights, choices, scratch, seat, choice)
            scratch.value[choice] = settled + value + choices.bonus[seat, choice]
            if best == BLOCKED or scratch.value[choice] > scratch.value[best]:
                best = choice
    return best


# ------------------------------------------------------------------------------------- value a plan but for one pawn


@kernel
def look_without(board, times, node, weights, choices, scratch, seat):
    """Write for every station how near the other detectives are and how soon pairs of them catch Mr. X there.

    All stations, since loops over rows of bytes compile to few instructions. Leave out NOBODY to look at all.
    """
    scratch.near[:] = NEAR
    scratch.time[:] = LONG
    scratch.total[:] = 0
    for one in range(1, node.seats):
        if one != seat:
            choice = slot(node, choices, one)
            lower_near(board, choices, one, choice, scratch.near)
            for other in range(1, one):
                if other != seat:
                    pair = times[choices.landed[one], choices.landed[other]]
                    take_pair(weights, node, choices, pair, one, choice, other, scratch.time, scratch.total)


@kernel
def slot(node, choices, seat):
    """Return the choice of a detective in the plan at hand, HERE if it has moved or is blocked."""
    return HERE if seat < node.seat or choices.plan[seat] == BLOCKED else choices.plan[seat]


@kernel
def lower_near(board, choices, seat, choice, near):
    """Lower the distances of the nearest detective by those of one more, with its detours."""
    distance = board.distance[choices.landed[seat]]
    if choices.is_short[seat, choice]:
        lower_later(near, distance, choices.detour[seat, choice], choices.detour[seat, NO_DETOUR])
    else:
        lower(near, distance)


@kernel
def take_pair(weights, node, choices, pair, seat, choice, other, time, total):
    """Take the capture times of one more pair into the soonest ones and into their sum, with the detours of both."""
    others = slot(node, choices, other)
    if choices.is_short[seat, choice] or choices.is_short[other, others]:
        one = choices.detour[seat, detour_row(choices, seat, choice)]
        two = choices.detour[other, detour_row(choices, other, others)]
        lower_later(time, pair, one, two)
        if weights.all_pairs_weight > 0.0:
            add_up_later(total, pair, one, two)
    else:
        lower(time, pair)
        if weights.all_pairs_weight > 0.0:
            add_up(total, pair)


@kernel
def settle(node, choices, scratch, seat):
    """Mark the particles that the other pawns neither catch nor shut in; return the value of those that they do.

    To it are added the bonuses of their choices: together, all that does not depend on the pawn at hand.
    """
    settled = 0.0
    for other in range(node.seat, node.seats):
        if other != seat and choices.plan[other] != BLOCKED:
            settled += choices.bonus[other, choices.plan[other]]
    for particle in range(node.particles):
        scratch.is_free[particle] = can_flee(node, choices, scratch.near, particle, seat)
        if scratch.is_free[particle] == 0:
            settled += node.weight[particle]
    return settled


@kernel
def can_flee(node, choices, near, particle, seat):
    """Tell whether the others neither land on a particle nor hold all its exits."""
    station = node.particle[particle]
    if near[station] == 0 and is_landing(node, choices, station, seat):
        return False
    for row in range(choices.first_reply[particle], choices.first_reply[particle + 1]):
        if near[choices.reply[row]] > 0:
            return True
    return False


@kernel
def value_landing(board, times, node, weights, choices, scratch, seat, choice):
    """Value the free particles if a pawn takes a choice: 1 where it catches Mr. X, else by the exits he may flee to."""
    to = choices.to[seat, choice]
    copy_values(scratch.time, scratch.time_with)
    copy_values(scratch.total, scratch.total_with)
    for other in range(1, node.seats):
        if other != seat:
            pair = times[to, choices.landed[other]]
            take_pair(weights, node, choices, pair, seat, choice, other, scratch.time_with, scratch.total_with)
    distance, detour, value = board.distance[to], choices.detour[seat, detour_row(choices, seat, choice)], 0.0
    for index in range(choices.exit_count):
        station = choices.exits[index]
        near = min(int(scratch.near[station]), int(distance[station]) + int(detour[station]))
        scratch.worth[station] = value_exit(weights, scratch.time_with[station], scratch.total_with[station], near)
    for particle in range(node.particles):
        if scratch.is_free[particle] and node.particle[particle] == to:
            value += node.weight[particle]
        elif scratch.is_free[particle]:
            value += node.weight[particle] * value_replies(weights, choices, scratch.worth, particle)
    return value
