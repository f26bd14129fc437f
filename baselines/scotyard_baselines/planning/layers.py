"""The two steps between the detectives' layers of a search: a plan is carried out, and Mr. X answers.

Both are played by the rules on a state with a hole: the hole is filled with a particle for as long as the rules need
one. Mr. X's answers are merged by what the table sees of them: one child for each fare shown, or for each station if
he shows himself.
"""

import numpy as np

from scotyard_baselines.planning.choices import name_action
from scotyard_baselines.planning.node import MAX_PARTICLES, keep_likeliest, look_at
from scotyard_env.arrays import sort_ascending
from scotyard_env.belief import FAR_ENOUGH
from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import apply, may_move, move_action
from scotyard_env.state import DETECTIVES_WIN, FARES, MAX_STATIONS, MR_X, NOWHERE, PLAYING
from scotyard_env.threats import distance_to_nearest

MAX_ANSWERS = 64  # what the table may see of one move of Mr. X
FNV_OFFSET, FNV_PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # of the hash FNV-1a

ANSWERS = record_type(
    [
        ("share", "f8", (MAX_ANSWERS, MAX_PARTICLES)),  # of each particle's moves that look like this answer
        ("potential", "f8", (MAX_ANSWERS,)),  # how far from the detectives he is after it
        ("count", "i8"),
        ("answer_at", "i2", (MAX_STATIONS + 1,)),  # of a fare, or of a station at a reveal; -1 = none yet
        ("belief", "f8", (MAX_ANSWERS, MAX_STATIONS + 1)),
    ]
)


@kernel
def begin_search(state, belief, particles, states, nodes):
    """Write the root: a moment as the detectives see it, with the likeliest stations of a belief, overwritten."""
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
    if after.particles > 0:
        play_plan(boards[0], rules[0], states[child], plan, after.particle[0])
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


# ------------------------------------------------------------------------------------------------------ Mr. X's answers


@kernel
def answer(boards, rules, states, nodes, parent, first_child, particles, answers):
    """Let Mr. X move from every particle; write one child for everything the table may see; return how many."""
    board, rule, state, node, scratch = boards[0], rules[0], states[parent], nodes[parent], answers[0]
    is_reveal = rule.reveals[state.entries + 1]
    scratch.answer_at[:] = -1
    scratch.count = 0
    for particle in range(node.particles):
        station = node.particle[particle]
        total = weigh_moves(board, state, station)
        for move in range(board.first[station], board.first[station + 1]):
            to, fare = board.to[move], board.fare[move]
            if not may_move(state, MR_X, to, fare):
                continue
            seen = to if is_reveal else fare
            if scratch.answer_at[seen] < 0:
                if scratch.count == MAX_ANSWERS:
                    continue
                begin_answer(scratch, seen)
                play_answer(board, rule, states, parent, first_child + scratch.count - 1, station, to, fare)
            index = scratch.answer_at[seen]
            share = weigh_move(board, state, to) / total
            scratch.share[index, particle] += share
            scratch.belief[index, to] += node.weight[particle] * share
    for index in range(scratch.count):
        child = first_child + index
        scratch.potential[index] = measure_escape(board, state, scratch.belief[index])
        look_at(states[child], nodes[child])
        keep_likeliest(scratch.belief[index], particles, nodes[child])
    return scratch.count


@kernel
def begin_answer(scratch, seen):
    """Begin a new answer."""
    scratch.answer_at[seen] = scratch.count
    scratch.share[scratch.count, :] = 0.0
    scratch.belief[scratch.count, :] = 0.0
    scratch.count += 1


@kernel
def play_answer(board, rules, states, parent, child, station, to, fare):
    """Play one move of Mr. X from a station by the rules, and forget where he is."""
    states[child] = states[parent]
    states[child].station[MR_X] = station
    apply(board, rules, states[child], move_action(to, fare))
    states[child].station[MR_X] = NOWHERE


@kernel
def weigh_moves(board, state, station):
    """Return the weights added up of the moves of an evasive Mr. X from a station."""
    total = 0.0
    for move in range(board.first[station], board.first[station + 1]):
        if may_move(state, MR_X, board.to[move], board.fare[move]):
            total += weigh_move(board, state, board.to[move])
    return total


@kernel
def weigh_move(board, state, to):
    """Weigh a move of an evasive Mr. X by how far from the detectives it ends, as the belief does."""
    return np.exp(float(distance_to_nearest(board, state.station[1 : state.seats], to, FAR_ENOUGH)))


@kernel
def measure_escape(board, state, belief):
    """Return how far from the detectives Mr. X may expect to be."""
    total = weight = 0.0
    for station in range(1, board.stations + 1):
        if belief[station] > 0.0:
            total += belief[station] * distance_to_nearest(board, state.station[1 : state.seats], station, FAR_ENOUGH)
            weight += belief[station]
    return total / weight


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
    key[detectives + FARES] = node.entries
    belief = FNV_OFFSET
    for particle in range(node.particles):
        belief = np.multiply(belief ^ np.uint64(node.particle[particle]), FNV_PRIME)  # overflows without a warning
        belief = np.multiply(belief ^ np.uint64(np.int64(node.weight[particle] * 1e12)), FNV_PRIME)
    key[detectives + FARES + 1] = np.int64(belief >> np.uint64(1))
