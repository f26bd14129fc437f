"""Live tables through a real server on loopback: killed and started again, fuzzed, attacked, crowded."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from serving import PATIENCE, Seat, Server
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from scotyard_env.policy import make_policy
from scotyard_env.web import limits
from scotyard_env.web.guard import Guard
from scotyard_env.web.journal import ENDING, Journal
from scotyard_env.web.table import Code, Table, keyed_rng

FUZZ = (
    *("", "{", "[]", "[" * 2000, '{"type":"fly"}', '{"type":"move"}', '{"type":"hello","token":""}'),
    *('{"type":"move","n":true,"move":"T1"}', '{"type":"move","n":0,"move":"\\u0000"}'),
)
CODES = {*get_args(Code), "message", "too_fast", "hello", "unknown_table", "no_entry"}


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
    begun = [len((tmp_path / "tables" / f"{table}{ENDING}").read_bytes().splitlines()) - 1 for table in with_bots]
    assert any(begun)
    with (tmp_path / "tables" / f"{people[0][0]}{ENDING}").open("ab") as file:
        file.write(b'{"mo')
    server = serve()
    for table, tokens in people:
        seat = Seat(server, table, tokens["person:1"])
        assert seat.hear("welcome")["past"][0][0] == acknowledged[table]
        assert seat.hear("frame")["n"] == 1
        other = Seat(server, table, tokens["person:2"])
        other.say(type="move", n=1, move=other.hear("frame")["legal"][0])
        assert seat.hear("frame")["n"] >= 2
        seat.close()
        other.close()
    for table in with_bots:
        watcher = Seat(server, table)
        watcher.hear("over")
        watcher.close()
    server.stop()
    journal = Journal(tmp_path / "tables")
    moves = [journal.load(table).replay().moves for table in with_bots]
    assert [list(each) for each in moves] == [play_alone(journal.load(table)) for table in with_bots]
    assert any(count < len(each) for count, each in zip(begun, moves, strict=True))  # the kill came in the middle
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
    assert httpx.get(server.url, headers={"host": "evil.example"}, timeout=PATIENCE).status_code == 403
    assert httpx.post(f"{server.url}api/1/tables", json=fields, headers=evil, timeout=PATIENCE).status_code == 403
    assert (
        httpx.post(f"{server.url}api/1/tables", content=json.dumps(fields), timeout=PATIENCE).status_code == 400
    )  # no JSON by its type
    assert (
        httpx.post(f"{server.url}api/1/tables", json={"x": "y" * limits.MESSAGE}, timeout=PATIENCE).status_code == 400
    )
    with pytest.raises(InvalidStatus):
        connect(f"ws://{server.host}/ws/1/{table}", origin="http://evil.example").__enter__()  # type: ignore[arg-type]
    replays = (f"api/1/tables/{table}/replay.jsonl", f"api/1/tables/..%2f{table}/replay.html")
    for path in ("static/../app.py", "static/..%2fapp.py", "api/1/boards/..%2f..%2fx", *replays):
        assert httpx.get(server.url + path, timeout=PATIENCE).status_code == 404
    assert Seat(server, "nowhere").hear("error")["code"] == "unknown_table"
    assert Seat(server, table, "wrong").hear("error")["code"] == "no_entry"
    assert "default-src 'self'" in httpx.get(server.url, timeout=PATIENCE).headers["content-security-policy"]


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("tables"), "random,greedy,hider")
    yield server
    server.kill()


@pytest.mark.parametrize(
    ("path", "asked", "code", "right"),
    [
        ("nowhere", None, None, "tables are opened at the address of the server alone"),
        ("static/nothing.js", None, None, "tables are opened at the address of the server alone"),
        ("api/1/boards/paris", None, "unknown_board", "api/1/choices lists"),
        ("api/1/tables/x/replay.jsonl", None, "unknown_replay", "its game still goes on"),
        ("api/1/tables/x/analysis", {}, "unknown_replay", "its game still goes on"),
        ("api/1/tables", {"x": "y" * limits.MESSAGE}, "message", f"at most {limits.MESSAGE} bytes"),
        ("api/1/tables", {}, "setup", "board is one of docklands, "),
        (
            "api/1/tables",
            {"board": "glasses", "rules": "glasses", "players": ["policy:hunters"] * 2},
            "setup",
            "random, greedy",
        ),
        (
            "api/1/tables",
            {"board": "glasses", "rules": "glasses", "players": ["policy:hider"] * 2},
            "setup",
            "hider cannot play the detectives",
        ),
    ],
)
def test_what_cannot_be_had_by_http_is_answered_with_what_would_be_right(
    standing: Server, path: str, asked: object, code: str | None, right: str
) -> None:
    url = f"{standing.url}{path}"
    answer = httpx.get(url, timeout=PATIENCE) if asked is None else httpx.post(url, json=asked, timeout=PATIENCE)
    assert answer.status_code in (400, 404)
    assert code is None or answer.json()["code"] == code
    assert right in (answer.text if code is None else answer.json()["told"])


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


def test_the_server_listens_on_version_6_of_the_loopback_too(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no version 6 of the internet protocol on this machine")
    server = Server(tmp_path, "random", 0, "--host", "::1")
    try:
        assert server.host.startswith("[::1]:")
        own = {"origin": f"http://{server.host}"}
        fields = {"board": "glasses", "rules": "glasses", "players": ["person:1", "person:2", "person:2"]}
        assert httpx.post(f"{server.url}api/1/tables", json=fields, headers=own, timeout=PATIENCE).status_code == 201
        other = {"origin": f"http://[::2]:{server.port}"}
        assert httpx.post(f"{server.url}api/1/tables", json=fields, headers=other, timeout=PATIENCE).status_code == 403
        table, tokens = server.make_table(["person:1", "policy:random", "policy:random"])
        seat = Seat(server, table, tokens["person:1"])
        assert seat.hear("frame")["n"] == 0
        seat.close()
    finally:
        server.kill()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the disk of another process can be full on Linux only")
def test_on_a_full_disk_moves_and_tables_are_refused_in_words_and_all_goes_on_when_there_is_room(
    serve: Callable[[], Server], tmp_path: Path
) -> None:
    server = serve()
    table, tokens = server.make_table(["person:1", "person:2", "person:2"])
    file = tmp_path / "tables" / f"{table}{ENDING}"
    before, (_, hard) = file.read_bytes(), resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    mr_x, other = Seat(server, table, tokens["person:1"]), Seat(server, table, tokens["person:2"])
    move = mr_x.hear("frame")["legal"][0]
    other.hear("frame")
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (len(before) + 3, hard))
    mr_x.say(type="move", n=0, move=move)
    assert mr_x.hear("error")["code"] == other.hear("error")["code"] == "storage"
    assert file.read_bytes() == before
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (10, hard))
    fields = {"board": "glasses", "rules": "glasses", "players": ["person:1", "person:2", "person:2"]}
    answer = httpx.post(f"{server.url}api/1/tables", json=fields, timeout=PATIENCE)
    assert (answer.status_code, answer.json()["code"]) == (507, "storage")
    assert [one.name for one in (tmp_path / "tables").glob(f"*{ENDING}")] == [file.name]
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    mr_x.say(type="move", n=0, move=move)
    assert other.hear("frame")["n"] == 1
    server.make_table(["person:1", "person:2", "person:2"])
    assert file.read_bytes().startswith(before)


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
