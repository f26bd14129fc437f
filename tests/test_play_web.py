"""scotyard play --web: the game of the terminal in a browser, in the same file, with every move kept."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from browsing import open_browser, open_page
from calling import call, refuse
from playing import random_game
from serving import PATIENCE
from test_web_tables import Advice, ask, heard
from websockets.sync.client import connect

from scotyard_env.board import Board
from scotyard_env.play.saved_game import SavedGame
from scotyard_env.play.saved_table import PERSON, SavedTableKeeper, is_over
from scotyard_env.replay import Practice, Replay
from scotyard_env.ruleset import RuleSet
from scotyard_env.web import serving
from scotyard_env.web.journal import Journal
from scotyard_env.web.room import Room
from scotyard_env.web.seating import Setup, SetupError
from scotyard_env.web.table import deal_table
from scotyard_env.web.tokens import digest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SMALL = "--board glasses --against random --seed 4"


class Sitting:
    """``scotyard play --web`` in a process of its own, and a player who takes the first legal move."""

    def __init__(self, words: str) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in serving.SCREENS}
        command = [sys.executable, "-m", "scotyard_env.cli", "play", "--web", *words.split()]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        self.said = ""
        while "Ctrl-C stops" not in self.said:
            line = self.process.stdout.readline() if self.process.stdout is not None else ""
            assert line, self.said
            self.said += line
        self.link = re.findall(r"Your table: (\S+)", self.said)[0]
        page, _, fragment = self.link.partition("table#")
        self.url = page
        table, _, self.token = fragment.partition("/")
        self.socket = f"{page.replace('http', 'ws')}ws/1/{table}"

    def play(self, most: int = 1000) -> list[dict[str, Any]]:
        """Take so many turns, or play to the end; return every message."""
        heard: list[dict[str, Any]] = []
        with connect(self.socket, open_timeout=PATIENCE) as socket:
            socket.send(json.dumps({"type": "hello", "token": self.token}))
            while not heard or heard[-1]["type"] != "over":
                heard.append(json.loads(socket.recv(PATIENCE)))
                if heard[-1]["type"] == "frame" and heard[-1]["legal"] and heard[-1]["winner"] is None:
                    if most == 0:
                        break
                    most -= 1
                    move = {"type": "move", "n": heard[-1]["n"], "move": heard[-1]["legal"][0]}
                    socket.send(json.dumps(move))
        return heard

    def stop(self) -> str:
        """End it as Ctrl-C does; return its last words."""
        self.process.send_signal(signal.SIGINT)
        said, _ = self.process.communicate(timeout=PATIENCE)
        return said


@pytest.fixture
def sit() -> Iterator[Callable[[str], Sitting]]:
    begun: list[Sitting] = []

    def begin(words: str) -> Sitting:
        begun.append(Sitting(words))
        return begun[-1]

    yield begin
    for one in begun:
        with contextlib.suppress(ProcessLookupError):
            one.process.kill()
        one.process.communicate()


def play_at_terminal(monkeypatch: pytest.MonkeyPatch, words: str, moves: int) -> None:
    """Take the first legal move so many times, then leave."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join("first\n" * moves)))
    monkeypatch.setattr("scotyard_env.play.person.read_moves", lambda view, _: [view.legal[0]])
    assert call(monkeypatch, f"play {words}") == 0


