"""Measure speed on one core and print a table; figures go to bench.json, one flat object of name -> figure.

Machines differ and are noisy: what counts are the ratios, taken in this one run against a yardstick, PettingZoo's
connect_four_v3 played at random through its AEC API.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.classic import connect_four_v3
from rich.console import Console
from rich.table import Table

import scotyard_env
from baselines.random import Random
from scotyard_env.board import Board
from scotyard_env.files import write_whole
from scotyard_env.kernel import kernel
from scotyard_env.policy import SIDES, Decision
from scotyard_env.rules import action_count, apply, deal, legal_actions
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MAX_SEATS, PLAYING, STATE, new_states
from scotyard_env.view import View, Views

REPEATS = 7


def rate(run: Callable[[], int]) -> float:
    """Call run and give the number of things done per second."""
    start = time.perf_counter()
    return run() / (time.perf_counter() - start)


def best_rate(run: Callable[[], int]) -> float:
    """Give the best of several rates: noise only ever slows down."""
    return max(rate(run) for _ in range(REPEATS))


def ratio(run: Callable[[], int]) -> float:
    """Give the median of several ratios to the yardstick, each taken right after it, so that noise hits both."""
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


@kernel
def play_at_random(board, rules, states, legal, deals, picks):
    """Play games from random deals to their ends at random inside the kernel; count the actions."""
    state = states[0]
    played = 0
    for game in range(len(deals)):
        deal(board, rules, state, deals[game])
        while state.winner == PLAYING:
            count = legal_actions(board, rules, state, legal)
            apply(board, rules, state, legal[int(picks[played % len(picks)] * count)])
            played += 1
    return played


def kernel_moves() -> int:
    """Play 2,000 games of classic London inside the kernel."""
    board, rng = Board.named("london"), np.random.default_rng(0)
    rules = RuleSet.named("classic").arrays(board)
    legal = np.empty(action_count(board.arrays), np.int64)
    played = play_at_random(
        board.arrays, rules, new_states(1), legal, rng.random((2000, MAX_SEATS)), rng.random(1_000_003)
    )
    return int(played)


def scotland_yard_steps() -> int:
    """Play our AEC environment at random, in the same loop as the yardstick."""
    return aec_steps(scotyard_env.make(), games=25)


def batch_moves() -> int:
    """Play 1,024 games of a Batch at random, without observations."""
    batch, policy, rng = scotyard_env.Batch(1024, seed=0), Random(), np.random.default_rng(0)
    for _ in range(200):
        batch.step(policy.act_batch(batch.views(), rng))
    return 200 * len(batch)


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


def vector_moves(num_envs: int, side: str) -> int:
    """Step a vector environment, observations and masks written, all seats at random; count the moves of all."""
    policy, rng = Counting(), np.random.default_rng(0)
    envs = scotyard_env.make_vec(num_envs, side=side, opponent=policy, copy=False)
    envs.reset(seed=0)
    for _ in range(max(20, 100_000 // num_envs)):
        envs.step(policy.act_batch(envs.batch.views(), rng))
    return policy.decisions


def bytes_per_game() -> float:
    """Count the memory that a vector environment holds for each of its games, everything in it switched on."""
    envs = scotyard_env.make_vec(1024, belief=True, moves=True)
    arrays = [*envs._arrays.values(), envs.batch.states, envs.batch._views, envs.duel.playing, envs.duel.deciders]
    return sum(array.nbytes for array in arrays) / 1024


FIRST_GAME = """
import time
from scotyard_env import Game
start = time.perf_counter()
game = Game(seed=0)
game.play(game.legal[0])
print(time.perf_counter() - start)
"""
IMPORT = "import time; start = time.perf_counter(); import scotyard_env; print(time.perf_counter() - start)"


def seconds_of(code: str, cache: str | None = None) -> float:
    """Run code that prints its seconds in a process of its own, compiled code cached where asked for."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return float(answer.stdout)


def measure() -> dict[str, float]:
    """Take every figure."""
    figures: dict[str, float] = {"state_bytes": STATE.itemsize}
    for warm_up in (kernel_moves, batch_moves, scotland_yard_steps):
        warm_up()
    figures["connect_four_steps_per_s"] = best_rate(connect_four_steps)
    for name, run in (("kernel_moves", kernel_moves), ("aec_steps", scotland_yard_steps), ("batch_moves", batch_moves)):
        figures[f"{name}_per_s"] = best_rate(run)
        figures[f"{name}_ratio"] = ratio(run)
    for side in SIDES:
        figures[f"vec_{side}_moves_ratio"] = ratio(lambda side=side: vector_moves(1024, side))
    figures["vec_moves_ratio"] = min(figures[f"vec_{side}_moves_ratio"] for side in SIDES)
    for games in (1, 16, 256, 1024, 4096, 16384):
        figures[f"vec_{games}_ns_per_move"] = 1e9 / best_rate(lambda games=games: vector_moves(games, "detectives"))
    figures["vec_bytes_per_game"] = bytes_per_game()
    with tempfile.TemporaryDirectory() as cache:
        figures["compile_cold_s"] = seconds_of(FIRST_GAME, cache)
        figures["compile_cached_s"] = min(seconds_of(FIRST_GAME, cache) for _ in range(REPEATS))
    figures["import_s"] = min(seconds_of(IMPORT) for _ in range(REPEATS))
    return figures


def main() -> None:
    """Measure, print and write."""
    figures = measure()
    table = Table("figure", "value")
    for name, value in figures.items():
        table.add_row(name, f"{value:,.4g}" if value < 1000 else f"{value:,.0f}")
    Console().print(table)
    write_whole(Path(__file__).with_name("bench.json"), json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
