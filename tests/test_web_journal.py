"""Nothing that was acknowledged at a table is ever lost: torn lines, damaged files, full disks."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from calling import refuse
from playing import random_game
from rooms import START, TWO, Advice, ask, heard, seat_table

from scotyard_env.arena.folder import FolderError
from scotyard_env.explanation import explain
from scotyard_env.policy import make_policy
from scotyard_env.replay import Replay
from scotyard_env.state import MR_X
from scotyard_env.web import limits
from scotyard_env.web.journal import ENDING, FORMAT, LOCK, Journal, JournalError
from scotyard_env.web.registry import Registry
from scotyard_env.web.room import Room
from scotyard_env.web.seating import Setup
from scotyard_env.web.table import deal_table, keyed_rng


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


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool], None]]:
    """Give a function that says whether the disk is full: half of what is written arrives, and then it fails."""
    write, state = os.fsync, {"is_full": False}

    def press(file: int) -> None:
        if state["is_full"]:
            os.ftruncate(file, os.fstat(file).st_size - 3)
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file)

    monkeypatch.setattr("scotyard_env.web.journal.os.fsync", press)
    yield lambda is_full: state.update(is_full=is_full)
    state["is_full"] = False


def test_a_move_that_cannot_be_kept_is_not_played_and_the_game_goes_on_when_there_is_room_again(
    tmp_path: Path, full_disk: Callable[[bool], None]
) -> None:
    async def play() -> None:
        journal, table = Journal(tmp_path), seat_table(START)
        await journal.begin("room", table)
        before = (tmp_path / f"room{ENDING}").read_bytes()
        room = Room("room", table, journal, Advice(), {})  # type: ignore[arg-type]
        me, other = await room.enter("person:1"), await room.enter("person:2")
        assert None not in (me, other)
        move = table.look(me.seats).legal_moves[0]
        heard(other)
        full_disk(True)
        asked = (ask(room, me, type="move", n=0, move=move), ask(room, me, type="resign", n=1))
        assert await asyncio.gather(*asked) == ["storage", "stale"]  # who acted on what was never kept comes too late
        assert [json.loads(text)["type"] for text in heard(other)] == ["welcome", "frame", "error"]
        assert room.table.n == 0
        assert (tmp_path / f"room{ENDING}").read_bytes() == before
        full_disk(False)
        assert await ask(room, me, type="move", n=0, move=move) is None
        assert journal.load("room").events == room.table.events == [{"move": move}]
        journal.close()

    asyncio.run(play())


def test_a_table_that_cannot_be_kept_is_not_there(tmp_path: Path, full_disk: Callable[[bool], None]) -> None:
    async def make() -> None:
        journal = Journal(tmp_path)
        registry = Registry(journal, Advice(), {}, {})  # type: ignore[arg-type]
        full_disk(True)
        with pytest.raises(OSError, match="No space"):
            await registry.make(Setup("docklands", "docklands", TWO))
        assert journal.names() == []
        journal.close()

    asyncio.run(make())


def test_a_move_of_a_policy_that_cannot_be_kept_is_played_when_there_is_room_again(
    tmp_path: Path, full_disk: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scotyard_env.web.room.RETRY", 0.0)
    monkeypatch.setattr("scotyard_env.web.room.TICK", 0.01)

    async def play() -> None:
        journal, table = Journal(tmp_path), seat_table(START, ("policy:random", "person:2", "person:2"))
        await journal.begin("room", table)
        full_disk(True)
        room = Room("room", table, journal, Advice(), {})  # type: ignore[arg-type]
        watcher = await room.enter("")
        assert watcher is not None
        while "storage" not in str(told := heard(watcher)):
            await asyncio.sleep(0.01)
        assert json.loads(told[-1]) == {"type": "error", "code": "storage"}
        full_disk(False)
        while room.table.n == 0:
            await asyncio.sleep(0.01)
        first, rng = seat_table(START).look(frozenset([MR_X])), keyed_rng(table.secret, "move 0")
        assert room.table.events == [{"move": explain("random", first, rng).move}]
        await room.close()
        journal.close()

    asyncio.run(play())


def test_a_table_that_can_neither_be_kept_nor_read_again_sends_everybody_away(
    tmp_path: Path, full_disk: Callable[[bool], None]
) -> None:
    async def play() -> None:
        journal, table = Journal(tmp_path), seat_table(START)
        room = Room("room", table, journal, Advice(), {})  # type: ignore[arg-type]
        me = await room.enter("person:1")
        assert me is not None
        full_disk(True)
        assert await ask(room, me, type="move", n=0, move=table.look(me.seats).legal_moves[0]) == "storage"
        assert heard(me) == ["None"]
        late = await room.enter("person:2")
        assert late is not None
        assert heard(late) == ["None"]
        assert await ask(room, me, type="resign", n=1) == "storage"
        journal.close()

    asyncio.run(play())


def test_a_detective_who_was_stuck_when_the_server_stopped_passes_when_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays = (Replay.of(random_game("docklands", "docklands", 2, seed=seed)) for seed in range(200))
    replay = next(one for one in replays if "--" in one.moves[:-1])
    at = replay.moves.index("--")
    monkeypatch.setattr("scotyard_env.web.room.TICK", 0.01)

    async def resume() -> None:
        journal = Journal(tmp_path)
        await journal.begin("one", seat_table(replay))
        await journal.append("one", [{"move": move} for move in replay.moves[:at]])
        registry = Registry(journal, Advice(), {}, {})  # type: ignore[arg-type]
        assert registry.resume() == 1
        while len(journal.load("one").events) == at:
            await asyncio.sleep(0.01)
        await registry.close()
        assert journal.load("one").events[at] == {"move": "--"}
        journal.close()

    asyncio.run(resume())
