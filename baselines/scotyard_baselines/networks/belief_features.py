"""Columns that weigh the possible set: what the learned players are told of a legal move beyond its features.

They come from the belief in a Mr. X who keeps his distance (``belief.weigh(view, "evasive")``) and from the exact
capture times of two detectives (capture.py).
"""

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.geometry.rows import lower
from scotyard_env.belief import FAR_ENOUGH
from scotyard_env.encode.features import FAR, MOVE_WIDTH, where_to
from scotyard_env.kernel import kernel
from scotyard_env.rules import double_action, fare_of, is_taken
from scotyard_env.state import BLACK, FARES, MR_X, WORDS, discard, lowest, ones
from scotyard_env.threats import count_exits, distance_to_nearest

DISCOUNT = 0.8  # what a round more until Mr. X is caught leaves of a capture's worth

DETECTIVE_INSIGHTS = (  # columns from MOVE_WIDTH on
    "belief",  # probability that Mr. X is there
    "belief_mean",  # expected distance from there to him
    "belief_within_1",  # probability that he is so near
    "belief_within_2",
    "team_belief_mean",  # the same for the nearest detective after the move
    "team_belief_within_1",
    "team_belief_within_2",
    "hunt",  # how lost he is after the move: expected 0.8 ** (rounds two detectives need for him)
    "hunt_over_mean",  # four times that, beyond the mean of the legal moves
    "hunt_over_best",  # four times that, beyond the best of them
    "team_belief_over_best",
)
MR_X_FIRST = 23  # his own move features end here
MR_X_INSIGHTS = (  # columns from MR_X_FIRST on
    "chase",  # how lost he is there if seen: 0.8 ** (rounds two detectives need for him), the best pair
    "mean_chase",  # the mean of all pairs
    "belief",  # probability that the table gives to his being there
    "belief_within_1",  # and so near to it
    "belief_within_2",
    "belief_peak",  # probability of the likeliest station
    "expected_chase",  # how lost he is on average wherever the table takes him to be
    "next_chase",  # how lost he is after his best way on, where he owes another move
    "chase_over_best",  # the first column beyond that of the safest legal move
)


def sheet_type(room: int) -> np.dtype[np.void]:
    """Describe the scratch paper of the kernels in here; arrays are by station unless they are lists."""
    fields = [
        ("belief", "f8", (room,)),
        ("scratch", "f8", (room,)),
        ("exits", "f8", (room,)),  # probability that Mr. X flees there if he picks his way by lot
        ("after", "f8", (FARES, room)),  # the belief after each fare
        ("expected", "f8", (FARES,)),  # how lost he is on average then; -1 = not worked out yet
        ("likely", "i2", (room,)),  # list of the stations with belief
        ("open", "i2", (room,)),  # list of the stations he may flee to
        ("nearest", "u1", (room,)),  # distance of the nearest colleague of the mover
        ("team", "u1", (room,)),  # rounds that the best pair needs without the mover; for Mr. X, of all
        ("time", "u1", (room,)),  # the same with the mover on some station
        ("free", "u8", (WORDS,)),  # set of the stations where no detective stands
    ]
    return np.dtype((np.record, np.dtype(fields, align=True)))


def worth_of_times() -> NDArray[np.float64]:
    """Tabulate 0.8 ** time; what never happens is worth nothing."""
    worth = DISCOUNT ** np.arange(256.0)
    worth[255] = 0.0
    return worth


@kernel
def list_stations(weights, stations):
    """List the stations that have weight; return how many."""
    size = 0
    for station in range(1, len(weights)):
        if weights[station] > 0.0:
            stations[size] = station
            size += 1
    return size


# ------------------------------------------------------------------------------------------------------- detectives


@kernel
def look_as_detective(board, view, times, worth, sheet, likely, to, rows):
    """Write the detectives' insights for every legal move."""
    open_ = list_exits(board, view, sheet, likely)
    measure_colleagues(board, view, times, sheet, likely)
    for row in range(len(to)):
        columns = rows[row, MOVE_WIDTH:]
        measure_belief(board, sheet, likely, to[row], columns)
        columns[7] = sheet.belief[to[row]] + hunt(board, view, times, worth, sheet, open_, to[row])
    compare_rows(rows, len(to), MOVE_WIDTH + 7, MOVE_WIDTH + 8, MOVE_WIDTH + 9)
    best = rows[: len(to), MOVE_WIDTH + 4].min()
    for row in range(len(to)):
        rows[row, MOVE_WIDTH + 10] = 4.0 * (rows[row, MOVE_WIDTH + 4] - best)


