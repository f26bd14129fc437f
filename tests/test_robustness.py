"""Robustness: a row for every policy on every side that it plays, with the worst that anybody does to it."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import pytest
from calling import refuse
from responses import store_response

import scotyard_env
from scotyard_baselines.commands import robustness
from scotyard_baselines.exploiter import Exploiter
from scotyard_baselines.robustness import bounds
from scotyard_baselines.robustness.exact import SmallGame
from scotyard_baselines.robustness.response import Stored, find_responses
from scotyard_env.arena import evaluate
from scotyard_env.arena.rating import Rate
from scotyard_env.commands import run_module
from scotyard_env.policy import POLICIES, SIDES, Side, policy_names, sides_of
from scotyard_env.ruleset import RuleSet, resolve

DOCKLANDS = ["--board", "docklands", "--rules", "docklands", "--samples", "1"]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["robustness", *arguments])
    run_module(robustness.Command)


def rows_of(text: str) -> list[list[str]]:
    """Read the cells of the table in what was printed."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def examine(games: int = 4, responses: tuple[Stored, ...] = (), out: Path | None = None) -> bounds.Examination:
    return bounds.Examination(*resolve("docklands", None), games, 1, 0, None, out, responses)


# --------------------------------------------------------------------------------------------- who is told a policy


def test_the_opponent_is_told_the_very_policy_with_its_parameters() -> None:
    told = "exploiter:against=hunters:uniform_mix=0+starts=2,samples=3"
    assert bounds.name_knowing_opponent("hunters:uniform_mix=0,starts=2", "detectives", samples=3) == told
    assert bounds.name_knowing_opponent("hider", "mr_x", samples=3) == "tracker:against=hider,samples=3"


@pytest.mark.parametrize("side", SIDES)
def test_a_policy_loses_what_the_one_who_is_told_it_wins(side: Side) -> None:
    rate = bounds.measure_knowing(examine(), "random", side)
    opponent = bounds.name_knowing_opponent("random", side, samples=1)
    played = evaluate("random", side, [opponent], games=4, board="docklands", rules="docklands")
    assert rate == Rate(sum(result.winner != side for result in played.results), 4)


def test_a_forfeited_match_is_no_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exploiter, "act", stumble)
    with pytest.raises(ValueError, match=r"4 of 4 matches were forfeited: Mr\. X raised RuntimeError: stumbled"):
        bounds.measure_knowing(examine(), "greedy", "detectives")


def stumble(*_: object) -> None:
    raise RuntimeError("stumbled")


# -------------------------------------------------------------------------------------------------------- responses


def test_of_several_responses_to_a_policy_the_worst_counts(tmp_path: Path) -> None:
    for name, wins in (("a", 3), ("b", 7), ("c", 5)):
        store_response(tmp_path / name, "greedy", "detectives", wins=wins)
    at = examine(responses=find_responses(tmp_path))
    own = bounds.find_own(at, "greedy", "detectives")
    assert own is not None
    assert own.folder == tmp_path / "b"


@pytest.mark.parametrize(
    ("policy", "side"),
    [("greedy", "mr_x"), ("coverage", "detectives"), ("hunters:starts=2", "detectives")],
    ids=["another side", "another policy", "other parameters"],
)
def test_a_response_to_somebody_else_is_no_response_to_a_policy(policy: str, side: Side, tmp_path: Path) -> None:
    store_response(tmp_path / "greedy", "greedy", "detectives", wins=3)
    store_response(tmp_path / "hunters", "hunters", "detectives", wins=3)
    at = examine(responses=find_responses(tmp_path))
    assert bounds.find_own(at, policy, side) is None
    assert bounds.find_own(at, "hunters:starts=4", "detectives") is not None  # its default, by another name


def test_a_response_in_another_game_is_none_in_this_one(tmp_path: Path) -> None:
    store_response(tmp_path, "greedy", "detectives", wins=3, board="glasses")
    at = examine(responses=find_responses(tmp_path))
    assert bounds.find_own(at, "greedy", "detectives") is None
    assert bounds.measure_transferred(at, "greedy", "detectives") is None


def test_the_transferred_response_is_the_worst_of_the_stored_ones_on_other_deals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        store_response(tmp_path / name, "greedy", "detectives", wins=3, seed=ord(name))
    store_response(tmp_path / "his", "hider", "mr_x", wins=3)
    responses = find_responses(tmp_path)
    wins = dict(zip([one.response.weights for one in responses], (1, 4, 2, 9), strict=True))
    seeds: list[int] = []

    def play(*given: Any) -> Rate:
        *_, opponent, _kept, seed = given
        seeds.append(seed)
        is_first = len(set(seeds)) == 1
        return Rate(wins[next(iter(opponent)).removeprefix("response-")] if is_first else 0, 4)

    monkeypatch.setattr(bounds.Examination, "play", play)
    found = bounds.measure_transferred(examine(responses=responses), "coverage", "detectives")
    assert found == (Rate(0, 4), responses[1])  # a fresh figure: not the one that it was chosen by
    assert len(set(seeds[:3])) == 1
    assert len(seeds) == 4
    assert seeds[3] != seeds[0]


