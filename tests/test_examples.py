"""The scripts of examples/ run, each where its library is installed; elsewhere they are skipped, and say so."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
SMALL = {  # script -> what it needs, and arguments with which it is quick
    "benchmarl_mappo": ("benchmarl", ["--algorithm", "ippo", "--frames", "120", "--frames-per-batch", "120"]),
    "cleanrl_ppo": (
        "torch",
        ["--num-envs", "16", "--num-steps", "8", "--total-timesteps", "256", "--board", "docklands"],
    ),
    "gymnasium_games": ("gymnasium", ["--games", "8", "--steps", "60", "--board", "docklands"]),
    "tianshou_dqn": ("tianshou", ["--epochs", "1", "--steps", "160"]),
    "torchrl_mappo": ("torchrl", ["--iterations", "1", "--steps", "60", "--minibatch-size", "30"]),
}
SAID = {  # what each prints in the end
    "benchmarl_mappo": r"\d+ games, detectives won (\d+%|nan%)",
    "cleanrl_ppo": r"256 won (\d+|nan)% of \d+ games, [\d,]+ decisions/s",
    "gymnasium_games": r"many games: \d+ were over, and detectives who play at random won \d+ of them",
    "tianshou_dqn": r"after training Mr\. X survives \d+% of his games",
    "torchrl_mappo": r"1: \d+ games, detectives won (\d+|nan)%",
}


@pytest.mark.parametrize("script", SMALL)
def test_a_script_runs_with_its_library(script: str, tmp_path: Path) -> None:
    library, arguments = SMALL[script]
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"needs {library}: pip install {library}")
    environment = os.environ | {"OMP_NUM_THREADS": "1"}  # small networks are slowed down by more
    words = [sys.executable, str(EXAMPLES / f"{script}.py"), *arguments]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(SAID[script], done.stdout), done.stdout


def test_every_script_that_learns_is_run_and_on_the_page() -> None:
    page = (ROOT / "docs" / "howto" / "libraries.md").read_text(encoding="utf-8")
    scripts = {path.stem for path in EXAMPLES.glob("*.py")} - {"bot", "bot_0_1_0", "bot_server", "table_bot"}
    assert scripts == {*SMALL, "openspiel_ppo"}  # which tests/test_openspiel_policies.py runs
    for script in scripts:
        assert f"examples/{script}.py" in page
