"""Measure speed on one core and print a table; figures go to bench.json, one flat object of name -> figure.

Machines differ and are noisy: what counts are the ratios, taken in this one run against a yardstick, PettingZoo's
connect_four_v3 played at random through its AEC API.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from scotyard_env.board import Board
from scotyard_env.files import write_whole
from scotyard_env.kernel import kernel
from scotyard_env.rules import action_count, apply, deal, legal_actions
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MAX_SEATS, PLAYING, STATE, new_states

REPEATS = 5  # the best of so many is taken: noise only ever slows down


def best_rate(run: Callable[[], int]) -> float:
    """Call run several times and give the best number of things done per second."""
    rates = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        done = run()
        rates.append(done / (time.perf_counter() - start))
    return max(rates)


def connect_four_steps() -> int:
    """Play connect_four_v3 at random: the yardstick."""
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    steps = 0
    for seed in range(150):
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
    kernel_moves()
    figures["connect_four_steps_per_s"] = yardstick = best_rate(connect_four_steps)
    figures["kernel_moves_per_s"] = best_rate(kernel_moves)
    figures["kernel_moves_ratio"] = figures["kernel_moves_per_s"] / yardstick
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
