"""The protocol of live tables: schema, transcripts, server and the example players say the same."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from playing import random_game
from record_table_talk import TALKS, is_closed, lay_tables, replay_talk
from record_transcripts import FOLDER, ROOT
from rooms import ask, heard, open_room, seat_table
from serving import PATIENCE, Server
from test_web_hiding import GUESSES
from test_web_server import CODES
from test_wire import SCHEMA as PROGRAMS
from websockets.sync.client import connect

from scotyard_env.replay import Replay
from scotyard_env.state import MR_X
from scotyard_env.web import limits
from scotyard_env.web.messages import WANTED, LiveFrame, MessageError, read_message

SCHEMA = json.loads((ROOT / "scotyard_env" / "web" / "table.schema.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "howto" / "table.md").read_text(encoding="utf-8")
NAMES = {
    "move": "move_message",
    "hint": "hint_message",
    "rematch": "rematch_message",
}  # of messages from players, where the server's have the name
TO_PLAYER = {"welcome", "frame", "hint", "presence", "over", "rematch", "error"}


def check(message: dict[str, Any], kind: str) -> None:
    jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]}).validate(message)


def lines_of(name: str) -> list[str]:
    return (FOLDER / f"table_{name}.txt").read_text(encoding="utf-8").splitlines(keepends=True)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("tables")
    lay_tables(folder)
    server = Server(folder)
    yield server
    server.stop()


# Transcripts


@pytest.mark.parametrize("name", TALKS)
def test_a_real_server_says_what_its_transcript_says(name: str, server: Server) -> None:
    with connect(f"ws://{server.host}/ws/1/{name}", open_timeout=PATIENCE) as socket:
        for now, then in zip(replay_talk(socket, lines_of(name)), lines_of(name), strict=True):
            assert now == then
        assert is_closed(socket) == (name == "refused")


@pytest.mark.parametrize("name", TALKS)
def test_every_line_of_a_transcript_is_as_the_schema_says(name: str) -> None:
    for line in lines_of(name):
        message = json.loads(line[2:])
        if line.startswith(">"):
            check(message, message["type"])
            check(message, "to_player")
        elif is_understood(message):
            check(message, NAMES.get(message["type"], message["type"]))
            check(message, "from_player")


def is_understood(message: dict[str, Any]) -> bool:
    """Tell whether the server takes a message for one; a transcript has others too, with their answer."""
    try:
        read_message(json.dumps(message))
    except MessageError:
        return False
    return True


def test_every_kind_of_message_is_in_a_transcript() -> None:
    lines = [line for name in TALKS for line in lines_of(name)]
    said = {(line[0], json.loads(line[2:])["type"]) for line in lines}
    known = TO_PLAYER - {"rematch"}  # it names a table that has another name each time
    assert said == {*((">", kind) for kind in known), *(("<", kind) for kind in WANTED)}


# The schema


def test_the_schema_is_one_and_names_what_the_server_knows() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    kinds, frame = SCHEMA["$defs"], SCHEMA["$defs"]["frame"]
    for kind, fields in WANTED.items():
        assert list(kinds[NAMES.get(kind, kind)]["properties"]) == ["type", *fields]
    assert set(kinds["error"]["properties"]["code"]["enum"]) == CODES
    assert set(frame["properties"]) == set(LiveFrame.__annotations__) | set(PROGRAMS["$defs"]["frame"]["properties"])
    same = PROGRAMS["$defs"]["frame"]["properties"]
    assert {name: frame["properties"][name] for name in same} == same
    objects = {name: one for name, one in kinds.items() if one.get("type") == "object"}
    assert all(one["additionalProperties"] is False for one in objects.values())


@pytest.mark.parametrize("board", ["glasses", "docklands", "london"])
def test_whatever_a_table_says_in_a_whole_game_is_as_the_schema_says(board: str) -> None:
    rules, detectives = ("classic", 5) if board == "london" else (board, 2)
    replay = Replay.of(random_game(board, rules, detectives, seed=3))
    players = ("person:1", *["person:2"] * detectives)

    async def play() -> set[str]:
        kinds = set[str]()
        room = open_room(seat_table(replay, players, practice=True))
        listeners = [await room.enter(token) for token in ("person:1", "person:2", "")]
        for number, move in enumerate(replay.moves):
            player = listeners[0 if room.table.seat == MR_X else 1]
            assert player is not None
            if number % 20 == 0:
                await ask(room, player, type="hint", n=number)
            await ask(room, player, type="move", n=room.table.n, move=move)
            for text in [text for listener in filter(None, listeners) for text in heard(listener)]:
                message = json.loads(text)
                check(message, message["type"])
                kinds.add(message["type"])
        return kinds

    assert asyncio.run(play()) == TO_PLAYER - {"error", "rematch"}


def test_a_rematch_is_told_as_the_schema_says() -> None:
    async def finish() -> dict[str, Any]:
        replay = Replay.of(random_game("glasses", "glasses", 2, seed=3))
        room = open_room(seat_table(replay, ("person:1", "person:2", "person:2")))
        listener = await room.enter("person:1")
        assert listener is not None
        await ask(room, listener, type="resign", n=0)

        async def begin() -> str:
            return "another"

        await room.move_on(listener, begin)
        found: dict[str, Any] = json.loads(heard(listener)[-1])
        return found

    message = asyncio.run(finish())
    assert message == {"type": "rematch", "table": "another"}
    check(message, "rematch")


@pytest.mark.parametrize("wrong", [*GUESSES[:2], "T0", "X7", "t45"])
def test_the_schema_knows_moves_from_what_is_none(wrong: str) -> None:
    message = {"type": "move", "n": 0, "move": wrong}
    if wrong in GUESSES:
        check(message, "move_message")
    else:
        with pytest.raises(jsonschema.ValidationError):
            check(message, "move_message")


def test_what_makes_a_table_is_as_the_schema_says(server: Server) -> None:
    fields = {"board": "glasses", "rules": "glasses", "players": ["person:1", "policy:greedy", "policy:greedy"]}
    check(fields, "table")
    answer = httpx.post(f"{server.url}api/1/tables", json=fields, timeout=PATIENCE)
    assert answer.status_code == 201
    check(answer.json(), "table_made")


def test_the_page_of_the_protocol_names_every_message_and_code() -> None:
    for name in (*WANTED, *TO_PLAYER, *CODES):
        assert f"`{name}`" in PAGE, name


@pytest.mark.parametrize(
    ("words", "is_so"),
    [
        ("Messages have at most 4 kB", limits.MESSAGE == 4096),
        ("more than ten messages a second", limits.RATE == 10),
        ("within five seconds", limits.HELLO == 5),
        ("at multiples of half a second", limits.TICK == 0.5),
    ],
)
def test_the_page_of_the_protocol_states_the_limits_as_they_are(words: str, is_so: bool) -> None:
    assert words in PAGE
    assert is_so


# Players


def example(name: str) -> list[str]:
    """Return how an example is called here; where that cannot be, skip."""
    if name.endswith(".py"):
        return [sys.executable, str(ROOT / "examples" / name)]
    if shutil.which("node") is None:
        pytest.skip("there is no node here")
    for flags in ([], ["--experimental-websocket"]):
        if (
            subprocess.run(["node", *flags, "-e", "process.exit(Number(typeof WebSocket === 'undefined'))"]).returncode
            == 0
        ):
            return ["node", *flags, str(ROOT / "examples" / name)]
    pytest.skip("this node has no WebSocket")


@pytest.mark.parametrize("side", ["mr_x", "detectives"])
@pytest.mark.parametrize("name", ["table_bot.py", "table_bot.mjs"])
def test_an_example_plays_a_whole_game_at_a_table(name: str, side: str, server: Server) -> None:
    players = ["person:1", "policy:random", "policy:random"] if side == "mr_x" else ["policy:random", *["person:1"] * 2]
    table, tokens = server.make_table(players)
    link = f"{server.url}table#{table}/{tokens['person:1']}"
    told = subprocess.run([*example(name), link], capture_output=True, text=True, timeout=PATIENCE)
    assert told.stdout in ("mr_x won\n", "detectives won\n"), told.stderr
    assert (
        httpx.get(f"{server.url}api/1/tables/{table}/replay.jsonl", timeout=PATIENCE).json()["winner"]
        == told.stdout.split()[0]
    )


@pytest.mark.parametrize("name", ["table_bot.py", "table_bot.mjs"])
def test_an_example_says_when_its_link_opens_no_seat(name: str, server: Server) -> None:
    link = f"{server.url}table#nowhere/token"
    told = subprocess.run([*example(name), link], capture_output=True, text=True, timeout=PATIENCE)
    assert (told.returncode, told.stderr) == (1, "the link opens no seat: unknown_table\n")


def test_an_example_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    first = Server(tmp_path)
    table, tokens = first.make_table(["person:1", "policy:random", "policy:random"])
    link = f"{first.url}table#{table}/{tokens['person:1']}"
    with subprocess.Popen([*example("table_bot.py"), link], stdout=subprocess.PIPE, text=True) as player:
        try:
            with connect(f"ws://{first.host}/ws/1/{table}", open_timeout=PATIENCE) as watcher:
                watcher.send(json.dumps({"type": "hello", "token": ""}))
                while json.loads(watcher.recv(PATIENCE)).get("n", 0) < 3:
                    pass
            first.kill()
            second = Server(tmp_path, port=first.port)
            said, _ = player.communicate(timeout=PATIENCE)
            second.stop()
        finally:
            player.kill()
    assert said in ("mr_x won\n", "detectives won\n")
