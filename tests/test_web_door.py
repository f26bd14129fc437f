"""Who may come in, and for how long they are waited for: crowds of sockets, silent ones, requests that do not end."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from rooms import Advice
from serving import PATIENCE
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from scotyard_env.web import limits
from scotyard_env.web.analysis import Analyses
from scotyard_env.web.app import make_app
from scotyard_env.web.door import Door, origin_of
from scotyard_env.web.journal import Journal
from scotyard_env.web.offer import Offer
from scotyard_env.web.registry import Registry
from scotyard_env.web.serving import make_server

BEGINNINGS = (
    b"",
    b"GET / HT",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    b"POST /api/1/tables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
)


FIELDS = {"board": "glasses", "rules": "glasses", "players": ["person:1", "person:2", "person:2"]}


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the address of a server in this process that waits for a second and a half."""
    for module in ("patience", "app"):
        monkeypatch.setattr(f"scotyard_env.web.{module}.HELLO", 1.5)
    journal = Journal(tmp_path)
    app = make_app(Registry(journal, Advice(), {}, {}), Offer({}, []), {"localhost"}, Analyses(tmp_path))  # type: ignore[arg-type]
    monkeypatch.setattr("scotyard_env.web.serving.PING", 0.5)
    server = make_server(app)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"localhost:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()
    journal.close()


def reach(host: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), timeout=PATIENCE)


def test_silence_and_requests_that_do_not_end_are_given_up(host: str) -> None:
    reached = [reach(host) for _ in BEGINNINGS]
    for connection, beginning in zip(reached, BEGINNINGS, strict=True):
        connection.sendall(beginning)
    time.sleep(0.2)
    reached[2].sendall(b"drop by drop")  # which gains no time
    for connection in reached:
        with connection:
            assert is_closed(connection)


def is_closed(connection: socket.socket) -> bool:
    """Wait for the other side to hang up, without a word."""
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


def test_who_asks_again_on_the_same_connection_is_waited_for_anew(host: str) -> None:
    request = f"GET /api/1/choices HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    with reach(host) as connection:
        for pause in (0.8, 0.8):
            connection.sendall(request[:20])
            time.sleep(pause)
            connection.sendall(request[20:])
            assert connection.recv(12) == b"HTTP/1.1 200"
            while b"]}" not in connection.recv(65536):
                pass
        connection.sendall(request[:20])
        assert is_closed(connection)


def test_a_socket_that_does_not_say_hello_is_hung_up_on_and_one_that_does_stays(host: str) -> None:
    table = httpx.post(f"http://{host}/api/1/tables", json=FIELDS, timeout=PATIENCE).json()["table"]
    with connect(f"ws://{host}/ws/1/{table}") as silent, connect(f"ws://{host}/ws/1/{table}") as polite:
        polite.send('{"type":"hello","token":""}')
        assert silent.recv(PATIENCE) == '{"type":"error","code":"hello"}'
        with pytest.raises(ConnectionClosed):
            silent.recv(PATIENCE)
        assert "welcome" in str(polite.recv(PATIENCE))
        polite.send("{}")
        while "message" not in str(polite.recv(PATIENCE)):
            pass


def test_a_socket_whose_other_end_is_gone_without_a_word_is_let_go(host: str) -> None:
    table = httpx.post(f"http://{host}/api/1/tables", json=FIELDS, timeout=PATIENCE).json()["table"]
    with connect(f"ws://{host}/ws/1/{table}", ping_interval=None) as here, reach(host) as gone:
        gone.sendall(UPGRADE.format(table=table, host=host).encode())
        assert gone.recv(12) == b"HTTP/1.1 101"
        gone.sendall(write_text(b'{"type":"hello","token":""}'))
        here.send('{"type":"hello","token":""}')
        while '"watching":2' not in str(here.recv(PATIENCE)):
            pass
        while '"watching":1' not in str(here.recv(PATIENCE)):  # whose browser answers by itself
            pass


UPGRADE = (
    "GET /ws/1/{table} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def write_text(text: bytes) -> bytes:
    """Write a message as a frame of a socket, masked by zeros."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


def test_so_many_connections_are_taken_and_no_more(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scotyard_env.web.patience.CONNECTIONS", 2)
    monkeypatch.setattr("scotyard_env.web.patience.HELLO", 60)
    with reach(host), reach(host), reach(host) as third:
        assert is_closed(third)


def test_so_many_sockets_are_taken_and_no_more(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scotyard_env.web.door.UNSEATED", 1)
    with connect(f"ws://{host}/ws/1/any") as first:
        with pytest.raises(InvalidStatus):
            connect(f"ws://{host}/ws/1/any").__enter__()
        first.recv(PATIENCE)
    with connect(f"ws://{host}/ws/1/any"):
        pass


def test_the_door_counts_all_sockets_the_unseated_and_those_of_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scotyard_env.web.door.ALL_SOCKETS", limits.ADDRESS + 3)
    monkeypatch.setattr("scotyard_env.web.door.UNSEATED", 2)
    door = Door()
    for _ in range(limits.ADDRESS):
        assert door.admit("192.0.2.7")
        door.seat()
    assert not door.admit("192.0.2.7")
    assert [door.admit(address) for address in ("192.0.2.8", "127.0.0.1", "192.0.2.9")] == [True, True, False]
    door.seat()
    assert [door.admit(address) for address in ("192.0.2.9", "127.0.0.1")] == [True, False]
    door.seat()
    door.seat()
    for address in ("192.0.2.7", "192.0.2.8"):
        door.leave(address)
    assert door.admit("192.0.2.7")


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        *(("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7")),
        *(("2001:db8:1:2:3::4", "2001:db8:1:2::/64"), ("2001:db8:1:2::5", "2001:db8:1:2::/64")),
        *(("127.0.0.1", ""), ("127.9.9.9", ""), ("::1", ""), ("::ffff:127.0.0.1", ""), ("", ""), ("testclient", "")),
    ],
)
def test_addresses_are_counted_by_customer_and_this_machines_own_are_not(address: str, origin: str) -> None:
    assert origin_of(address) == origin
