"""The speed of the environment in all its forms, one core."""

import os
import subprocess
import sys
import tempfile

import numpy as np
from numpy.typing import NDArray

import scotyard_env
from bench.timing import REPEATS, aec_steps, best_rate, connect_four_steps, ratio
from scotyard_baselines.random import Random
from scotyard_env.board import Board
from scotyard_env.kernel import kernel
from scotyard_env.policy import SIDES, Decision
from scotyard_env.rules import action_count, apply, deal, legal_actions
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MAX_SEATS, PLAYING, STATE, new_states
from scotyard_env.view import View, Views


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
    observations, _ = envs.reset(seed=0)
    records = envs.batch.states, envs.batch.views().states
    arrays = [*observations.values(), *records, envs.duel.playing, envs.duel.deciders]
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
