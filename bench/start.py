"""How long one waits at first: CPU seconds from an empty cache of compiled code to a decision, and those of a match."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

FIRST_USERS = {  # by policy, the side whose first decision is timed
    "greedy": "mr_x",
    "hunters": "detectives",
    "minimax": "detectives",
    "pimbot": "mr_x",
    "ppo_mr_x": "mr_x",
    "phantom": "mr_x",
}
REPEATS = 3
DECIDE = """
import sys
import numpy as np
from scotyard_env import Game, make_policy
policy, game = make_policy(sys.argv[1]), Game(seed=7)
if sys.argv[2] == "detectives":
    game.play(game.legal[0])
policy.act(game.view(game.seat), np.random.default_rng(0))
"""


def cpu_seconds(arguments: list[str], cache: Path, folder: Path) -> float:
    """Run Python in a process of its own with compiled code in a cache; return the CPU seconds that it took."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # where it is set every start would compile our modules, too
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=environment, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure() -> dict[str, float]:
    """Take every figure; tables of capture times, which depend on no compiler, are there before."""
    figures = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cpu_seconds(["-c", DECIDE, "phantom", "mr_x"], folder / "warm", folder)
        for policy, side in FIRST_USERS.items():
            short = policy.removesuffix("_mr_x")
            figures[f"cold_{short}_s"] = cpu_seconds(["-c", DECIDE, policy, side], folder / policy, folder)
        match = ["-m", "scotyard_env.cli", "match", "--mr-x", "greedy", "--detectives", "greedy"]
        warm = [cpu_seconds(match, folder / "greedy", folder) for _ in range(REPEATS + 1)]
        figures["warm_match_s"] = min(warm[1:])
    return figures
