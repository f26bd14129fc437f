"""Exact capture times: how many rounds two detectives need for a Mr. X whom they see, if both sides play their best.

Tickets are unlimited here, everybody must move, and Mr. X may take the ferry. The times come from retrograde analysis:
where the detectives win in t rounds is worked out, as sets of stations of Mr. X, from where they win in t - 1. London
takes seconds and 8 MB, once in a process.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK, WORDS, add, has

NEVER = 255  # these two do not catch him at all


def capture_times(board: Board) -> NDArray[np.uint8]:
    """Give times[a, b, x]: rounds until detectives on a and b, who are to move, catch Mr. X on x; or NEVER."""
    return _solve(board)


@functools.lru_cache(maxsize=4)
def _solve(board: Board) -> NDArray[np.uint8]:
    size = board.stations + 1
    times = np.full((size, size, size), NEVER, np.uint8)
    before = np.zeros((size, size, WORDS), np.uint64)  # Mr. X, to move from here, is lost within t - 1 rounds
    rounds = 1
    while take_back(board.arrays, before, times, rounds):
        rounds += 1
    times.setflags(write=False)
    return times


@kernel
def take_back(board, before, times, rounds):
    """Mark where Mr. X is lost before this round, then every position that is won in it; tell if there were any."""
    for a in range(1, board.stations + 1):
        for b in range(1, a):
            mark_lost(board, before, times, a, b, rounds - 1)
    is_any = False
    for a in range(1, board.stations + 1):
        for b in range(1, a):
            if mark_wins(board, before, times, a, b, rounds):
                is_any = True
    return is_any


@kernel
def mark_wins(board, before, times, a, b, rounds):
    """Mark the stations on which two detectives to move catch Mr. X in so many rounds; tell if there are any."""
    won_0 = won_1 = won_2 = won_3 = np.uint64(0)
    for fare in range(BLACK):
        won_0 |= board.reach[fare, a, 0] | board.reach[fare, b, 0]
        won_1 |= board.reach[fare, a, 1] | board.reach[fare, b, 1]
        won_2 |= board.reach[fare, a, 2] | board.reach[fare, b, 2]
        won_3 |= board.reach[fare, a, 3] | board.reach[fare, b, 3]
    for row in range(board.first[a], board.first[a + 1]):
        for column in range(board.first[b], board.first[b + 1]):
            to_a, to_b = board.to[row], board.to[column]
            if board.fare[row] != BLACK and board.fare[column] != BLACK and to_a != to_b:
                lost = before[max(to_a, to_b), min(to_a, to_b)]
                won_0 |= lost[0]
                won_1 |= lost[1]
                won_2 |= lost[2]
                won_3 |= lost[3]
    is_any = False
    for x in range(1, board.stations + 1):
        word = won_0 if x < 64 else won_1 if x < 128 else won_2 if x < 192 else won_3
        if times[a, b, x] == NEVER and (word >> np.uint64(x & 63)) & np.uint64(1) != 0:
            times[a, b, x] = times[b, a, x] = rounds
            is_any = True
    return is_any


@kernel
def mark_lost(board, before, times, a, b, rounds):
    """Mark the stations from which Mr. X, to move, is stuck or steps onto one that is won in so many rounds."""
    for x in range(1, board.stations + 1):
        if x != a and x != b and not has(before[a, b], x) and is_lost(board, times, a, b, x, rounds):
            add(before[a, b], x)


@kernel
def is_lost(board, times, a, b, x, rounds):
    """Tell whether every free neighbour of a station is won in at most so many rounds."""
    for row in range(board.first[x], board.first[x + 1]):
        to = board.to[row]
        if board.fare[row] == BLACK and to != a and to != b and times[a, b, to] > rounds:
            return False
    return True
