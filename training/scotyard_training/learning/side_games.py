"""Many games of one learning side against a pool of policies, played on and on: a game that ends is dealt anew."""

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.networks.inputs import Inputs, make_inputs
from scotyard_baselines.networks.own_posterior import OwnPosterior
from scotyard_env.batch import Batch, Games
from scotyard_env.board import Board
from scotyard_env.duel import Duel
from scotyard_env.policy import PolicyLike, Side
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import DETECTIVES_WIN, MR_X
from scotyard_training.learning.opponents import MAX_OPPONENTS, names_of


class SideGames:
    """The games of a side that learns, and how they went."""

    def __init__(
        self,
        side: Side,
        pool: Mapping[PolicyLike, float],
        *,
        num_envs: int,
        board: str | Board,
        rules: str | RuleSet | None,
        seed: int,
        survival_reward: float = 0.0,
        posterior: OwnPosterior | None = None,
    ) -> None:
        self.side: Side = side
        self.survival_reward = survival_reward  # for a full log, a share of it for a Mr. X who is caught before
        self.posterior = posterior  # an input of the learner's network; None = it reads the evasive belief
        self.batch = Batch(num_envs, board, rules, seed=seed)
        self.duel = Duel(self.batch, side, pool)
        self.results = np.zeros((MAX_OPPONENTS, 2))  # games and wins against each opponent; old ones fade
        self.seconds = 0.0  # that games, opponents and inputs have taken
        self.duel.begin()

    def __len__(self) -> int:
        return len(self.batch)

    @property
    def mr_x(self) -> NDArray[np.int64]:
        """Where Mr. X really is in every game."""
        stations: NDArray[np.int64] = self.batch.states["station"][:, MR_X].astype(np.int64)
        return stations

    @property
    def opponents(self) -> NDArray[np.int64]:
        """The opponent of every game by its number in the pool, not copied."""
        return self.duel.playing

    def observe(self) -> Inputs:
        """Return what the network reads of the decisions that the games wait for."""
        start = time.perf_counter()
        views = self.batch.views()
        inputs = make_inputs(views, None if self.posterior is None else self.posterior.tell(views))
        self.seconds += time.perf_counter() - start
        return inputs

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play an action in every game up to the next decision; return rewards and which games ended, (games,) each."""
        start = time.perf_counter()
        rewards, ended = np.zeros(len(self), np.float32), np.zeros(len(self), np.bool_)

        def settle(over: Games) -> None:
            won = self.duel.rewards(over)
            rewards[over], ended[over] = won + self.survival_rewards(over), True
            for column, counted in enumerate((np.ones(len(over)), won > 0)):
                self.results[:, column] += np.bincount(self.duel.playing[over], counted, MAX_OPPONENTS)

        self.duel.step(actions, settle)
        self.seconds += time.perf_counter() - start
        return rewards, ended

    def survival_rewards(self, over: Games) -> NDArray[np.float64]:
        """Return the extra reward for how long a Mr. X who was caught had survived, in games just over."""
        full, caught = self.batch.rules.log_room, self.batch.winners[over] == DETECTIVES_WIN
        survived: NDArray[np.float64] = self.survival_reward * caught * self.batch.states["entries"][over] / full
        return survived if self.side == "mr_x" else -survived

    def fade_results(self, kept: float) -> None:
        """Let old games fade from the win rates: a share of them is kept."""
        self.results *= kept

    def win_rates(self, results: NDArray[np.float64] | None = None) -> dict[str, float]:
        """Return the recent win rate against each opponent in the pool, as figures of the rollout.

        By these results, or by those of these games alone if left out.
        """
        results = self.results if results is None else results
        pool = self.duel.pool
        met = zip(names_of(pool.policies), pool.weights, results, strict=False)
        return {
            f"rollout/win_rate/{name}": float(wins / games)
            for name, weight, (games, wins) in met
            if weight > 0 and games > 0
        }
