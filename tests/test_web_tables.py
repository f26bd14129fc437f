"""Live tables: what is hidden stays hidden, who may do what, and nothing that was acknowledged is ever lost."""

from __future__ import annotations

import ast
import asyncio
import dataclasses
import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import httpx
import numpy as np
import pytest
from calling import refuse
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import random_game
from serving import Seat, Server
from twins import twin_of
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from scotyard_env.arena import tournament
from scotyard_env.arena.folder import FolderError
from scotyard_env.arena.report import write_report
from scotyard_env.explanation import Explanation, explain
from scotyard_env.policy import make_policy
from scotyard_env.replay import Replay
from scotyard_env.state import MR_X
from scotyard_env.view import View
from scotyard_env.web import limits
from scotyard_env.web.bots import BotError, Bots
from scotyard_env.web.command import LOOPBACK, choose_advisers, read_names
from scotyard_env.web.guard import Guard
from scotyard_env.web.journal import ENDING, FORMAT, LOCK, Journal, JournalError
from scotyard_env.web.messages import MessageError, read_message
from scotyard_env.web.offer import Offer, level, read_ratings
from scotyard_env.web.registry import FullError, Registry
from scotyard_env.web.room import Listener, Room
from scotyard_env.web.seating import Setup, SetupError, read_setup
from scotyard_env.web.table import Code, RefusedError, Table, deal_table, keyed_rng
from scotyard_env.web.tokens import digest, find_holder, new_token

WEB = Path(__file__).resolve().parents[1] / "scotyard_env" / "web"
TWO = ("person:1", "person:2", "person:2")  # Mr. X, and both detectives of docklands
FUZZ = (
    *("", "{", "[]", "[" * 2000, '{"type":"fly"}', '{"type":"move"}', '{"type":"hello","token":""}'),
    *('{"type":"move","n":true,"move":"T1"}', '{"type":"move","n":0,"move":"\\u0000"}'),
)
GUESSES = [f"{fare}{station}" for station in range(1, 33) for fare in "TBUK"] + ["2x", "--"]
CODES = {*get_args(Code), "message", "too_fast", "hello", "unknown_table", "no_entry"}


class Advice:
    """Policies that think at once, in this process."""

    async def decide(self, name: str, view: View, rng: np.random.Generator) -> Explanation:
        """Return a decision."""
        return explain(name, view, rng)


