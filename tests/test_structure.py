"""The root listing is the architecture: imports point one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAY_IMPORT = {
    "scotyard_env": {"scotyard_env"},
    "baselines/scotyard_baselines": {"scotyard_env", "scotyard_baselines"},
    "training/scotyard_training": {"scotyard_env", "scotyard_baselines", "scotyard_training"},
}


def imported_by(file: Path) -> set[str]:
    """List the top-level packages a file imports anywhere in it."""
    names: set[str] = set()
    for statement in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            names |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            assert statement.level == 0, f"{file}: imports are absolute"
            names.add(statement.module or "")
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_one_way(package: str) -> None:
    files = list((ROOT / package).rglob("*.py"))
    assert files
    for file in files:
        ours = imported_by(file) & MAY_IMPORT.keys()
        assert ours <= MAY_IMPORT[package], f"{file.name} may not import {ours - MAY_IMPORT[package]}"


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_only_kernels_go_without_annotations(package: str) -> None:
    for file in (ROOT / package).rglob("*.py"):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and function.returns is None:
                marks = [mark.id for mark in function.decorator_list if isinstance(mark, ast.Name)]
                assert "kernel" in marks, f"{file.name}: {function.name} lacks annotations"


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = {"numba", "networkx", "matplotlib", "torch", "scipy", "rich", "PIL", "pygame"}
    code = "import sys, scotyard_env; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not heavy & {name.partition(".")[0] for name in answer.stdout.split()}
