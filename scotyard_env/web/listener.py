"""Somebody at a table: the seats they hold, and what waits to be sent to them."""

import asyncio
import json

from scotyard_env.web.limits import QUEUE
from scotyard_env.web.table import Code, Seats


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

    def refuse(self, code: Code) -> None:
        """Tell that something could not be done."""
        self.tell({"type": "error", "code": code})
