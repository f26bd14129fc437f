"""What docs/howto/install.md says: environments by Python, extras that bring what they are for, notebooks anywhere."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from IPython.core.inputtransformer2 import TransformerManager

import scotyard_env

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE = (ROOT / "docs" / "howto" / "install.md").read_text(encoding="utf-8")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(("python", "home"), [("python3", ".venv"), ("/opt/bin/python3.13", ".venv-python3.13")])
def test_every_python_has_an_environment_of_its_own(python: str, home: str) -> None:
    told = subprocess.run(
        ["make", "--dry-run", "--always-make", "test", f"PYTHON={python}"], cwd=ROOT, capture_output=True, text=True
    ).stdout
    assert f"{python} -m venv {home}\n" in told
    assert f"{home}/bin/python -m pytest" in told


def test_the_classifiers_name_the_pythons_that_the_page_names() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    (said,) = re.findall(r"^Python (3[^\n]*)\. Each", PAGE, re.MULTILINE)
    assert re.findall(r"3\.\d+", said) == named
    assert PROJECT["requires-python"] == f">={named[0]}"


@pytest.mark.parametrize("extra", sorted(PROJECT["optional-dependencies"]))
def test_the_page_describes_every_extra(extra: str) -> None:
    assert f"`{extra}`" in PAGE


def test_gymnasium_records_a_film_of_a_game(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    assert "ScotlandYard-v0" in gymnasium.registry, scotyard_env.__name__  # importing it registers
    made = gymnasium.make("ScotlandYard-v0", side="mr_x", opponent="random", board="glasses", render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(made, str(tmp_path / "films"), disable_logger=True)
    observation, _ = env.reset(seed=7)
    is_over = False
    while not is_over:
        action = env.action_space.sample(observation["action_mask"])
        observation, _, terminated, truncated, _ = env.step(action)
        is_over = terminated or truncated
    env.close()
    (film,) = (tmp_path / "films").glob("*.mp4")
    assert film.read_bytes()[4:8] == b"ftyp"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize(("wheel", "source"), [("scotyard_env-0.2.0-py3-none-any.whl", None), (None, "..")])
def test_a_notebook_installs_a_wheel_beside_it_or_its_repository(
    path: Path, wheel: str | None, source: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    if wheel is not None:
        Path(wheel).touch()
    cell = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][1]["source"])
    asked: list[str] = []

    class Shell:
        def run_line_magic(self, name: str, line: str) -> None:
            asked.append(f"{name} {line}".replace("{source}", str(scope["source"])))

    scope: dict[str, Any] = {"get_ipython": Shell}
    exec(TransformerManager().transform_cell(cell), scope)
    extra = "[train]" if path.stem.startswith("4_") else ""
    assert asked == [f"pip install --quiet {wheel or source}{extra}"]


def test_the_page_shows_the_cell_of_the_notebooks() -> None:
    cell = "".join(json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))["cells"][1]["source"])
    assert re.sub(r"  #.*", "", cell) in PAGE
