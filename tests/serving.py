"""A server for tests: in a process of its own, on a port of its own, killed without a warning if need be."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

PATIENCE = 120.0  # seconds: a busy machine is slow, and a test that goes well never waits so long


class Server:
    """``scotyard web`` on a folder of tables."""

    def __init__(self, folder: Path, policies: str = "random,greedy", port: int = 0, *more: str) -> None:
        command = ["-m", "scotyard_env.cli", "web", "--port", str(port), "--games", str(folder), "--policies", policies]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--workers", "1", *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = self.process.stdout.readline() if self.process.stdout else ""
        found = re.search(r"http://(\S+:\d+)/", said)
        assert found is not None, said
        self.host = found[1]
        self.port = int(self.host.rpartition(":")[2])
        self.url = f"http://{self.host}/"

    def make_table(self, players: list[str], board: str = "glasses", **more: Any) -> tuple[str, dict[str, str]]:
        """Make a table; return its name and the tokens."""
        fields = {"board": board, "rules": board if board != "london" else "classic", "players": players, **more}
        answer = httpx.post(f"{self.url}api/1/tables", json=fields, timeout=PATIENCE)
        assert answer.status_code == 201, answer.text
        told = answer.json()
        return told["table"], told["tokens"]

    def kill(self) -> None:
        """End the server at once, as a loss of power would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End the server as Ctrl-C does."""
        self.process.terminate()
        self.process.wait(PATIENCE)


class Proxy:
    """A proxy with a path of its own: hands requests below it on to a server, each by a connection of its own."""

    def __init__(self, server: Server, path: str) -> None:
        self._server, self._path = server, path.encode()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}{path}"

    def __enter__(self) -> Proxy:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                threading.Thread(target=self._hand_on, args=self._listening.accept()[:1], daemon=True).start()

    def _hand_on(self, here: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            if not (more := here.recv(65536)):
                return
            head += more
        head = head.replace(b" " + self._path + b"/", b" /", 1)
        if b"upgrade: websocket" not in head.lower():
            head = re.sub(rb"(?i)connection: keep-alive", b"Connection: close", head)
        there = socket.create_connection(("127.0.0.1", self._server.port))
        there.sendall(head)
        threading.Thread(target=pour, args=(here, there), daemon=True).start()
        pour(there, here)


def pour(source: socket.socket, target: socket.socket) -> None:
    """Hand on what comes from one side until it ends."""
    with contextlib.suppress(OSError):
        while more := source.recv(65536):
            target.sendall(more)
        target.shutdown(socket.SHUT_WR)


class Seat:
    """Somebody at a table, through a socket."""

    def __init__(self, server: Server, table: str, token: str = "") -> None:
        self.socket: ClientConnection = connect(
            f"ws://{server.host}/ws/1/{table}", open_timeout=PATIENCE, ping_interval=None
        ).__enter__()
        self.say(type="hello", token=token)

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps(message))

    def hear(self, kind: str, timeout: float = PATIENCE) -> dict[str, Any]:
        """Wait for a message of some kind; others are passed over."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(timeout))
            if message["type"] == kind:
                return message

    def close(self) -> None:
        """Leave."""
        self.socket.close()
