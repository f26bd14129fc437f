"""All tables of a server: made, found again by name, brought back from the journal, parked when nobody is there."""

import logging
import secrets
from collections.abc import Mapping

from scotyard_env.policy import Policy, PolicyError, Side, check_fit, sides_of
from scotyard_env.state import MR_X
from scotyard_env.web.bots import Bots
from scotyard_env.web.journal import JournalError
from scotyard_env.web.keeping import Keeper
from scotyard_env.web.limits import ABANDONED, IDLE, KEPT, TABLES
from scotyard_env.web.listener import Listener
from scotyard_env.web.room import Room
from scotyard_env.web.seating import Setup, SetupError, read_setup
from scotyard_env.web.table import RefusedError, Table, deal_table
from scotyard_env.web.tokens import digest, new_token

_LOG = logging.getLogger(__name__)

NAME_BYTES = 9  # of a table's name
SECRET_BYTES = 32
SIDES_IN_WORDS: dict[Side, str] = {"mr_x": "Mr. X", "detectives": "the detectives"}


class FullError(Exception):
    """There are as many tables as there may be."""


class Registry:
    """The tables by name; those that nobody looks at are parked, which is to say only in the journal."""

    def __init__(self, journal: Keeper, bots: Bots, policies: Mapping[str, Policy], hints: dict[str, str]) -> None:
        self.policies = policies
        self._journal = journal
        self._bots = bots
        self._hints = hints
        self._rooms: dict[str, Room] = {}
        self._names = set(journal.names())
        self._opening = 0  # tables that are about to be on disk

    def resume(self) -> int:
        """Go on with every game where policies were at work when the server stopped; return how many games are open.

        Others wait to be visited. What was not touched for long before the stop was parked, and is not looked at.
        """
        touched = {name: self._journal.touched(name) for name in self._names}
        latest = max(touched.values(), default=0.0)
        recent = sorted(name for name, when in touched.items() if latest - when <= 2 * IDLE)
        return sum(self._take_up(name) for name in recent)

    def _take_up(self, name: str) -> bool:
        """Bring a table back, and keep it in memory if something is to happen there; tell whether its game is open."""
        room = self._wake(name)
        if room is None:
            self._names.discard(name)
        if room is None or room.table.winner is not None:
            return False
        if room.is_due:
            self._rooms[name] = room
            room.go_on()
        return True

    async def make(self, setup: Setup) -> tuple[str, dict[str, str]]:
        """Make a table; return its name, and a token for each person."""
        tokens = {person: new_token() for person in setup.persons}
        return await self._begin(setup, {person: digest(token) for person, token in tokens.items()}), tokens

    async def rematch(self, room: Room, listener: Listener, swap: bool) -> None:
        """Have the people of a table play again, with the tokens they have, if they like on the other side."""
        before = room.table

        async def begin() -> str:
            try:
                return await self._begin(before.setup.swapped() if swap else before.setup, before.keys)
            except SetupError:
                raise RefusedError("no_swap") from None
            except FullError:
                raise RefusedError("full") from None
            except OSError:
                raise RefusedError("storage") from None

        await room.move_on(listener, begin)

    async def _begin(self, setup: Setup, keys: dict[str, str]) -> str:
        """Deal a game, keep it, and open its table."""
        self._check_players(setup)
        if len(self._names) + self._opening >= KEPT:
            _LOG.error("%d tables are kept, as many as may be: move some files away", len(self._names))
            raise FullError
        self._make_room()
        table = deal_table(setup, secrets.token_bytes(SECRET_BYTES), keys)
        name = secrets.token_urlsafe(NAME_BYTES)
        self._opening += 1  # before the wait, in which others may ask for the last place
        try:
            await self._journal.begin(name, table)
        finally:
            self._opening -= 1
        self._names.add(name)
        self._rooms[name] = self._seat(name, table)
        self._rooms[name].go_on()
        return name

    def find(self, name: str) -> Room | None:
        """Return a table by its name, if there is one that can be read; one that was parked needs a place again."""
        room = self._rooms.get(name)
        if room is not None and not room.is_broken:
            return room
        if room is None and name in self._names:
            self._make_room()
        room = self._wake(name)
        if room is not None:
            self._rooms[name] = room
        return room

    def look_up(self, name: str) -> Table | None:
        """Return a table by its name, without a place for those who would sit there: a parked one stays parked."""
        room = self._rooms.get(name) or self._wake(name)
        return None if room is None else room.table

    def _wake(self, name: str) -> Room | None:
        """Bring a table back from the journal; if that cannot be done say why and leave it alone."""
        if name not in self._names:
            return None
        try:
            table = self._journal.load(name)
        except JournalError as error:
            _LOG.error("left alone: %s", error)
            return None
        missing = table.setup.policies - self.policies.keys()
        if missing and table.winner is None:
            _LOG.error("table %s is left alone: it needs %s among --policies", name, ",".join(sorted(missing)))
            return None
        return self._seat(name, table)

    # Places

    def _make_room(self) -> None:
        """See that there is a place for another table, if need be that of one whose people have left."""
        if len(self._rooms) + self._opening >= TABLES:
            self.park(ABANDONED, most=1)
        if len(self._rooms) + self._opening >= TABLES:
            raise FullError

    def park(self, seconds: float = IDLE, most: int = TABLES) -> None:
        """Put away tables where nobody was for so long and nothing happens, those that were left first."""
        idle = sorted((room for room in self._rooms.values() if room.is_idle(seconds)), key=lambda room: room.left)
        for room in idle[:most]:
            del self._rooms[room.name]

    async def close(self) -> None:
        """Stop all thinking."""
        for room in self._rooms.values():
            await room.close()

    # Players

    def _seat(self, name: str, table: Table) -> Room:
        return Room(name, table, self._journal, self._bots, self._hints, self._may_swap(table.setup))

    def _may_swap(self, setup: Setup) -> bool:
        swapped = setup.swapped()
        try:
            self._check_players(read_setup(swapped.to_dict(), self.policies))
        except SetupError:
            return False
        return swapped != setup

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
                raise SetupError(
                    f"{name} cannot play {SIDES_IN_WORDS[side]} of this game: choose another one"
                ) from error
