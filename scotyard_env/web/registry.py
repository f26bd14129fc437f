"""All tables of a server: made, found again by name, brought back from the journal, parked when nobody is there."""

import logging
import secrets
import time
from collections.abc import Mapping

from scotyard_env.policy import Policy, PolicyError, Side, check_fit, sides_of
from scotyard_env.state import MR_X
from scotyard_env.web.bots import Bots
from scotyard_env.web.journal import JournalError
from scotyard_env.web.keeping import Keeper
from scotyard_env.web.limits import IDLE, TABLES
from scotyard_env.web.room import Room
from scotyard_env.web.seating import Setup, SetupError
from scotyard_env.web.table import Table, deal_table
from scotyard_env.web.tokens import digest, new_token

_LOG = logging.getLogger(__name__)

NAME_BYTES = 9  # of a table's name
SECRET_BYTES = 32


class FullError(Exception):
    """There are as many tables as there may be."""


class Registry:
    """The tables by name; those that nobody looks at are only in the journal."""

    def __init__(self, journal: Keeper, bots: Bots, policies: Mapping[str, Policy], hints: dict[str, str]) -> None:
        self.policies = policies
        self._journal = journal
        self._bots = bots
        self._hints = hints
        self._rooms: dict[str, Room] = {}
        self._names = set(journal.names())
        self._unfinished: set[str] = set()

    def resume(self) -> int:
        """Go on with every game that a stop of the server has interrupted; return how many there are."""
        for name in sorted(self._names):
            try:
                room = self._open(name)
            except JournalError as error:
                _LOG.error("left alone: %s", error)
                self._names.remove(name)
                continue
            if room.table.winner is None and self._has_players_of(room):
                self._unfinished.add(name)
                room.go_on()
            else:
                del self._rooms[name]
        return len(self._unfinished)

    def _has_players_of(self, room: Room) -> bool:
        """Tell whether all policies of a table are offered; if not it waits, unchanged, for a server that has them."""
        missing = room.table.setup.policies - self.policies.keys()
        if missing:
            _LOG.error("table %s is left alone: it needs %s among --policies", room.name, ",".join(sorted(missing)))
            self._names.remove(room.name)
        return not missing

    async def make(self, setup: Setup) -> tuple[str, dict[str, str]]:
        """Make a table; return its name, and a token for each person."""
        self._count()
        if len(self._unfinished) >= TABLES:
            raise FullError
        self._check_players(setup)
        tokens = {person: new_token() for person in setup.persons}
        keys = {person: digest(token) for person, token in tokens.items()}
        table = deal_table(setup, secrets.token_bytes(SECRET_BYTES), keys)
        name = secrets.token_urlsafe(NAME_BYTES)
        self._unfinished.add(name)  # before the wait, in which others may ask for the last place
        try:
            await self._journal.begin(name, table)
        except BaseException:
            self._unfinished.remove(name)
            raise
        self._names.add(name)
        self._rooms[name] = self._seat(name, table)
        self._rooms[name].go_on()
        return name, tokens

    def find(self, name: str) -> Room | None:
        """Return a table by its name, if there is one that can be read."""
        if name not in self._names:
            return None
        room = self._rooms.get(name)
        if room is not None and not room.is_broken:
            return room
        try:
            return self._open(name)
        except JournalError as error:
            _LOG.error("left alone: %s", error)
            return None

    async def park(self) -> None:
        """Put away the tables where nobody was for long and no policy thinks."""
        self._count()
        for name, room in list(self._rooms.items()):
            is_idle = not room.listeners and time.monotonic() - room.left > IDLE
            if is_idle and room.table.policy_to_move is None:
                del self._rooms[name]

    async def close(self) -> None:
        """Stop all thinking."""
        for room in self._rooms.values():
            await room.close()

    def _open(self, name: str) -> Room:
        room = self._rooms[name] = self._seat(name, self._journal.load(name))
        return room

    def _seat(self, name: str, table: Table) -> Room:
        return Room(name, table, self._journal, self._bots, self._hints)

    def _count(self) -> None:
        over = {name for name in self._unfinished if name in self._rooms and self._rooms[name].table.winner is not None}
        self._unfinished -= over

    def _check_players(self, setup: Setup) -> None:
        board, rules = setup.resolve()
        for seat in range(len(setup.players)):
            name = setup.policy_of(seat)
            if name is None:
                continue
            side: Side = "mr_x" if seat == MR_X else "detectives"
            try:
                if side not in sides_of(self.policies[name]):
                    raise PolicyError("it plays the other side")
                check_fit(self.policies[name], board, rules, side)
            except PolicyError as error:
                raise SetupError("a policy cannot play this side of this game") from error
