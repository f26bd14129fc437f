"""The belief features of Mr. X's moves: the capture value of his destination, and the table's belief in it."""

import numpy as np

from scotyard_baselines.networks.belief_features import COLUMNS, list_likely, time_pairs
from scotyard_env.belief import FAR_ENOUGH
from scotyard_env.encode.features import where_to
from scotyard_env.kernel import kernel
from scotyard_env.rules import double_action, fare_of, is_taken
from scotyard_env.state import BLACK, MR_X
from scotyard_env.threats import distance_to_nearest

CAPTURE_VALUE = COLUMNS["mr_x"].index("capture_value")
MEAN_VALUE = COLUMNS["mr_x"].index("mean_capture_value")
BELIEF = COLUMNS["mr_x"].index("belief")
WITHIN_1 = COLUMNS["mr_x"].index("belief_within_1")
WITHIN_2 = COLUMNS["mr_x"].index("belief_within_2")
PEAK = COLUMNS["mr_x"].index("belief_peak")
EXPECTED_VALUE = COLUMNS["mr_x"].index("expected_capture_value")
NEXT_VALUE = COLUMNS["mr_x"].index("next_capture_value")
VALUE_OVER_BEST = COLUMNS["mr_x"].index("capture_value_over_best")


@kernel
def look_at_table(view, times, scratch):
    """Write how soon pairs of detectives catch Mr. X on each station, and reset what ``foresee`` wrote for a table."""
    scratch.expected[:] = -1.0
    time_pairs(view, times, MR_X, scratch.team)


@kernel
def write_mr_x_beliefs(board, rules, view, times, worth, scratch, likely, ids, rows):
    """Write Mr. X's belief features of every legal move; the table was looked at before."""
    is_reveal = rules.reveals[view.entries + 1]
    best = 9.0
    for index in range(len(ids)):
        action, row = ids[index], rows[index]
        to = where_to(board, view, action)
        row[CAPTURE_VALUE] = worth[scratch.team[to]]
        row[MEAN_VALUE] = mean_pair(view, times, worth, to)
        best = min(best, row[CAPTURE_VALUE])
        if action == double_action(board):
            write_secrecy(board, scratch.belief, scratch.likely, likely, to, row)
            row[EXPECTED_VALUE] = row[CAPTURE_VALUE]
            row[NEXT_VALUE] = least_value_after_two(board, view, worth, scratch.team, to)
        elif is_reveal:
            row[BELIEF] = row[WITHIN_1] = row[WITHIN_2] = row[PEAK] = 1.0
            row[EXPECTED_VALUE] = row[CAPTURE_VALUE]
        else:
            fare = fare_of(action)
            foresee(board, view, worth, scratch, likely, fare)
            write_secrecy(board, scratch.after[fare], scratch.after_likely[fare], scratch.after_count[fare], to, row)
            row[EXPECTED_VALUE] = scratch.expected[fare]
        if view.owed == 2:
            row[NEXT_VALUE] = least_value_after_one(board, view, worth, scratch.team, to)
    for index in range(len(ids)):
        rows[index, VALUE_OVER_BEST] = rows[index, CAPTURE_VALUE] - best


@kernel
def mean_pair(view, times, worth, station):
    """Return the capture value of a station by all pairs of detectives, on average."""
    total, pairs = 0.0, 0
    for one in range(2, view.seats):
        for other in range(1, one):
            total += worth[times[view.station[one], view.station[other], station]]
            pairs += 1
    return total / max(pairs, 1)


@kernel
def least_value_after_one(board, view, worth, time, station):
    """Return the least capture value that Mr. X can reach from a station in one move."""
    best = 1.0
    for link in range(board.first[station], board.first[station + 1]):
        if board.fare[link] == BLACK and not is_taken(view, board.to[link]):
            best = min(best, worth[time[board.to[link]]])
    return best


@kernel
def least_value_after_two(board, view, worth, time, station):
    """Return the least capture value that Mr. X can reach from a station in two moves."""
    best = 1.0
    for link in range(board.first[station], board.first[station + 1]):
        if board.fare[link] == BLACK and not is_taken(view, board.to[link]):
            best = min(best, least_value_after_one(board, view, worth, time, board.to[link]))
    return best


@kernel
def foresee(board, view, worth, scratch, likely, fare):
    """Write, once for each fare, the belief that the table will have after it and the expected capture value by it."""
    if scratch.expected[fare] >= 0.0:
        return
    after = scratch.after[fare]
    after[:] = 0.0
    for place in range(likely):
        station = scratch.likely[place]
        for link in range(board.first[station], board.first[station + 1]):
            if board.fare[link] == fare and not is_taken(view, board.to[link]):
                after[board.to[link]] += scratch.belief[station]
    after_likely, size = scratch.after_likely[fare], list_likely(after, scratch.after_likely[fare])
    total = expected = 0.0
    for place in range(size):
        station = after_likely[place]
        room = distance_to_nearest(board, view.station[1 : view.seats], station, FAR_ENOUGH)
        after[station] *= np.exp(float(room))
        total += after[station]
        expected += after[station] * worth[scratch.team[station]]
    if total > 0.0:  # a given belief may hold no station with such a link
        for place in range(size):
            after[after_likely[place]] /= total
        expected /= total
    scratch.after_count[fare], scratch.expected[fare] = size, expected


@kernel
def write_secrecy(board, belief, likely, size, to, row):
    """Write the table's belief in the station that he goes to, in those within 1 and 2 moves, and at its peak."""
    within_1 = within_2 = np.float32(0.0)
    peak = 0.0
    for place in range(size):
        station = likely[place]
        weight, distance = belief[station], board.mr_x_distance[to, station]
        peak = max(peak, weight)
        within_1 = np.float32(within_1 + (weight if distance <= 1 else 0.0))
        within_2 = np.float32(within_2 + (weight if distance <= 2 else 0.0))
    row[BELIEF], row[PEAK] = belief[to], peak
    row[WITHIN_1], row[WITHIN_2] = within_1, within_2
