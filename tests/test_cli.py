"""The scotyard command: what it shows, what it saves, and what it says to wrong input."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scotyard_env import cli
from scotyard_env.replay import Replay


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["scotyard", *arguments])
    cli.main()


def test_match_prints_every_action_and_saves_replay_and_pictures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(monkeypatch, "match", "--board", "docklands", "--seed", "3", "--out", str(tmp_path / "deep" / "out"))
    shown = capsys.readouterr().out
    replay = Replay.load(tmp_path / "deep" / "out" / "replay.jsonl")
    assert sum("possible" in line and line.startswith("  ") for line in shown.splitlines()) == len(replay)
    for move in replay.moves:
        assert move in shown
    assert (tmp_path / "deep" / "out" / "final.png").stat().st_size > 10_000
    assert "<svg" in (tmp_path / "deep" / "out" / "final.svg").read_text()


def test_the_same_seed_plays_the_same_match(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for out in ("one", "two"):
        run(monkeypatch, "match", "--board", "glasses", "--seed", "5", "--out", str(tmp_path / out))
    assert (tmp_path / "one" / "replay.jsonl").read_text() == (tmp_path / "two" / "replay.jsonl").read_text()


def test_policies_lists_name_side_and_parameters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "policies")
    shown = capsys.readouterr().out
    assert "random" in shown
    assert "mr_x and detectives" in shown
    assert "exits=4.0" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mr-x", "nobody"], "there is no policy 'nobody': there are"),
        (["--detectives", "hider"], "plays mr_x, not detectives"),
        (["--board", "paris"], "paris"),
        (["--rules", "chess"], "there is no rule set 'chess'"),
        (["--seed", "-1"], "seed is -1"),
        (["--out", "/proc/nowhere"], "nowhere"),
    ],
)
def test_wrong_input_is_one_line_that_helps(
    arguments: list[str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        run(monkeypatch, "match", *arguments)
    said = capsys.readouterr()
    assert stop.value.code == 2
    assert said.err.startswith("scotyard: ")
    assert words in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert list(tmp_path.iterdir()) == []
