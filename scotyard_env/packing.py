"""A board as kernels read it: one record with its moves, its distances and its sets of neighbours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scotyard_env.kernel import record_type
from scotyard_env.state import BLACK, FARES, FERRY, MAX_STATIONS, TRANSPORTS, WORDS

if TYPE_CHECKING:  # networkx takes 0.1 s to import: the functions that need it import it
    import networkx as nx

    from scotyard_env.board import Board
    from scotyard_env.links import Link

UNREACHABLE = 255  # a distance: there is no way, not even a long one
MAX_MOVES = MAX_STATIONS * (MAX_STATIONS - 1) * FARES  # every station linked with every other; London has 1,800

_ROWS = MAX_STATIONS + 1  # of a table by station

_Scalar = TypeVar("_Scalar", bound=np.generic)

BOARD = record_type(  # a board as kernels read it: one record, since compiled code passes it on as a pointer
    [
        ("stations", "i4"),
        ("first", "i4", (_ROWS + 1,)),  # moves from station s are rows first[s]..first[s+1] of `to` and `fare`
        ("to", "i2", (MAX_MOVES,)),  # station reached; the rows of one station are sorted by (to, fare)
        ("fare", "i1", (MAX_MOVES,)),  # ticket paid; every neighbour has a BLACK row, over a ferry no other
        ("reach", "u8", (FARES, _ROWS, WORDS)),  # the same as sets: the stations reached from s with fare f
        ("served", "u8", (FARES, WORDS)),  # the stations where fare f pays for any move at all, as a set
        ("distance", "u1", (_ROWS, _ROWS)),  # fewest moves of a detective, tickets aside; UNREACHABLE = no way
        ("mr_x_distance", "u1", (_ROWS, _ROWS)),  # the same for Mr. X, who takes the ferry too
        ("links", "i2", (_ROWS, len(TRANSPORTS))),  # number of links at a station by transport
    ]
)
BoardArrays = Any  # one record of BOARD


def freeze(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Return an array that cannot be written to, nor be made so again: it lies in bytes, which do not change."""
    return np.ndarray(array.shape, array.dtype, array.tobytes())


def plain_graph(board: Board, transports: Sequence[str] = TRANSPORTS) -> nx.Graph:
    """Return the plain graph of all stations, where those linked by any of the transports are neighbours."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(1, board.stations + 1))
    graph.add_edges_from(link[:2] for link in board.links if link.transport in transports)
    return graph


def by_station(board: Board, values: Mapping[int, Any], dtype: type[_Scalar]) -> NDArray[_Scalar]:
    """Return an array by station of a value for each."""
    return np.array([0, *(values[station] for station in range(1, board.stations + 1))], dtype)


def lay_out(board: Board) -> NDArray[np.float64]:
    """Place the stations so that their distances on paper resemble those in moves; no chance involved."""
    import networkx as nx

    positions = nx.kamada_kawai_layout(plain_graph(board), scale=50 * math.sqrt(board.stations))
    table = np.zeros((board.stations + 1, 2))
    table[1:] = [positions[station] for station in range(1, board.stations + 1)]
    table[1:] -= table[1:].min(axis=0)
    return table.round(1)


def pack(board: Board) -> NDArray[np.void]:
    """Write a board as an array of one record."""
    moves = _moves(board.links)
    station, to, fare = moves.T
    rows = slice(board.stations + 1)
    records = np.zeros(1, BOARD)
    record = records[0]
    record.stations = board.stations
    record.first[:] = np.searchsorted(station, np.arange(_ROWS + 1))
    record.to[: len(moves)] = to
    record.fare[: len(moves)] = fare
    record.reach[:, rows] = _reach(board.stations, station, to, fare)
    record.served[:] = np.bitwise_or.reduce(record.reach, axis=1)  # every link leads both ways
    record.distance[:] = record.mr_x_distance[:] = UNREACHABLE
    record.distance[rows, rows] = _distances(board, TRANSPORTS[:FERRY])
    record.mr_x_distance[rows, rows] = _distances(board, TRANSPORTS)
    record.links[rows] = _count_links(board)
    return records


def _moves(links: tuple[Link, ...]) -> NDArray[np.int64]:
    """List every (station, to, fare) once, sorted: a link takes the ticket of its transport's number, or BLACK."""
    moves = set()
    for a, b, transport in links:
        for fare in (TRANSPORTS.index(transport), BLACK):  # the ferry's number is BLACK
            moves |= {(a, b, fare), (b, a, fare)}
    return np.array(sorted(moves))


def _reach(
    stations: int, station: NDArray[np.int64], to: NDArray[np.int64], fare: NDArray[np.int64]
) -> NDArray[np.uint64]:
    sets = np.zeros((FARES, stations + 1, WORDS), np.uint64)
    np.bitwise_or.at(sets, (fare, station, to >> 6), np.uint64(1) << (to & 63).astype(np.uint64))
    return sets


def _distances(board: Board, transports: Sequence[str]) -> NDArray[np.uint8]:
    """Count the fewest moves from every station to every other: of all at once, one move further in each pass."""
    rows = board.stations + 1
    pairs = {link[:2] for link in board.links if link.transport in transports}
    steps = sorted({(b, a) for a, b in pairs} | pairs | {(station, station) for station in range(rows)})
    station, to = np.array(steps).T
    first = np.searchsorted(station, np.arange(rows))
    table = np.full((rows, rows), UNREACHABLE, np.uint8)
    reached = np.eye(rows, dtype=bool)
    moves = 0
    while (new := reached & (table == UNREACHABLE)).any():
        table[new] = moves
        moves += 1
        reached = np.logical_or.reduceat(reached[to], first)
    table[0, 0] = UNREACHABLE  # there is no station 0
    return table


def _count_links(board: Board) -> NDArray[np.int16]:
    counts = np.zeros((board.stations + 1, len(TRANSPORTS)), np.int16)
    for a, b, transport in board.links:
        counts[[a, b], TRANSPORTS.index(transport)] += 1
    return counts
