"""A server for tests: in a process of its own, on a port of its own, killed without a warning if need be."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect


class Server:
    """``scotyard web`` on a folder of tables."""

    def __init__(self, folder: Path, policies: str = "random,greedy", port: int = 0, more: str = "") -> None:
        command = ["-m", "scotyard_env.cli", "web", "--port", str(port), "--games", str(folder), "--policies", policies]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--workers", "1", *more.split()],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = self.process.stdout.readline() if self.process.stdout else ""
        found = re.search(r"http://(127\.0\.0\.1:\d+)/", said)
        assert found is not None, said
        self.host = found[1]
        self.port = int(self.host.partition(":")[2])
        self.url = f"http://{self.host}/"

    def make_table(self, players: list[str], board: str = "glasses", **more: Any) -> tuple[str, dict[str, str]]:
        """Make a table; return its name and the tokens."""
        fields = {"board": board, "rules": board if board != "london" else "classic", "players": players, **more}
        answer = httpx.post(f"{self.url}api/1/tables", json=fields)
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
        self.process.wait(20)


class Seat:
    """Somebody at a table, through a socket."""

    def __init__(self, server: Server, table: str, token: str = "") -> None:
        self.socket: ClientConnection = connect(f"ws://{server.host}/ws/1/{table}").__enter__()
        self.say(type="hello", token=token)

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps(message))

    def hear(self, kind: str, timeout: float = 20.0) -> dict[str, Any]:
        """Wait for a message of some kind; others are passed over."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(timeout))
            if message["type"] == kind:
                return message

    def close(self) -> None:
        """Leave."""
        self.socket.close()
