"""What a type checker sees of the package: real types, and an error for what does not exist."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import scotyard_env

ROOT = Path(__file__).resolve().parents[1]

RIGHT = """
import numpy as np

import scotyard_env
from scotyard_env import Board, Decision, Game, Policy, Replay, RuleSet, View


class First:
    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal[0])


game = Game("docklands", seed=7)
policy: Policy = scotyard_env.make_policy("greedy", side="mr_x")
action: int = policy.act(game.view(0), np.random.default_rng(0)).action
game.play(action)
winner: str | None = game.winner
stations: int = Board.named("london").stations
names: tuple[str, ...] = RuleSet.names()
moves: tuple[str, ...] = Replay.load("replay.jsonl").moves
env = scotyard_env.make(board="docklands", observation="flat", illegal="raise")
env.reset(seed=7)
seen: View = env.view("mr_x")
solo = scotyard_env.make_solo(side="mr_x", opponent=First())
observation, info = solo.reset(seed=7)
envs = scotyard_env.make_vec(8, side="detectives", opponent=["greedy", First()], observation="graph")
envs.reset(seed=7)
"""

WRONG = """
import scotyard_env
from scotyard_env import Game
from scotyard_env import Gamee  # attr-defined

scotyard_env.mak()  # attr-defined
scotyard_env.make(bord="london")  # call-arg
scotyard_env.make(observation="pixels")  # arg-type
scotyard_env.make(illegal="ignore")  # arg-type
scotyard_env.make_policy("greedy", side="detective")  # arg-type
scotyard_env.make_solo(side="detective")  # arg-type
scotyard_env.make_solo(opponents="greedy")  # call-arg
scotyard_env.make_vec("8", side="mr_x")  # arg-type
scotyard_env.make_vec(8, side="detective")  # arg-type
scotyard_env.make_vec(8, observation="pixels")  # arg-type
Game(sed=7)  # call-arg
Game().winer  # attr-defined
Game().play(None)  # arg-type
name: str = Game().seat  # assignment
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """Let mypy check both scripts as a user would: by script and line, the code of the error there."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(WRONG)
    cache = ROOT / ".mypy_cache" / "user"  # the first time takes half a minute
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}"]
    answer = subprocess.run([*command, "right.py", "wrong.py"], cwd=folder, capture_output=True, text=True)
    assert answer.stderr == ""
    found: dict[str, dict[int, str]] = {"right.py": {}, "wrong.py": {}}
    for file, line, code in re.findall(r"^(.*?):(\d+): error: .*\[(.*)\]$", answer.stdout, re.MULTILINE):
        found.setdefault(file, {})[int(line)] = code
    return found


def test_a_right_script_passes(said: dict[str, dict[int, str]]) -> None:
    assert said["right.py"] == {}


def test_what_is_misspelt_or_does_not_fit_is_an_error(said: dict[str, dict[int, str]]) -> None:
    marks = {number: line.partition("  # ")[2] for number, line in enumerate(WRONG.splitlines(), start=1)}
    assert said["wrong.py"] == {number: code for number, code in marks.items() if code}


def test_the_package_is_all_that_is_complained_about(said: dict[str, dict[int, str]]) -> None:
    assert said.keys() == {"right.py", "wrong.py"}


def test_type_checkers_see_the_names_that_there_are() -> None:
    tree = ast.parse(Path(str(scotyard_env.__file__)).read_text(encoding="utf-8"))
    block = next(one for one in tree.body if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING")
    shown = {
        alias.asname: importlib.import_module(str(one.module))
        for one in block.body
        if isinstance(one, ast.ImportFrom)
        for alias in one.names
        if alias.name == alias.asname
    }
    assert {"__version__", *map(str, shown)} == set(scotyard_env.__all__)
    for name, module in shown.items():
        assert getattr(scotyard_env, str(name)) is getattr(module, str(name))
