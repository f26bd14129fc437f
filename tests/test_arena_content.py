"""A folder never mixes two policies: they are told apart by content, and by nothing else."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import odd_policies
import pytest

from scotyard_env.arena import tournament
from scotyard_env.arena.content import digest
from scotyard_env.arena.folder import FolderError
from scotyard_env.policy import Decision
from scotyard_env.view import View


class Holder:
    """A policy that holds anything."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal[0])


def adder(number: int) -> Callable[[int], int]:
    return lambda value: value + number


def make_function(text: str) -> Any:
    scope: dict[str, Any] = {"__name__": "somewhere", "CONSTANT": 1}
    exec(text, scope)
    return scope["f"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([1.0, 2.0]), np.array([1.0, 3.0])),
        (np.array([1, 2]), np.array([1, 2], np.int32)),
        (adder(1), adder(2)),
        (functools.partial(int, base=8), functools.partial(int, base=9)),
        ({1, 2}, {1, 3}),
        ({"a": 1}, {"a": 2}),
        (1, 1.0),
        (1, True),
        ((1, 2), [1, 2]),
        (make_function("def f(a=1): return a"), make_function("def f(a=2): return a")),
        (make_function("def f(a): return a + 1"), make_function("def f(a): return a + 2")),
        (make_function("def f(a): return a + 1"), make_function("def f(a): return a - 1")),
        (
            make_function("def f(): return g()\ndef g(): return 1"),
            make_function("def f(): return g()\ndef g(): return 2"),
        ),
        (
            make_function("class A:\n  def act(self): return 1\nf = A"),
            make_function("class A:\n  def act(self): return 2\nf = A"),
        ),
        (make_function("class A: depth = 1\nf = A()"), make_function("class A: depth = 2\nf = A()")),
    ],
)
def test_what_differs_is_told_apart(one: Any, other: Any) -> None:
    assert digest(Holder(one)) == digest(Holder(one))
    assert digest(Holder(one)) != digest(Holder(other))


def test_what_is_equal_is_the_same_however_it_came_about() -> None:
    text = "CONSTANT = 1\ndef f(a, b=(1, 2)): return [CONSTANT for _ in {1, 2, 3} if a == b]"
    assert digest(make_function(text)) == digest(make_function(f"# another comment\n\n{text}"))
    assert digest({"a": 1, "b": {3, 4}}) == digest({"b": {4, 3}, "a": 1})
    loop: list[Any] = [1]
    loop.append(loop)
    assert digest(loop) == digest(loop)


def test_digests_do_not_depend_on_the_seed_of_hashes() -> None:
    script = (
        "from scotyard_env.arena.content import digest\n"
        "def f(x): return x in {'alpha', 'beta', 'gamma', 'delta'}\n"
        "print(digest([{'alpha', 'beta', 'gamma'}, {'one': {'two', 'three'}}, f]))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


OPTIONS: dict[str, Any] = {"detectives": "random", "games": 1, "board": "docklands"}


def test_another_closure_is_another_policy(tmp_path: Path) -> None:
    tournament({"mine": Holder(adder(1))}, out=tmp_path, **OPTIONS)
    tournament({"mine": Holder(adder(1))}, out=tmp_path, **OPTIONS)
    with pytest.raises(FolderError, match="holds another tournament, nothing was changed: mr_x is mine"):
        tournament({"mine": Holder(adder(2))}, out=tmp_path, **OPTIONS)


def test_a_policy_that_cannot_be_told_from_another_plays_without_a_folder_only(tmp_path: Path) -> None:
    with pytest.raises(
        FolderError, match=r"mine cannot be told from another policy by what it holds \(unknown: .*lock"
    ):
        tournament({"mine": Holder(threading.Lock())}, out=tmp_path / "out", **OPTIONS)
    assert not (tmp_path / "out").exists()
    assert len(tournament({"mine": Holder(threading.Lock())}, **OPTIONS).results) == 1


MODULE = """
from dataclasses import dataclass
from scotyard_env.policy import Decision
import my_helper

@dataclass(frozen=True)
class Mine:
    weights: str = ""
    def act(self, view, rng):
        return Decision(view.legal[my_helper.choose(view)])
"""


def test_a_module_or_a_file_that_has_changed_makes_another_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    weights = tmp_path / "weights.bin"
    name = f"my_policy:Mine:weights={weights}"

    def play(*, module: str = MODULE, helper: str = "0", content: bytes = b"1") -> None:
        for loaded in ("my_policy", "my_helper"):
            sys.modules.pop(loaded, None)
        (tmp_path / "my_policy.py").write_text(module)
        (tmp_path / "my_helper.py").write_text(f"def choose(view): return {helper}")
        weights.write_bytes(content)
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        tournament(name, out=tmp_path / "out", **OPTIONS)

    play()
    play(module=f"# a comment changes nothing\n{MODULE}")
    for changes in ({"module": MODULE.replace("view.legal[", "view.legal[-1 - ")}, {"helper": "-1"}, {"content": b"2"}):
        with pytest.raises(FolderError, match="holds another tournament, nothing was changed: mr_x is my_policy:Mine"):
            play(**changes)  # type: ignore[arg-type]


def test_our_own_policies_go_by_name_and_parameters() -> None:
    described = tournament("hider:exits=2", **OPTIONS).config.mr_x[0]
    assert described.content is None
    assert tournament(odd_policies.First(), **OPTIONS).config.mr_x[0].content is not None
