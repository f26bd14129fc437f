"""Every code block of the README runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from scotyard_env.arena.match import play_match
from scotyard_env.replay import Replay

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
BUDGET = re.compile(r"total_timesteps=[\d_]+")  # of a block that trains for minutes


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_code_block_of_the_readme_runs(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.set_num_threads(1)  # small networks are slowed down by more
    block = BUDGET.sub("total_timesteps=1", BLOCKS[number])  # learns from one rollout
    exec(compile(block, f"README block {number}", "exec", dont_inherit=True), {"__name__": "readme"})


def test_the_readme_has_code() -> None:
    assert len(BLOCKS) >= 3
    assert sum(len(BUDGET.findall(block)) for block in BLOCKS) == 1


def test_the_game_that_make_demo_explains_lasts_to_the_moment_that_it_draws() -> None:
    demo = Path(__file__).resolve().parents[1].joinpath("Makefile").read_text(encoding="utf-8")
    told = re.search(r"match --mr-x (\S+) --detectives (\S+) --seed (\d+).*?--at (\d+)", demo, re.DOTALL)
    assert told is not None
    mr_x, detectives, seed, moment = told.groups()
    assert len(Replay.of(play_match(mr_x, detectives, seed=int(seed)).game).moves) >= int(moment)