@kernel
def measure_colleagues(board, view, times, sheet, likely):
    """Write how near the others are to where Mr. X may be, and how soon they have him without the mover."""
    for place in range(likely):
        station = sheet.likely[place]
        nearest = 255
        for seat in range(1, view.seats):
            if seat != view.seat:
                nearest = min(nearest, board.distance[view.station[seat], station])
        sheet.nearest[station] = nearest
    time_pairs(view, times, view.seat, sheet.team)


@kernel
def time_pairs(view, times, without, time):
    """Write how many rounds the best pair of detectives needs for every station; one seat may be left out."""
    time[:] = 255
    for one in range(2, view.seats):
        for other in range(1, one):
            if one != without and other != without:
                lower(time, times[view.station[one], view.station[other]])


@kernel
def compare_rows(rows, legal, column, over_mean, over_best):
    """Write by how much a column lies above its mean and below its best, fourfold."""
    best = rows[0, column]
    mean = 0.0
    for row in range(legal):
        best = max(best, rows[row, column])
        mean += rows[row, column] / legal
    for row in range(legal):
        rows[row, over_mean] = 4.0 * (rows[row, column] - mean)
        rows[row, over_best] = 4.0 * (rows[row, column] - best)


@kernel
def list_exits(board, view, sheet, likely):
    """List the stations where Mr. X may flee to, with their probability if he picks his way by lot; return how many."""
    sheet.exits[:] = 0.0
    mark_free(view, sheet.free)
    for place in range(likely):
        station = sheet.likely[place]
        near, ways = board.reach[BLACK, station], 0
        for word in range(WORDS):
            ways += ones(near[word] & sheet.free[word])
        for word in range(WORDS):
            rest = near[word] & sheet.free[word]
            while rest != 0:
                sheet.exits[64 * word + lowest(rest)] += sheet.belief[station] / ways
                rest &= rest - np.uint64(1)
    return list_stations(sheet.exits, sheet.open)


@kernel
def mark_free(view, free):
    """Write the set of all stations but those where a detective stands."""
    free[:] = ~np.uint64(0)
    for seat in range(1, view.seats):
        discard(free, view.station[seat])


@kernel
def measure_belief(board, sheet, likely, to, columns):
    """Write the belief at a station, expected distances and nearness, of the mover and of the team."""
    mean = within_1 = within_2 = team_mean = team_within_1 = team_within_2 = np.float32(0.0)
    for place in range(likely):
        station = sheet.likely[place]
        weight = sheet.belief[station]
        distance = board.distance[to, station]
        closest = min(distance, sheet.nearest[station])
        mean = np.float32(mean + weight * min(distance / FAR, 2.0))
        within_1 = np.float32(within_1 + (weight if distance <= 1 else 0.0))
        within_2 = np.float32(within_2 + (weight if distance <= 2 else 0.0))
        team_mean = np.float32(team_mean + weight * min(closest / FAR, 2.0))
        team_within_1 = np.float32(team_within_1 + (weight if closest <= 1 else 0.0))
        team_within_2 = np.float32(team_within_2 + (weight if closest <= 2 else 0.0))
    columns[0] = sheet.belief[to]
    columns[1], columns[2], columns[3] = mean, within_1, within_2
    columns[4], columns[5], columns[6] = team_mean, team_within_1, team_within_2


@kernel
def hunt(board, view, times, worth, sheet, open_, to):
    """Value how lost Mr. X is on average once the mover stands on a station and has not caught him there."""
    sheet.time[:] = sheet.team
    for seat in range(1, view.seats):
        if seat != view.seat:
            lower(sheet.time, times[to, view.station[seat]])
    sheet.time[to] = 1  # he cannot flee there: as good as caught
    total = 0.0
    for place in range(open_):
        station = sheet.open[place]
        total += sheet.exits[station] * worth[sheet.time[station]]
    if sheet.belief[to] > 0.0:
        share = sheet.belief[to] / max(1, count_exits(board, view, to))
        for link in range(board.first[to], board.first[to + 1]):
            if board.fare[link] == BLACK and not is_taken(view, board.to[link]):
                total -= share * worth[sheet.time[board.to[link]]]
    return total


