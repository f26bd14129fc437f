"""The curve against pimbot: both sides are played, what is kept is not played again, and wrong sizes are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from scotyard_baselines.commands.scaling import Command, Row
from scotyard_env.arena import tournament


def make_command(out: Path | None = None, **fields: object) -> Command:
    small = {"mr_x": "greedy", "detectives": "greedy", "iterations": (5, 1_000), "games": (4, 2)}
    return Command(**{**small, "out": out, **fields})  # type: ignore[arg-type]


def test_a_row_counts_what_the_pair_wins_on_both_sides() -> None:
    (as_mr_x,) = tournament("greedy", "random", games=4).pairings  # a Mr. X whom nobody catches
    (as_detectives,) = tournament("random", "greedy", games=4).pairings  # detectives whom nobody escapes
    cells = Row(1_000, as_mr_x, as_detectives).tell()
    assert [cell.partition(" ")[0] for cell in cells[:5]] == ["1,000", "4", "100.0", "100.0", "100.0"]
    assert cells[-1] == "83.7"


def test_every_size_is_played_on_both_sides_and_only_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_command(tmp_path).run()
    told = capsys.readouterr().out
    assert [line.split("|")[1].strip() for line in told.splitlines() if "%" in line and "|" in line] == ["5", "1,000"]
    kept = {path: path.read_bytes() for path in tmp_path.rglob("results.jsonl")}
    assert {path.parent.name for path in kept} == {"mr_x-5", "detectives-5", "mr_x-1000", "detectives-1000"}
    make_command(tmp_path).run()
    assert capsys.readouterr().out == told
    assert {path: path.read_bytes() for path in kept} == kept


def test_pimbot_may_stop_early_and_the_games_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    rates = []
    for stop_early in (False, True):
        make_command(iterations=(600,), games=(3,), stop_early=stop_early).run()
        (row,) = [line for line in capsys.readouterr().out.splitlines() if "| 600 " in line]
        rates.append(row.split("|")[3:6])
    assert rates[0] == rates[1]


def test_every_size_wants_its_number_of_games() -> None:
    with pytest.raises(ValueError, match="give one number of games for each size"):
        make_command(games=(4,)).run()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"games": (4, 0)}, "games is 0: give a whole number of at least 1"),
        ({"iterations": (5, 5)}, "iterations has a size twice"),
        ({"mr_x": "coverage"}, "policy 'coverage' plays detectives, not mr_x"),
        ({"detectives": "hider"}, "policy 'hider' plays mr_x, not detectives"),
        ({"iterations": (5, 0)}, "iterations is 0: give a whole number"),
    ],
)
def test_what_is_wrong_with_any_size_or_side_is_said_before_the_first_game(
    wrong: dict[str, object], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=words):
        make_command(tmp_path / "out", **wrong).run()
    assert not (tmp_path / "out").exists()
