"""scotyard play: whole games of each side, undo and hints, a game left or killed at any moment and taken up again."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from calling import call, refuse

from scotyard_env.game import Game
from scotyard_env.play.keyboard import complete_line
from scotyard_env.play.levels import ADVISERS, OPPONENTS
from scotyard_env.play.saved_game import SavedGame
from scotyard_env.policy import SIDES, make_policy
from scotyard_env.replay import Practice, Replay

SMALL = "play --board docklands --against random --seed 4 --out"
SIDES_AND_LEVELS = [(side, level) for side, levels in OPPONENTS.items() for level in levels]


class Reader:
    """Somebody who plays the first move that the screen shows, at most so many, and then closes the terminal."""

    def __init__(self, capsys: pytest.CaptureFixture[str], most: int = 1000) -> None:
        self._capsys, self._left = capsys, most
        self.seen: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.seen.append(self._capsys.readouterr().out + prompt)
        self._left -= 1
        if self._left < 0:
            raise EOFError
        legal = re.findall(r"may go: (\w+) (\d+)", self.seen[-1])
        return " ".join(legal[-1]) if legal else ""


Sit = Callable[..., str]


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sit:
    def type_in(line: str, *lines: str) -> str:
        """Run the command with lines as a script gives them; return what it shows."""
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{each}\n" for each in lines)))
        assert call(monkeypatch, line) == 0
        return capsys.readouterr().out

    return type_in


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    def read_and_play(line: str, most: int = 1000) -> list[str]:
        """Let somebody play by what the screen shows; return what it showed before every answer, and at the end."""
        reader = Reader(capsys, most)
        with monkeypatch.context() as patched:
            patched.setattr("builtins.input", reader)
            assert call(patched, line) == 0
        return [*reader.seen, capsys.readouterr().out]

    return read_and_play


# Whole games


@pytest.mark.parametrize("side", SIDES)
def test_a_person_plays_a_whole_game_by_what_is_shown(
    side: str, play: Callable[..., list[str]], tmp_path: Path
) -> None:
    *seen, last = play(f"{SMALL} {tmp_path} --as {side}")
    replay = Replay.load(tmp_path / "game_1.jsonl")
    assert replay.practice is None
    assert ("You win." in last) == (replay.winner == side)
    assert re.search(r"^You (win|lose)\. (Detective \d caught|Mr\. X|No detective|The last round)", last, re.M)
    assert f"scotyard watch {tmp_path / 'game_1.jsonl'} shows the game again." in last
    assert "<svg" in (tmp_path / "game_1.svg").read_text()
    rounds = [int(number) for text in seen for number in re.findall(r"^Round (\d+):", text, re.M)]
    assert rounds == list(range(1, len(rounds) + 1))
    if side == "detectives":
        where = {station for text in seen for station in re.findall(r"^[> ] Mr\. X +(\S+)", text, re.M)}
        assert where == {"?"}


def test_a_person_who_cannot_move_passes_without_being_asked(sit: Sit, tmp_path: Path) -> None:
    tickets = [[9, 9, 9, 5, 2], [9, 9, 9, 0, 0], [0, 0, 0, 0, 0], [9, 9, 9, 0, 0]]
    game = Game.from_position("london", stations=(89, 50, 1, 117), tickets=tickets)
    SavedGame("detectives", "random", "", "7", Replay.of(game)).save(tmp_path / "g.jsonl")
    shown = sit(f"play --resume {tmp_path / 'g.jsonl'}", "37", "116")
    assert "Detective 2 cannot move and passes." in shown
    assert SavedGame.load(tmp_path / "g.jsonl").replay.moves[1:4] == ("T37", "--", "T116")


def test_a_line_that_is_partly_wrong_plays_nothing(sit: Sit, tmp_path: Path) -> None:
    shown = sit(f"{SMALL} {tmp_path} --as detectives", "t1 nonsense", "t999", "", "q")
    assert "'nonsense' is no move" in shown
    assert "there is no station 999, only 1 to 32" in shown
    assert len(SavedGame.load(tmp_path / "game_1.jsonl").replay) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("?", "Write a station, 88"),
        ("help", "Mr. X wins when his log is full (12)"),
        ("map", "D1: a detective   X: Mr. X"),
        ("map 5", "From 5: "),
        ("map 77", "map takes a station from 1 to 32, and not '77'"),
        ("map x\x1b[2J", "and not 'x\\\\u001b[2J'"),
        ("undo", "undo is for practice games"),
        ("hint", "hint is for practice games"),
        ("hnt", "'hnt' is no command: did you mean hint?"),
        ("\x00\x1b", "is no move"),
        ("", "Round 1: Mr. X to move"),
    ],
)
def test_whatever_is_asked_is_answered_and_changes_nothing(line: str, words: str, sit: Sit, tmp_path: Path) -> None:
    shown = sit(f"{SMALL} {tmp_path}", line, "q").replace("\n", " ")
    assert words in shown
    assert "\x1b" not in shown
    assert len(SavedGame.load(tmp_path / "game_1.jsonl").replay) == 0


# Practice


def test_undo_goes_back_to_the_last_decision_and_is_noted(sit: Sit, tmp_path: Path) -> None:
    game = Game("docklands", seed=4)
    first, other = game.legal_moves[:2]
    shown = sit(f"{SMALL} {tmp_path} --practice", "undo", first, "undo", other, "q")
    assert "There is nothing to take back." in shown
    assert f"Taken back: {first} and what came after it." in shown
    replay = SavedGame.load(tmp_path / "game_1.jsonl").replay
    assert replay.moves[0] == other
    assert replay.practice == Practice(undos=1, hints=0)


def test_after_undo_the_same_move_is_answered_the_same(sit: Sit, tmp_path: Path) -> None:
    move = Game("docklands", seed=4).legal_moves[0]
    for folder, lines in (("one", [move]), ("two", [move, "undo", move])):
        sit(f"{SMALL} {tmp_path / folder} --practice", *lines)
    one, two = (SavedGame.load(tmp_path / folder / "game_1.jsonl").replay.moves for folder in ("one", "two"))
    assert len(one) == 3
    assert one == two


def test_a_hint_is_given_by_the_adviser_and_noted(sit: Sit, tmp_path: Path) -> None:
    shown = sit(f"{SMALL} {tmp_path} --practice --hints greedy", "hint", "q")
    assert "greedy: mr_x plays" in shown
    assert SavedGame.load(tmp_path / "game_1.jsonl").replay.practice == Practice(undos=0, hints=1)


def test_after_the_end_of_practice_the_last_move_can_be_taken_back(
    play: Callable[..., list[str]], sit: Sit, tmp_path: Path
) -> None:
    last = play(f"{SMALL} {tmp_path} --practice --hints greedy")[-1]
    assert "shows the game again" in last
    moves = Replay.load(tmp_path / "game_1.jsonl").moves
    own = [move for number, move in enumerate(moves) if number % 3 == 0]
    shown = sit(f"{SMALL} {tmp_path / 'again'} --practice --hints greedy", *own, "undo", "q")
    assert "This was a practice game (moves taken back: 0, hints: 0)." in shown
    assert "undo takes your last move back, Enter leaves > undo" in shown
    assert SavedGame.load(tmp_path / "again" / "game_1.jsonl").replay.moves == moves[: 3 * len(own) - 3]


# Left and taken up again


@pytest.mark.parametrize("side", SIDES)
def test_a_game_left_at_any_moment_goes_on_as_it_would_have(
    side: str, play: Callable[..., list[str]], tmp_path: Path
) -> None:
    play(f"{SMALL} {tmp_path / 'whole'} --as {side}")
    left = play(f"{SMALL} {tmp_path / 'parts'} --as {side}", most=1)[-1]
    file = tmp_path / "parts" / "game_1.jsonl"
    assert f"The game is saved: scotyard play --resume {file} goes on." in left
    while file.read_text().startswith('{"format": "scotyard-saved-game-1"'):
        play(f"play --resume {file}", most=1)
    assert file.read_text() == (tmp_path / "whole" / "game_1.jsonl").read_text()


@pytest.mark.parametrize(
    ("returns", "words"), [("1 / 0", "raised ZeroDivisionError"), ("Decision(0)", "played an illegal move")]
)
def test_when_the_opponent_fails_the_game_so_far_is_saved(
    returns: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    act = f"class Fails:\n    def act(self, view, rng):\n        return {returns}\n"
    (tmp_path / "fails_soon.py").write_text(f"from scotyard_env.policy import Decision\n{act}")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "fails_soon", raising=False)
    move = Game("docklands", seed=4).legal_moves[0]
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{move}\n"))
    assert call(monkeypatch, f"play --board docklands --against fails_soon:Fails --seed 4 --out {tmp_path}") == 3
    said = capsys.readouterr().err
    assert words in said
    assert f"the game is saved in {tmp_path / 'game_1.jsonl'}" in said
    assert SavedGame.load(tmp_path / "game_1.jsonl").replay.moves == (move,)


def test_a_foreign_file_imports_nothing_unless_its_user_names_it_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "foreign_code.py").write_text("from scotyard_baselines.greedy import Greedy\n")
    monkeypatch.syspath_prepend(tmp_path)
    replay = Replay.of(Game("docklands", seed=4))
    SavedGame("mr_x", "foreign_code:Greedy", "", "7", replay).save(tmp_path / "g.jsonl")
    line = f"play --resume {tmp_path / 'g.jsonl'}"
    said = refuse(monkeypatch, capsys, line)
    assert f"{tmp_path / 'g.jsonl'} names 'foreign_code:Greedy'" in said
    assert "give --against foreign_code:Greedy too if you trust it" in said
    assert "foreign_code" not in sys.modules
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert call(monkeypatch, f"{line} --against foreign_code:Greedy") == 0
    assert f"saved: scotyard {line} --against foreign_code:Greedy goes on." in capsys.readouterr().out
    del sys.modules["foreign_code"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("play --level easy --against greedy", "--level and --against both name who plays the other side"),
        ("play --hints greedy", "--hints is for practice games: give --practice too"),
        ("play --resume nowhere.jsonl", "nowhere.jsonl: No such file"),
        ("play --resume nowhere.jsonl --as mr_x --seed 3", "as it was begun: leave out --as, --seed"),
        ("play --against nobody", "there is no policy 'nobody'"),
        ("play --against hider --as mr_x", "plays mr_x, not detectives"),
        ("play --practice --hints hunters --as mr_x", "plays detectives, not mr_x"),
        ("play --board paris", "paris"),
        ("play --out {file}", "{file} cannot be a folder: there is a file of that name"),
        ("match --out {file}", "{file} cannot be a folder: there is a file of that name"),
        ("play --seed -1", "seed is -1"),
    ],
)
def test_what_does_not_go_together_is_refused_and_leaves_nothing_behind(
    line: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path.with_suffix(".txt")
    file.touch()
    assert words.format(file=file) in refuse(monkeypatch, capsys, line.format(file=file))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("side", "level"), SIDES_AND_LEVELS)
def test_every_level_has_a_policy_that_help_names(
    side: str, level: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = OPPONENTS[side][level]  # type: ignore[index]
    make_policy(name, side=side)  # type: ignore[arg-type]
    monkeypatch.setenv("COLUMNS", "300")
    call(monkeypatch, "play --help")
    assert name in capsys.readouterr().out


def test_levels_go_up_by_the_ratings_of_the_tables_to_the_strongest_of_each_side() -> None:
    results = (Path(__file__).parents[1] / "docs" / "results.md").read_text(encoding="utf-8")
    results = results.replace("| minimax  ", "| minimax:belief=evasive ")  # its name since those games
    for side, title in (("mr_x", "Mr. X"), ("detectives", "detectives")):
        everybody = re.findall(rf"^\| {re.escape(title)} +\| (\S+) +\| ([+-]\d+)", results, re.M)
        strongest = max(everybody, key=lambda row: int(row[1]))[0]
        assert strongest == OPPONENTS[side]["best"] == ADVISERS[side][0]  # type: ignore[index]
        ratings = []
        for name in OPPONENTS[side].values():  # type: ignore[index]
            found = re.search(rf"^\| {re.escape(title)} +\| {re.escape(name)} +\| ([+-]\d+)", results, re.M)
            assert found, name
            ratings.append(int(found[1]))
        assert ratings == sorted(ratings)


# The page


PAGE = (Path(__file__).parents[1] / "docs" / "howto" / "play.md").read_text(encoding="utf-8")


def test_the_page_shows_what_the_command_shows(sit: Sit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "25")  # of a terminal that is none, as scripts have it
    told = re.search(r"^\$ scotyard (.*)\n((?:.*\n)*?)```", PAGE, re.M)
    assert told
    answers = re.findall(r"^\S.* > (.*)$", told[2], re.M)
    assert sit(told[1], *answers) == told[2]


def test_the_page_tells_the_levels() -> None:
    rows = re.findall(r"^\| (easy|normal|hard|best) \| `(\S+)` \| `(\S+)` \|$", PAGE, re.M)
    told = {"detectives": {row[0]: row[1] for row in rows}, "mr_x": {row[0]: row[2] for row in rows}}
    assert told == OPPONENTS


# A real terminal, and a real kill


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "scotyard_env.cli", *words]


def take_over_terminal() -> None:
    """Let Ctrl-C in this process's terminal reach it, even if whoever started it ignores that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """The command in a terminal of its own, 80 columns by 24 lines."""

    def __init__(self, *words: str, **environment: str) -> None:
        self._screen, inside = pty.openpty()
        self.shown, self._read = "", 0
        named = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24", **environment}
        self.process = subprocess.Popen(
            command(*words),
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=named,
            start_new_session=True,
            preexec_fn=take_over_terminal,
        )
        os.close(inside)

    def wait_for(self, text: str, press: str = "") -> None:
        """Read on until a text is shown that was not waited for before; press keys when nothing is.

        Readline does not notice a Ctrl-C between showing its prompt and waiting for keys: a person presses once more.
        """
        deadline = time.monotonic() + 60
        while text not in self.shown[self._read :]:
            assert time.monotonic() < deadline, f"{text!r} is not shown, but {self.shown!r}"
            if select.select([self._screen], [], [], 3)[0]:
                self.shown += os.read(self._screen, 4096).decode()
            else:
                self.type(press)
        self._read = self.shown.index(text, self._read) + len(text)

    def type(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._screen)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def test_a_terminal_completes_takes_ctrl_c_and_survives_a_kill(terminals: list[Terminal], tmp_path: Path) -> None:
    game = Game("docklands", seed=4)
    start, view = game.stations[0], game.view(0)
    move = next(text for text in game.legal_moves if len(complete_line(view, text[:-1])) == 1)
    first = Terminal(*SMALL.split(), str(tmp_path))
    terminals.append(first)
    first.wait_for(f"Mr. X on {start} > ")
    first.type(f"{move.lower()[:-1]}\t")
    first.wait_for(move.lower())
    first.type("\n")
    first.wait_for("Round 2: Mr. X to move")
    first.wait_for(" > ")
    os.kill(first.process.pid, signal.SIGKILL)
    file = tmp_path / "game_1.jsonl"
    kept = SavedGame.load(file).replay.moves
    assert kept[0] == move
    assert len(kept) == 3
    second = Terminal("play", "--resume", str(file), TERM="dumb")
    terminals.append(second)
    second.wait_for(" > ")
    second.type("\x03")
    second.wait_for(f"The game is saved: scotyard play --resume {file} goes on.", press="\x03")
    assert second.process.wait(60) == 0
    assert "\x1b[3" not in second.shown  # no colours where the terminal has none
    assert SavedGame.load(file).replay.moves == kept
