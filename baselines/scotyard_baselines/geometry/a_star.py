"""A* over stations and the tickets left: a shortest path that a detective can pay for.

A label is one way to a station, with what it leaves of the purse; a way that leaves no more of any ticket than another
to the same station is dominated and not followed.
"""

import numpy as np
from numpy.typing import NDArray

from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import is_taken, move_action
from scotyard_env.state import BLACK, MAX_STATIONS, NOWHERE
from scotyard_env.view import View

NONE = -1  # no label, no path
UNPAYABLE = 2 * MAX_STATIONS  # in place of a length: no path can be paid for
ROOM = 1 << 14  # for labels; on London no search needs more than 3,100, with 30 tickets of each kind to spend

SCRATCH = record_type(
    [
        ("labels", "i4"),  # how many there are
        ("newest", "i4", (MAX_STATIONS + 1,)),  # label of each station; NONE = tickets have not led there
        ("open", "i4", (2 * MAX_STATIONS + 2,)),  # newest label to go on from, by estimated length
        ("station", "i2", (ROOM,)),
        ("left", "i2", (ROOM, BLACK)),  # tickets left: taxi, bus, underground
        ("moves", "i2", (ROOM,)),  # made so far
        ("fare", "i1", (ROOM,)),  # paid for the last of them
        ("parent", "i4", (ROOM,)),  # label before the last of them; NONE = this is the start
        ("next_here", "i4", (ROOM,)),  # next older label of the same station
        ("next_open", "i4", (ROOM,)),  # next older label of the same estimated length
    ]
)


def new_scratch() -> NDArray[np.void]:
    """Return scratch memory for one search, as an array of one record."""
    return np.zeros(1, SCRATCH)


def shortest_path(view: View, target: int) -> list[int] | None:
    """Return the moves of a shortest path that the detective to move can pay for; None if there is none."""
    scratch = new_scratch()
    moves = np.empty(MAX_STATIONS + 2, np.int64)  # all stations, and back to the start
    count = write_path(view.board.packed, view.states, scratch, target, moves)
    return None if count == NONE else moves[:count].tolist()


@kernel
def find_path(board, view, target, scratch):
    """Search by A* for a shortest path of the detective to move; return the label that ends it, NONE if there is none.

    The estimate of the way still to go is the distance with all tickets in the world, which is never too long.
    """
    scratch.newest[:] = scratch.open[:] = NONE
    scratch.labels = 0
    put_start(board, view, target, scratch)
    for length in range(len(scratch.open)):
        while scratch.open[length] != NONE:
            label = scratch.open[length]
            scratch.open[length] = scratch.next_open[label]
            if scratch.station[label] == target:
                return label
            go_on(board, view, target, scratch, label)
    return NONE


@kernel
def put_start(board, view, target, scratch):
    """Put down the label of the start: no moves, the purse untouched."""
    scratch.station[0] = view.station[view.seat]
    scratch.moves[0] = 0
    scratch.parent[0] = NONE
    for kind in range(BLACK):
        scratch.left[0, kind] = view.tickets[view.seat, kind]
    keep_label(board, target, scratch)
    scratch.newest[scratch.station[0]] = NONE  # it dominates no other: who comes back may go where colleagues were


@kernel
def go_on(board, view, target, scratch, label):
    """Put down a label for every station one more move leads to; the first move, to none that a colleague holds."""
    station = scratch.station[label]
    is_first = scratch.parent[label] == NONE
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        if fare == BLACK or scratch.left[label, fare] == 0 or scratch.labels == ROOM:
            continue
        if is_first and is_taken(view, to):
            continue
        new = scratch.labels
        scratch.station[new] = to
        scratch.moves[new] = scratch.moves[label] + 1
        scratch.fare[new] = fare
        scratch.parent[new] = label
        for kind in range(BLACK):
            scratch.left[new, kind] = scratch.left[label, kind] - (kind == fare)
        if not is_dominated(scratch, new):
            keep_label(board, target, scratch)


@kernel
def is_dominated(scratch, new):
    """Tell whether another way to the same station leaves as many tickets of every kind, hence is no longer either."""
    label = scratch.newest[scratch.station[new]]
    while label != NONE:
        if (
            scratch.left[label, 0] >= scratch.left[new, 0]
            and scratch.left[label, 1] >= scratch.left[new, 1]
            and scratch.left[label, 2] >= scratch.left[new, 2]
        ):
            return True
        label = scratch.next_here[label]
    return False


@kernel
def keep_label(board, target, scratch):
    """Keep the label just written: it belongs to its station, and is open."""
    new = scratch.labels
    station = scratch.station[new]
    length = scratch.moves[new] + board.distance[station, target]
    scratch.next_here[new] = scratch.newest[station]
    scratch.newest[station] = new
    scratch.next_open[new] = scratch.open[length]
    scratch.open[length] = new
    scratch.labels += 1


@kernel
def first_step(scratch, label):
    """Return the first move of the path that a label ends."""
    while scratch.moves[label] > 1:
        label = scratch.parent[label]
    return move_action(scratch.station[label], scratch.fare[label])


@kernel
def write_path(boards, states, scratches, target, moves):
    """Write the moves of a shortest path; return how many."""
    label = find_path(boards[0], states[0], target, scratches[0])
    if label == NONE:
        return NONE
    count = int(scratches[0].moves[label])
    for place in range(count - 1, -1, -1):
        moves[place] = move_action(scratches[0].station[label], scratches[0].fare[label])
        label = scratches[0].parent[label]
    return count


@kernel
def write_first_steps(boards, states, scratches, stations, steps):
    """Write the first move on the way to each of some stations, NONE where no path can be paid for."""
    for index in range(len(stations)):
        last = find_path(boards[0], states[0], stations[index], scratches[0])
        steps[index] = NONE if last == NONE else first_step(scratches[0], last)


@kernel
def write_lengths(boards, states, scratches, lengths):
    """Write how many moves a shortest path of the detective to move has to every station."""
    measure_lengths(boards[0], states[0], scratches[0], lengths)


@kernel
def measure_lengths(board, view, scratch, lengths):
    """Measure the paths to all stations: a search that finds no end has been everywhere that the tickets lead."""
    find_path(board, view, NOWHERE, scratch)
    lengths[:] = UNPAYABLE
    for label in range(scratch.labels):
        station = scratch.station[label]
        lengths[station] = min(lengths[station], scratch.moves[label])
