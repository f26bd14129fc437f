"""What the learned players read: a view as numbers, and a row of numbers for every legal move.

A row begins with the move features of the environment (``scotyard_env.encode.features``) and goes on with columns that
weigh the possible set (belief_features.py). Everything is made from the view of the seat to move. Rows of many views
lie one after the other, so that nothing is spent on moves that are not there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.geometry.detours import detours
from scotyard_baselines.networks.belief_features import ROW_WIDTH, list_likely, scratch_type, worth_of_times
from scotyard_baselines.networks.detective_beliefs import write_detective_beliefs
from scotyard_baselines.networks.mr_x_beliefs import look_at_table, write_mr_x_beliefs
from scotyard_baselines.networks.ticket_features import write_ticket_features
from scotyard_env.arrays import copy_values
from scotyard_env.belief import weigh_by_paths
from scotyard_env.encode.features import MANY, most_moves, new_scratch, where_to, write_moves
from scotyard_env.encode.writers import entries_to_reveal, known_station, nth_detective
from scotyard_env.kernel import kernel
from scotyard_env.state import FARES, MAX_SEATS, MR_X, TICKETS, UNLIMITED, WORDS
from scotyard_env.view import Views

COUNTERS = (
    "entries",  # of the log, of 24
    "unseen",  # entries since Mr. X showed himself, of 6
    "to_reveal",  # entries until he has to, of 6
    "owed",  # moves that he still owes in a double move, of 2
)
RECENT = 5  # log entries that are read, the latest first
LOG_WIDTH = FARES + 1  # of an entry: which fare, and whether he showed himself
SHOWN = FARES  # column of the latter in an entry
COUNTERS_AT = MAX_SEATS  # facts begin with the seat to move
TICKETS_AT = COUNTERS_AT + len(COUNTERS)
LOG_AT = TICKETS_AT + MAX_SEATS * len(TICKETS)
POOLED_AT = LOG_AT + RECENT * LOG_WIDTH  # mean and then the largest of every column over the rows
FACTS_WIDTH = POOLED_AT + 2 * ROW_WIDTH

ENTRIES = COUNTERS_AT + COUNTERS.index("entries")
UNSEEN = COUNTERS_AT + COUNTERS.index("unseen")
TO_REVEAL = COUNTERS_AT + COUNTERS.index("to_reveal")
OWED = COUNTERS_AT + COUNTERS.index("owed")


class Inputs(NamedTuple):
    """Many views as the network reads them; ``rows`` and ``ids`` of view i are firsts[i]..firsts[i + 1]."""

    stations: NDArray[np.int64]  # (views, 6): Mr. X's as far as known, then the detectives', the mover first; 0 = none
    belief: NDArray[np.float32]  # (views, stations): square root of the probability of each
    facts: NDArray[np.float32]  # (views, FACTS_WIDTH)
    firsts: NDArray[np.int64]  # (views + 1,)
    rows: NDArray[np.float32]  # (legal moves, ROW_WIDTH)
    ids: NDArray[np.int64]  # (legal moves,): the actions
    to: NDArray[np.int64]  # (legal moves,): where each leads


def make_inputs(views: Views, beliefs: NDArray[np.float64] | None = None) -> Inputs:
    """Return many views as the network reads them.

    The belief of the table is the evasive one (``belief.weigh(view, "evasive")``); beliefs, (n, stations + 1), take its
    place in Mr. X's views.
    """
    size, most = len(views), most_moves(views.board)
    inputs = Inputs(
        np.empty((size, MAX_SEATS), np.int64),
        np.empty((size, views.board.stations), np.float32),
        np.empty((size, FACTS_WIDTH), np.float32),
        np.empty(size + 1, np.int64),
        np.empty((size * most, ROW_WIDTH), np.float32),
        np.empty(size * most, np.int64),
        np.empty(size * most, np.int64),
    )
    scratch = np.zeros(1, scratch_type(views.board.stations + 1))
    game = views.board.packed, views.rules.packed(views.board), views.states
    tables = capture_times(views.board), worth_of_times(), detours(views.board)
    given = np.empty((0, 0)) if beliefs is None else beliefs
    write_inputs(*game, given, *tables, new_scratch(), scratch, inputs)
    end = inputs.firsts[-1]
    return inputs._replace(rows=inputs.rows[:end], ids=inputs.ids[:end], to=inputs.to[:end])


@kernel
def write_inputs(boards, rules, views, beliefs, times, worth, detours, move_scratches, scratches, inputs):
    """Write every view."""
    board, scratch, most = boards[0], scratches[0], inputs.rows.shape[0] // max(len(views), 1)
    inputs.firsts[0] = 0
    likely = 0
    for index in range(len(views)):
        view, first = views[index], inputs.firsts[index]
        is_new = index == 0 or not is_same_table(views[index - 1], view) or not is_same_belief(beliefs, index)
        if is_new and view.seat == MR_X and len(beliefs) > 0:
            copy_values(beliefs[index], scratch.belief)
            likely = list_likely(scratch.belief, scratch.likely)
        elif is_new:
            weigh_by_paths(board, view, True, scratch.belief, scratch.paths)
            likely = list_likely(scratch.belief, scratch.likely)
        rows, ids = inputs.rows[first : first + most], inputs.ids[first : first + most]
        legal = write_moves(board, rules[0], view, move_scratches[0], ids, rows)
        inputs.firsts[index + 1] = first + legal
        for row in range(legal):
            inputs.to[first + row] = where_to(board, view, ids[row])
        if view.seat == MR_X:
            if is_new:
                look_at_table(view, times, scratch)
            write_mr_x_beliefs(board, rules[0], view, times, worth, scratch, likely, ids[:legal], rows)
        else:
            to = inputs.to[first : first + legal]
            open_ = write_detective_beliefs(board, view, times, worth, scratch, likely, to, rows)
            write_ticket_features(board, view, times, worth, detours, scratch, likely, open_, ids, to, rows)
        write_stations(view, inputs.stations[index])
        inputs.belief[index, :] = 0.0
        for place in range(likely):
            inputs.belief[index, scratch.likely[place] - 1] = np.sqrt(scratch.belief[scratch.likely[place]])
        write_facts(rules[0], view, inputs.facts[index])
        pool(rows[:legal], inputs.facts[index, POOLED_AT:])


@kernel
def is_same_table(one, other):
    """Tell whether Mr. X is to move in both views and the table, hence its belief, is the same in them.

    Consecutive views are, where a posterior asks for his policy on each of many stations: they share what depends on
    the table alone.
    """
    if one.seat != MR_X or other.seat != MR_X or one.seats != other.seats or one.rounds != other.rounds:
        return False
    if one.entries != other.entries or one.seen != other.seen or one.seen_entry != other.seen_entry:
        return False
    for word in range(WORDS):
        if one.possible[word] != other.possible[word] or one.start[word] != other.start[word]:
            return False
    for entry in range(one.entries):
        if one.log[entry] != other.log[entry] or one.log_round[entry] != other.log_round[entry]:
            return False
    for number in range(one.rounds + 1):
        for detective in range(one.seats - 1):
            if one.trail[number, detective] != other.trail[number, detective]:
                return False
    for seat in range(1, one.seats):
        if one.station[seat] != other.station[seat]:
            return False
    return True


@kernel
def is_same_belief(beliefs, index):
    """Tell whether the belief given for a view is the one given for the view before it; so it is if none are given."""
    if len(beliefs) > 0:
        for station in range(beliefs.shape[1]):
            if beliefs[index, station] != beliefs[index - 1, station]:
                return False
    return True


@kernel
def write_stations(view, out):
    """Write where everybody stands, as far as the seat to move knows."""
    out[:] = 0
    out[0] = known_station(view, view.seat)
    for place in range(view.seats - 1):
        out[1 + place] = view.station[nth_detective(view, view.seat, place)]


@kernel
def write_facts(rules, view, facts):
    """Write seat, counters, tickets and the latest log entries."""
    facts[:POOLED_AT] = 0.0
    facts[view.seat] = 1.0
    facts[ENTRIES] = view.entries / 24.0
    facts[UNSEEN] = (view.entries - view.seen_entry) / 6.0
    facts[TO_REVEAL] = entries_to_reveal(rules, view) / 6.0
    facts[OWED] = view.owed / 2.0
    for place in range(view.seats):
        seat = MR_X if place == 0 else nth_detective(view, view.seat, place - 1)
        for kind in range(len(TICKETS)):
            tickets = view.tickets[seat, kind]
            share = 2.0 if tickets == UNLIMITED else min(tickets / MANY, 2.0)
            facts[TICKETS_AT + place * len(TICKETS) + kind] = share
    for back in range(min(RECENT, view.entries)):
        entry, at = view.entries - 1 - back, LOG_AT + back * LOG_WIDTH
        facts[at + view.log[entry]] = 1.0
        if view.log_shown[entry] > 0:
            facts[at + SHOWN] = 1.0


@kernel
def pool(rows, out):
    """Write the mean and then the largest of every column."""
    out[:ROW_WIDTH] = 0.0
    out[ROW_WIDTH:] = -9.0
    for row in range(len(rows)):
        for column in range(ROW_WIDTH):
            out[column] += rows[row, column]
            out[ROW_WIDTH + column] = max(out[ROW_WIDTH + column], rows[row, column])
    for column in range(ROW_WIDTH):
        out[column] /= len(rows)
