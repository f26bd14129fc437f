"""A saved game as a table for a browser: the same game, opponent and chance, and every move in the same file."""

import asyncio
import dataclasses
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from scotyard_env.play.saved_game import SavedGame
from scotyard_env.policy import SIDES
from scotyard_env.rng import policy_rng
from scotyard_env.state import MR_X
from scotyard_env.web.seating import POLICY, Setup, SetupError
from scotyard_env.web.table import Event, Table
from scotyard_env.web.tokens import digest

PERSON = "person:1"
ONE_TABLE = "this server has one table: scotyard play --web begins another game, scotyard web opens any tables"


class SavedTable(Table):
    """The table of a saved game, where the other side draws as it does at the terminal."""

    def __init__(self, saved: SavedGame, keys: dict[str, str]) -> None:
        start = dataclasses.replace(saved.replay, moves=(), winner=None, explanations=())
        super().__init__(seat_players(saved), b"", keys, start)
        self._key = saved.key
        for move in saved.replay.moves:
            self.apply({"move": move})

    def rng(self) -> np.random.Generator:
        """Return the chance of the side to move, which depends on nothing but the key and the number of the action."""
        return policy_rng(self._key, SIDES[self.seat != MR_X], len(self.replay().moves))


def seat_players(saved: SavedGame) -> Setup:
    """Say who sits where: the person has all seats of their side."""
    is_mr_x = saved.side == "mr_x"
    policy = f"{POLICY}{saved.against}"
    detectives = saved.replay.rules.detectives
    players = (PERSON if is_mr_x else policy, *[policy if is_mr_x else PERSON] * detectives)
    return Setup(saved.replay.board.name, saved.replay.rules.name, players, saved.replay.practice is not None)


class SavedTableKeeper:
    """Keeps the one table of a saved game in its file, which the terminal can go on with too."""

    def __init__(self, saved: SavedGame, path: Path, name: str, token: str) -> None:
        self.table = SavedTable(saved, {PERSON: digest(token)})  # as it is on disk
        self._saved, self._path, self._name = saved, path, name
        self._events: list[Event] = []  # since the server has begun
        self._keep(self.table.passes())  # at the terminal, a detective who is stuck may have been left to move

    @property
    def saved(self) -> SavedGame:
        """The game as it is on disk."""
        return dataclasses.replace(self._saved, replay=self.table.replay())

    def names(self) -> list[str]:
        """List the one table."""
        return [self._name]

    def touched(self, name: str) -> float:
        """Tell that the table is the one that was written to last."""
        return 0.0

    def load(self, name: str) -> Table:
        """Bring the table back as it is on disk."""
        return self._after(self._events)

    async def begin(self, name: str, table: Table) -> None:
        """Refuse another table."""
        raise SetupError(ONE_TABLE)

    async def append(self, name: str, events: Iterable[Event]) -> None:
        """Keep events; return when they are on disk."""
        await asyncio.to_thread(self._keep, list(events))

    def _keep(self, events: list[Event]) -> None:
        table = self._after([*self._events, *events])
        if table.reason == "resigned":
            table.replay().save(self._path)  # as far as it went: nobody goes on with it
        else:
            dataclasses.replace(self._saved, replay=table.replay()).save(self._path)
        self.table = table
        self._events += events

    def _after(self, events: list[Event]) -> SavedTable:
        table = SavedTable(self._saved, self.table.keys)
        for event in events:
            table.apply(event)
        return table


def is_over(table: Table) -> bool:
    """Tell whether nobody goes on with a table's game: a policy that failed may be asked again after a restart."""
    return table.winner is not None and table.reason in ("", "resigned")
