"""Every policy plays the same with the compiler switched off, and no number outgrows its type there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from plain_python import Decided, decide

SCRIPT = Path(__file__).with_name("plain_python.py")


@pytest.fixture(scope="module")
def plain() -> Decided:
    """Decisions of a process without the compiler."""
    off = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    ended = subprocess.run([sys.executable, str(SCRIPT)], env=off, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    decided: Decided = json.loads(ended.stdout)
    return decided


def test_plain_python_decides_as_compiled_code_does(plain: Decided) -> None:
    compiled = decide()
    assert plain.keys() == compiled.keys()
    for policy, made in compiled.items():
        assert [action for action, _ in plain[policy]] == [action for action, _ in made], policy
        values = [value for _, value in made if value is not None]
        assert [value for _, value in plain[policy] if value is not None] == pytest.approx(values, rel=1e-9), policy
