"""The detectives of the playouts: each steps where Mr. X is nearest, or where all stations that he may be on are."""

import numpy as np

from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_bits
from scotyard_env.rules import is_taken, may_move, move_action, pass_action
from scotyard_env.state import FARES, MR_X, has, list_stations

WORST = 1 << 60  # more than any move compares as
UNPAID = 1 << 56  # from here on they lack the ticket


@kernel
def chase_assumed_location(board, state, rng_state):
    """Choose the detective's move that ends nearest to where Mr. X is assumed; ties are broken at random."""
    return step_to_least(board, state, board.distance[state.station[MR_X]], rng_state)


@kernel
def minimize_total_distance(board, state, scratch, rng_state):
    """Choose the detective's move with the least sum of distances to all possible stations; ties broken at random."""
    add_up_distances(board, state, scratch)
    return step_to_least(board, state, scratch.totals, rng_state)


@kernel
def step_to_least(board, state, costs, rng_state):
    """Choose the detective's move to the station with the least cost; ties are broken at random.

    Branches that nobody can foretell are what costs time here: so all moves are compared as single numbers (no ticket,
    cost, tie-break, row), and whether a colleague stands there is asked of the best alone. Rows and stations are
    unsigned: an index that cannot be negative is looked up faster.
    """
    first, end = rows_of(board, state.station[state.seat])
    held, noise, best = fares_held(state, state.seat), draw_bits(rng_state), WORST
    for row in range(np.uint64(first), np.uint64(end)):
        tie_break = (noise + 37 * int(row)) & 255
        is_unpaid = ((held >> int(board.fare[row])) & 1) ^ 1
        cost = int(costs[np.uint64(board.to[row])])
        best = min(best, (is_unpaid << 56) | (cost << 24) | (tie_break << 16) | (int(row) - int(first)))
    if best >= UNPAID:
        return np.int64(pass_action(board))
    row = first + (best & 0xFFFF)
    if is_taken(state, board.to[row]):
        return step_past_colleagues(board, state, costs, noise)
    return np.int64(move_action(board.to[row], board.fare[row]))


@kernel
def step_past_colleagues(board, state, costs, noise):
    """Choose as step_to_least does, asking of every move whether a colleague stands in the way."""
    first, end = rows_of(board, state.station[state.seat])
    best, best_row = WORST, -1
    for row in range(first, end):
        value = (int(costs[board.to[row]]) << 8) + ((noise + 37 * row) & 255)
        if value < best and may_move(state, state.seat, board.to[row], board.fare[row]):
            best, best_row = value, row
    if best_row < 0:
        return np.int64(pass_action(board))
    return np.int64(move_action(board.to[best_row], board.fare[best_row]))


@kernel
def rows_of(board, station):
    """Return the first row of the moves from a station, and the one after the last."""
    return board.first[station], board.first[station + 1]


@kernel
def fares_held(state, seat):
    """Return the fares that a seat can pay: bit f stands for fare f."""
    held = 0
    for fare in range(FARES):
        if state.tickets[seat, fare] != 0:
            held |= 1 << fare
    return held


@kernel
def add_up_distances(board, state, scratch):
    """Add up, for every station, the distances to all possible ones, once a round; landings are struck out."""
    if scratch.totals_entry == state.entries:
        return
    scratch.totals_entry = state.entries
    totals, distance, stations = scratch.totals, board.distance, scratch.stations
    size = list_stations(state.possible, stations)
    totals[:] = 0
    for place in range(0, size - 3, 4):  # four rows at once: the sums are read and written a quarter as often
        a, b = distance[stations[place]], distance[stations[place + 1]]
        c, d = distance[stations[place + 2]], distance[stations[place + 3]]
        for station in range(board.stations + 1):
            totals[station] += (
                np.uint16(a[station]) + np.uint16(b[station]) + np.uint16(c[station]) + np.uint16(d[station])
            )
    for place in range(size - size % 4, size):
        row = distance[stations[place]]
        for station in range(board.stations + 1):
            totals[station] += row[station]


@kernel
def strike_out_landing(board, state, to, scratch):
    """Take a possible station out of the sums: a detective lands there, and the game goes on only if it is empty."""
    if scratch.totals_entry == state.entries and has(state.possible, to):
        totals, row = scratch.totals, board.distance[to]
        for station in range(board.stations + 1):
            totals[station] -= row[station]
