"""The positions of a search: its root, what a plan leads to (simulateDetectivePlan of the document), and their keys.

A plan is played by the rules on a state with a hole: the hole is filled with a particle for as long as the rules need
one.
"""

import numpy as np

from scotyard_baselines.planning.choices import name_action
from scotyard_baselines.planning.node import keep_likeliest, look_at
from scotyard_env.arrays import sort_ascending
from scotyard_env.kernel import kernel
from scotyard_env.rules import apply
from scotyard_env.state import DETECTIVES_WIN, FARES, MR_X, NOWHERE, PLAYING

FNV_OFFSET, FNV_PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # of the hash FNV-1a


@kernel
def begin_search(state, belief, particles, states, nodes):
    """Write the root: a moment as the detectives see it, with the likeliest stations of a belief."""
    states[0] = state
    look_at(state, nodes[0])
    keep_likeliest(belief, particles, nodes[0])


# ------------------------------------------------------------------------------------------------- the detectives' plan


@kernel
def carry_out(boards, rules, states, nodes, parent, child, plan):
    """Carry out a plan and leave out the particles that it catches; return their weight."""
    node, after = nodes[parent], nodes[child]
    first = states[parent].seat
    after.particles = 0
    caught = 0.0
    for particle in range(node.particles):
        if is_in(plan.to, first, states[parent].seats, node.particle[particle]):
            caught += node.weight[particle]
        else:
            after.particle[after.particles] = node.particle[particle]
            after.weight[after.particles] = node.weight[particle]
            after.particles += 1
    states[child] = states[parent]
    play_plan(boards[0], rules[0], states[child], plan, after.particle[0] if after.particles > 0 else NOWHERE)
    look_at(states[child], after)
    return caught


@kernel
def is_in(stations, first, seats, station):
    """Tell whether one of the seats from first on stands on a station."""
    for seat in range(first, seats):
        if stations[seat] == station:
            return True
    return False


@kernel
def play_plan(board, rules, state, plan, hidden):
    """Play a plan by the rules, Mr. X hiding on a station; that he cannot move from there is for ``answer`` to see."""
    state.station[MR_X] = hidden
    for seat in range(state.seat, state.seats):
        apply(board, rules, state, name_action(board, plan.to[seat], plan.fare[seat]))
    if state.winner == DETECTIVES_WIN:
        state.winner = PLAYING
    state.station[MR_X] = NOWHERE


# ------------------------------------------------------------------------------------------------------------- its key


@kernel
def write_key(node, key):
    """Write what decides the value of a node: detectives with their tickets in any order, belief, log."""
    detectives = node.seats - 1
    for seat in range(1, node.seats):
        code = np.int64(node.station[seat])
        for fare in range(FARES):
            code = (code << 12) + node.tickets[seat, fare] + 1
        key[seat - 1] = code
    sort_ascending(key, detectives)
    for fare in range(FARES):
        key[detectives + fare] = node.tickets[MR_X, fare]
    key[detectives + FARES] = (node.entries << 16) + node.doubles
    belief = FNV_OFFSET
    for particle in range(node.particles):
        belief = np.multiply(belief ^ np.uint64(node.particle[particle]), FNV_PRIME)  # overflows without a warning
        belief = np.multiply(belief ^ np.uint64(np.int64(node.weight[particle] * 1e12)), FNV_PRIME)
    key[detectives + FARES + 1] = np.int64(belief >> np.uint64(1))
