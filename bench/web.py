"""How long people at tables in the browser wait: a hundred tables of seven sockets each over loopback.

Every table has six people on classic London and a spectator. Whoever is to move waits about a second, as a very quick
person would, and plays at random; the time is taken from there until a socket has heard of it, for all seven. Server
and people share this machine, so its load, which stands beside the figures, counts.
"""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

TABLES, PEOPLE = 100, 6
SECONDS = 20.0
PAUSE = 1.0  # seconds on average before a move
AT_ONCE = 40  # sockets that are about to be opened
SETUP = {"board": "london", "rules": "classic", "players": [f"person:{seat}" for seat in range(1, PEOPLE + 1)]}


class Load:
    """People at tables: the time of each move, and of hearing of it."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._sent: dict[tuple[str, int], float] = {}  # by table and number of events: when a move was sent
        self._door = asyncio.Semaphore(AT_ONCE)
        self._is_open = asyncio.Event()
        self.waits: list[float] = []
        self.sockets = 0

    async def play(self, tables: list[tuple[str, dict[str, str]]]) -> None:
        """Open all sockets, then play for some time."""
        players = [self._sit(table, token) for table, tokens in tables for token in (*tokens.values(), "")]
        sitting = [asyncio.create_task(player) for player in players]
        while self.sockets < len(players):
            await asyncio.sleep(0.05)
        self._is_open.set()
        await asyncio.sleep(SECONDS)
        for one in sitting:
            one.cancel()
        await asyncio.gather(*sitting, return_exceptions=True)

    async def _sit(self, table: str, token: str) -> None:
        async with self._door:
            socket = await connect(f"ws://{self._host}/ws/1/{table}", compression=None)
            await socket.send(json.dumps({"type": "hello", "token": token}))
            await socket.recv()
        self.sockets += 1
        async with socket:
            async for text in socket:
                if '"type":"frame"' in str(text):
                    await self._hear(socket, table, json.loads(text), bool(token))

    async def _hear(self, socket: ClientConnection, table: str, frame: dict[str, Any], may_move: bool) -> None:
        heard, sent = time.perf_counter(), self._sent.get((table, frame["n"] - 1))
        if sent is not None:
            self.waits.append(heard - sent)
        if may_move and frame["legal"] and frame["viewer"] == frame["seat"]:
            await self._is_open.wait()
            await asyncio.sleep(random.uniform(0, 2 * PAUSE))
            self._sent[table, frame["n"]] = time.perf_counter()
            move = random.choice(frame["legal"])
            await socket.send(json.dumps({"type": "move", "n": frame["n"], "move": move}))


def make_tables(host: str) -> list[tuple[str, dict[str, str]]]:
    """Ask the server for all tables."""
    made = []
    for _ in range(TABLES):
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"http://{host}/api/1/tables", json.dumps(SETUP).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            told = json.load(answer)
        made.append((told["table"], told["tokens"]))
    return made


def cpu_seconds(process: int) -> float:
    """Return the CPU seconds that a process has taken so far."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure() -> dict[str, float]:
    """Take every figure."""
    words = ["-m", "scotyard_env.cli", "web", "--port", "0", "--policies", "random", "--workers", "1", "--games"]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([sys.executable, *words, folder], stdout=subprocess.PIPE, text=True)
        try:
            said = server.stdout.readline() if server.stdout else ""
            found = re.search(r"http://(\S+)/", said)
            if found is None:
                raise RuntimeError(f"the server did not start: {said}")
            return _measure(found[1], server.pid)
        finally:
            server.terminate()
            server.wait()


def _measure(host: str, process: int) -> dict[str, float]:
    tables = make_tables(host)
    figures: dict[str, float] = defaultdict(float)

    async def run() -> Load:
        load = Load(host)
        await load.play(tables)
        return load

    before = cpu_seconds(process)
    load = asyncio.run(run())
    figures["web_sockets"] = load.sockets
    figures["web_moves_heard_of_per_s"] = len(load.waits) / SECONDS
    figures["web_wait_p50_ms"] = 1000 * float(np.percentile(load.waits, 50))
    figures["web_wait_p99_ms"] = 1000 * float(np.percentile(load.waits, 99))
    figures["web_server_cpu_s"] = cpu_seconds(process) - before
    figures["web_load_of_machine"] = os.getloadavg()[0]
    return dict(figures)
