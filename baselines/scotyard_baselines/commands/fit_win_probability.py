"""Weights of the value function, fitted to games: ``scotyard fit win_probability``.

Prints how well they predict who got away, and the weights as rollouts/win_probability.py takes them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.rollouts.win_probability import FEATURES, describe_games
from scotyard_env.batch import Batch, Games
from scotyard_env.commands import run_module
from scotyard_env.duel import play_batch
from scotyard_env.policy import make_policy
from scotyard_env.state import MR_X_WINS

STEPS = 30  # of Newton's method


@dataclass(frozen=True)
class Command:
    """Fit the probability that Mr. X escapes to games."""

    mr_x: str = "phantom:rollouts=64"
    """The Mr. X who is watched."""
    detectives: str = "hunters"
    """Whom he plays against."""
    games: int = 400
    seed: int = 0

    def run(self) -> None:
        """Play, fit and print."""
        rows, won = collect(self.mr_x, self.detectives, self.games, self.seed)
        weights = fit(rows, won)
        predicted = 1.0 / (1.0 + np.exp(-rows @ weights))
        print(f"{len(rows)} positions, {won.mean():.1%} won; squared error {np.mean((predicted - won) ** 2):.4f}")
        for name, weight in zip(FEATURES, weights, strict=True):
            print(f'    "{name}": {weight:.2f},')


def collect(mr_x: str, detectives: str, games: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Play games; return the features of every position in which Mr. X was to move, and whether he got away."""
    players = make_policy(mr_x, side="mr_x"), make_policy(detectives, side="detectives")
    batch = Batch(games, seed=seed)
    rows: list[NDArray[np.float64]] = []
    owners: list[Games] = []

    def describe_before(side: str, theirs: Games) -> None:
        if side == "mr_x":
            deciding = theirs[batch.states["owed"][theirs] == 0]
            rows.append(describe_games(batch.board, batch.rules, batch.states, deciding))
            owners.append(deciding)

    play_batch(batch, *players, batch.rngs, before=describe_before)
    return np.concatenate(rows), (batch.winners == MR_X_WINS)[np.concatenate(owners)]


def fit(rows: NDArray[np.float64], won: NDArray[np.bool_], ridge: float = 1.0) -> NDArray[np.float64]:
    """Fit a logistic regression by Newton's method; ridge keeps weights of rare features small."""
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        predicted = 1.0 / (1.0 + np.exp(-rows @ weights))
        gradient = rows.T @ (won - predicted) - ridge * weights
        hessian = (rows * (predicted * (1.0 - predicted))[:, None]).T @ rows + ridge * np.eye(len(weights))
        weights += np.linalg.solve(hessian, gradient)
    return weights


if __name__ == "__main__":
    run_module(Command)
