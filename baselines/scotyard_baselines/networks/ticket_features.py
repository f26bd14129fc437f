"""The ticket features of the detectives' moves: who arrives later, or never, for lack of tickets."""

from scotyard_baselines.capture.times import NEVER
from scotyard_baselines.geometry.detours import ALL_KINDS
from scotyard_baselines.geometry.rows import lower_later
from scotyard_baselines.networks.belief_features import COLUMNS, CONTRAST
from scotyard_baselines.networks.detective_beliefs import CAPTURE_VALUE, sum_up_exits
from scotyard_env.arrays import copy_values
from scotyard_env.encode.features import FAR
from scotyard_env.kernel import kernel
from scotyard_env.rules import fare_of, pass_action
from scotyard_env.state import BLACK

SPENDS_LAST = COLUMNS["detectives"].index("spends_last")
DETOUR = COLUMNS["detectives"].index("detour")
LATER_VALUE = COLUMNS["detectives"].index("later_capture_value")
LATER_OVER_BEST = COLUMNS["detectives"].index("later_capture_value_over_best")
NO_FARE = -1


@kernel
def write_ticket_features(board, view, times, worth, detours, scratch, likely, open_, ids, to, rows):
    """Write the ticket features of every legal move of a detective, whose belief features stand in the rows."""
    is_short = time_pairs_later(view, times, detours, scratch)
    best = 0.0
    for index in range(len(to)):
        row, fare = rows[index], NO_FARE if ids[index] == pass_action(board) else fare_of(ids[index])
        kinds = kinds_left(view, view.seat, fare)
        row[SPENDS_LAST] = 1.0 if kinds != kinds_left(view, view.seat, NO_FARE) else 0.0
        row[LATER_VALUE] = row[CAPTURE_VALUE]
        if is_short or kinds != ALL_KINDS:
            detour = detours[kinds, to[index]]
            for place in range(likely):
                station = scratch.likely[place]
                row[DETOUR] += scratch.belief[station] * min(detour[station] / FAR, 2.0)
            missed = value_if_missed_later(board, view, times, worth, detours, scratch, open_, to[index], detour)
            row[LATER_VALUE] = scratch.belief[to[index]] + missed
        best = max(best, row[LATER_VALUE])
    for index in range(len(to)):
        rows[index, LATER_OVER_BEST] = CONTRAST * (rows[index, LATER_VALUE] - best)


@kernel
def kinds_left(view, seat, fare):
    """Return the kinds of tickets that a detective has once it has paid a fare, a bit each."""
    kinds = 0
    for kind in range(BLACK):
        if view.tickets[seat, kind] != (1 if kind == fare else 0):
            kinds |= 1 << kind
    return kinds


@kernel
def time_pairs_later(view, times, detours, scratch):
    """Write how soon the best pair has Mr. X without the mover, with detours; return whether a colleague makes any."""
    is_short = False
    scratch.later_team[:] = NEVER
    for one in range(1, view.seats):
        if one != view.seat:
            kinds = kinds_left(view, one, NO_FARE)
            is_short |= kinds != ALL_KINDS
            here = detours[kinds, view.station[one]]
            for other in range(1, one):
                if other != view.seat:
                    there = detours[kinds_left(view, other, NO_FARE), view.station[other]]
                    lower_later(scratch.later_team, times[view.station[one], view.station[other]], here, there)
    return is_short


@kernel
def value_if_missed_later(board, view, times, worth, detours, scratch, open_, to, detour):
    """Return how lost Mr. X is where he may flee to if the mover misses him, with the detours of all."""
    copy_values(scratch.later_team, scratch.time)
    for seat in range(1, view.seats):
        if seat != view.seat:
            there = detours[kinds_left(view, seat, NO_FARE), view.station[seat]]
            lower_later(scratch.time, times[to, view.station[seat]], detour, there)
    return sum_up_exits(board, view, worth, scratch, open_, to)