class Memory:
    """A journal that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    async def append(self, name: str, events: list[dict[str, Any]]) -> None:
        """Keep events."""
        self.events += events


def seat_table(replay: Replay, players: tuple[str, ...] = TWO, practice: bool = False) -> Table:
    """Make a table where a game begins as this one did."""
    start = dataclasses.replace(replay, moves=(), winner=None, explanations=())
    setup = Setup(replay.board.name, replay.rules.name, players, practice)
    return Table(setup, b"secret", {person: digest(person) for person in setup.persons}, start)


def open_room(table: Table) -> Room:
    hints = {"mr_x": "hider", "detectives": "greedy"}
    return Room("room", table, Memory(), Advice(), hints)  # type: ignore[arg-type]


def heard(listener: Listener) -> list[str]:
    """Take all that waits for a listener."""
    found = []
    while not listener.outbox.empty():
        found.append(str(listener.outbox.get_nowait()))
    return found


async def ask(room: Room, listener: Listener, **message: Any) -> str | None:
    """Ask for something; return the code of what is wrong with it."""
    try:
        await room.act(listener, message)
    except RefusedError as refused:
        return refused.code
    return None


# What is hidden


async def bytes_told(replay: Replay, practice: bool) -> list[object]:
    """Play a game at a table; collect every byte that anybody but Mr. X is sent, whatever they try on the way."""
    room = open_room(seat_table(replay, practice=practice))
    mr_x, told = await room.enter("person:1"), list[object]()
    others = [await room.enter("person:2"), await room.enter("")]
    assert mr_x is not None
    for number, move in enumerate(replay.moves):
        for other in filter(None, others):
            for n in (number - 1, number, number + 1):
                is_turn = n == number and room.table.seat in other.seats
                told += [await ask(room, other, type="move", n=n, move=guess) for guess in GUESSES if not is_turn]
            told.append(await ask(room, other, type="hint", n=number))
        player = mr_x if room.table.seat == MR_X else others[0]
        assert player is not None
        assert await ask(room, player, type="move", n=number, move=move) is None
        told += [heard(other) for other in filter(None, others)]
        heard(mr_x)
    late = [await room.enter("person:2"), await room.enter(""), await room.enter("wrong token")]
    return [*told, *(heard(one) if one is not None else None for one in late)]


@pytest.mark.parametrize("practice", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_nobody_but_mr_x_is_told_anything_that_depends_on_where_he_hides(seed: int, practice: bool) -> None:
    games = (random_game("docklands", "docklands", 2, seed=number, actions=14) for number in range(seed, 100, 3))
    here = Replay.of(next(game for game in games if game.winner is None))
    there = twin_of(here)
    assert asyncio.run(bytes_told(here, practice)) == asyncio.run(bytes_told(there, practice))


def test_guessing_his_last_move_is_answered_as_any_other_guess() -> None:
    table = seat_table(Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1)))
    move = table.look(frozenset([MR_X])).legal_moves[0]
    table.apply({"move": move})
    for guess in (move, "T1", "nonsense"):
        with pytest.raises(RefusedError, match="stale"):
            table.play(frozenset([1, 2]), 0, guess)
    assert table.play(frozenset([MR_X]), 0, move) == []  # his own, sent again


def test_only_five_modules_may_see_the_whole_game() -> None:
    allowed = {"table.py", "journal.py", "page.py", "scenes.py", "analysis.py"}
    for file in WEB.glob("*.py"):
        names = {
            alias.name
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module in ("scotyard_env.game", "scotyard_env.replay")
            for alias in node.names
        }
        assert not names & {"Game", "Replay"} or file.name in allowed, file.name
        assert ".replay()" not in file.read_text(encoding="utf-8") or file.name in allowed, file.name


def test_pages_are_built_without_html_text() -> None:
    for file in (WEB / "static").glob("*.js"):
        text = file.read_text(encoding="utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, file.name


def test_a_generator_of_a_decision_tells_nothing_of_the_next_and_is_the_same_again() -> None:
    draws = {keyed_rng(b"secret", f"move {n}").integers(2**63) for n in range(50)}
    assert len(draws) == 50
    assert keyed_rng(b"secret", "move 7").integers(2**63) in draws
    assert keyed_rng(b"other", "move 7").integers(2**63) not in draws


# Who may do what


def test_a_table_refuses_what_is_not_open_now_and_says_only_why() -> None:
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1))

    async def try_all() -> None:
        room = open_room(seat_table(replay))
        mr_x, detectives, watcher = await room.enter("person:1"), await room.enter("person:2"), await room.enter("")
        assert None not in (mr_x, detectives, watcher)
        legal = room.table.look(mr_x.seats).legal_moves
        assert await ask(room, detectives, type="move", n=0, move=legal[0]) == "not_your_turn"
        assert await ask(room, watcher, type="move", n=0, move=legal[0]) == "not_your_turn"
        assert await ask(room, mr_x, type="move", n=0, move="T999") == "illegal"
        assert await ask(room, mr_x, type="move", n=3, move=legal[0]) == "stale"
        assert await ask(room, mr_x, type="undo", n=0) == "not_practice"
        assert await ask(room, mr_x, type="hint", n=0) == "not_practice"
        assert await ask(room, watcher, type="resign", n=0) == "no_seat"
        assert await ask(room, mr_x, type="move", n=0, move=legal[0]) is None
        assert await ask(room, detectives, type="resign", n=1) is None
        assert room.table.winner == "mr_x"
        assert await ask(room, detectives, type="resign", n=2) == "over"
        assert json.loads(heard(watcher)[-1]) == {"type": "over", "winner": "mr_x", "reason": "resigned"}

    asyncio.run(try_all())


def test_practice_games_have_hints_and_undo() -> None:
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1))

    async def practise() -> None:
        table = seat_table(replay, ("person:1",) * 3, practice=True)
        room = open_room(table)
        me = await room.enter("person:1")
        assert me is not None
        assert await ask(room, me, type="undo", n=0) == "nothing_to_undo"
        before = table.look(me.seats).states.tobytes()
        await ask(room, me, type="hint", n=0)
        hint = json.loads(heard(me)[-1])
        assert hint["move"] in table.look(me.seats).legal_moves
        await ask(room, me, type="move", n=0, move=hint["move"])
        assert await ask(room, me, type="undo", n=1) is None
        assert table.look(me.seats).states.tobytes() == before
        assert table.n == 2

    asyncio.run(practise())


def test_at_a_hot_seat_everybody_sees_through_the_eyes_of_who_moves() -> None:
    table = seat_table(Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1)), ("person:1",) * 3)
    seats = frozenset([0, 1, 2])
    assert table.look(seats).stations[MR_X] != 0
    table.apply({"move": table.look(seats).legal_moves[0]})
    assert table.look(seats).viewer == 1
    assert table.look(seats).stations[MR_X] == 0


def test_a_stuck_detective_passes_by_itself() -> None:
    for seed in range(200):
        replay = Replay.of(random_game("docklands", "docklands", 2, seed=seed))
        if "--" in replay.moves:
            break
    at = replay.moves.index("--")

    async def play() -> None:
        table = seat_table(replay)
        room = open_room(table)
        mr_x, detectives = await room.enter("person:1"), await room.enter("person:2")
        assert None not in (mr_x, detectives)
        for move in replay.moves[:at]:
            player = mr_x if table.seat == MR_X else detectives
            assert await ask(room, player, type="move", n=table.n, move=move) is None
        assert [event["move"] for event in table.events][at] == "--"

    asyncio.run(play())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"board": "../london"}, "no such board"),
        ({"rules": "none"}, "no such board"),
        ({"players": ["person:1"]}, "players has one"),
        ({"players": ["person:1", "policy:subprocess:Popen:args=ls"]}, "name of one that is offered"),
        ({"players": ["person:1", 7]}, "name of one that is offered"),
        ({"players": ["person:1", "person:1", "person:2"]}, "hot seat"),
        ({"board": "glasses", "rules": "classic"}, "cannot be played"),
        ({"speed": 3}, "a table has"),
    ],
)
def test_a_table_that_cannot_be_is_refused(changes: dict[str, Any], words: str) -> None:
    fields = {"board": "docklands", "rules": "docklands", "players": ["person:1", "policy:greedy"], **changes}
    with pytest.raises(SetupError, match=words):
        read_setup(fields, {"greedy"})


def test_a_token_opens_its_own_seats_only() -> None:
    tokens = {person: new_token() for person in ("person:1", "person:2")}
    keys = {person: digest(token) for person, token in tokens.items()}
    assert [find_holder(token, keys) for token in tokens.values()] == ["person:1", "person:2"]
    assert find_holder("", keys) is find_holder("person:1", keys) is find_holder(keys["person:1"], keys) is None
    assert not set(tokens.values()) & set(keys.values())


def test_who_does_not_listen_is_dropped_and_holds_up_nobody() -> None:
    async def shout() -> None:
        listener = Listener(frozenset())
        for number in range(3 * limits.QUEUE):
            listener.tell({"type": "presence", "number": number})
        assert listener.is_gone
        assert listener.outbox.get_nowait() is None

    asyncio.run(shout())


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.binary(), st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps)))
def test_what_is_no_message_is_refused(text: str | bytes) -> None:
    with pytest.raises(MessageError):
        read_message(text)


# Policies


@pytest.mark.parametrize(("name", "reason"), [("Sleeper", "late"), ("Leaver", "crashed"), ("Raises", "crashed")])
def test_a_policy_that_is_late_or_crashes_is_replaced_and_said_to_be(name: str, reason: str) -> None:
    view = random_game("docklands", "docklands", 2, seed=1, actions=0).view(0)

    async def decide() -> None:
        bots = Bots({"odd": f"web_policies:{name}", "random": "random"}, workers=1, limit=0.5)
        try:
            with pytest.raises(BotError, match=reason):
                await bots.decide("odd", view, np.random.default_rng(0))
            decision = await bots.decide("random", view, np.random.default_rng(0))
            assert decision.move in view.legal_moves
        finally:
            bots.close()

    asyncio.run(decide())


# What is offered


def test_opponents_are_listed_with_what_the_arena_has_measured() -> None:
    ratings = read_ratings()
    names = sorted({one["name"] for one in ratings})
    told = Offer({name: make_policy(name) for name in names}, ratings).to_dict()
    for policy in told["policies"]:
        for side, strength in policy["strength"].items():
            assert side in policy["sides"]
            assert strength["low"] <= strength["points"] <= strength["high"]
            assert strength["level"] == level(strength["points"])
    assert {"board": "london", "rules": "classic", "detectives": [1, 2, 3, 4, 5]} in told["games"]
    levels = [level(points) for points in range(-1000, 1000, 10)]
    assert list(dict.fromkeys(levels)) == ["gentle", "middling", "strong", "very strong"]


def test_a_tournament_writes_ratings_that_can_be_offered(tmp_path: Path) -> None:
    tournament(["random"], ["random", "greedy"], games=3, board="docklands", out=tmp_path)
    write_report([tmp_path])
    found = {(one["side"], one["name"]) for one in read_ratings(tmp_path / "ratings.json")}
    assert found == {("mr_x", "random"), ("detectives", "random"), ("detectives", "greedy")}
    (tmp_path / "other.json").write_text('{"ratings": [{"name": 3}]}')
    with pytest.raises(ValueError, match="holds no ratings as a tournament writes them"):
        read_ratings(tmp_path / "other.json")


@pytest.mark.parametrize("content", ["", "{", "[" * 10_000, '{"ratings": NaN}', "\ud800"])
def test_ratings_that_cannot_be_read_are_named(content: str, tmp_path: Path) -> None:
    file = tmp_path / "ratings.json"
    file.write_bytes(content.encode(errors="surrogatepass"))
    with pytest.raises(ValueError, match=re.escape(f"{file} cannot be read: ")) as error:
        read_ratings(file)
    assert "\n" not in str(error.value)


def test_names_of_hosts_are_read_as_they_are_meant() -> None:
    assert read_names(" Example.ORG, play.example.org,,") == {*LOOPBACK, "example.org", "play.example.org"}
    assert read_names("") == set(LOOPBACK)


def test_advisers_are_the_strongest_that_are_offered_for_a_side() -> None:
    offered = {name: make_policy(name) for name in ("random", "hider", "greedy", "hunters")}
    assert choose_advisers(offered) == {"mr_x": "hider", "detectives": "hunters"}
    assert choose_advisers({"hunters": offered["hunters"]}) == {"detectives": "hunters"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--policies greedy,nobody", "there is no policy 'nobody'"),
        ("--workers 0", "--workers is 0: policies need at least 1 process"),
        ("--ratings {folder}/none.json", "No such file or directory"),
        ("--games {folder}/file", "there is a file of that name"),
        ("--port {port}", "cannot listen on 127.0.0.1, port {port}"),
    ],
)
def test_a_server_that_cannot_be_is_refused_in_one_sentence(
    words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        known = {"folder": str(tmp_path), "port": str(taken.getsockname()[1])}
        default = "" if "--port" in words else " --port 0"
        line = f"web --policies random --games {tmp_path}/tables {words}{default}".format(**known)
        assert said.format(**known) in refuse(monkeypatch, capsys, line)
    assert not (tmp_path / "tables").exists()


# Nothing is lost


def test_a_second_server_on_the_same_folder_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = Journal(tmp_path)
    with pytest.raises(FolderError, match="in use"):
        Journal(tmp_path)
    line = f"web --policies random --port 0 --games {tmp_path}"
    assert f"{tmp_path} is in use: another process writes there" in refuse(monkeypatch, capsys, line)
    journal.close()
    Journal(tmp_path).close()


def test_a_folder_that_cannot_be_written_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / LOCK).mkdir()  # which stands in the way for every user
    line = f"web --policies random --port 0 --games {tmp_path}"
    assert f"{tmp_path / LOCK} is no file: take another folder" in refuse(monkeypatch, capsys, line)


def test_a_torn_last_line_is_dropped_and_the_game_goes_on(tmp_path: Path) -> None:
    async def keep() -> None:
        journal = Journal(tmp_path)
        table = deal_table(Setup("docklands", "docklands", TWO), b"secret", {})
        await journal.begin("one", table)
        for _ in range(5):
            event = {"move": table.look(frozenset([table.seat])).legal_moves[0]}
            table.apply(event)
            await journal.append("one", [event])
        with (tmp_path / f"one{ENDING}").open("ab") as file:
            file.write(b'{"move":"T1')
        assert (tmp_path / f"one{ENDING}").stat().st_mode & 0o077 == 0  # secrets are in it
        again = journal.load("one")
        assert again.events == table.events
        assert again.replay() == table.replay()
        await journal.append("one", [{"resign": "mr_x"}])
        assert journal.load("one").winner == "detectives"
        journal.close()

    asyncio.run(keep())


def test_a_damaged_table_is_left_alone_and_the_others_go_on(tmp_path: Path) -> None:
    async def resume() -> None:
        journal = Journal(tmp_path)
        for name in ("one", "two"):
            await journal.begin(name, deal_table(Setup("docklands", "docklands", TWO), b"secret", {}))
        await journal.append("two", [{"move": "T999"}])
        registry = Registry(journal, Advice(), {}, {})  # type: ignore[arg-type]
        assert registry.resume() == 1
        assert registry.find("one") is not None
        assert registry.find("two") is registry.find("three") is None
        journal.close()

    asyncio.run(resume())


def first_line(**changes: object) -> str:
    """Write the first line of a table, with some fields of its setup changed."""
    table = deal_table(Setup("docklands", "docklands", TWO), b"secret", {})
    setup = {**table.setup.to_dict(), **changes}
    fields = {"format": FORMAT, "setup": setup, "secret": "00", "keys": {}, "start": table.start.to_line()}
    return json.dumps({**fields, **{key: value for key, value in changes.items() if key in fields}}) + "\n"


@pytest.mark.parametrize(
    "content",
    [
        *("", "[]\n", "7\n", "{}\n", "\x00\n", "[" * 10_000 + "\n"),
        first_line(setup=[]),
        first_line(players="person:1"),
        first_line(players=[1, 2, 3]),
        first_line(players=["person:1"]),
        first_line(players=["person:1", "person:2"]),
        first_line(board="london", rules="classic"),
        first_line(board=[]),
        first_line(keys={"person:1": 7}),
        first_line(keys={"person:1": "\u00e9"}),
        first_line(start=7),
        first_line(secret=7),
        *(first_line() + line + "\n" for line in ("[]", "7", "null", "{}", '{"move":7}', '{"move":["T1"]}')),
        *(first_line() + f'{{"undo":{count}}}\n' for count in ("0", "-1", "1", "true", "null", '"1"')),
        *(first_line() + line + "\n" for line in ('{"resign":"both"}', '{"forfeit":[]}')),
    ],
)
def test_a_file_that_holds_no_table_is_left_alone(
    content: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / f"one{ENDING}"
    file.write_text(content)
    check_left_alone(tmp_path, caplog)
    assert file.read_text() == content


def check_left_alone(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """See that a server starts although table one is damaged, and says so once."""
    journal = Journal(folder)
    with pytest.raises(JournalError, match=f"one{ENDING}"):
        journal.load("one")
    registry = Registry(journal, Advice(), {}, {})  # type: ignore[arg-type]
    assert registry.resume() == 0
    assert registry.find("one") is None
    assert [f"one{ENDING} cannot be read" in record.getMessage() for record in caplog.records] == [True]
    journal.close()


def test_what_is_no_file_is_no_table(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / f"one{ENDING}").mkdir()
    check_left_alone(tmp_path, caplog)
    (tmp_path / f"one{ENDING}").rmdir()
    (tmp_path / f"one{ENDING}").symlink_to(tmp_path / "nowhere")
    caplog.clear()
    check_left_alone(tmp_path, caplog)


def test_a_table_that_is_damaged_while_it_is_parked_is_answered_as_if_there_were_none(tmp_path: Path) -> None:
    async def find() -> None:
        journal = Journal(tmp_path)
        await journal.begin("one", deal_table(Setup("docklands", "docklands", TWO), b"secret", {}))
        await journal.append("one", [{"resign": "mr_x"}])
        registry = Registry(journal, Advice(), {}, {})  # type: ignore[arg-type]
        registry.resume()
        (tmp_path / f"one{ENDING}").write_text("[]\n")
        assert registry.find("one") is None
        journal.close()

    asyncio.run(find())


def test_a_table_whose_policies_are_not_offered_waits_unchanged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def resume() -> None:
        journal = Journal(tmp_path)
        players = ("policy:hider", "policy:greedy", "policy:random")
        await journal.begin("one", deal_table(Setup("docklands", "docklands", players), b"secret", {}))
        before = (tmp_path / f"one{ENDING}").read_bytes()
        registry = Registry(journal, Advice(), {"random": make_policy("random")}, {})  # type: ignore[arg-type]
        assert registry.resume() == 0
        assert registry.find("one") is None
        await asyncio.sleep(2 * limits.TICK)  # in which a policy would have moved
        await registry.close()
        journal.close()
        assert (tmp_path / f"one{ENDING}").read_bytes() == before

    asyncio.run(resume())
    assert [record.getMessage() for record in caplog.records] == [
        "table one is left alone: it needs greedy,hider among --policies"
    ]


def test_tables_that_are_asked_for_at_once_do_not_overrun_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Journal):
        def __init__(self) -> None:
            self.is_full = False

        def names(self) -> list[str]:
            return []

        async def begin(self, name: str, table: Table) -> None:
            await asyncio.sleep(0)
            if self.is_full:
                raise OSError("no space left")

    async def make() -> None:
        journal = Slow()
        registry = Registry(journal, Advice(), {}, {})  # type: ignore[arg-type]
        setup = Setup("docklands", "docklands", TWO)
        journal.is_full = True
        with pytest.raises(OSError, match="no space"):
            await registry.make(setup)  # and gives its place back
        journal.is_full = False
        made = await asyncio.gather(*(registry.make(setup) for _ in range(5)), return_exceptions=True)
        assert [type(one) for one in made] == [tuple] * 3 + [FullError] * 2

    monkeypatch.setattr("scotyard_env.web.registry.TABLES", 3)
    asyncio.run(make())


def test_the_journal_goes_on_writing_when_who_waited_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, gone = Journal(tmp_path), asyncio.new_event_loop()
    monkeypatch.setattr(gone, "call_soon_threadsafe", raise_closed)
    with pytest.raises(TimeoutError):
        gone.run_until_complete(asyncio.wait_for(journal.append("one", [{"move": "T1"}]), 0.05))
    gone.close()
    asyncio.run(asyncio.wait_for(journal.append("two", [{"move": "T2"}]), 10))
    journal.close()
    kept = [(tmp_path / f"{name}{ENDING}").read_text() for name in ("one", "two")]
    assert kept == ['{"move":"T1"}\n', '{"move":"T2"}\n']


def raise_closed(*_: object) -> None:
    raise RuntimeError("Event loop is closed")


def test_a_move_that_cannot_be_kept_is_not_acknowledged() -> None:
    class Full(Memory):
        async def append(self, name: str, events: list[dict[str, Any]]) -> None:
            raise OSError("no space left")

    async def play() -> None:
        table = seat_table(Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1)))
        room = Room("room", table, Full(), Advice(), {})  # type: ignore[arg-type]
        me = await room.enter("person:1")
        assert me is not None
        heard(me)
        assert await ask(room, me, type="move", n=0, move=table.look(me.seats).legal_moves[0]) == "storage"
        assert room.is_broken
        assert me.outbox.get_nowait() is None

    asyncio.run(play())


def test_after_a_failed_write_nothing_that_waited_is_kept_or_told() -> None:
    class Failing(Memory):
        async def append(self, name: str, events: list[dict[str, Any]]) -> None:
            self.events += events
            await asyncio.sleep(0)
            raise OSError("no space left")

    async def play() -> None:
        table, journal = seat_table(Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1))), Failing()
        room = Room("room", table, journal, Advice(), {})  # type: ignore[arg-type]
        me = await room.enter("person:1")
        assert me is not None
        move = {"type": "move", "n": 0, "move": table.look(me.seats).legal_moves[0]}
        asked = (ask(room, me, **move), ask(room, me, **move), ask(room, me, type="resign", n=1))
        *codes, late = await asyncio.gather(*asked, room.enter("person:2"))
        assert codes == ["storage"] * 3
        assert journal.events == [{"move": move["move"]}]
        assert late is not None
        assert heard(late) == ["None"]  # hung up, to come again

    asyncio.run(play())


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[], Server]]:
    """Give a function that starts a server on the same folder each time."""
    begun: list[Server] = []

    def start() -> Server:
        begun.append(Server(tmp_path / "tables"))
        return begun[-1]

    yield start
    for server in begun:
        server.kill()


def test_a_killed_server_goes_on_with_every_game_as_if_nothing_had_happened(
    serve: Callable[[], Server], tmp_path: Path
) -> None:
    server = serve()
    with_bots = [server.make_table(["policy:random"] * 3)[0] for _ in range(10)]
    people = [server.make_table(["person:1", "person:2", "person:2"]) for _ in range(10)]
    acknowledged = {}
    for table, tokens in people:
        seat = Seat(server, table, tokens["person:1"])
        frame = seat.hear("frame")
        seat.say(type="move", n=0, move=frame["legal"][0])
        acknowledged[table] = seat.hear("frame")["move"]
        seat.close()
    server.kill()
    with (tmp_path / "tables" / f"{people[0][0]}{ENDING}").open("ab") as file:
        file.write(b'{"mo')
    server = serve()
    for table, tokens in people:
        seat = Seat(server, table, tokens["person:1"])
        assert seat.hear("welcome")["past"][0][0] == acknowledged[table]
        assert seat.hear("frame")["n"] == 1
        seat.close()
    for table in with_bots:
        watcher = Seat(server, table)
        watcher.hear("over", timeout=30)
        watcher.close()
    server.stop()
    journal = Journal(tmp_path / "tables")
    for table in with_bots:
        assert list(journal.load(table).replay().moves) == play_alone(journal.load(table))
    journal.close()


def play_alone(table: Table) -> list[str]:
    """Play a table's game without a server: every policy with the generator of its decision."""
    game, policy = table.start.game(0), make_policy("random")
    while game.winner is None:
        forced = ["--"] if game.legal_moves == ["--"] else []
        rng = keyed_rng(table.secret, f"move {len(game.moves)}")
        game.play(forced[0] if forced else policy.act(game.view(game.seat), rng).action)
    return game.moves