# ------------------------------------------------------------------------------------------------------------ Mr. X


@kernel
def look_as_mr_x(board, rules, view, times, worth, sheet, likely, ids, rows):
    """Write Mr. X's insights for every legal move."""
    is_reveal = rules.reveals[view.entries + 1]
    sheet.expected[:] = -1.0
    time_pairs(view, times, MR_X, sheet.team)
    best = 9.0
    for index in range(len(ids)):
        action, columns = ids[index], rows[index, MR_X_FIRST:]
        to = where_to(board, view, action)
        columns[0] = worth[sheet.team[to]]
        columns[1] = mean_pair(view, times, worth, to)
        best = min(best, columns[0])
        if action == double_action(board):
            measure_secret(board, sheet.belief, to, columns)
            columns[6] = columns[0]
            columns[7] = best_double_chase(board, view, worth, sheet.team, to)
        elif is_reveal:
            columns[2:6] = 1.0
            columns[6] = columns[0]
        else:
            fare = fare_of(action)
            foresee(board, view, worth, sheet, likely, fare)
            measure_secret(board, sheet.after[fare], to, columns)
            columns[6] = sheet.expected[fare]
        if view.owed == 2:
            columns[7] = best_next_chase(board, view, worth, sheet.team, to)
    for index in range(len(ids)):
        rows[index, MR_X_FIRST + 8] = rows[index, MR_X_FIRST] - best


@kernel
def mean_pair(view, times, worth, station):
    """Value how lost Mr. X is on a station by the mean of all pairs of detectives."""
    total, pairs = 0.0, 0
    for one in range(2, view.seats):
        for other in range(1, one):
            total += worth[times[view.station[one], view.station[other], station]]
            pairs += 1
    return total / max(pairs, 1)


@kernel
def best_next_chase(board, view, worth, time, station):
    """Value how lost Mr. X is after the best move on from a station."""
    best = 1.0
    for link in range(board.first[station], board.first[station + 1]):
        if board.fare[link] == BLACK and not is_taken(view, board.to[link]):
            best = min(best, worth[time[board.to[link]]])
    return best


@kernel
def best_double_chase(board, view, worth, time, station):
    """Value how lost Mr. X is after the best two moves on from a station."""
    best = 1.0
    for link in range(board.first[station], board.first[station + 1]):
        if board.fare[link] == BLACK and not is_taken(view, board.to[link]):
            best = min(best, best_next_chase(board, view, worth, time, board.to[link]))
    return best


@kernel
def foresee(board, view, worth, sheet, likely, fare):
    """Write, once for each fare, the belief that the table will have and how lost he is where it takes him to be."""
    if sheet.expected[fare] >= 0.0:
        return
    after = sheet.after[fare]
    after[:] = 0.0
    for place in range(likely):
        station = sheet.likely[place]
        for link in range(board.first[station], board.first[station + 1]):
            if board.fare[link] == fare and not is_taken(view, board.to[link]):
                after[board.to[link]] += sheet.belief[station]
    total = expected = 0.0
    for station in range(1, len(after)):
        if after[station] > 0.0:
            after[station] *= np.exp(
                float(distance_to_nearest(board, view.station[1 : view.seats], station, FAR_ENOUGH))
            )
            total += after[station]
            expected += after[station] * worth[sheet.team[station]]
    after /= total
    sheet.expected[fare] = expected / total


@kernel
def measure_secret(board, belief, to, columns):
    """Write how near the table's belief is to the truth: at the station, near it, and at its peak."""
    columns[2:6] = 0.0
    columns[2] = belief[to]
    for station in range(1, len(belief)):
        weight = belief[station]
        if weight > 0.0:
            columns[5] = max(columns[5], weight)
            for reach in range(1, 3):
                if board.mr_x_distance[to, station] <= reach:
                    columns[2 + reach] += weight
