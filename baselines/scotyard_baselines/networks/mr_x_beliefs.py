"""The belief features of Mr. X's moves: how lost he is where he goes, how surely the table will look for him there."""

import numpy as np

from scotyard_baselines.networks.belief_features import COLUMNS, time_pairs
from scotyard_env.belief import FAR_ENOUGH
from scotyard_env.encode.features import where_to
from scotyard_env.kernel import kernel
from scotyard_env.rules import double_action, fare_of, is_taken
from scotyard_env.state import BLACK, MR_X
from scotyard_env.threats import distance_to_nearest

CHASE = COLUMNS["mr_x"].index("chase")
MEAN_CHASE = COLUMNS["mr_x"].index("mean_chase")
BELIEF = COLUMNS["mr_x"].index("belief")
WITHIN_1 = COLUMNS["mr_x"].index("belief_within_1")
WITHIN_2 = COLUMNS["mr_x"].index("belief_within_2")
PEAK = COLUMNS["mr_x"].index("belief_peak")
EXPECTED_CHASE = COLUMNS["mr_x"].index("expected_chase")
NEXT_CHASE = COLUMNS["mr_x"].index("next_chase")
CHASE_OVER_BEST = COLUMNS["mr_x"].index("chase_over_best")


@kernel
def write_mr_x_beliefs(board, rules, view, times, worth, scratch, likely, ids, rows):
    """Write Mr. X's belief features of every legal move."""
    is_reveal = rules.reveals[view.entries + 1]
    scratch.expected[:] = -1.0
    time_pairs(view, times, MR_X, scratch.team)
    best = 9.0
    for index in range(len(ids)):
        action, row = ids[index], rows[index]
        to = where_to(board, view, action)
        row[CHASE] = worth[scratch.team[to]]
        row[MEAN_CHASE] = mean_pair(view, times, worth, to)
        best = min(best, row[CHASE])
        if action == double_action(board):
            write_secrecy(board, scratch.belief, to, row)
            row[EXPECTED_CHASE] = row[CHASE]
            row[NEXT_CHASE] = best_double_chase(board, view, worth, scratch.team, to)
        elif is_reveal:
            row[BELIEF] = row[WITHIN_1] = row[WITHIN_2] = row[PEAK] = 1.0
            row[EXPECTED_CHASE] = row[CHASE]
        else:
            fare = fare_of(action)
            foresee(board, view, worth, scratch, likely, fare)
            write_secrecy(board, scratch.after[fare], to, row)
            row[EXPECTED_CHASE] = scratch.expected[fare]
        if view.owed == 2:
            row[NEXT_CHASE] = best_next_chase(board, view, worth, scratch.team, to)
    for index in range(len(ids)):
        rows[index, CHASE_OVER_BEST] = rows[index, CHASE] - best


@kernel
def mean_pair(view, times, worth, station):
    """Return how lost Mr. X is on a station by the mean of all pairs of detectives."""
    total, pairs = 0.0, 0
    for one in range(2, view.seats):
        for other in range(1, one):
            total += worth[times[view.station[one], view.station[other], station]]
            pairs += 1
    return total / max(pairs, 1)


@kernel
def best_next_chase(board, view, worth, time, station):
    """Return how lost Mr. X is after the best move on from a station."""
    best = 1.0
    for link in range(board.first[station], board.first[station + 1]):
        if board.fare[link] == BLACK and not is_taken(view, board.to[link]):
            best = min(best, worth[time[board.to[link]]])
    return best


@kernel
def best_double_chase(board, view, worth, time, station):
    """Return how lost Mr. X is after the best two moves on from a station."""
    best = 1.0
    for link in range(board.first[station], board.first[station + 1]):
        if board.fare[link] == BLACK and not is_taken(view, board.to[link]):
            best = min(best, best_next_chase(board, view, worth, time, board.to[link]))
    return best


@kernel
def foresee(board, view, worth, scratch, likely, fare):
    """Write, once for each fare, the belief that the table will have and how lost he is where it takes him to be."""
    if scratch.expected[fare] >= 0.0:
        return
    after = scratch.after[fare]
    after[:] = 0.0
    for place in range(likely):
        station = scratch.likely[place]
        for link in range(board.first[station], board.first[station + 1]):
            if board.fare[link] == fare and not is_taken(view, board.to[link]):
                after[board.to[link]] += scratch.belief[station]
    total = expected = 0.0
    for station in range(1, len(after)):
        if after[station] > 0.0:
            room = distance_to_nearest(board, view.station[1 : view.seats], station, FAR_ENOUGH)
            after[station] *= np.exp(float(room))
            total += after[station]
            expected += after[station] * worth[scratch.team[station]]
    after /= total
    scratch.expected[fare] = expected / total


@kernel
def write_secrecy(board, belief, to, row):
    """Write how near the table's belief is to the truth: at the station, near it, and at its peak."""
    row[BELIEF] = belief[to]
    row[WITHIN_1] = row[WITHIN_2] = row[PEAK] = 0.0
    for station in range(1, len(belief)):
        weight = belief[station]
        if weight > 0.0:
            row[PEAK] = max(row[PEAK], weight)
            distance = board.mr_x_distance[to, station]
            if distance <= 1:
                row[WITHIN_1] += weight
            if distance <= 2:
                row[WITHIN_2] += weight