def test_the_server_answers_fuzz_with_codes_and_stays(serve: Callable[[], Server]) -> None:
    server = serve()
    table, tokens = server.make_table(["person:1", "policy:greedy", "policy:greedy"])
    seat = Seat(server, table, tokens["person:1"])
    seat.hear("frame")
    for text in FUZZ:
        seat.socket.send(text)
        assert seat.hear("error")["code"] in CODES
        time.sleep(0.05)
    seat.socket.send("x" * (limits.MESSAGE + 1))
    with pytest.raises(ConnectionClosed):
        seat.hear("never")
    again = Seat(server, table, tokens["person:1"])
    again.hear("frame")
    for _ in range(3 * limits.BURST):
        again.say(type="hint", n=0)
    codes = [again.hear("error")["code"] for _ in range(3 * limits.BURST)]
    assert {"not_practice", "too_fast"} == set(codes)


def test_others_hosts_origins_and_paths_are_refused(serve: Callable[[], Server]) -> None:
    server = serve()
    table, _ = server.make_table(["person:1", "policy:greedy", "policy:greedy"])
    evil = {"origin": "http://evil.example"}
    fields = {"board": "glasses", "rules": "glasses", "players": ["person:1", "person:2", "person:2"]}
    assert httpx.get(server.url, headers={"host": "evil.example"}).status_code == 403
    assert httpx.post(f"{server.url}api/1/tables", json=fields, headers=evil).status_code == 403
    assert httpx.post(f"{server.url}api/1/tables", content=json.dumps(fields)).status_code == 400  # no JSON by its type
    assert httpx.post(f"{server.url}api/1/tables", json={"x": "y" * limits.MESSAGE}).status_code == 400
    with pytest.raises(InvalidStatus):
        connect(f"ws://{server.host}/ws/1/{table}", origin="http://evil.example").__enter__()  # type: ignore[arg-type]
    replays = (f"api/1/tables/{table}/replay.jsonl", f"api/1/tables/..%2f{table}/replay.html")
    for path in ("static/../app.py", "static/..%2fapp.py", "api/1/boards/..%2f..%2fx", *replays):
        assert httpx.get(server.url + path).status_code == 404
    assert Seat(server, "nowhere").hear("error")["code"] == "unknown_table"
    assert Seat(server, table, "wrong").hear("error")["code"] == "no_entry"
    assert "default-src 'self'" in httpx.get(server.url).headers["content-security-policy"]


