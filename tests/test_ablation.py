"""The ablation leaves out one feature at a time and plays every variant on the same deals."""

from __future__ import annotations

import dataclasses

import pytest

from scotyard_baselines.commands.ablation import (
    LEFT_OUT,
    Command,
    collect_positions,
    measure_loss,
    print_features,
    variants,
)
from scotyard_baselines.minimax import Minimax
from scotyard_env.commands import run_module


def test_every_variant_differs_from_the_whole_and_from_the_others() -> None:
    made = variants()
    assert made.pop("nothing") == Minimax()
    assert Minimax() not in made.values()
    assert len(set(made.values())) == len(made)


def test_every_switch_of_minimax_is_left_out_once() -> None:
    switches = {field.name for field in dataclasses.fields(Minimax) if isinstance(field.default, bool)}
    assert switches <= {name for change in LEFT_OUT.values() for name in change}


def test_the_table_has_a_row_for_every_variant(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"nothing": Minimax(depth=1), "alpha-beta": Minimax(depth=1, alpha_beta=False)}
    monkeypatch.setattr("scotyard_baselines.commands.ablation.variants", lambda: few)
    print_features(Command(mr_x="random", games=2, positions=2))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| nothing", "| alpha-beta"]


def test_positions_are_those_of_the_detectives() -> None:
    views = collect_positions(5, seed=0)
    assert len(views) == 5
    assert all(view.seat > 0 for view in views)


def test_an_exact_search_loses_nothing_and_a_hasty_one_something() -> None:
    exact = Minimax(depth=2, beam=0, alpha_beta=False)
    views = collect_positions(12, seed=0, board="docklands")
    assert all(measure_loss(Minimax(depth=2), exact, view) == 0.0 for view in views)
    assert sum(measure_loss(Minimax(depth=1, particles=1), exact, view) for view in views) > 0.0


def test_no_positions_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["ablation", "--positions", "0"])
    with pytest.raises(SystemExit):
        run_module(Command)
    assert "at least 1" in capsys.readouterr().err
