"""Which stations Mr. X can have reached, and their base probability: by all the table knows, or by tickets alone.

By tickets alone is GenerateReachableNodes of "A* + Greedy Movement Algorithm for Detectives": from the station where he
was last seen, or from his start cards, one link more for each entry of the log since then. No detective plays a part:
neither where one stood in the way nor where one has landed since.
"""

from typing import Literal

from scotyard_env.arrays import copy_values
from scotyard_env.belief import begin_where_seen, follow_links, walk_since_seen, weigh_by_paths, weigh_uniformly
from scotyard_env.kernel import kernel
from scotyard_env.state import FARES, MR_X, has

Reachable = Literal["exact", "shown", "tickets"]
EXACT, SHOWN, TICKETS = range(3)  # the same as kernels read it


@kernel
def weigh_possible(board, view, by_paths, weights, paths):
    """Write the base probability of the stations where Mr. X may be for all the table knows by now."""
    if by_paths:
        weigh_by_paths(board, view, False, weights, paths)
    else:
        weigh_uniformly(board, view, weights)


@kernel
def weigh_reachable(board, view, by_paths, reachable, weights, paths):
    """Write the same before the detectives moved this round, or for what tickets alone allow; it need not add up."""
    if reachable == EXACT:
        walk_since_seen(board, view, False, weights, paths)
    else:
        generate_reachable_nodes(board, view, reachable == SHOWN, weights, paths)
    for station in range(1, board.stations + 1):
        if reachable == EXACT and not has(view.possible, station) and not has_just_landed(view, station):
            weights[station] = 0.0
        if not by_paths and weights[station] > 0.0:
            weights[station] = 1.0


@kernel
def has_just_landed(view, station):
    """Tell whether a detective has moved to a station in this round."""
    for seat in range(1, view.seat):
        if view.station[seat] == station:
            return True
    return False


@kernel
def generate_reachable_nodes(board, view, by_log, weights, scratch):
    """Write for every station in how many ways tickets lead there: those he showed, or any that he may have had."""
    begin_where_seen(board, view, weights)
    for entry in range(view.seen_entry, view.entries):
        scratch[:] = 0.0
        for fare in range(FARES):
            if view.log[entry] == fare or (not by_log and is_available(view, entry, fare)):
                follow_links(board, fare, weights, scratch)
        copy_values(scratch, weights)


@kernel
def is_available(view, entry, fare):
    """Tell whether Mr. X may have had a ticket at an entry of the log: he has one now, or has paid with one since."""
    available = view.tickets[MR_X, fare] != 0
    for later in range(entry, view.entries):
        available |= view.log[later] == fare
    return available
