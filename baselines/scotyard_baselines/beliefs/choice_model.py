"""The choice model: the belief in a rational Mr. X, each of whose moves is a draw from a conditional logit.

A conditional logit (McFadden 1974): of the moves that he could make from where he was, he chooses one with probability
proportional to exp(utility). The utility of a move is higher if no detective stands beside its destination, if pairs of
detectives who saw him there would take long to catch him (capture/, the mean of all pairs), if the second nearest
detective is far and if there are many ways out; a taxi ticket is worth less to him than a bus or underground one, and a
black one most. The tickets that he could pay with are those that he has now. A double move is likelier where a
detective is within two moves; of its first half only the ticket counts. The utilities are 85 % of those fitted to moves
of ``pimbot``, ``ppo_mr_x``, ``hider`` and ``phantom`` against hunters.

It matters most that the probabilities of the moves from a station add up to one: without that, the belief would be high
where he had many good moves, whether or not he made one of them.
"""

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.geometry.rows import add_up, lower_both
from scotyard_env.arrays import copy_values
from scotyard_env.belief import begin_where_seen, keep_possible, strike_out_landings, walk_all_paths
from scotyard_env.kernel import kernel, record_type
from scotyard_env.state import BLACK, MAX_STATIONS, MR_X, TAXI, count
from scotyard_env.view import Views

UTILITY_SAFE = 2.55  # no detective stood beside the station
UTILITY_TIME = 0.54  # for each round that a pair of detectives needs, on average over all pairs
UTILITY_SECOND = 0.47  # for each move of distance of the second nearest detective, up to FAR
UTILITY_EXIT = 0.31  # for each neighbour, up to MANY
COLOURED = 0.6  # exp(utility) of a bus or underground ticket, against a taxi's
DARK = 0.43  # and of a black ticket
DANGER = 2  # moves: a detective this near makes a double move likely
CALM = 0.1  # exp(utility) of a double without a detective that near, against one with
UNKNOWN = -1.0  # as exp(utility): not needed yet

FAR, MANY = 6, 8  # beyond these all distances and all numbers of neighbours are the same

CHOICE_SCRATCH = record_type(
    [
        ("belief", "f8", (MAX_STATIONS + 1,)),  # the result: how likely Mr. X is on each station
        ("after", "f8", (MAX_STATIONS + 1,)),  # the same one move later; in the end, before the misses of this round
        ("attraction", "f8", (MAX_STATIONS + 1,)),  # exp(utility) of each station; 0 = a detective was there; UNKNOWN
        ("total", "u1", (MAX_STATIONS + 1,)),  # capture times of all pairs, added up: MAX_PAIRS of LONG at most
        ("nearest", "u1", (MAX_STATIONS + 1,)),  # distance of the nearest detective
        ("second", "u1", (MAX_STATIONS + 1,)),  # and of the second nearest; both at most FAR
    ]
)


def believe_choices(views: Views) -> NDArray[np.float64]:
    """Return for every station of many views how likely a rational Mr. X is there, (n, stations + 1)."""
    beliefs = np.empty((len(views), views.board.stations + 1))
    infer_rows(views.board.packed, capture_times(views.board), views.states, np.zeros(1, CHOICE_SCRATCH), beliefs)
    return beliefs


@kernel
def infer_rows(boards, times, states, scratches, beliefs):
    """Write the belief of every view."""
    for index in range(len(states)):
        infer_belief(boards[0], times, states[index], scratches[0])
        copy_values(scratches[0].belief[: beliefs.shape[1]], beliefs[index])


@kernel
def infer_belief(board, times, state, scratch):
    """Write for every possible station how likely a rational Mr. X is there, into scratch.belief."""
    walked = begin_where_seen(board, state, scratch.belief)
    follow_choices(board, times, state, state.seen_entry, walked, scratch)


