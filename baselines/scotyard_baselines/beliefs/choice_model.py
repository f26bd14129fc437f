"""Where a rational Mr. X is likely to be: every path he may have taken, by how likely he was to choose its moves.

Of the moves that he could make from where he was, he chooses one with odds of exp(taste): it is to his taste that no
detective stands beside where it leads, that pairs of detectives who saw him there would take long to catch him
(capture.py, the mean of all pairs), that the second nearest detective is far, that there are many ways out, and that it
costs a taxi ticket sooner than a bus or underground one, and those sooner than a black one. What he could pay is taken
from the tickets that he has now. A double is ten times likelier where a detective is within two moves; of its first
half only the ticket counts. The weights are 85 % of those fitted (conditional logit) to 9,000 moves of ``pimbot``,
``ppo_mr_x``, ``hider`` and ``phantom`` against hunters.

The mean log-likelihood of the stations where they were (uniform over the possible ones: -2.47, -2.63, -2.62, -2.65) is
-2.14, -1.81, -1.74 and -1.79 in the same games. What matters most is that the odds of the moves from a station add up
to one: without that, a belief prefers whoever had many good moves, not whoever made a good one.
"""

import numpy as np

from scotyard_baselines.planning.choices import LONG
from scotyard_env.belief import begin_where_seen, keep_possible, strike_out_landings, walk_all_paths
from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK, MAX_STATIONS, MR_X, TAXI, count

SAFE = 2.55  # no detective stood beside the station
TIME = 0.54  # for each round that a pair of detectives needs, on average over all pairs
SECOND = 0.47  # for each move of distance of the second nearest detective, up to FAR
EXITS = 0.31  # for each neighbour, up to MANY
COLOURED = 0.6  # odds of a move that costs a bus or underground ticket, against a taxi's
DARK = 0.43  # and of one that costs a black ticket
CALM = 0.1  # odds of a double without a detective within two moves, against one with
UNKNOWN = -1.0  # as odds: not needed yet

FAR, MANY = 6, 8  # beyond these all distances and all numbers of neighbours are the same

SUSPICION = np.dtype(  # a belief, and scratch paper to make it
    (
        np.record,
        np.dtype(
            [
                ("belief", "f8", (MAX_STATIONS + 1,)),  # how likely Mr. X is on each station
                ("after", "f8", (MAX_STATIONS + 1,)),  # the same one move on
                ("odds", "f8", (MAX_STATIONS + 1,)),  # of a move to each station; 0 = a detective was there; UNKNOWN
                ("total", "u1", (MAX_STATIONS + 1,)),  # capture times of all pairs, added up: MAX_PAIRS of LONG at most
                ("nearest", "u1", (MAX_STATIONS + 1,)),  # distance of the nearest detective
                ("second", "u1", (MAX_STATIONS + 1,)),  # and of the second nearest; both at most FAR
            ],
            align=True,
        ),
    )
)


@kernel
def suspect(board, times, state, sheet):
    """Write for every possible station how likely a rational Mr. X is there, into sheet.belief."""
    walked = begin_where_seen(board, state, sheet.belief)
    for entry in range(state.seen_entry, state.entries):
        if state.log_round[entry] > walked:
            strike_out_landings(state, walked, sheet.belief)
            walked = state.log_round[entry]
        is_first_half = entry + 1 < state.entries and state.log_round[entry + 1] == walked
        look_from(board, times, state.trail[walked - 1, : state.seats - 1], sheet)
        if is_first_half:
            expect_danger(board, sheet)
            walk_all_paths(board, state, entry, sheet.belief, sheet.after)
        else:
            sheet.odds[:] = UNKNOWN
            strike_out_landings(state, walked - 1, sheet.odds)
            walk_well_chosen(board, state, entry, sheet)
        sheet.belief[:] = sheet.after
    sheet.after[:] = sheet.belief
    keep_possible(board, state, sheet.belief)


@kernel
def suspect_on(board, state, sheet):
    """Suspect again later in the round of the last suspect: where he was missed is new, tickets handed over are not."""
    sheet.belief[:] = sheet.after
    keep_possible(board, state, sheet.belief)


@kernel
def look_from(board, times, detectives, sheet):
    """Write for every station how near two detectives are, and how long all pairs of them need to catch him there."""
    sheet.nearest[:] = sheet.second[:] = FAR
    sheet.total[:] = 0
    for one in range(len(detectives)):
        lower_both(sheet.nearest, sheet.second, board.distance[detectives[one]])
        for other in range(one):
            add_up(sheet.total, times[detectives[one], detectives[other]])


@kernel
def expect_danger(board, sheet):
    """Doubt that he doubles where no detective is near."""
    for station in range(1, board.stations + 1):
        if sheet.nearest[station] > 2:
            sheet.belief[station] *= CALM


@kernel
def walk_well_chosen(board, state, entry, sheet):
    """Lengthen every path by one move with the fare shown at this log entry, by how likely he was to choose it."""
    detectives, shown = state.seats - 1, state.log[entry]
    sheet.after[:] = 0.0
    for station in range(1, board.stations + 1):
        if sheet.belief[station] > 0.0:
            total = 0.0
            for move in range(board.first[station], board.first[station + 1]):
                to, fare = board.to[move], board.fare[move]
                if fare == shown or state.tickets[MR_X, fare] != 0:
                    total += odds_of_fare(fare) * odds_of_station(board, detectives, sheet, to)
            if total > 0.0:
                share = sheet.belief[station] * odds_of_fare(shown) / total
                for move in range(board.first[station], board.first[station + 1]):
                    if board.fare[move] == shown:
                        sheet.after[board.to[move]] += share * sheet.odds[board.to[move]]


@kernel
def odds_of_fare(fare):
    """Give the odds of a move as far as its ticket counts."""
    if fare == TAXI:
        return 1.0
    return DARK if fare == BLACK else COLOURED


@kernel
def odds_of_station(board, detectives, sheet, station):
    """Give the odds of a move as far as it counts where it leads."""
    if sheet.odds[station] == UNKNOWN:
        pairs = max(detectives * (detectives - 1) // 2, 1)
        taste = TIME * sheet.total[station] / pairs + SECOND * sheet.second[station]
        taste += EXITS * min(count(board.reach[BLACK, station]), MANY) + (SAFE if sheet.nearest[station] > 1 else 0.0)
        sheet.odds[station] = np.exp(taste)
    return sheet.odds[station]


# These work in place on rows of bytes, or the compiler does not make them fast.


@kernel
def lower(row, other):
    """Lower a row to another where that is smaller."""
    for station in range(min(len(row), len(other))):
        row[station] = min(row[station], other[station])


@kernel
def lower_both(least, second, other):
    """Lower the smallest and the second smallest of some rows by one more row."""
    for station in range(min(len(least), len(other))):
        second[station] = min(second[station], max(least[station], other[station]))
        least[station] = min(least[station], other[station])


@kernel
def add_up(total, times):
    """Add the capture times of one more pair of detectives."""
    for station in range(min(len(total), len(times))):
        total[station] += min(times[station], LONG)