@pytest.mark.parametrize("headers", [{"host": "["}, {"host": "localhost", "origin": "http://["}])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_host_or_origin_that_is_no_address_is_refused(kind: str, headers: dict[str, str]) -> None:
    told: list[Any] = []

    async def keep(message: Any) -> None:
        told.append(message)

    async def call() -> None:
        raw = [(key.encode(), value.encode()) for key, value in headers.items()]
        guard = Guard(None, {"localhost"})  # type: ignore[arg-type]
        await guard({"type": kind, "method": "POST", "headers": raw}, None, keep)  # type: ignore[arg-type]

    asyncio.run(call())
    assert told[0].get("status", told[0].get("code")) in (403, 1008)


def test_who_sends_bytes_is_hung_up_on_politely(serve: Callable[[], Server]) -> None:
    server = serve()
    table, tokens = server.make_table(["person:1", "person:2", "person:2"])
    seat = Seat(server, table, tokens["person:1"])
    seat.hear("frame")
    seat.socket.send(b"bytes")
    with pytest.raises(ConnectionClosed) as closed:
        seat.hear("never")
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1003
    server.stop()
    assert server.process.stdout is not None
    assert "Traceback" not in server.process.stdout.read()


def test_twenty_tables_play_side_by_side_over_loopback(serve: Callable[[], Server]) -> None:
    server = serve()

    def play(number: int) -> str:
        table, tokens = server.make_table(["person:1", "person:2", "person:2"])
        watcher = Seat(server, table)
        seats = [Seat(server, table, tokens[f"person:{person}"]) for person in (1, 2)]
        frames = [seat.hear("frame") for seat in seats]
        while frames[0]["winner"] is None:
            mover = 0 if frames[0]["seat"] == 0 else 1
            legal = frames[mover]["legal"]
            seats[mover].say(type="move", n=frames[mover]["n"], move=legal[number % len(legal)])
            frames = [seat.hear("frame") for seat in seats]
        winner = str(watcher.hear("over")["winner"])
        for seat in (watcher, *seats):
            seat.close()
        return winner

    with ThreadPoolExecutor(8) as pool:
        winners = list(pool.map(play, range(20)))
    assert set(winners) <= {"mr_x", "detectives"}
