"""What the commands of the arena say of forfeits, of folders and of wrong input."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scotyard_env import cli
from scotyard_env.arena import tournament
from scotyard_env.arena.folder import TRACEBACKS
from scotyard_env.policy import make_policy
from scotyard_env.replay import Replay


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    """Run a command, and give its exit code."""
    monkeypatch.setattr(sys, "argv", ["scotyard", *map(str, arguments)])
    try:
        cli.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("played") / "results"
    tournament(["random", "odd_policies:Raises"], ["random", "greedy"], games=2, board="docklands", seed=1, out=out)
    return out


# Forfeits


def test_a_tournament_with_forfeits_says_so_everywhere_and_exits_with_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ["tournament", "--mr-x", "random,odd_policies:Raises", "--detectives", "random,greedy", "--games", "2"]
    asked += ["--board", "docklands", "--seed", "1", "--workers", "1", "--out", str(tmp_path)]
    assert run(monkeypatch, *asked) == 3
    shown = capsys.readouterr()
    assert "4 of 8 matches were forfeited: the tables say whose and why" in shown.err
    table, page = (tmp_path / "table.md").read_text(), (tmp_path / "report.html").read_text()
    assert table in shown.out
    assert "| odd_policies:Raises! | 100.0 % [34.2, 100.0] ! |" in table
    assert "| Mr. X      | odd_policies:Raises! |" in table
    line = "! odd_policies:Raises (Mr. X) forfeited 2 of 2 matches against greedy: it raised ZeroDivisionError"
    assert line in table
    assert line in page
    assert page.count("100.0 !<small>") == 2
    assert ", 2 forfeited" in page
    assert run(monkeypatch, *asked) == 3  # also if nothing is left to play
    assert run(monkeypatch, "report", tmp_path) == 0


def test_a_tournament_without_forfeits_exits_with_0_and_marks_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ["tournament", "--mr-x", "random", "--detectives", "greedy", "--games", "1", "--board", "docklands"]
    assert run(monkeypatch, *asked, "--workers", "1", "--out", tmp_path) == 0
    assert "!" not in capsys.readouterr().out
    assert not (tmp_path / TRACEBACKS).exists()


def test_a_traceback_is_kept_once_and_shown_with_how_often_it_came_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len((folder / TRACEBACKS).read_text().splitlines()) == 1
    assert run(monkeypatch, "report", folder, "--traceback") == 0
    shown = capsys.readouterr().out
    assert "4 matches, the first odd_policies:Raises v random, match 0 (mr_x raised):" in shown
    assert shown.count("in misbehave") == 1
    assert "arena/guard.py" not in shown  # it begins where the policy does
    assert run(monkeypatch, "report", folder) == 0
    assert "in misbehave" not in capsys.readouterr().out


def test_a_forfeited_match_exits_with_3_keeps_the_game_and_shows_its_traceback_when_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ["match", "--mr-x", "odd_policies:Raises", "--board", "docklands", "--out", str(tmp_path)]
    assert run(monkeypatch, *asked) == 3
    said = capsys.readouterr().err
    assert "forfeit: the policy of mr_x raised ZeroDivisionError: nobody divides by zero; --traceback shows" in said
    assert "in misbehave" not in said
    assert len(Replay.load(tmp_path / "replay.jsonl")) > 0
    assert run(monkeypatch, *asked, "--traceback") == 3
    assert "in misbehave" in capsys.readouterr().err


# Watching


def test_a_folder_of_a_match_is_watched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(monkeypatch, "match", "--board", "glasses", "--out", tmp_path)
    capsys.readouterr()
    assert run(monkeypatch, "watch", tmp_path) == 0
    assert "detective_1" in capsys.readouterr().out


def test_a_tournament_lists_pairings_then_matches_and_shows_the_one_that_is_chosen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "watch", folder) == 0
    listed = capsys.readouterr().out
    assert "   2  random v greedy: detectives win" in listed
    assert f"choose one: {folder} --pairing 1 --match 0" in listed
    assert run(monkeypatch, "watch", folder, "--pairing", "3") == 0
    assert "     1  detectives won in round 3: mr_x raised ZeroDivisionError" in capsys.readouterr().out
    assert run(monkeypatch, "watch", folder, "--pairing", "2", "--match", "1") == 0
    assert "detective_2" in capsys.readouterr().out


# Wrong input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["report"], "give the folder of a tournament, or several: scotyard report results"),
        (["report", "nowhere"], "nowhere: there is no such folder"),
        (["report", "file.txt"], "file.txt is no folder: give that of a tournament"),
        (["report", "."], ". holds no tournament: there is no config.json in it"),
        (
            ["report", "FOLDER", "--out", "all.html"],
            "--out is the folder for table.md and report.html, not a file: give",
        ),
        (["report", "FOLDER", "--out", "file.txt"], "file.txt cannot be a folder: there is a file of that name"),
        (["tournament", "--out", "file.txt"], "file.txt cannot be a folder: there is a file of that name"),
        (["tournament", "--mr-x", "random,random"], "two policies for mr_x are called 'random': name each once"),
        (["tournament", "--mr-x", "minimax:depth=3"], "plays detectives, not mr_x: mr_x can be"),
        (["match", "--mr-x", "random,random"], "--mr-x is 'random,random': a match has one policy on each side"),
        (["watch", "."], ". has neither replay.jsonl, as a match leaves it, nor a tournament's config.json"),
        (["watch", "file.txt", "--match", "1"], "file.txt is no folder of a tournament"),
        (["watch", "FOLDER", "--pairing", "9", "--match", "0"], "there is no pairing 9"),
        (["watch", "FOLDER", "--pairing", "1", "--match", "7"], "there is no match 7 of pairing 1: there are 0 to 1"),
        (["watch", "FOLDER", "--pairing", "1", "--match", "0", "--out", "x.txt"], "x.txt"),
    ],
)
def test_wrong_input_is_answered_in_one_sentence(
    arguments: list[str],
    words: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").write_text("")
    assert run(monkeypatch, *(str(folder) if one == "FOLDER" else one for one in arguments)) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"file.txt"}


def test_the_examples_in_the_help_can_be_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "tournament", "--help")
    shown = "".join(capsys.readouterr().out.replace("│", " ").split())
    assert "greedy,hider:exits=2,distance=1,decoy" in shown
    make_policy("hider:exits=2,distance=1", side="mr_x")
    assert "greedy,minimax:depth=3" in shown
    make_policy("minimax:depth=3", side="detectives")
