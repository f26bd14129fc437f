"""The Mr. X of the playouts: he keeps the nearest detective farthest, hides as he can, and doubles in emergencies."""

import numpy as np

from scotyard_baselines.geometry.black_tickets import hides_nothing, is_entry_open
from scotyard_baselines.mcts.detectives_playout import fares_held, rows_of
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_bits
from scotyard_env.rules import can_double, can_move_on, double_action, fare_of, move_action, spread
from scotyard_env.state import BLACK, MR_X, count
from scotyard_env.threats import nearest_detective


@kernel
def maximize_closest_distance(board, rules, state, is_filtered, is_possible_kept, scratch, rng_state):
    """Choose Mr. X's move that ends farthest from the nearest detective; double if even that is beside one.

    Of several such moves he takes one that hides him best, if the possible set is kept up to date; the filter bars
    black tickets that hide nothing.
    """
    station = state.station[MR_X]
    is_black_barred = is_filtered and is_black_useless(board, rules, state, is_possible_kept)
    moves = list_moves(board, state, is_black_barred, scratch)
    if moves == 0:
        moves = list_moves(board, state, False, scratch)
    best = -1
    for index in range(moves):
        best = max(best, scratch.nearest[index])
    if best < 2 and can_double(board, rules, state, station):
        return np.int64(double_action(board))
    is_hiding = is_possible_kept and not rules.reveals[state.entries + 1]
    return np.int64(scratch.legal[pick_farthest(board, state, moves, best, is_hiding, scratch, rng_state)])


@kernel
def is_black_useless(board, rules, state, is_possible_kept):
    """Tell whether a black ticket hides nothing, as far as it can be told without a possible set that is kept."""
    return hides_nothing(board, rules, state) if is_possible_kept else is_entry_open(rules, state)


@kernel
def list_moves(board, state, is_black_barred, scratch):
    """List Mr. X's moves, each with its distance from the nearest detective; return how many."""
    first, end = rows_of(board, state.station[MR_X])
    held, moves, nearest, last = fares_held(state, MR_X), 0, 0, 0
    if is_black_barred:
        held &= ~(1 << BLACK)
    for row in range(first, end):
        to, fare = board.to[row], int(board.fare[row])
        if to != last:  # the rows of one neighbour follow each other
            nearest, last = nearest_detective(board, state, to), to
        is_open = (held >> fare) & 1 != 0 and nearest > 0  # at distance 0 a detective is in the way
        if is_open and (state.owed != 2 or can_move_on(board, state, to, fare)):
            scratch.legal[moves], scratch.nearest[moves] = move_action(to, fare), nearest
            moves += 1
    return moves


@kernel
def pick_farthest(board, state, moves, best, is_hiding, scratch, rng_state):
    """Pick among the moves with the best distance; where he hides, those that leave him the most possible stations.

    A black ticket always leaves at least as many as the others, so nobody counts where one will do.
    """
    fares = 0  # bit f: fare f pays for one of them
    for index in range(moves):
        if scratch.nearest[index] == best:
            fares |= 1 << fare_of(scratch.legal[index])
    if is_hiding and fares & (fares - 1) != 0:
        fares = 1 << BLACK if fares >> BLACK else keep_best_hidden(board, state, fares, scratch)
    noise = draw_bits(rng_state)
    highest, pick = -1, 0
    for index in range(moves):
        if scratch.nearest[index] == best and (fares >> fare_of(scratch.legal[index])) & 1:
            tie_break = (noise + 37 * index) & 255
            if tie_break > highest:
                highest, pick = tie_break, index
    return pick


@kernel
def keep_best_hidden(board, state, fares, scratch):
    """Return those of some fares that leave Mr. X the most possible stations."""
    best, kept = -1, 0
    for fare in range(BLACK):
        if (fares >> fare) & 1:
            spread(board, state, fare, scratch.after)
            size = count(scratch.after)
            if size > best:
                best, kept = size, 0
            if size == best:
                kept |= 1 << fare
    return kept
