"""The speed of the vector environment by the number of its games, its steps alone, and the memory that it takes."""

import statistics
import time

import numpy as np
from numpy.typing import NDArray

import scotyard_env
from bench.timing import REPEATS, best_rate, ratio
from scotyard_baselines.random import Random
from scotyard_env.policy import SIDES, Decision, Side
from scotyard_env.view import View, Views

SOME_STEPS = 60  # after which the games, dealt all at once, are at all stages
MANY = 16384  # games


class Counting:
    """Plays at random and counts its decisions, whichever side asks."""

    def __init__(self) -> None:
        self.decisions = 0

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action."""
        self.decisions += 1
        return Random().act(view, rng)

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        self.decisions += len(views)
        return Random().act_batch(views, rng)


class Stepping:
    """A vector environment at work, observations and masks written, all seats at random unless others are named."""

    def __init__(self, num_envs: int, side: Side, threads: int = 1, opponent: str | None = None) -> None:
        self.policy, self.rng = Counting(), np.random.default_rng(0)
        other = opponent or self.policy
        self.envs = scotyard_env.make_vec(num_envs, side=side, opponent=other, copy=False, threads=threads)
        self.envs.reset(seed=0)
        self.step(SOME_STEPS)

    def step(self, steps: int) -> int:
        """Step the environment so many times; count the moves of all seats."""
        before = self.policy.decisions
        for _ in range(steps):
            self.envs.step(self.policy.act_batch(self.envs.batch.views(), self.rng))
        return self.policy.decisions - before

    def __call__(self) -> int:
        """Step the environment for about 100,000 decisions of its side."""
        return self.step(max(10, 100_000 // self.envs.num_envs))


def threads_speedup(side: Side, opponent: str | None = None, pairs: int = 10 * REPEATS) -> float:
    """Return how many times as fast two threads step 4,096 games as one does: the median of pairs of turns."""
    one, two = (Stepping(4096, side, threads, opponent) for threads in (1, 2))
    return statistics.median(step_seconds(one) / step_seconds(two) for _ in range(pairs))


def step_seconds(stepping: Stepping) -> float:
    """Time ten steps of the environment alone; who learns is asked before."""
    seconds = 0.0
    for _ in range(10):
        actions = stepping.policy.act_batch(stepping.envs.batch.views(), stepping.rng)
        start = time.perf_counter()
        stepping.envs.step(actions)
        seconds += time.perf_counter() - start
    return seconds


def make_seconds() -> float:
    """Time the making of an environment of many games."""
    start = time.perf_counter()
    scotyard_env.make_vec(MANY)
    return time.perf_counter() - start


def bytes_per_game() -> dict[str, float]:
    """Count the memory of observation and mask of a game, and all that is held for one with belief and moves too."""
    plain, full = scotyard_env.make_vec(1024), scotyard_env.make_vec(1024, belief=True, moves=True)
    shown, _ = plain.reset(seed=0)
    all_shown, _ = full.reset(seed=0)
    records = full.batch.states, full.encoder.new_written(1024), full.duel.playing, full.duel.deciders
    held = sum(array.nbytes for array in (*all_shown.values(), *records))
    return {
        "vec_bytes_per_game": sum(array.nbytes for array in shown.values()) / 1024,
        "vec_bytes_per_game_with_belief_and_moves": held / 1024,
    }


def measure() -> dict[str, float]:
    """Take every figure."""
    figures = {f"vec_{side}_moves_ratio": ratio(Stepping(1024, side)) for side in SIDES}
    figures["vec_moves_ratio"] = min(figures.values())
    for games in (1, 16, 256, 1024, 4096, MANY):
        figures[f"vec_{games}_ns_per_move"] = 1e9 / best_rate(Stepping(games, "detectives"))
    figures["vec_growth"] = figures[f"vec_{MANY}_ns_per_move"] / figures["vec_1024_ns_per_move"]
    figures["vec_threads_speedup"] = min(threads_speedup(side) for side in SIDES)
    figures["vec_threads_speedup_thinking"] = threads_speedup("mr_x", "astar_greedy", REPEATS)
    figures["vec_make_s"] = min(make_seconds() for _ in range(REPEATS))
    figures.update(bytes_per_game())
    return figures
