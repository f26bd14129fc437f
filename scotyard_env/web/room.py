"""A table with those who sit and watch there: changes one after the other, each on disk before anybody is told."""

import asyncio
import itertools
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from scotyard_env.state import MR_X
from scotyard_env.web.bots import BotError, Bots
from scotyard_env.web.journal import JournalError
from scotyard_env.web.keeping import Keeper
from scotyard_env.web.limits import RETRY, SOCKETS, TICK
from scotyard_env.web.listener import Listener
from scotyard_env.web.messages import hint, last_frame, live_frame
from scotyard_env.web.narration import tell_action, tell_loss
from scotyard_env.web.table import Event, RefusedError, Table
from scotyard_env.web.tokens import find_holder

_LOG = logging.getLogger(__name__)


class Room:
    """A table, its listeners and its policies at work."""

    def __init__(
        self, name: str, table: Table, journal: Keeper, bots: Bots, hints: dict[str, str], may_swap: bool = False
    ) -> None:
        self.name = name
        self.table = table
        self.listeners: list[Listener] = []
        self.left = time.monotonic()  # when somebody was here last
        self.may_swap = may_swap  # all players could also play the other side
        self.is_broken = False  # what happened could not be kept, nor what was kept be read again
        self._journal = journal
        self._bots = bots
        self._hints = hints  # by side: the policy that is asked
        self._lock = asyncio.Lock()
        self._thinking: asyncio.Task[None] | None = None
        self._is_advising = False  # one hint at a time: others need the policies too

    # Coming and going

    def is_idle(self, seconds: float) -> bool:
        """Tell whether nobody has been here for so long, and nothing goes on."""
        is_still = not self.is_due and not self._lock.locked()
        return is_still and not self.listeners and time.monotonic() - self.left > seconds

    async def enter(self, token: str) -> Listener | None:
        """Let somebody in, with the seats of their token; None if there is no room, or if the token is nobody's."""
        person = find_holder(token, self.table.keys) if token else None
        if len(self.listeners) >= SOCKETS or (token and person is None):
            return None
        listener = Listener(self.table.setup.seats_of(person) if person else frozenset())
        self.left = time.monotonic()  # is not parked while we wait
        async with self._lock:  # nobody is told what is not on disk yet
            self.listeners.append(listener)
            listener.hang_up() if self.is_broken else self._welcome(listener)
        self._tell_presence()
        self.go_on()
        return listener

    def leave(self, listener: Listener) -> None:
        """Let somebody go."""
        self.listeners.remove(listener)
        self.left = time.monotonic()
        self._tell_presence()

    def _welcome(self, listener: Listener) -> None:
        """Tell a listener where it is, and all that it may know of what has happened."""
        table, setup = self.table, self.table.setup
        rules = table.start.rules
        welcome = {
            "type": "welcome",
            "board": setup.board,
            "rules": setup.rules,
            "players": list(setup.players),
            "practice": setup.practice,
            "undos": table.undos_left,
            "may_swap": self.may_swap,
            "seats": sorted(listener.seats),
            "entries": rules.log_room,
            "reveals": sorted(rules.reveals),
            "past": self._past(listener),
        }
        listener.tell(welcome)
        self._tell_frame(listener)

    def _past(self, listener: Listener) -> list[list[Any]]:
        """List every action as the listener's side saw it: the action, the sentence, the round."""
        views = self.table.look_at_past(listener.seats)
        past = [[*tell_action(before, after), after.round] for before, after in itertools.pairwise(views)]
        lost = self.table.lost
        return past if lost is None else [*past, ["", tell_loss(lost, self.table.reason), views[-1].round]]

    def _tell_presence(self) -> None:
        seats = sorted({seat for listener in self.listeners for seat in listener.seats})
        watching = sum(not listener.seats for listener in self.listeners)
        for listener in self.listeners:
            listener.tell({"type": "presence", "seats": seats, "watching": watching})

    def _tell_frame(self, listener: Listener) -> None:
        table, seats = self.table, listener.seats
        view = table.look(seats)
        if table.lost is None:
            listener.tell(live_frame(table.n, table.look_back(seats), view))
        else:
            listener.tell(last_frame(table.n, view, table.lost, table.reason))
        if table.winner is not None:
            listener.tell({"type": "over", "winner": table.winner, "reason": table.reason or "played"})
        if table.rematch:
            listener.tell({"type": "rematch", "table": table.rematch})

    # Acting

    async def act(self, listener: Listener, message: dict[str, Any]) -> None:
        """Do what a listener asks for; raise ``RefusedError`` if that cannot be done."""
        if message["type"] == "hint":
            await self._advise(listener, message["n"])
            return
        async with self._lock:
            table, seats, n = self.table, listener.seats, message["n"]
            if message["type"] == "move":
                events = table.play(seats, n, message["move"])
            else:
                events = table.undo(seats, n) if message["type"] == "undo" else table.resign(seats, n)
            await self._happen(events)
        self.go_on()

    async def _happen(self, events: list[Event]) -> None:
        """Let events happen, and after them what happens by itself; each is told when it is on disk."""
        if self.is_broken:  # since this began to wait for the lock: the table is ahead of the disk
            raise RefusedError("storage")
        while events:
            for event in events:
                self.table.apply(event)
            await self._keep(events)
            for listener in list(self.listeners):
                is_other_past = "undo" in events[-1] or (MR_X in listener.seats and len(listener.seats) > 1)
                self._welcome(listener) if is_other_past else self._tell_frame(listener)
            events = self.table.passes()

    async def _keep(self, events: list[Event]) -> None:
        """Put events into the journal; if that fails the table is again what is on disk, and everybody is told so."""
        try:
            await self._journal.append(self.name, events)
        except OSError as error:
            _LOG.error("table %s cannot be kept: %s", self.name, error)
            self._take_back()
            raise RefusedError("storage") from None

    def _take_back(self) -> None:
        """Go back to what is on disk; if that cannot be read everybody is sent away, and the room is given up."""
        try:
            self.table = self._journal.load(self.name)
        except JournalError:
            self.is_broken = True
            for listener in self.listeners:
                listener.hang_up()
            return
        for listener in self.listeners:
            self._welcome(listener)
            listener.refuse("storage")

    async def _note(self, notes: list[Event]) -> None:
        """Keep notes, then take them to heart: they change nothing that anybody has seen."""
        if notes:
            await self._keep(notes)
        for note in notes:
            self.table.apply(note)

    async def move_on(self, listener: Listener, open_table: Callable[[], Awaitable[str]]) -> None:
        """Tell everybody at which table the same people play again; the first who asks has it opened."""
        if self.table.winner is None:
            raise RefusedError("not_over")
        if not listener.seats:
            raise RefusedError("no_seat")
        async with self._lock:
            if not self.table.rematch:
                await self._note([{"rematch": await open_table()}])
        for other in self.listeners:
            other.tell({"type": "rematch", "table": self.table.rematch})

    async def _advise(self, listener: Listener, n: int) -> None:
        """Tell a listener whose turn it is what a policy would play, in practice games; the help is noted before."""
        table = self.table
        table.hint(listener.seats, n)
        view = table.look(listener.seats)
        side = "mr_x" if table.seat == MR_X else "detectives"
        if side not in self._hints or self._is_advising:
            raise RefusedError("no_hint")
        self._is_advising = True
        try:
            advice = await self._bots.decide(self._hints[side], view, table.rng())
        except BotError:
            raise RefusedError("no_hint") from None
        finally:
            self._is_advising = False
        async with self._lock:
            await self._note(self.table.hint(listener.seats, n))  # the game may have gone on meanwhile
        listener.tell(hint(n, view, advice))

    # Policies

    @property
    def is_due(self) -> bool:
        """Whether something is to happen by itself: a policy moves, or a detective is stuck."""
        return not self.is_broken and (self.table.policy_to_move is not None or bool(self.table.passes()))

    def go_on(self) -> None:
        """Let the policy whose turn it is think, if one is to move and none thinks yet."""
        if self.is_due and (self._thinking is None or self._thinking.done()):
            self._thinking = asyncio.create_task(self._think())

    async def _think(self) -> None:
        """Play the moves of policies until a person is to move or the game is over."""
        while self.is_due:
            n, begun = self.table.n, time.monotonic()
            events = self.table.passes() or await self._ask(str(self.table.policy_to_move))
            elapsed = time.monotonic() - begun
            await asyncio.sleep(TICK - elapsed % TICK)
            async with self._lock:
                is_kept = self.table.n != n or await self._try(events)
            if not is_kept:
                await asyncio.sleep(RETRY)

    async def _try(self, events: list[Event]) -> bool:
        """Let events happen; return whether they could be kept."""
        try:
            await self._happen(events)
        except RefusedError:
            return False
        return True

    async def _ask(self, name: str) -> list[Event]:
        seats = frozenset([self.table.seat])
        try:
            decision = await self._bots.decide(name, self.table.look(seats), self.table.rng())
        except BotError as error:
            _LOG.warning("table %s: policy %s %s", self.name, name, error.reason)
            return self.table.forfeit(error.reason)
        return [{"move": decision.move}]

    async def close(self) -> None:
        """Stop thinking."""
        if self._thinking is not None:
            self._thinking.cancel()
            await asyncio.gather(self._thinking, return_exceptions=True)
