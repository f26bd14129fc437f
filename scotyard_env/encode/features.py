"""Moves with features: for the seat to move, every legal action with one row of numbers that say what it is worth.

This is what lets a network learn the game in minutes: it scores rows in place of learning the map by heart. A row is
made from a view only. The first columns mean the same for both sides, the others belong to the side that moves; the
names are in ``DETECTIVE_FEATURES`` and ``MR_X_FEATURES``. Distances count a detective's moves, tickets aside.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from scotyard_env.arrays import sort_ascending
from scotyard_env.board import Board
from scotyard_env.kernel import kernel, record_type
from scotyard_env.packing import UNREACHABLE
from scotyard_env.rules import destination, double_action, fare_of, legal_actions, pass_action, spread
from scotyard_env.state import (
    DOUBLE,
    FARES,
    MAX_DETECTIVES,
    MAX_STATIONS,
    MR_X,
    NOWHERE,
    TRANSPORTS,
    UNLIMITED,
    WORDS,
    count,
    has,
    list_stations,
)
from scotyard_env.threats import count_safe_exits, count_threats, is_beside, share_beside

FAR = 8.0  # distances are divided by this
MANY = 10.0  # and counts of tickets by this
TWICE_FAR = 16  # what a distance counts as at most

COMMON_FEATURES = (
    "taxi",  # which ticket it costs: exactly one of six is 1
    "bus",
    "underground",
    "black",
    "double",
    "pass",
    "tickets_left",  # of that kind, once it is paid; 1 where they never run out
    "taxi_links",  # at the destination (of DOUBLE and PASS: where one stands), a quarter each, at most 2
    "bus_links",
    "underground_links",
    "ferry_links",
)
DETECTIVE_FEATURES = (
    *COMMON_FEATURES,
    "is_possible",  # Mr. X may be there
    "probability",  # 1 / number of possible stations
    "nearest",  # distance from the destination to the nearest possible station
    "mean",  # to all of them on average
    "within_1",  # share of them so near
    "within_2",
    "within_3",
    "team_mean",  # mean distance of a possible station from the nearest detective, after the move
    "team_within_1",
    "team_within_2",
    "team_within_3",
    "team_mean_change",  # by the move
    "team_within_1_change",
    "team_within_2_change",
    "team_within_3_change",
    "was_seen",  # Mr. X has shown himself before
    "to_seen",  # distance to where he showed himself last
    "to_colleague",  # distance to the nearest other detective; 1 if alone
)
MR_X_FEATURES = (
    *COMMON_FEATURES,
    "detective_1st",  # distance of the nearest detective from the destination
    "detective_2nd",
    "detective_3rd",
    "detective_4th",
    "detective_5th",  # where there are fewer detectives, 2
    "is_threatened",  # a detective could step there at once with its tickets
    "threats",  # how many could, a fifth each
    "safe_exits",  # free neighbours of the destination that nobody could step to at once, an eighth each, at most 2
    "is_reveal",  # he will have to show himself there
    "possible_after",  # share of the board where he may be once the table has seen the ticket, or him
    "probability_after",  # 1 / number of those stations
    "beside_after",  # share of those stations that a detective stands beside
)
MOVE_WIDTH = max(len(DETECTIVE_FEATURES), len(MR_X_FEATURES))  # what is left of a row is 0

# The columns that kernels write, by name; the number behind a name is frozen when they are compiled.
PAID = COMMON_FEATURES.index("taxi")  # and one for every other kind of ticket
PASSED = COMMON_FEATURES.index("pass")
TICKETS_LEFT = COMMON_FEATURES.index("tickets_left")
LINKS = COMMON_FEATURES.index("taxi_links")  # and one for every other transport

IS_POSSIBLE = DETECTIVE_FEATURES.index("is_possible")
PROBABILITY = DETECTIVE_FEATURES.index("probability")
NEAREST = DETECTIVE_FEATURES.index("nearest")
MEAN = DETECTIVE_FEATURES.index("mean")
WITHIN = DETECTIVE_FEATURES.index("within_1")  # and one for every other number of REACHES
TEAM_MEAN = DETECTIVE_FEATURES.index("team_mean")
TEAM_WITHIN = DETECTIVE_FEATURES.index("team_within_1")
TEAM_CHANGE = DETECTIVE_FEATURES.index("team_mean_change")  # and one for every other measure of the team
WAS_SEEN = DETECTIVE_FEATURES.index("was_seen")
TO_SEEN = DETECTIVE_FEATURES.index("to_seen")
TO_COLLEAGUE = DETECTIVE_FEATURES.index("to_colleague")
REACHES = 3  # within one move, two and three
TEAM_MEASURES = 1 + REACHES  # the mean and the shares

DETECTIVES = MR_X_FEATURES.index("detective_1st")  # and one for every other detective
IS_THREATENED = MR_X_FEATURES.index("is_threatened")
THREATS = MR_X_FEATURES.index("threats")
SAFE_EXITS = MR_X_FEATURES.index("safe_exits")
IS_REVEAL = MR_X_FEATURES.index("is_reveal")
POSSIBLE_AFTER = MR_X_FEATURES.index("possible_after")
PROBABILITY_AFTER = MR_X_FEATURES.index("probability_after")
BESIDE_AFTER = MR_X_FEATURES.index("beside_after")

MOVE_SCRATCH = record_type(  # scratch memory of the kernels in here
    [
        ("after", "u8", (FARES, WORDS)),  # where Mr. X may be after a move, by fare
        ("sizes", "i4", (FARES,)),  # how many stations that are; 0 = not worked out yet
        ("beside", "f4", (FARES,)),  # share of them beside a detective
        ("legal", "i4", (FARES * MAX_STATIONS + 2,)),
        ("stations", "i2", (MAX_STATIONS,)),  # the possible set as a list
        ("colleagues", "u1", (MAX_STATIONS,)),  # distance of each from the nearest other detective
        ("before", "f4", (MOVE_WIDTH,)),  # a row in which `measure` has written of where the detective stands
    ]
)


def new_scratch() -> NDArray[np.void]:
    """Return scratch memory for the kernels in here, as an array of one record."""
    return np.zeros(1, MOVE_SCRATCH)


@functools.lru_cache(maxsize=64)
def most_moves(board: Board) -> int:
    """Count the legal actions there can be at most: every move of the busiest station, and one more for DOUBLE."""
    return int(np.diff(board.arrays.first[: board.stations + 2]).max()) + 1


@kernel
def write_moves(board, rules, view, scratch, ids, rows):
    """Write the legal actions of the seat to move and their feature rows; return how many. The rest is -1 and 0."""
    legal = legal_actions(board, rules, view, scratch.legal)
    for index in range(legal):
        ids[index] = scratch.legal[index]
    ids[legal:] = -1
    rows[:] = 0.0
    if legal > 0:
        for index in range(legal):
            write_common(board, view, scratch.legal[index], rows[index])
        if view.seat == MR_X:
            write_mr_x_rows(board, rules, view, scratch, legal, rows)
        else:
            write_detective_rows(board, view, scratch, legal, rows)
    return legal


@kernel
def write_common(board, view, action, row):
    """Write the columns that both sides share."""
    station, kind = view.station[view.seat], -1
    if action == double_action(board):
        kind = DOUBLE
    elif action == pass_action(board):
        row[PASSED] = 1.0
    else:
        station, kind = destination(action), fare_of(action)
    if kind >= 0:
        row[PAID + kind] = 1.0
        tickets = view.tickets[view.seat, kind]
        row[TICKETS_LEFT] = 1.0 if tickets == UNLIMITED else min(1.0, (tickets - 1) / MANY)
    for transport in range(len(TRANSPORTS)):
        row[LINKS + transport] = min(board.links[station, transport] / 4.0, 2.0)


@kernel
def where_to(board, view, action):
    """Return where the seat to move stands after an action."""
    return destination(action) if action < double_action(board) else view.station[view.seat]


@kernel
def scaled(distance):
    """Scale a distance; what cannot be reached counts as twice FAR."""
    return min(distance / FAR, 2.0)


# ------------------------------------------------------------------------------------------------------- detectives


@kernel
def write_detective_rows(board, view, scratch, legal, rows):
    """Write the detectives' own columns for every legal action."""
    here = view.station[view.seat]
    size = list_possible(board, view, scratch)
    measure(board, scratch, size, here, scratch.before)
    for index in range(legal):
        row = rows[index]
        to = where_to(board, view, scratch.legal[index])
        row[IS_POSSIBLE] = 1.0 if has(view.possible, to) else 0.0
        row[PROBABILITY] = 1.0 / size
        measure(board, scratch, size, to, row)
        for column in range(TEAM_MEASURES):
            row[TEAM_CHANGE + column] = row[TEAM_MEAN + column] - scratch.before[TEAM_MEAN + column]
        if view.seen != NOWHERE:
            row[WAS_SEEN] = 1.0
            row[TO_SEEN] = scaled(board.distance[to, view.seen])
        row[TO_COLLEAGUE] = scaled(distance_to_colleagues(board, view, to)) if view.seats > 2 else 1.0


