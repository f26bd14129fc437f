"""The speed of the rules, of a batch and of the AEC environment, one core."""

import functools
import os
import subprocess
import sys
import tempfile

import numpy as np

import scotyard_env
from bench.timing import REPEATS, aec_steps, best_rate, connect_four_steps, ratio
from scotyard_baselines.random import Random
from scotyard_env.board import Board
from scotyard_env.kernel import kernel
from scotyard_env.rules import action_count, apply, deal, legal_actions
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MAX_SEATS, PLAYING, STATE, new_states


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


def batch_moves(batch: scotyard_env.Batch, rng: np.random.Generator) -> int:
    """Play 200 steps of the games of a Batch at random, without observations."""
    policy = Random()
    for _ in range(200):
        batch.step(policy.act_batch(batch.views(), rng))
    return 200 * len(batch)


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
    batch = functools.partial(batch_moves, scotyard_env.Batch(1024, seed=0), np.random.default_rng(0))
    for warm_up in (kernel_moves, batch, scotland_yard_steps):
        warm_up()
    figures["connect_four_steps_per_s"] = best_rate(connect_four_steps)
    for name, run in (("kernel_moves", kernel_moves), ("aec_steps", scotland_yard_steps), ("batch_moves", batch)):
        figures[f"{name}_per_s"] = best_rate(run)
        figures[f"{name}_ratio"] = ratio(run)
    with tempfile.TemporaryDirectory() as cache:
        figures["compile_cold_s"] = seconds_of(FIRST_GAME, cache)
        figures["compile_cached_s"] = min(seconds_of(FIRST_GAME, cache) for _ in range(REPEATS))
    figures["import_s"] = min(seconds_of(IMPORT) for _ in range(REPEATS))
    return figures
