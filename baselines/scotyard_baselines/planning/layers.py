"""The two steps between detective layers of a search: a plan is carried out, and Mr. X answers.

Both are played by the rules on a state with a hole: the hole is filled with a particle for as long as the rules need
one. Mr. X's answers are merged by what the table sees of them: one child for each fare shown, or for each station if
he shows himself.
"""

import numpy as np

from scotyard_baselines.planning.choices import MAX_PARTICLES, keep_likeliest
from scotyard_env.belief import FAR_ENOUGH
from scotyard_env.kernel import kernel
from scotyard_env.rules import apply, may_move, move_action, pass_action
from scotyard_env.state import DETECTIVES_WIN, FARES, MAX_STATIONS, MR_X, NOWHERE, PLAYING
from scotyard_env.threats import distance_to_nearest

MAX_ANSWERS = 64  # what the table may see of one move of Mr. X

ANSWERS = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("share", "f8", (MAX_ANSWERS, MAX_PARTICLES)),  # of each particle's moves that look like this answer
                ("potential", "f8", (MAX_ANSWERS,)),  # how far from the detectives he is after it
                ("count", "i8"),
                ("answer_at", "i2", (MAX_STATIONS + 1,)),  # of a fare, or of a station at a reveal; -1 = none yet
                ("belief", "f8", (MAX_ANSWERS, MAX_STATIONS + 1)),
            ],
            align=True,
        ),
    )
)


@kernel
def look_at(state, belief, particles, states, nodes, index):
    """Take down a moment as the detectives see it, with the likeliest stations of a belief; the belief is used up."""
    states[index] = state
    keep_likeliest(belief, particles, nodes[index])


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
        if plan.fare[seat] < 0:
            apply(board, rules, state, pass_action(board))
        else:
            apply(board, rules, state, move_action(plan.to[seat], plan.fare[seat]))
    if state.winner == DETECTIVES_WIN:
        state.winner = PLAYING
    state.station[MR_X] = NOWHERE


# ------------------------------------------------------------------------------------------------------ Mr. X's answers


@kernel
def answer(boards, rules, states, nodes, parent, first_child, particles, answers):
    """Let Mr. X move from every particle; write one child for everything the table may see; return how many."""
    board, rule, state, node, sheet = boards[0], rules[0], states[parent], nodes[parent], answers[0]
    is_reveal = rule.reveals[state.entries + 1]
    sheet.answer_at[:] = -1
    sheet.count = 0
    for particle in range(node.particles):
        total = weigh_moves(board, state, node.particle[particle])
        for move in range(board.first[node.particle[particle]], board.first[node.particle[particle] + 1]):
            to, fare = board.to[move], board.fare[move]
            if not may_move(state, MR_X, to, fare):
                continue
            seen = to if is_reveal else fare
            if sheet.answer_at[seen] < 0:
                if sheet.count == MAX_ANSWERS:
                    continue
                begin_answer(sheet, seen)
                play_answer(board, rule, states, parent, first_child + sheet.count - 1, to, fare, particle, node)
            index = sheet.answer_at[seen]
            share = weigh_move(board, state, to) / total
            sheet.share[index, particle] += share
            sheet.belief[index, to] += node.weight[particle] * share
    for index in range(sheet.count):
        sheet.potential[index] = measure_escape(board, state, sheet.belief[index])
        keep_likeliest(sheet.belief[index], particles, nodes[first_child + index])
    return sheet.count


@kernel
def begin_answer(sheet, seen):
    """Begin a new answer."""
    sheet.answer_at[seen] = sheet.count
    sheet.share[sheet.count, :] = 0.0
    sheet.belief[sheet.count, :] = 0.0
    sheet.count += 1


@kernel
def play_answer(board, rules, states, parent, child, to, fare, particle, node):
    """Play one move of Mr. X by the rules, and forget where he is."""
    states[child] = states[parent]
    states[child].station[MR_X] = node.particle[particle]
    apply(board, rules, states[child], move_action(to, fare))
    states[child].station[MR_X] = NOWHERE


@kernel
def weigh_moves(board, state, station):
    """Add up the weights of the moves of an evasive Mr. X from a station."""
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
    """Measure how far from the detectives Mr. X may expect to be."""
    total = weight = 0.0
    for station in range(1, board.stations + 1):
        if belief[station] > 0.0:
            total += belief[station] * distance_to_nearest(board, state.station[1 : state.seats], station, FAR_ENOUGH)
            weight += belief[station]
    return total / weight


@kernel
def write_key(state, node, key):
    """Write what decides the value of a detective layer: detectives with their tickets in any order, belief, log."""
    detectives = state.seats - 1
    for seat in range(1, state.seats):
        code = np.int64(state.station[seat])
        for fare in range(FARES):
            code = (code << 12) + state.tickets[seat, fare] + 1
        here = seat - 1
        while here > 0 and key[here - 1] > code:
            key[here] = key[here - 1]
            here -= 1
        key[here] = code
    for fare in range(FARES):
        key[detectives + fare] = state.tickets[MR_X, fare]
    key[detectives + FARES] = state.entries
    belief = np.uint64(14695981039346656037)
    for particle in range(node.particles):
        belief = (belief ^ np.uint64(node.particle[particle])) * np.uint64(1099511628211)
        belief = (belief ^ np.uint64(np.int64(node.weight[particle] * 1e12))) * np.uint64(1099511628211)
    key[detectives + FARES + 1] = np.int64(belief >> np.uint64(1))
