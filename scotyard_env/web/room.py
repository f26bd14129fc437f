"""A table with those who sit and watch there: changes one after the other, each on disk before anybody is told."""

import asyncio
import contextlib
import itertools
import json
import logging
import time
from typing import Any

from scotyard_env.state import MR_X
from scotyard_env.web.bots import BotError, Bots
from scotyard_env.web.keeping import Keeper
from scotyard_env.web.limits import QUEUE, SOCKETS, TICK
from scotyard_env.web.messages import hint, live_frame
from scotyard_env.web.narration import tell_action
from scotyard_env.web.table import Event, RefusedError, Seats, Table
from scotyard_env.web.tokens import find_holder

_LOG = logging.getLogger(__name__)


class Listener:
    """Somebody at a table: the seats they hold, and what waits to be sent to them."""

    def __init__(self, seats: Seats) -> None:
        self.seats = seats
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(QUEUE)
        self.is_gone = False

    def tell(self, message: object) -> None:
        """Send a message when there is time; who does not listen for long is taken for gone."""
        if self.is_gone:
            return
        if self.outbox.full():
            self.hang_up()
        else:
            self.outbox.put_nowait(json.dumps(message, separators=(",", ":"), allow_nan=False))

    def hang_up(self) -> None:
        """Send no more, and let the socket be closed; the page connects again."""
        self.is_gone = True
        while not self.outbox.empty():
            self.outbox.get_nowait()
        self.outbox.put_nowait(None)


class Room:
    """A table, its listeners and its policies at work."""

    def __init__(self, name: str, table: Table, journal: Keeper, bots: Bots, hints: dict[str, str]) -> None:
        self.name = name
        self.table = table
        self.listeners: list[Listener] = []
        self.left = time.monotonic()  # when somebody was here last
        self.is_broken = False  # what happened could not be kept
        self._journal = journal
        self._bots = bots
        self._hints = hints  # by side: the policy that is asked
        self._lock = asyncio.Lock()
        self._thinking: asyncio.Task[None] | None = None
        self._is_advising = False  # one hint at a time: others need the policies too

    # Coming and going

    async def enter(self, token: str) -> Listener | None:
        """Let somebody in, with the seats of their token; None if there is no room, or if the token is nobody's."""
        person = find_holder(token, self.table.keys) if token else None
        if len(self.listeners) >= SOCKETS or (token and person is None):
            return None
        listener = Listener(self.table.setup.seats_of(person) if person else frozenset())
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
        return [[*tell_action(before, after), after.round] for before, after in itertools.pairwise(views)]

    def _tell_presence(self) -> None:
        seats = sorted({seat for listener in self.listeners for seat in listener.seats})
        watching = sum(not listener.seats for listener in self.listeners)
        for listener in self.listeners:
            listener.tell({"type": "presence", "seats": seats, "watching": watching})

    def _tell_frame(self, listener: Listener) -> None:
        table, seats = self.table, listener.seats
        listener.tell(live_frame(table.n, table.look_back(seats), table.look(seats)))
        if table.winner is not None:
            listener.tell({"type": "over", "winner": table.winner, "reason": table.reason or "played"})

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
        """Put events into the journal; if that fails the room is closed, and another goes on from what is on disk."""
        try:
            await self._journal.append(self.name, events)
        except OSError:
            _LOG.exception("table %s cannot be kept", self.name)
            self.is_broken = True
            for listener in self.listeners:
                listener.hang_up()
            raise RefusedError("storage") from None

    async def _advise(self, listener: Listener, n: int) -> None:
        """Tell a listener whose turn it is what a policy would play, in practice games."""
        table = self.table
        if not table.setup.practice:
            raise RefusedError("not_practice")
        if table.winner is not None or n != table.n:
            raise RefusedError("over" if table.winner is not None else "stale")
        if table.seat not in listener.seats:
            raise RefusedError("not_your_turn")
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
        await self._note_hint(n)
        listener.tell(hint(n, view, advice))

    async def _note_hint(self, n: int) -> None:
        """Keep that a hint was given: the replay says how many there were."""
        async with self._lock:
            if self.is_broken:
                raise RefusedError("storage")
            self.table.apply({"hint": n})
            await self._keep([{"hint": n}])

    # Policies

    def go_on(self) -> None:
        """Let the policy whose turn it is think, if one is to move and none thinks yet."""
        is_due = self.table.policy_to_move is not None and not self.is_broken
        if is_due and (self._thinking is None or self._thinking.done()):
            self._thinking = asyncio.create_task(self._think())

    async def _think(self) -> None:
        """Play the moves of policies until a person is to move or the game is over."""
        while (name := self.table.policy_to_move) is not None and not self.is_broken:
            n, begun = self.table.n, time.monotonic()
            events = await self._ask(name)
            elapsed = time.monotonic() - begun
            await asyncio.sleep(TICK - elapsed % TICK)
            async with self._lock:
                if self.table.n == n:
                    with contextlib.suppress(RefusedError):  # the room is broken then
                        await self._happen(events)

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
