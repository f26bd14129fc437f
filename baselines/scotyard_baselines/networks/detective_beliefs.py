"""The belief features of the detectives' moves: how near Mr. X is likely to be, and the capture value of the move."""

import numpy as np

from scotyard_baselines.geometry.rows import lower
from scotyard_baselines.networks.belief_features import COLUMNS, CONTRAST, list_likely, time_pairs
from scotyard_env.arrays import copy_values
from scotyard_env.encode.features import FAR
from scotyard_env.kernel import kernel
from scotyard_env.rules import is_taken
from scotyard_env.state import BLACK, WORDS, discard, list_stations
from scotyard_env.threats import count_exits

BELIEF = COLUMNS["detectives"].index("belief")
MEAN = COLUMNS["detectives"].index("belief_mean")
WITHIN_1 = COLUMNS["detectives"].index("belief_within_1")
WITHIN_2 = COLUMNS["detectives"].index("belief_within_2")
TEAM_MEAN = COLUMNS["detectives"].index("team_belief_mean")
TEAM_WITHIN_1 = COLUMNS["detectives"].index("team_belief_within_1")
TEAM_WITHIN_2 = COLUMNS["detectives"].index("team_belief_within_2")
CAPTURE_VALUE = COLUMNS["detectives"].index("capture_value")
VALUE_OVER_MEAN = COLUMNS["detectives"].index("capture_value_over_mean")
VALUE_OVER_BEST = COLUMNS["detectives"].index("capture_value_over_best")
TEAM_OVER_BEST = COLUMNS["detectives"].index("team_belief_over_best")


@kernel
def write_detective_beliefs(board, view, times, worth, scratch, likely, to, rows):
    """Write the detectives' belief features of every legal move; return how many exits Mr. X may have."""
    open_ = list_exits(board, view, scratch, likely)
    measure_colleagues(board, view, times, scratch, likely)
    for index in range(len(to)):
        row = rows[index]
        write_nearness(board, scratch, likely, to[index], row)
        missed = value_if_missed(board, view, times, worth, scratch, open_, to[index])
        row[CAPTURE_VALUE] = scratch.belief[to[index]] + missed
    compare_capture_values(rows, len(to))
    best = rows[0, TEAM_MEAN]
    for index in range(1, len(to)):  # NumPy's min() of a column would take most of a second to compile
        best = min(best, rows[index, TEAM_MEAN])
    for index in range(len(to)):
        rows[index, TEAM_OVER_BEST] = CONTRAST * (rows[index, TEAM_MEAN] - best)
    return open_


@kernel
def measure_colleagues(board, view, times, scratch, likely):
    """Write how near the others are to where Mr. X may be, and how soon they have him without the mover."""
    for place in range(likely):
        station = scratch.likely[place]
        nearest = 255
        for seat in range(1, view.seats):
            if seat != view.seat:
                nearest = min(nearest, board.distance[view.station[seat], station])
        scratch.nearest[station] = nearest
    time_pairs(view, times, view.seat, scratch.team)


@kernel
def compare_capture_values(rows, legal):
    """Write the capture value of each move less the mean and less the best, times CONTRAST."""
    best = rows[0, CAPTURE_VALUE]
    mean = 0.0
    for index in range(legal):
        best = max(best, rows[index, CAPTURE_VALUE])
        mean += np.float64(rows[index, CAPTURE_VALUE]) / legal
    for index in range(legal):
        rows[index, VALUE_OVER_MEAN] = CONTRAST * (rows[index, CAPTURE_VALUE] - mean)
        rows[index, VALUE_OVER_BEST] = CONTRAST * (rows[index, CAPTURE_VALUE] - best)


@kernel
def list_exits(board, view, scratch, likely):
    """List the stations where Mr. X may flee to, with their probability if he draws one uniformly; return how many."""
    scratch.exits[:] = 0.0
    mark_free(view, scratch.free)
    for place in range(likely):
        station = scratch.likely[place]
        for word in range(WORDS):
            scratch.ways[word] = board.reach[BLACK, station, word] & scratch.free[word]
        ways = list_stations(scratch.ways, scratch.open)
        for way in range(ways):
            scratch.exits[scratch.open[way]] += scratch.belief[station] / ways
    return list_likely(scratch.exits, scratch.open)


@kernel
def mark_free(view, free):
    """Write the set of all stations but those where a detective stands."""
    free[:] = ~np.uint64(0)
    for seat in range(1, view.seats):
        discard(free, view.station[seat])


@kernel
def write_nearness(board, scratch, likely, to, row):
    """Write the belief at a station, expected distances and nearness, of the mover and of the team."""
    mean = within_1 = within_2 = team_mean = team_within_1 = team_within_2 = np.float32(0.0)
    for place in range(likely):
        station = scratch.likely[place]
        weight = scratch.belief[station]
        distance = board.distance[to, station]
        closest = min(distance, scratch.nearest[station])
        mean = np.float32(mean + weight * min(distance / FAR, 2.0))
        within_1 = np.float32(within_1 + (weight if distance <= 1 else 0.0))
        within_2 = np.float32(within_2 + (weight if distance <= 2 else 0.0))
        team_mean = np.float32(team_mean + weight * min(closest / FAR, 2.0))
        team_within_1 = np.float32(team_within_1 + (weight if closest <= 1 else 0.0))
        team_within_2 = np.float32(team_within_2 + (weight if closest <= 2 else 0.0))
    row[BELIEF] = scratch.belief[to]
    row[MEAN], row[WITHIN_1], row[WITHIN_2] = mean, within_1, within_2
    row[TEAM_MEAN], row[TEAM_WITHIN_1], row[TEAM_WITHIN_2] = team_mean, team_within_1, team_within_2


@kernel
def value_if_missed(board, view, times, worth, scratch, open_, to):
    """Return the expected capture value once the mover stands on a station and has not caught Mr. X there."""
    copy_values(scratch.team, scratch.time)
    for seat in range(1, view.seats):
        if seat != view.seat:
            lower(scratch.time, times[to, view.station[seat]])
    return sum_up_exits(board, view, worth, scratch, open_, to)


@kernel
def sum_up_exits(board, view, worth, scratch, open_, to):
    """Return the expected capture value of Mr. X's exits, by scratch.time, given that he is not on the mover's."""
    scratch.time[to] = 1  # he cannot flee there: as good as caught
    total = 0.0
    for place in range(open_):
        station = scratch.open[place]
        total += scratch.exits[station] * worth[scratch.time[station]]
    if scratch.belief[to] > 0.0:
        share = scratch.belief[to] / max(1, count_exits(board, view, to))
        for link in range(board.first[to], board.first[to + 1]):
            if board.fare[link] == BLACK and not is_taken(view, board.to[link]):
                total -= share * worth[scratch.time[board.to[link]]]
    return total
