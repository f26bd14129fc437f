"""scotyard compile leaves on disk what the first use would have compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scotyard_env.compile_ahead import ENVIRONMENTS, Command, compile_piece
from scotyard_env.policy import SIDES, Decision, Side
from scotyard_env.state import MR_X
from scotyard_env.view import View


def test_the_environments_and_every_policy_are_told_of_one_that_fails_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd.py").write_text("class Odd:\n    def act(self, view, rng):\n        raise RuntimeError('no')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SystemExit) as stop:
        Command(policies="random,odd:Odd", board="docklands", workers=1).run()
    told = capfd.readouterr().out.splitlines()
    assert stop.value.code == 1
    assert told[0] == f"{ENVIRONMENTS}: done"
    assert sorted(line.partition(": ")[2] for line in told[1:]) == [
        "odd:Odd as detectives failed: no",
        "odd:Odd as mr_x failed: no",
        "random as detectives",
        "random as mr_x",
    ]


@pytest.mark.parametrize("side", SIDES)
def test_a_policy_decides_once_alone_and_once_in_each_game_of_a_batch(side: Side) -> None:
    asked = []

    class Curious:
        def act(self, view: View, rng: np.random.Generator) -> Decision:
            asked.append(view.seat)
            return Decision(view.legal[0])

    compile_piece(Curious(), side, "docklands", None)
    assert len(asked) == 3
    assert {seat == MR_X for seat in asked} == {side == "mr_x"}


def test_a_tournament_finds_all_that_it_needs_compiled(tmp_path: Path) -> None:
    home = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "compiled")}
    scotyard = [sys.executable, "-m", "scotyard_env.cli"]
    for words in (
        ["compile", "--policies", "random", "--board", "glasses", "--workers", "1"],
        ["tournament", "--mr-x", "random", "--detectives", "random", "--games", "2", "--board", "glasses"],
    ):
        there = {path for path in (tmp_path / "compiled").rglob("*") if path.is_file()}
        done = subprocess.run([*scotyard, *words], cwd=tmp_path, env=home, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert len(there) > 50
    assert {path for path in (tmp_path / "compiled").rglob("*") if path.is_file()} == there
