"""Location categorization: how likely Mr. X is to stand so many moves from the nearest detective.

After Nijssen and Winands (CIG 2011). The category of a station is the number of moves that the nearest detective needed
to it when Mr. X moved there, 1 to 5, where 5 means five or more. The weight of a category is the number of times that
Mr. X was in it by the number of times that he may have been. Theirs, from 1,000 games, are ``PUBLISHED``; yours come
from games of any Mr. X against any detectives:

    python -m scotyard_baselines.beliefs.location_categories --mr-x greedy --games 1000
"""

import argparse
import functools

import numpy as np
from numpy.typing import NDArray

from scotyard_env.batch import Batch
from scotyard_env.duel import decide
from scotyard_env.kernel import kernel
from scotyard_env.policy import Policy, make_policy
from scotyard_env.rng import draw_unit
from scotyard_env.state import MR_X, PLAYING, WORDS, has, lowest

CATEGORIES = 5
PUBLISHED = (0.196, 0.671, 0.540, 0.384, 0.196)


@functools.cache
def parse_weights(text: str) -> tuple[float, ...]:
    """Read weights such as ``"0.2/0.7/0.5/0.4/0.2"``, one for each category."""
    try:
        weights = tuple(float(weight) for weight in text.split("/"))
    except ValueError:
        weights = ()
    if len(weights) != CATEGORIES or not all(0.0 < weight < np.inf for weight in weights):
        raise ValueError(f"weights is {text!r}: give {CATEGORIES} numbers above 0, such as {write_weights(PUBLISHED)}")
    return weights


def write_weights(weights: tuple[float, ...]) -> str:
    """Write weights as ``parse_weights`` reads them."""
    return "/".join(f"{weight:.3f}" for weight in weights)


@kernel
def category_of(board, state, station):
    """Tell the category of a station, 0 to 4: by where the detectives stood at the end of the round before."""
    nearest = CATEGORIES
    before = max(0, state.rounds - 1)
    for detective in range(state.seats - 1):
        nearest = min(nearest, int(board.distance[state.trail[before, detective], station]))
    return max(nearest, 1) - 1


@kernel
def weigh_stations(board, state, possible, weights, stations, heights):
    """List some possible stations with the running sums of their weights; return how many there are."""
    size, height = 0, 0.0
    for word in range(WORDS):
        rest = possible[word]
        while rest != 0:
            station = 64 * word + lowest(rest)
            rest &= rest - np.uint64(1)
            height += weights[category_of(board, state, station)]
            stations[size], heights[size] = station, height
            size += 1
    return size


@kernel
def spin_roulette(stations, heights, size, chances):
    """Draw one of the stations, each as likely as its share of the weights."""
    wanted = draw_unit(chances) * heights[size - 1]
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if heights[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return stations[low]


# ---------------------------------------------------------------------------------------------------- learn weights


def learn_weights(
    mr_x: str | Policy, detectives: str | Policy, games: int, seed: int, board: str | None = None
) -> tuple[float, ...]:
    """Play games and count, after every turn of Mr. X, the categories he may be in and the one he is in."""
    players = make_policy(mr_x, side="mr_x"), make_policy(detectives, side="detectives")
    batch, tallies = Batch(games, board, seed=seed), np.zeros((2, CATEGORIES), np.int64)
    while len(open_games := np.flatnonzero(batch.winners == PLAYING)):
        for side, player in enumerate(players):
            theirs = open_games[(batch.seats[open_games] != MR_X) == side]
            if len(theirs):
                batch.play(theirs, decide(player, batch.views(theirs), batch.rng))
                if side == 0:
                    tally_rows(batch.board.packed, batch.states, theirs, tallies)
    return shares_of(tallies)


def shares_of(tallies: NDArray[np.int64]) -> tuple[float, ...]:
    """Divide the times he was there by the times he may have been; what never came up gets one half of a time."""
    return tuple(float(max(was, 0.5) / max(may, 1)) for was, may in tallies.T)


@kernel
def tally_rows(boards, states, games, tallies):
    """Count for games in which Mr. X has just moved: row 0 the categories he is in, row 1 those he may be in."""
    for index in range(len(games)):
        state = states[games[index]]
        if state.seat != MR_X and state.winner == PLAYING:
            tally(boards[0], state, tallies)


@kernel
def tally(board, state, tallies):
    """Count for one game."""
    may = 0  # bit c: category c is possible
    for station in range(1, board.stations + 1):
        if has(state.possible, station):
            may |= 1 << category_of(board, state, station)
    tallies[0, category_of(board, state, state.station[MR_X])] += 1
    for category in range(CATEGORIES):
        tallies[1, category] += (may >> category) & 1


def main() -> None:
    """Learn weights and print them as ``pimbot`` takes them."""
    parser = argparse.ArgumentParser(
        prog="scotyard_baselines.beliefs.location_categories", description="Learn the weights of the categories."
    )
    parser.add_argument("--mr-x", default="greedy", help="the Mr. X whose habits are learned")
    parser.add_argument("--detectives", default="greedy", help="whom he plays against")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--board", default=None, help="london if left out")
    options = parser.parse_args()
    weights = learn_weights(options.mr_x, options.detectives, options.games, options.seed, options.board)
    print(f"pimbot:weights={write_weights(weights)}")


if __name__ == "__main__":
    main()
