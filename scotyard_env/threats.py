"""Who can reach a station: how near the detectives are, who could step there at once, and which ways out are left.

All of it is about a view or a state alike: where Mr. X is hidden plays no part. Distances count a detective's moves,
tickets aside.
"""

import numpy as np

from scotyard_env.kernel import kernel
from scotyard_env.packing import UNREACHABLE
from scotyard_env.rules import is_taken
from scotyard_env.state import BLACK, WORDS, count, has, ones


@kernel
def nearest_detective(board, view, station):
    """Return the moves that the nearest detective needs to a station; UNREACHABLE = none can get there."""
    nearest = UNREACHABLE
    for seat in range(1, view.seats):
        nearest = min(nearest, board.distance[view.station[seat], station])
    return nearest


@kernel
def distance_to_nearest(board, detectives, station, most):
    """Return the moves that the nearest of some detectives needs to a station, at most so many; given by stations."""
    nearest = most
    for place in range(len(detectives)):
        nearest = min(nearest, board.distance[detectives[place], station])
    return nearest


@kernel
def can_step_to(board, view, seat, station):
    """Return whether this detective has a link and a ticket to step to a station at once."""
    for fare in range(BLACK):
        if view.tickets[seat, fare] != 0 and has(board.reach[fare, view.station[seat]], station):
            return True
    return False


@kernel
def is_threatened(board, view, station):
    """Return whether any detective could step to a station at once."""
    for seat in range(1, view.seats):
        if can_step_to(board, view, seat, station):
            return True
    return False


@kernel
def count_threats(board, view, station):
    """Count the detectives that could step to a station at once."""
    threats = 0
    for seat in range(1, view.seats):
        if can_step_to(board, view, seat, station):
            threats += 1
    return threats


@kernel
def count_exits(board, view, station):
    """Count the free neighbours of a station."""
    exits = 0
    for row in range(board.first[station], board.first[station + 1]):
        if board.fare[row] == BLACK and not is_taken(view, board.to[row]):
            exits += 1
    return exits


@kernel
def count_safe_exits(board, view, station):
    """Count the free neighbours of a station that nobody could step to at once."""
    safe = 0
    for row in range(board.first[station], board.first[station + 1]):
        to = board.to[row]
        if board.fare[row] == BLACK and not is_taken(view, to) and not is_threatened(board, view, to):
            safe += 1
    return safe


@kernel
def is_beside(board, view, station):
    """Return whether a detective stands beside a station."""
    for seat in range(1, view.seats):
        if board.distance[view.station[seat], station] == 1:
            return True
    return False


@kernel
def share_beside(board, view, stations):
    """Return the share of a set of stations that a detective stands beside."""
    beside = 0
    for word in range(WORDS):
        near = np.uint64(0)
        for seat in range(1, view.seats):
            for fare in range(BLACK):
                near |= board.reach[fare, view.station[seat], word]
        beside += ones(stations[word] & near)
    return beside / count(stations)
