"""Connections that are waited for, but not for ever: a request that does not arrive in time is given up."""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from scotyard_env.web.limits import CONNECTIONS, HELLO

ARRIVING = (h11.IDLE, h11.SEND_BODY)  # states in which more of a request is to come


class Patient(H11Protocol):
    """HTTP of uvicorn, with a limit on connections and on how long a request, or silence before it, may take."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, if there are not too many."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Read on; the time that a request takes is counted until all of it is here."""
        super().data_received(data)
        is_arriving = self.conn.their_state in ARRIVING and self.transport.get_protocol() is self
        self._wait() if is_arriving else self._relax()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let a connection go."""
        self._relax()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HELLO, self.transport.abort)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
