"""Targets for all detectives at once: different ones, likely and near."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.geometry.a_star import UNPAYABLE, new_scratch, write_lengths
from scotyard_env.belief import Belief
from scotyard_env.view import View

LIKELIEST = 1e3  # moves that the likeliest station is worth: probability comes first, as where each chooses for itself
FORBIDDEN = 1e6  # the cost of what is no target


def assign_targets(view: View, probability: Belief) -> dict[int, int]:
    """Return a target for each detective yet to move: no two the same, the likeliest ones, by short paths.

    Where there are fewer stations than detectives, or no tickets to get there, some are left without.
    """
    from scipy.optimize import linear_sum_assignment  # takes its time to import, and nobody else needs it

    seats, stations = range(view.seat, len(view.stations)), np.flatnonzero(probability)
    lengths = path_lengths(view, seats)[:, stations]
    likely = probability[stations] / probability.max()
    is_open = (lengths > 0) & (lengths < UNPAYABLE)  # somewhere else, and within the tickets
    cost = np.where(is_open, lengths - LIKELIEST * likely, FORBIDDEN)
    chosen = zip(*linear_sum_assignment(cost), strict=True)
    return {seats[row]: int(stations[column]) for row, column in chosen if cost[row, column] < FORBIDDEN}


def path_lengths(view: View, seats: Sequence[int]) -> NDArray[np.int64]:
    """Return the moves of the shortest paths that detectives can pay for, UNPAYABLE if none: (seats, stations + 1)."""
    states, scratch = view.states.copy(), new_scratch()
    lengths = np.empty((len(seats), view.board.stations + 1), np.int64)
    for seat, row in zip(seats, lengths, strict=True):
        states["seat"] = seat
        write_lengths(view.board.packed, states, scratch, row)
    return lengths
