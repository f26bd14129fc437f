"""The weighted transport graph of the document, and what a ticket is worth by it."""

import functools

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.packing import UNREACHABLE, freeze
from scotyard_env.state import TRANSPORTS

LINK_WEIGHTS = (1, 2, 3, 4)  # of a taxi, bus, underground and ferry link: the scarcer the ticket, the longer the way
TICKET_WORTH = np.array(LINK_WEIGHTS, np.float64)  # of a ticket that pays for it; a black one pays for the ferry


@functools.lru_cache(maxsize=8)
def weigh_links(board: Board) -> NDArray[np.void]:
    """Return a board as kernels read it whose distances are those of its weighted transport graph, all links in it."""
    from scipy.sparse import coo_array  # slow to import: only for who asks for it
    from scipy.sparse.csgraph import shortest_path

    weights: dict[tuple[int, int], int] = {}
    for a, b, transport in board.links:
        weight = LINK_WEIGHTS[TRANSPORTS.index(transport)]
        weights[a, b] = min(weight, weights.get((a, b), weight))
    rows, columns = np.array(list(weights)).T
    size = board.stations + 1
    graph = coo_array((list(weights.values()), (rows, columns)), shape=(size, size))
    packed = board.packed.copy()
    distances = np.minimum(shortest_path(graph, directed=False), UNREACHABLE)
    packed[0].distance[1:size, 1:size] = distances[1:, 1:].astype(np.uint8)
    return freeze(packed)
