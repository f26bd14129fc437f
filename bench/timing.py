"""How things are timed: rates, and ratios to a yardstick that runs in the same process.

Machines differ and are noisy: what counts are the ratios, taken in one run against PettingZoo's connect_four_v3 played
at random through its AEC API.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

from pettingzoo.classic import connect_four_v3

REPEATS = 7


def rate(run: Callable[[], int]) -> float:
    """Call run and give the number of things done per second."""
    start = time.perf_counter()
    return run() / (time.perf_counter() - start)


def best_rate(run: Callable[[], int]) -> float:
    """Return the best of several rates: noise only ever slows down."""
    return max(rate(run) for _ in range(REPEATS))


def ratio(run: Callable[[], int]) -> float:
    """Return the median of several ratios to the yardstick, each taken right after it, so that noise hits both."""
    ratios = []
    for _ in range(REPEATS):
        yardstick = rate(connect_four_steps)
        ratios.append(rate(run) / yardstick)
    return statistics.median(ratios)


def connect_four_steps() -> int:
    """Play connect_four_v3 at random: the yardstick."""
    return aec_steps(connect_four_v3.env(), games=100)


def aec_steps(env: Any, games: int) -> int:
    """Play games at random through the AEC API; count the steps."""
    steps = 0
    for seed in range(games):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            done = termination or truncation
            env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
            steps += 1
    return steps
