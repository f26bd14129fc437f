"""Weights of the location categories, learned from games: ``scotyard fit location_categories --mr-x greedy``.

Prints them as ``pimbot`` takes them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.location_categories import CATEGORIES, category_of, write_weights
from scotyard_env.batch import Batch, Games
from scotyard_env.commands import run_module
from scotyard_env.duel import play_batch
from scotyard_env.kernel import kernel
from scotyard_env.policy import Policy, make_policy
from scotyard_env.state import MR_X, PLAYING, has


@dataclass(frozen=True)
class Command:
    """Fit the distribution of Mr. X's distance from the nearest detective to games."""

    mr_x: str = "greedy"
    """The Mr. X whose habits are learned."""
    detectives: str = "greedy"
    """Whom he plays against."""
    games: int = 1000
    seed: int = 0
    board: str | None = None
    """London if left out."""

    def run(self) -> None:
        """Play, count and print."""
        weights = fit_weights(self.mr_x, self.detectives, self.games, self.seed, self.board)
        print(f"pimbot:weights={write_weights(weights)}")


def fit_weights(
    mr_x: str | Policy, detectives: str | Policy, games: int, seed: int, board: str | None = None
) -> tuple[float, ...]:
    """Play games and count, after every turn of Mr. X, the categories he may be in and the one he is in."""
    players = make_policy(mr_x, side="mr_x"), make_policy(detectives, side="detectives")
    batch, counts = Batch(games, board, seed=seed), np.zeros((2, CATEGORIES), np.int64)

    def count_after(side: str, played: Games) -> None:
        if side == "mr_x":
            count_rows(batch.board.packed, batch.states, played, counts)

    play_batch(batch, *players, batch.rngs, after=count_after)
    return relative_frequencies(counts)


def relative_frequencies(counts: NDArray[np.int64]) -> tuple[float, ...]:
    """Divide the times he was there by the times he may have been; what never came up gets one half of a time."""
    return tuple(float(max(was, 0.5) / max(may, 1)) for was, may in counts.T)


@kernel
def count_rows(boards, states, games, counts):
    """Count for games in which Mr. X has just moved: row 0 the categories he is in, row 1 those he may be in."""
    for index in range(len(games)):
        state = states[games[index]]
        if state.seat != MR_X and state.winner == PLAYING:
            count_categories(boards[0], state, counts)


@kernel
def count_categories(board, state, counts):
    """Count for one game."""
    may = 0  # bit c: category c is possible
    for station in range(1, board.stations + 1):
        if has(state.possible, station):
            may |= 1 << category_of(board, state, station)
    counts[0, category_of(board, state, state.station[MR_X])] += 1
    for category in range(CATEGORIES):
        counts[1, category] += (may >> category) & 1


if __name__ == "__main__":
    run_module(Command)
