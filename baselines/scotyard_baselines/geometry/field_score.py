"""How risky a station is to Mr. X: the one evaluation function of "Decoy Movement Algorithm for Mr. X"."""

import numpy as np

from scotyard_env.belief import weigh_by_paths
from scotyard_env.kernel import kernel
from scotyard_env.packing import UNREACHABLE
from scotyard_env.threats import count_safe_exits, distance_to_nearest, nearest_detective


@kernel
def field_score(board, view, station, weights, radius, believed):
    """Return how risky a station is: by who is nearest, by escape routes, by the detectives that close in."""
    risk, enclosure, closing_in = field_terms(board, view, station, weights, radius, believed)
    return risk + enclosure + closing_in


@kernel
def field_terms(board, view, station, weights, radius, believed):
    """Return the three parts of the score, each by its weight.

    A detective within the radius closes in. Stations that the detectives believe in, if there are any, count in place
    of those where they stand: that is where they are going.
    """
    w_r, w_e, w_o = weights
    if len(believed) > 0:
        away = distance_to_nearest(board, believed, station, UNREACHABLE)
    else:
        away = nearest_detective(board, view, station)
    enclosure = 1.0 / (1.0 + count_safe_exits(board, view, station))
    closing_in = 0
    for seat in range(1, view.seats):
        if board.distance[view.station[seat], station] <= radius:
            closing_in += 1
    return w_r * (1.0 / max(1, away)), w_e * enclosure, w_o * closing_in / (view.seats - 1)


@kernel
def write_terms(boards, states, station, weights, radius, by_belief, terms):
    """Write the three parts of the score of a station."""
    belief, paths = np.zeros(boards[0].stations + 1), np.zeros(boards[0].stations + 1)
    stations = np.zeros(boards[0].stations, np.int64)
    believed = stations[: list_believed(boards[0], states[0], belief, paths, stations) if by_belief else 0]
    terms[0], terms[1], terms[2] = field_terms(boards[0], states[0], station, weights, radius, believed)


@kernel
def list_believed(board, view, belief, scratch, stations):
    """List the stations where the detectives take Mr. X to be, by the number of paths that lead there; return how many.

    That is what the table knows before his move.
    """
    weigh_by_paths(board, view, False, belief, scratch)
    likeliest, count = belief[1 : board.stations + 1].max(), 0
    for station in range(1, board.stations + 1):
        if belief[station] == likeliest:
            stations[count] = station
            count += 1
    return count
