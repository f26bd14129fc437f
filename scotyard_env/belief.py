"""Where Mr. X may be: the exact set, a weighting over it, and samples of it (the "front search" of pursuit games).

The exact set is kept with the state by the rules (``view.possible``). A belief is an array of one probability per
station, ``belief[station]``, row 0 unused; it is a pure function of a view, so policies need no memory. Installed
packages add beliefs of theirs by the entry-point group ``scotyard_env.beliefs``: functions from a view to such arrays.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.arrays import copy_values
from scotyard_env.board import Board
from scotyard_env.kernel import kernel
from scotyard_env.plugins import Group
from scotyard_env.state import count, has
from scotyard_env.threats import distance_to_nearest
from scotyard_env.view import View

Belief = NDArray[np.float64]
WEIGHTINGS = ("paths", "uniform", "evasive")  # those that are always there
FAR_ENOUGH = 4  # an evasive Mr. X cares for distance up to this
WORTH = tuple(math.exp(distance) for distance in range(FAR_ENOUGH + 1))  # what a distance is worth to him


def _check_function(found: Any) -> None:
    if not callable(found):
        raise ValueError("should be a function that gives the probability of every station from a view")


BELIEFS = Group("scotyard_env.beliefs", "belief", _check_function)


def belief_names() -> tuple[str, ...]:
    """List the beliefs by name: ours, then those that are installed."""
    return (*WEIGHTINGS, *(name for name in BELIEFS.find() if name not in WEIGHTINGS))


def weigh(view: View, weighting: str = "paths") -> Belief:
    """Return the probability of every possible station.

    ``"paths"``: by the number of paths that lead there unseen; ``"uniform"``: all the same; ``"evasive"``: by those
    paths too, each step weighed by exp(distance to the nearest detective), as of a Mr. X who looks one move ahead; or
    the name of a belief that is installed.
    """
    belief = np.zeros(view.board.stations + 1)
    if weighting in ("paths", "evasive"):
        weigh_by_paths(view.board.arrays, view.state, weighting == "evasive", belief, np.zeros_like(belief))
    elif weighting == "uniform":
        weigh_uniformly(view.board.arrays, view.state, belief)
    elif weighting in belief_names():
        belief = _ask(view, weighting)
    else:
        raise ValueError(f"there is no weighting {weighting!r}: there are {', '.join(belief_names())}")
    return belief


def _ask(view: View, name: str) -> Belief:
    """Return the belief of a function that is installed, and make sure that it is one."""
    belief = np.asarray(BELIEFS.load(name)(view), np.float64)
    if belief.shape != (view.board.stations + 1,) or not (belief >= 0).all() or not np.isclose(belief.sum(), 1):
        wanted = f"{view.board.stations + 1} numbers of at least 0 that add up to 1"
        raise ValueError(f"the belief {name!r} is no belief on board {view.board.name!r}: it should give {wanted}")
    return belief


def sample_particles(belief: Belief, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw stations by their probability, with repetition."""
    return rng.choice(len(belief), size=size, p=belief)


def top_stations(belief: Belief, size: int) -> list[int]:
    """List the likeliest stations, likeliest first, lower numbers first among equals; fewer if fewer are possible."""
    order = np.argsort(-belief, kind="stable")[:size]
    return [int(station) for station in order if belief[station] > 0]


def entropy(belief: Belief) -> float:
    """Measure in bits how uncertain a belief is: 0 where Mr. X is known."""
    likely = belief[belief > 0]
    return float(-(likely * np.log2(likely)).sum())


def centroid(board: Board, belief: Belief) -> int:
    """Find the station with the least expected distance to Mr. X, as a detective travels; the lowest among equals."""
    expected = board.arrays.distance[1 : len(belief), : len(belief)].astype(np.float64) @ belief
    return 1 + int(np.argmin(expected))


@kernel
def weigh_uniformly(board, state, belief):
    """Write the same probability for every possible station."""
    share = 1.0 / count(state.possible)
    for station in range(1, board.stations + 1):
        belief[station] = share if has(state.possible, station) else 0.0


@kernel
def weigh_by_paths(board, state, evasive, belief, scratch):
    """Write for every possible station the share of hidden paths that end there, since he was seen or the deal."""
    walk_since_seen(board, state, evasive, belief, scratch)
    keep_possible(board, state, belief)


@kernel
def walk_since_seen(board, state, evasive, belief, scratch):
    """Write for every station the number of hidden paths that end there, up to Mr. X's last move."""
    walked = begin_where_seen(board, state, belief)
    for entry in range(state.seen_entry, state.entries):
        if state.log_round[entry] > walked:
            strike_out_landings(state, walked, belief)
            walked = state.log_round[entry]
        walk_all_paths(board, state, entry, belief, scratch)
        if evasive:
            prefer_distance(board, state, state.log_round[entry] - 1, scratch)
        copy_values(scratch, belief)


@kernel
def begin_where_seen(board, state, belief):
    """Begin with where Mr. X was seen last, or with his start cards; return the round that this was in."""
    belief[:] = 0.0
    if state.seen_entry > 0:
        belief[state.seen] = 1.0
        return state.log_round[state.seen_entry - 1]
    for station in range(1, board.stations + 1):
        if has(state.start, station):
            belief[station] = 1.0
    return np.uint8(0)


@kernel
def strike_out_landings(state, walked, belief):
    """Nobody was where the detectives stood at the end of this round."""
    for detective in range(state.seats - 1):
        belief[state.trail[walked, detective]] = 0.0


@kernel
def prefer_distance(board, state, walked, weights):
    """Weigh every station by its distance from where the detectives stood at the end of this round."""
    detectives = state.trail[walked, : state.seats - 1]
    for station in range(1, board.stations + 1):
        if weights[station] > 0.0:
            weights[station] *= WORTH[distance_to_nearest(board, detectives, station, FAR_ENOUGH)]


@kernel
def walk_all_paths(board, state, entry, belief, scratch):
    """Lengthen every path by one move with the fare shown at this log entry, past the detectives of that time."""
    scratch[:] = 0.0
    follow_links(board, state.log[entry], belief, scratch)
    strike_out_landings(state, state.log_round[entry] - 1, scratch)


@kernel
def follow_links(board, fare, weights, after):
    """Lengthen every path by one link that a ticket pays for, and add them up where they lead."""
    for station in range(1, board.stations + 1):
        if weights[station] > 0.0:
            for row in range(board.first[station], board.first[station + 1]):
                if board.fare[row] == fare:
                    after[board.to[row]] += weights[station]


@kernel
def keep_possible(board, state, belief):
    """Strike out what the table knows to be impossible, and make probabilities of the rest."""
    total = 0.0
    for station in range(1, board.stations + 1):
        if not has(state.possible, station):
            belief[station] = 0.0
        total += belief[station]
    for station in range(1, board.stations + 1):
        belief[station] /= total
