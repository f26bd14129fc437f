"""The scotyard command: what it shows, what it saves, and what it says to wrong input."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

import scotyard_env
from scotyard_env import cli
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.notation import parse_action
from scotyard_env.policy import Decision
from scotyard_env.replay import Replay
from scotyard_env.ruleset import RuleSet
from scotyard_env.terminal import print_action


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


def test_a_match_tells_of_a_reveal_once(capsys: pytest.CaptureFixture[str]) -> None:
    game = Game.from_position("london", stations=[45, 150, 160], possible=[45])
    for text in ("T46", "T149", "T161", "U1", "T148", "T174", "T8", "T149", "T161", "2x"):  # the third entry shows him
        view, action = game.view(game.seat), parse_action(game.board, text)
        game.play(action)
        print_action(game, view, Decision(action))
    assert capsys.readouterr().out.count("shows himself on 8") == 1


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


# Watch


@pytest.fixture
def replay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Path:
    run(monkeypatch, "match", "--board", "docklands", "--mr-x", "hider", "--seed", "3", "--out", str(tmp_path))
    capsys.readouterr()
    return tmp_path / "replay.jsonl"


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str, is_terminal: bool = True) -> None:
    keyboard = io.StringIO("".join(line + "\n" for line in lines))
    keyboard.isatty = lambda: is_terminal  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", keyboard)


def test_watch_steps_forth_back_and_anywhere(
    replay: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, "", "", "b", "9", "900", "x", "q")
    run(monkeypatch, "watch", str(replay))
    shown = capsys.readouterr().out
    moments = re.findall(r"\[(\d+) of \d+\]", shown)
    assert moments == ["0", "1", "2", "1", "9", "9", "9"]
    assert "'900' is no moment: there are 0 (the start) to" in shown


@pytest.mark.parametrize("lines", [["", "", ""], [""]])
def test_watch_ends_at_the_end_of_the_replay_or_of_the_input(
    lines: list[str], replay: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    last = len(Replay.load(replay))
    type_in(monkeypatch, *lines)
    run(monkeypatch, "watch", str(replay), "--at", str(last - 1))
    assert re.findall(r"\[(\d+) of \d+\]", capsys.readouterr().out) == [str(last - 1), str(last)]


def test_watch_hides_from_a_spectator_what_only_mr_x_knew(
    replay: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for viewer in ("spectator", "detectives", "mr_x"):
        type_in(monkeypatch, is_terminal=False)
        run(monkeypatch, "watch", str(replay), "--viewer", viewer)
        told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("mr_x ")]
        assert any("?" in line for line in told) == (viewer != "mr_x")
        assert any("shows himself on" in line for line in told) == (viewer != "mr_x")


@pytest.mark.parametrize("name", ["board.svg", "board.png", "film.gif"])
def test_watch_writes_pictures_and_films(
    name: str, replay: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "watch", str(replay), "--out", str(replay.parent / name), "--viewer", "mr_x")
    assert (replay.parent / name).stat().st_size > 10_000
    assert f"wrote {replay.parent / name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        (None, [], "No such file"),
        ("", [], "the file is empty"),
        ("rubbish", [], "line 1: this is not JSON"),
        ("{}", [], "this is not a replay"),
        ("whole", ["--at", "999"], "there is no moment 999"),
        ("whole", ["--line", "2"], "the file has no line 2"),
        ("whole", ["--out", "film.avi"], "cannot write film.avi"),
        ("cut", [], "this is not JSON"),
    ],
)
def test_watch_says_what_is_wrong_with_a_replay(
    content: str | None,
    arguments: list[str],
    words: str,
    replay: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = replay.read_text()
    file = replay.parent / "other.jsonl"
    if content is not None:
        file.write_text({"whole": whole, "cut": whole[:200]}.get(content, content))
    with pytest.raises(SystemExit) as stop:
        run(monkeypatch, "watch", str(file), *arguments)
    said = capsys.readouterr().err
    assert stop.value.code == 2
    assert words in said
    assert said.count("\n") == 1


# Tournament and report


def test_tournament_prints_the_table_and_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = [
        "tournament",
        "--mr-x",
        "random,hider:exits=2,distance=1",
        "--detectives",
        "greedy",
        "--board",
        "docklands",
    ]
    for games in ("2", "3"):
        run(monkeypatch, *command, "--games", games, "--workers", "1", "--out", str(tmp_path))
        said = capsys.readouterr()
        assert f"{games} games a pairing" in said.out
        assert "hider:exits=2,distance=1" in said.out
        assert f"the report is {tmp_path / 'report.html'}" in said.out
    assert "has 4 matches of this tournament already" in said.err
    (tmp_path / "table.md").unlink()
    run(monkeypatch, "report", str(tmp_path))
    assert (tmp_path / "table.md").read_text().strip() in capsys.readouterr().out


@pytest.mark.parametrize("command", ["match", "watch", "play", "tournament", "report", "policies"])
def test_every_command_explains_itself(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        run(monkeypatch, command, "--help")
    assert stop.value.code == 0
    assert f"usage: scotyard {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("match --mr-x nobody", "there is no policy 'nobody': there are"),
        ("match --detectives hider", "plays mr_x, not detectives"),
        ("match --board paris", "paris"),
        ("match --board paris.json", "paris.json: No such file or directory"),
        ("match --rules paris.json", "paris.json: No such file or directory"),
        ("match --rules chess", "there is no rule set 'chess'"),
        ("match --seed -1", "seed is -1"),
        ("match --out /proc/nowhere", "nowhere"),
        ("tournament --mr-x nobody", "there is no policy 'nobody': there are"),
        ("tournament --mr-x no_module:make", "cannot be made: ModuleNotFoundError"),
        ("tournament --mr-x ,", "nobody plays mr_x"),
        ("tournament --games 0", "games is 0: give a whole number of at least 1"),
        ("tournament --workers 0", "workers is 0: give a whole number of at least 1"),
        ("tournament --move-limit 0", "move_limit is 0.0: give a number of seconds above 0"),
        ("tournament --rules chess", "there is no rule set 'chess'"),
        ("tournament --out /proc/nowhere", "nowhere"),
    ],
)
def test_wrong_input_is_one_line_that_helps_and_leaves_nothing_behind(
    line: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        run(monkeypatch, *line.split())
    said = capsys.readouterr()
    assert stop.value.code == 2
    assert said.err.startswith("scotyard: ")
    assert words in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert list(tmp_path.iterdir()) == []


def test_the_version_the_boards_and_the_rules_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        run(monkeypatch, "--version")
    assert (stop.value.code, capsys.readouterr().out) == (0, f"scotyard_env {scotyard_env.__version__}\n")
    run(monkeypatch, "boards")
    boards = capsys.readouterr().out
    assert all(re.search(rf"^{name} .*stations", boards, re.MULTILINE) for name in Board.names())
    run(monkeypatch, "rules")
    rules = capsys.readouterr().out
    assert all(re.search(rf"^{name} +on {RuleSet.named(name).board}$", rules, re.MULTILINE) for name in RuleSet.names())


def test_a_match_is_played_on_a_board_and_by_rules_from_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-1", name="ring")
    rules = RuleSet(name="short", detectives=1, log_entries=3, reveals=(), detective_starts=None, mr_x_starts=None)
    board.save("ring.json")
    rules.save("short.json")
    run(monkeypatch, "match", "--board", "ring.json", "--rules", "short.json")
    assert capsys.readouterr().out
    replay = Replay.load("match/replay.jsonl")
    assert (replay.board, replay.rules) == (board, rules)
