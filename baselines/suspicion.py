"""Where a rational Mr. X is likely to be: all the paths he may have taken, weighed by how well their moves were chosen.

A move is well chosen if no detective stood beside where it led, if it takes two detectives long to catch there whom
they see (capture.py), if the second nearest detective is far and if there are many ways out. The weights were fitted to
where ``phantom:rollouts=100`` and ``hider`` went against hunters, in 120 games each. With a share of 0.3 for chance the
mean log-likelihood of their stations is -2.43 and -2.06; it is -2.67 and -2.20 with ``belief.weigh(view, "evasive")``,
and -2.54 for both if all possible stations are alike. A Mr. X who knows what is believed hides where it is not: his
habits are weak, and more weight on them does harm.
"""

import numpy as np

from scotyard_env.belief import begin_where_seen, keep_possible, strike_out_landings, walk_all_paths
from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK, count

SAFE = 1.2  # no detective stood beside the station
TIME = 0.075  # for each round that two detectives need, up to 16
SECOND = 0.2  # for each move of distance of the second nearest detective, up to 5
EXITS = 0.3  # for each neighbour, up to 8


@kernel
def suspect(board, times, state, belief, scratch, soonest):
    """Write for every possible station how likely a rational Mr. X is there; soonest is a row of bytes to write on."""
    walked = begin_where_seen(board, state, belief)
    for entry in range(state.seen_entry, state.entries):
        if state.log_round[entry] > walked:
            strike_out_landings(state, walked, belief)
            walked = state.log_round[entry]
        walk_all_paths(board, state, entry, belief, scratch)
        belief[:] = scratch
        is_first_half = entry + 1 < state.entries and state.log_round[entry + 1] == walked
        if not is_first_half and state.log_shown[entry] == 0:
            prefer_well_chosen(board, times, state, walked - 1, belief, soonest)
    keep_possible(board, state, belief)


@kernel
def prefer_well_chosen(board, times, state, walked, belief, soonest):
    """Weigh every station by how good a choice it was as the detectives stood at the end of this round."""
    detectives = state.trail[walked]
    soonest[:] = 16
    for one in range(state.seats - 1):
        for other in range(one):
            lower(soonest, times[detectives[one], detectives[other]])
    for station in range(1, board.stations + 1):
        if belief[station] > 0.0:
            nearest = second = 5
            for detective in range(state.seats - 1):
                distance = board.distance[detectives[detective], station]
                if distance < nearest:
                    nearest, second = distance, nearest
                elif distance < second:
                    second = distance
            taste = TIME * soonest[station] + SECOND * second + EXITS * min(count(board.reach[BLACK, station]), 8)
            belief[station] *= np.exp(taste + (SAFE if nearest > 1 else 0.0))


@kernel
def lower(row, other):
    """Lower a row of bytes to another where that is smaller; in place, or the compiler does not make it fast."""
    for station in range(min(len(row), len(other))):
        row[station] = min(row[station], other[station])