# ------------------------------------------------------------------------------------------------------------ table


def test_a_policy_is_measured_on_every_side_that_it_plays_and_goes_on_from_its_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store_response(tmp_path / "responses" / "greedy", "greedy", "detectives", wins=8)
    arguments = ["--policy", "greedy", "coverage", *DOCKLANDS, "--responses", str(tmp_path / "responses")]
    run(monkeypatch, *arguments, "--games", "2", "--out", str(tmp_path / "out"))
    said = capsys.readouterr().out
    assert [row[:2] for row in rows_of(said)] == [
        ["detectives", "greedy"],
        ["detectives", "coverage"],
        ["Mr. X", "greedy"],
    ]
    assert [row[2] for row in rows_of(said)] == ["80.0 % [49.0, 94.3] of 10 (own: 2 x 100)", "-", "-"]
    assert rows_of(said)[1][3].endswith("by that to greedy")
    assert (tmp_path / "out" / "table.md").read_text(encoding="utf-8") == said
    results = tmp_path / "out" / "mr_x-greedy" / "results.jsonl"
    before = results.read_bytes()
    run(monkeypatch, *arguments, "--games", "3", "--out", str(tmp_path / "out"))
    assert results.read_bytes().startswith(before)
    assert len(results.read_bytes()) > len(before)


def test_the_table_has_a_row_for_every_policy_and_side(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bounds.Examination, "play", lambda *_: Rate(1, 2))
    run(monkeypatch)
    rows = rows_of(capsys.readouterr().out)
    words = {"mr_x": "Mr. X", "detectives": "detectives"}
    wanted = [(words[side], name) for name in policy_names() for side in sides_of(POLICIES.load(name))]
    assert sorted((row[0], row[1]) for row in rows) == sorted(wanted)
    told = {row[1]: row[4] for row in rows}
    assert told["minimax"] == "-"
    assert told["hider"] == "50.0 % [9.5, 90.5] by tracker"


def test_a_response_to_the_policy_of_another_version_says_so(tmp_path: Path) -> None:
    stored = store_response(tmp_path, "greedy", "detectives", wins=8)
    assert robustness.tell_own(stored.response) == "80.0 % [49.0, 94.3] of 10 (own: 2 x 100)"
    old = dataclasses.replace(stored.response.challenge, version="0.0.1")
    assert scotyard_env.__version__ != "0.0.1"
    assert robustness.tell_own(dataclasses.replace(stored.response, challenge=old)).endswith(", version 0.0.1)")


@pytest.mark.parametrize(("board", "rules"), [("london", "classic"), ("docklands", "docklands")])
def test_a_board_is_played_by_its_own_rules_unless_others_are_named(board: str, rules: str) -> None:
    assert robustness.Command(board=board).examine().rules == RuleSet.named(rules)
    assert robustness.Command(board="london", rules="bristol").examine().rules == RuleSet.named("bristol")


def test_the_exact_bound_is_what_a_best_response_wins_and_how_much_more_that_is_than_against_perfect_play() -> None:
    small = SmallGame("glasses", draws=10, seed=0)
    assert str(small.measure("greedy", "detectives")) == "50.0 % (+38.9)"
    assert str(small.measure("hider", "mr_x")) == "100.0 % (+11.1)"


def test_the_exact_bound_is_computed_once_and_anew_if_it_is_another_or_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, kept = SmallGame("glasses", draws=10, seed=0), tmp_path / "kept" / "exact.json"
    bound = small.measure("greedy", "detectives", kept)
    with monkeypatch.context() as patch:
        patch.setattr("scotyard_baselines.robustness.exact.survival", stumble)
        assert small.measure("greedy", "detectives", kept) == bound
        with pytest.raises(RuntimeError, match="stumbled"):
            small.measure("coverage", "detectives", kept)
    kept.write_text("damaged", encoding="utf-8")
    assert small.measure("greedy", "detectives", kept) == bound


# ------------------------------------------------------------------------------------------------------ wrong input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--policy", "nobody"], "there is no policy 'nobody': there are"),
        (["--policy", "hider", "--games", "0"], "games is 0: give a whole number of at least 1"),
        (["--policy", "hider", "--draws", "0"], "draws is 0: give a whole number of at least 1"),
        (["--policy", "hider", "--samples", "0"], "samples is 0: give a whole number from 1 to"),
        (["--policy", "hider", "--responses", "nowhere"], "nowhere: there is no such folder"),
        (["--policy", "hider", "--responses", "tests"], "tests holds no response.json: scotyard train best_response"),
        (["--policy", "hider", "--exact", "nowhere"], "no board"),
    ],
)
def test_wrong_input_is_one_line_that_helps(
    arguments: list[str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "tests").mkdir()
    monkeypatch.chdir(tmp_path)
    assert words in refuse(monkeypatch, capsys, f"robustness {' '.join(arguments)}")