@pytest.mark.parametrize("side", ["mr_x", "detectives"])
def test_a_game_goes_as_at_the_terminal_and_from_one_to_the_other(
    side: str, sit: Callable[[str], Sitting], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_at_terminal(monkeypatch, f"{SMALL} --as {side} --out {tmp_path}/alone", 1000)
    alone = Replay.load(tmp_path / "alone" / "game_1.jsonl")
    file = tmp_path / "both" / "game_1.jsonl"
    play_at_terminal(monkeypatch, f"{SMALL} --as {side} --out {file.parent}", 1)
    kept = SavedGame.load(file).replay.moves
    assert kept
    sitting = sit(f"--resume {file}")
    messages = sitting.play(most=1)
    assert len(messages[0]["past"]) >= len(kept)
    assert messages[0]["seats"] == ([0] if side == "mr_x" else [1, 2])
    sitting.process.kill()  # nothing is lost
    assert SavedGame.load(file).replay.moves[: len(kept) + 1] == alone.moves[: len(kept) + 1]
    again = sit(f"--resume {file}")
    assert again.play()[-1]["type"] == "over"
    assert again.stop() == f"scotyard watch {file} shows the game again.\n"
    assert Replay.load(file) == alone


def test_a_game_left_in_the_browser_goes_on_at_the_terminal(
    sit: Callable[[str], Sitting], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_at_terminal(monkeypatch, f"{SMALL} --out {tmp_path}/alone", 1000)
    sitting = sit(f"{SMALL} --out {tmp_path}")
    file = tmp_path / "game_1.jsonl"
    assert "You are Mr. X against random, glasses rules on glasses." in sitting.said
    assert f"Every move is saved at once in {file}." in sitting.said
    assert "Open this link in a browser" in sitting.said
    sitting.play(most=1)
    told = "goes on, with --web in the browser.\n"
    assert sitting.stop() == f"The game is saved: scotyard play --resume {file} {told}"
    play_at_terminal(monkeypatch, f"--resume {file}", 1000)
    assert Replay.load(file) == Replay.load(tmp_path / "alone" / "game_1.jsonl")


def test_a_board_of_ones_own_is_drawn_and_other_tables_are_refused(
    sit: Callable[[str], Sitting], tmp_path: Path
) -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-1 2-T-5 3-T-7 7-T-8 8-T-4", name="hash # and space")
    board.save(tmp_path / "own.json")
    glasses = RuleSet.named("glasses")
    dataclasses.replace(glasses, name="own", mr_x_starts=(8,), detective_starts=(1, 6)).save(tmp_path / "rules.json")
    words = f"--board {tmp_path}/own.json --rules {tmp_path}/rules.json --against random --out {tmp_path}/out"
    sitting = sit(words)
    welcome = sitting.play(most=0)[0]
    assert (welcome["board"], welcome["rules"]) == ("hash # and space", "own")
    assert (
        httpx.get(f"{sitting.url}api/1/boards/{welcome['board']}", timeout=PATIENCE).json()["name"]
        == "hash # and space"
    )
    fields = {"board": "glasses", "rules": "glasses", "players": ["person:1", "policy:random", "policy:random"]}
    answer = httpx.post(f"{sitting.url}api/1/tables", json=fields, timeout=PATIENCE)
    assert (answer.status_code, answer.json()["told"].partition(":")[0]) == (400, "this server has one table")


def test_an_opponent_that_fails_forfeits_and_the_game_may_go_on(
    sit: Callable[[str], Sitting], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "failing.py").write_text("class Failing:\n    def act(self, view, rng):\n        raise ValueError\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    sitting = sit(f"--board glasses --against failing:Failing --out {tmp_path}")
    assert sitting.play()[-1] == {"type": "over", "winner": "mr_x", "reason": "crashed"}
    sitting.stop()
    assert sitting.process.returncode == 3
    assert len(SavedGame.load(tmp_path / "game_1.jsonl").replay) == 1


# The file


def open_table(tmp_path: Path, side: str = "mr_x", seed: int = 1, actions: int = 0) -> tuple[SavedTableKeeper, Path]:
    """Keep a practice game on docklands as far as random moves have brought it."""
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=seed, actions=actions))
    assert side in ("mr_x", "detectives")
    other = "greedy" if side == "mr_x" else "random"
    saved = SavedGame(
        side="mr_x" if side == "mr_x" else "detectives",
        against=other,
        adviser="random",
        key="key",
        replay=Replay(**{**vars(replay), "practice": Practice(2, 3)}),
    )
    return SavedTableKeeper(saved, tmp_path / "game.jsonl", "game", "token"), tmp_path / "game.jsonl"


def test_undo_and_hints_are_counted_in_the_file(tmp_path: Path) -> None:
    async def practise() -> None:
        keeper, path = open_table(tmp_path)
        room = Room("game", keeper.load("game"), keeper, Advice(), {"mr_x": "random"})  # type: ignore[arg-type]
        me = await room.enter("token")
        assert me is not None
        assert await ask(room, me, type="hint", n=0) is None
        hint = json.loads(heard(me)[-1])
        assert SavedGame.load(path).replay.practice == Practice(2, 4)
        assert await ask(room, me, type="move", n=0, move=hint["move"]) is None
        assert SavedGame.load(path).replay.moves == (hint["move"],)
        assert await ask(room, me, type="undo", n=1) is None
        assert SavedGame.load(path).replay.moves == ()
        assert SavedGame.load(path).replay.practice == Practice(3, 4)
        await room.close()
        again = keeper.load("game")
        assert (again.n, again.replay()) == (room.table.n, room.table.replay())

    asyncio.run(practise())


def test_who_gives_up_keeps_the_game_as_a_replay_and_who_forfeits_may_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def end(event: dict[str, Any]) -> Path:
        keeper, path = open_table(tmp_path, actions=3)
        await keeper.append("game", [event])
        assert is_over(keeper.table) == ("resign" in event)
        return path

    path = asyncio.run(end({"forfeit": "detectives", "reason": "crashed"}))
    assert len(SavedGame.load(path).replay) == 3
    path = asyncio.run(end({"resign": "mr_x"}))
    assert (len(Replay.load(path)), Replay.load(path).winner) == (3, None)
    assert "is a replay and has nobody who goes on with it" in refuse(
        monkeypatch, capsys, f"play --web --resume {path}"
    )


def test_a_detective_who_was_left_stuck_passes_at_once(tmp_path: Path) -> None:
    replays = (Replay.of(random_game("docklands", "docklands", 2, seed=seed)) for seed in range(200))
    seed, at = next((seed, one.moves.index("--")) for seed, one in enumerate(replays) if "--" in one.moves)
    keeper, path = open_table(tmp_path, "detectives", seed, actions=at)
    assert keeper.table.look(frozenset([keeper.table.seat])).legal_moves != ["--"]
    assert SavedGame.load(path).replay.moves[at] == "--"


def test_no_second_table_is_kept_and_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    keeper, path = open_table(tmp_path)
    move = keeper.table.look(frozenset([0])).legal_moves[0]
    with pytest.raises(SetupError, match="one table"):
        asyncio.run(keeper.begin("other", keeper.table))
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        asyncio.run(keeper.append("game", [{"move": move}]))
    assert keeper.load("game").n == 0  # which has not happened
    assert keeper.load("game").setup.seats_of(PERSON) == {0}


# The browser


def test_a_browser_is_opened_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(serving.webbrowser, "open", opened.append)
    monkeypatch.setattr(serving.sys, "platform", "linux")
    for name in serving.SCREENS:
        monkeypatch.delenv(name, raising=False)
    assert not serving.open_browser("http://127.0.0.1:1/")
    monkeypatch.setenv("DISPLAY", ":0")
    assert serving.open_browser("http://127.0.0.1:2/")
    deadline = time.monotonic() + 10
    while not opened and time.monotonic() < deadline:
        time.sleep(0.01)
    assert opened == ["http://127.0.0.1:2/"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--resume none.jsonl", "none.jsonl"),
        ("--level hard --against random", "leave one of them out"),
        ("--against nobody", "there is no policy 'nobody'"),
        ("--board nowhere", "nowhere"),
    ],
)
def test_what_cannot_be_played_is_refused_before_a_server_starts(
    words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in refuse(monkeypatch, capsys, f"play --web {words}")
    assert not list(tmp_path.iterdir())


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("scotyard_env.play.browser", "scotyard_env.web.serving"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "scotyard play needs uvicorn: pip install 'scotyard-env[web]'" in refuse(monkeypatch, capsys, "play --web")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def browser() -> Iterator[Browser]:
    yield from open_browser()


def test_the_page_shows_the_game_of_the_terminal(
    browser: Browser, sit: Callable[[str], Sitting], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_at_terminal(monkeypatch, f"--board docklands --against random --seed 4 --practice --out {tmp_path}", 2)
    moves = SavedGame.load(tmp_path / "game_1.jsonl").replay.moves
    sitting = sit(f"--resume {tmp_path}/game_1.jsonl")
    page = open_page(browser)
    page.goto(sitting.link)
    page.get_by_text("Your turn: Mr. X").wait_for()
    assert page.locator("#moves .line i").all_inner_texts()[: len(moves)] == list(moves)
    page.get_by_role("button", name="Undo").wait_for()


# Tables of scotyard web


def test_a_practice_table_says_in_its_replay_how_much_help_there_was_also_after_a_restart(tmp_path: Path) -> None:
    async def practise(practice: bool) -> Practice | None:
        setup = Setup("docklands", "docklands", ("person:1",) * 3, practice)
        journal, name = Journal(tmp_path), f"practice_{practice}"
        await journal.begin(name, deal_table(setup, b"secret", {PERSON: digest("token")}))
        for event in ({"hint": 0}, {"move": journal.load(name).look(frozenset([0])).legal_moves[0]}, {"undo": 1}):
            await journal.append(name, [event])
        await journal.append(name, [{"resign": "mr_x"}])
        journal.close()
        table = journal.load(name)
        assert table.n == 3
        published = table.published()
        assert published is not None
        return published.practice

    assert asyncio.run(practise(True)) == Practice(undos=1, hints=1)
    assert asyncio.run(practise(False)) is None