@kernel
def follow_belief(board, times, state, entries, scratch):
    """Update a belief of the time when the log had so many entries, in scratch.after, to now, in scratch.belief."""
    if state.seen_entry > entries:
        infer_belief(board, times, state, scratch)
        return
    copy_values(scratch.after, scratch.belief)
    walked = state.log_round[entries - 1] if entries > 0 else np.uint8(0)
    follow_choices(board, times, state, entries, walked, scratch)


@kernel
def follow_choices(board, times, state, entries, walked, scratch):
    """Update a belief of the time when the log had so many entries, the last of a given round, to now."""
    for entry in range(entries, state.entries):
        if state.log_round[entry] > walked:
            strike_out_landings(state, walked, scratch.belief)
            walked = state.log_round[entry]
        is_first_half = entry + 1 < state.entries and state.log_round[entry + 1] == walked
        look_from(board, times, state.trail[walked - 1, : state.seats - 1], scratch)
        if is_first_half:
            expect_danger(board, scratch)
            walk_all_paths(board, state, entry, scratch.belief, scratch.after)
        else:
            scratch.attraction[:] = UNKNOWN
            strike_out_landings(state, walked - 1, scratch.attraction)
            walk_well_chosen(board, state, entry, scratch)
        copy_values(scratch.after, scratch.belief)
    copy_values(scratch.belief, scratch.after)
    keep_possible(board, state, scratch.belief)


@kernel
def narrow_belief(board, state, scratch):
    """Update the last belief within its round: the stations where he was missed are new, the tickets stay as then."""
    copy_values(scratch.after, scratch.belief)
    keep_possible(board, state, scratch.belief)


@kernel
def look_from(board, times, detectives, scratch):
    """Write for every station how near two detectives are, and how long all pairs of them need to catch him there."""
    scratch.nearest[:] = scratch.second[:] = FAR
    scratch.total[:] = 0
    for one in range(len(detectives)):
        lower_both(scratch.nearest, scratch.second, board.distance[detectives[one]])
        for other in range(one):
            add_up(scratch.total, times[detectives[one], detectives[other]])


@kernel
def expect_danger(board, scratch):
    """Lower the belief that he doubles where no detective is near."""
    for station in range(1, board.stations + 1):
        if scratch.nearest[station] > DANGER:
            scratch.belief[station] *= CALM


@kernel
def walk_well_chosen(board, state, entry, scratch):
    """Lengthen every path by one move with the fare shown at this log entry, by how likely he was to choose it."""
    detectives, shown = state.seats - 1, state.log[entry]
    scratch.after[:] = 0.0
    for station in range(1, board.stations + 1):
        if scratch.belief[station] > 0.0:
            total = 0.0
            for move in range(board.first[station], board.first[station + 1]):
                to, fare = board.to[move], board.fare[move]
                if fare == shown or state.tickets[MR_X, fare] != 0:
                    total += attraction_of_fare(fare) * attraction_of_station(board, detectives, scratch, to)
            if total > 0.0:
                share = scratch.belief[station] * attraction_of_fare(shown) / total
                for move in range(board.first[station], board.first[station + 1]):
                    if board.fare[move] == shown:
                        scratch.after[board.to[move]] += share * scratch.attraction[board.to[move]]


@kernel
def attraction_of_fare(fare):
    """Return exp(utility) of a move as far as its ticket counts."""
    if fare == TAXI:
        return 1.0
    return DARK if fare == BLACK else COLOURED


@kernel
def attraction_of_station(board, detectives, scratch, station):
    """Return exp(utility) of a move as far as it counts where it leads."""
    if scratch.attraction[station] == UNKNOWN:
        pairs = max(detectives * (detectives - 1) // 2, 1)
        utility = UTILITY_TIME * scratch.total[station] / pairs + UTILITY_SECOND * scratch.second[station]
        exits = min(count(board.reach[BLACK, station]), MANY)
        utility += UTILITY_EXIT * exits + (UTILITY_SAFE if scratch.nearest[station] > 1 else 0.0)
        scratch.attraction[station] = np.exp(utility)
    return scratch.attraction[station]
