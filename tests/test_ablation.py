"""The ablation changes one step at a time and plays every row on the same deals."""

from __future__ import annotations

import dataclasses

import pytest

from scotyard_baselines.commands import ablation
from scotyard_baselines.commands.ablation import (
    CHANGED,
    COUNTED,
    Command,
    collect_positions,
    make_rows,
    measure_loss,
    print_steps,
)
from scotyard_baselines.minimax import Minimax
from scotyard_env.commands import run_module


def test_every_row_differs_from_the_whole_and_from_the_others() -> None:
    made = make_rows({**CHANGED, **COUNTED})
    assert len(set(made.values())) == len(made)
    assert made["nothing"] == Minimax()


def test_every_switch_of_minimax_is_in_a_row() -> None:
    changed = {name for change in (*CHANGED.values(), *COUNTED.values()) for name in change}
    fixed = {"variant", "discount", "width", "few_tickets", "seconds"}
    assert {field.name for field in dataclasses.fields(Minimax)} - fixed == changed


def test_the_table_has_a_row_for_every_change(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ablation, "CHANGED", {"nothing": {"depth": 1}, "no capture time": {"depth": 1, "capture": 0.0}})
    monkeypatch.setattr(ablation, "COUNTED", {"no alpha-beta": {"depth": 1, "alpha_beta": False}})
    print_steps(Command(mr_x="random", games=2, positions=2, rows=1))
    cells = [[cell.strip() for cell in line.split("|")] for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[1] for row in cells] == ["nothing", "no capture time", "no alpha-beta"]
    assert [bool(row[3]) for row in cells] == [True, False, False]


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
