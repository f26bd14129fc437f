"""Detours: how many moves more a detective needs to a station for want of tickets.

Capture times and distances take tickets for granted. A detective who has spent all tickets of a kind travels by the
others only, or not at all.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import LONG
from scotyard_env.board import Board
from scotyard_env.packing import freeze
from scotyard_env.state import BLACK, TRANSPORTS

ALL_KINDS = (1 << BLACK) - 1  # as a set of kinds of tickets, a bit each: a detective has them all


@functools.lru_cache(maxsize=8)
def detours(board: Board) -> NDArray[np.uint8]:
    """Return detours[kinds, a, b]: moves more from a to b with these kinds of tickets only, at most LONG."""
    size = board.stations + 1
    links = np.zeros((BLACK, size, size), np.bool_)
    for a, b, transport in board.links:
        if (kind := TRANSPORTS.index(transport)) < BLACK:
            links[kind, a, b] = links[kind, b, a] = True
    moves = np.stack([count_moves(_join(links, kinds)) for kinds in range(1 + ALL_KINDS)])
    return freeze(np.minimum(moves - moves[ALL_KINDS], LONG).astype(np.uint8))


def _join(links: NDArray[np.bool_], kinds: int) -> NDArray[np.bool_]:
    """Return the links that some kinds of tickets pay for."""
    joined: NDArray[np.bool_] = np.zeros_like(links[0])
    for kind in range(BLACK):
        if kinds >> kind & 1:
            joined |= links[kind]
    return joined


def count_moves(links: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many moves it is from each station to each other along these links; what is out of reach is far."""
    reached = np.eye(len(links), dtype=np.bool_)
    moves = np.where(reached, 0, len(links) + LONG)
    for number in range(1, len(links)):
        further = (reached.astype(np.float32) @ links > 0) & ~reached
        if not further.any():
            break
        moves[further] = number
        reached |= further
    return moves
