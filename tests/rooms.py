"""Tables for tests without a server: rooms whose journal is a list and whose policies think at once."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from playing import random_game

from scotyard_env.explanation import Explanation, explain
from scotyard_env.replay import Replay
from scotyard_env.view import View
from scotyard_env.web.listener import Listener
from scotyard_env.web.room import Room
from scotyard_env.web.seating import Setup
from scotyard_env.web.table import RefusedError, Table
from scotyard_env.web.tokens import digest

TWO = ("person:1", "person:2", "person:2")  # Mr. X, and both detectives of docklands
START = Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1))


class Advice:
    """Policies that think at once, in this process."""

    async def decide(self, name: str, view: View, rng: np.random.Generator) -> Explanation:
        """Return a decision."""
        return explain(name, view, rng)


class Memory:
    """A journal that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def names(self) -> list[str]:
        """List no tables."""
        return []

    async def begin(self, name: str, table: Table) -> None:
        """Keep nothing of how a table begins."""

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
