"""Robustness: every policy meets the opponent who knows it, on every side that it plays."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from calling import refuse

from scotyard_baselines.commands import robustness
from scotyard_baselines.exploiter import Exploiter
from scotyard_env.commands import run_module


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["robustness", *arguments])
    run_module(robustness.Command)


def test_the_opponent_is_told_the_very_policy_with_its_parameters() -> None:
    told = "exploiter:against=hunters:uniform_mix=0+starts=2,samples=3"
    assert name_of("hunters:uniform_mix=0,starts=2", "detectives") == told
    assert name_of("hider", "mr_x") == "tracker:against=hider,samples=3"


def name_of(policy: str, side: str) -> str:
    return robustness.name_knowing_opponent(policy, side, samples=3)


def test_a_policy_is_measured_on_every_side_that_it_plays_and_goes_on_from_its_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["--policy", "greedy", "hider", "--board", "docklands", "--rules", "docklands", "--samples", "1"]
    run(monkeypatch, *arguments, "--games", "2", "--out", str(tmp_path))
    rows = [line.split()[1:] for line in capsys.readouterr().out.splitlines()[2:]]
    assert [" ".join(row[:3]) for row in rows] == ["detectives | greedy", "Mr. X |", "Mr. X |"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["detectives-greedy", "mr_x-greedy", "mr_x-hider"]
    before = (tmp_path / "mr_x-hider" / "results.jsonl").read_bytes()
    run(monkeypatch, *arguments, "--games", "3", "--out", str(tmp_path))
    assert (tmp_path / "mr_x-hider" / "results.jsonl").read_bytes().startswith(before)


def test_a_mr_x_who_is_known_wins_what_the_tracker_loses() -> None:
    command = robustness.Command(("random",), games=4, samples=1, board="docklands", rules="docklands")
    rate = robustness.measure_robustness(command, "random", "mr_x")
    played = robustness.evaluate(
        "random", "mr_x", ["tracker:against=random,samples=1"], games=4, board="docklands", rules="docklands"
    )
    assert rate.wins == 4 - played.pairings[0].rate.wins


def test_a_forfeited_match_is_no_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exploiter, "act", stumble)
    command = robustness.Command(("greedy",), games=2, samples=1, board="docklands", rules="docklands")
    with pytest.raises(ValueError, match=r"2 of 2 matches were forfeited: Mr\. X raised RuntimeError: stumbled"):
        robustness.measure_robustness(command, "greedy", "detectives")


def stumble(*_: object) -> None:
    raise RuntimeError("stumbled")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--policy", "nobody"], "there is no policy 'nobody': there are"),
        (["--policy", "hider", "--games", "0"], "games is 0: give a whole number of at least 1"),
        (["--policy", "hider", "--samples", "0"], "samples is 0: give a whole number from 1 to"),
    ],
)
def test_wrong_input_is_one_line_that_helps(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in refuse(monkeypatch, capsys, f"robustness {' '.join(arguments)}")
