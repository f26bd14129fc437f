"""Every code block of the README runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_code_block_of_the_readme_runs(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.set_num_threads(1)  # small networks are slowed down by more
    exec(compile(BLOCKS[number], f"README block {number}", "exec", dont_inherit=True), {"__name__": "readme"})


def test_the_readme_has_code() -> None:
    assert len(BLOCKS) >= 3