@kernel
def list_possible(board, view, scratch):
    """List the possible stations, each with its distance from the nearest other detective; return how many."""
    size = list_stations(view.possible, scratch.stations)
    for index in range(size):
        scratch.colleagues[index] = distance_to_colleagues(board, view, scratch.stations[index])
    return size


@kernel
def distance_to_colleagues(board, view, station):
    """Measure how far a station is from the nearest detective that is not to move; out of reach if there is none."""
    nearest = UNREACHABLE
    for seat in range(1, view.seats):
        if seat != view.seat:
            nearest = min(nearest, board.distance[view.station[seat], station])
    return nearest


@kernel
def measure(board, scratch, size, station, row):
    """Write how near the possible set is if the detective stands here: nearest, mean and shares, then the team's."""
    nearest, total, team_total = TWICE_FAR, 0, 0  # whole numbers, scaled at the end: sums of eighths are exact
    within_1 = within_2 = within_3 = team_within_1 = team_within_2 = team_within_3 = 0
    for index in range(size):
        distance = min(int(board.distance[station, scratch.stations[index]]), TWICE_FAR)
        closest = min(distance, int(scratch.colleagues[index]))
        nearest = min(nearest, distance)
        total += distance
        team_total += closest
        within_1 += distance <= 1
        within_2 += distance <= 2
        within_3 += distance <= 3
        team_within_1 += closest <= 1
        team_within_2 += closest <= 2
        team_within_3 += closest <= 3
    row[NEAREST] = scaled(nearest)
    row[MEAN], row[TEAM_MEAN] = total / FAR / size, team_total / FAR / size
    row[WITHIN], row[WITHIN + 1], row[WITHIN + 2] = within_1 / size, within_2 / size, within_3 / size
    row[TEAM_WITHIN], row[TEAM_WITHIN + 1] = team_within_1 / size, team_within_2 / size
    row[TEAM_WITHIN + 2] = team_within_3 / size


# ------------------------------------------------------------------------------------------------------------ Mr. X


@kernel
def write_mr_x_rows(board, rules, view, scratch, legal, rows):
    """Write Mr. X's own columns for every legal action."""
    scratch.sizes[:] = 0
    is_reveal = rules.reveals[view.entries + 1]
    for index in range(legal):
        action, row = scratch.legal[index], rows[index]
        to = where_to(board, view, action)
        write_sorted_distances(board, view, to, row[DETECTIVES : DETECTIVES + MAX_DETECTIVES])
        threats = count_threats(board, view, to)
        row[IS_THREATENED] = 1.0 if threats > 0 else 0.0
        row[THREATS] = threats / MAX_DETECTIVES
        row[SAFE_EXITS] = min(count_safe_exits(board, view, to) / 8.0, 2.0)
        if action == double_action(board):
            write_knowledge(board, count(view.possible), share_beside(board, view, view.possible), row)
        elif is_reveal:
            row[IS_REVEAL] = 1.0
            write_knowledge(board, 1, 1.0 if is_beside(board, view, to) else 0.0, row)
        else:
            fare = fare_of(action)
            look_ahead(board, view, scratch, fare)
            write_knowledge(board, scratch.sizes[fare], scratch.beside[fare], row)


@kernel
def write_sorted_distances(board, view, station, columns):
    """Write how far each detective is, the nearest first."""
    columns[:] = 2.0
    for seat in range(1, view.seats):
        columns[seat - 1] = scaled(board.distance[view.station[seat], station])
    sort_ascending(columns, view.seats - 1)


@kernel
def look_ahead(board, view, scratch, fare):
    """Work out, once for each fare, what the table will know after a move for it."""
    if scratch.sizes[fare] == 0:
        spread(board, view, fare, scratch.after[fare])
        scratch.sizes[fare] = count(scratch.after[fare])
        scratch.beside[fare] = share_beside(board, view, scratch.after[fare])


@kernel
def write_knowledge(board, size, beside, row):
    """Write what the table will know of Mr. X."""
    row[POSSIBLE_AFTER] = size / board.stations
    row[PROBABILITY_AFTER] = 1.0 / size
    row[BESIDE_AFTER] = beside
