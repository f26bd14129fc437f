"""A policy behind a socket, as ``remote:`` asks for: JSON messages by WebSocket; every caller has one of its own."""

import contextlib
import functools
import threading
from collections.abc import Iterator

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from scotyard_env.bot import answer_all
from scotyard_env.remote import LOOPBACK, SUBPROTOCOL
from scotyard_env.wording import one_line

LONGEST_MESSAGE = 2**20  # bytes: a hello with the largest board has a third of it
CALLERS = 64  # at once
LONGEST_REASON = 120  # characters of why a connection is closed, of which the protocol takes 123 bytes
REFUSED, FAILED, BUSY = 1008, 1011, 1013  # codes with which a connection is closed


def read_listen(text: str) -> tuple[str, int]:
    """Read where to listen: 8421 on this machine alone, or host:port."""
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdecimal() or int(port) > 65_535:
        raise ValueError(f"--listen is {text!r}: give a port such as 8421, or an address such as 127.0.0.1:8421")
    return host.strip("[]") or LOOPBACK[0], int(port)


def listen(policy: str, host: str, port: int) -> None:
    """Answer everybody who connects, until interrupted; pages of a browser are turned away."""
    callers = threading.BoundedSemaphore(CALLERS)
    answer = functools.partial(_answer, policy, callers)
    try:
        server = serve(
            answer,
            host,
            port,
            subprotocols=[SUBPROTOCOL],
            origins=[None],
            compression=None,
            ping_interval=None,
            max_size=LONGEST_MESSAGE,
        )
    except OSError as error:
        raise ValueError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from error
    with server:
        shown, number = server.socket.getsockname()[:2]
        print(f"{policy} plays at ws://{f'[{shown}]' if ':' in shown else shown}:{number}; Ctrl-C stops", flush=True)
        server.serve_forever()


def _answer(policy: str, callers: threading.BoundedSemaphore, connection: ServerConnection) -> None:
    """Answer one caller until they hang up; who asks what cannot be answered is told so and hung up on."""
    if not callers.acquire(blocking=False):
        connection.close(BUSY, "as many are here as may be")
        return
    try:
        for answer in answer_all(policy, _listen(connection)):
            connection.send(answer.removesuffix(b"\n"), text=True)
    except ConnectionClosed:  # in the middle of a decision
        pass
    except ValueError as error:
        connection.close(REFUSED, _reason(str(error)))
    except Exception as error:  # whatever a policy may raise
        connection.close(FAILED, _reason(f"{type(error).__name__}: {error}"))
    finally:
        callers.release()


def _listen(connection: ServerConnection) -> Iterator[bytes]:
    """Give what a caller sends, until they hang up."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            yield connection.recv(decode=False)


def _reason(text: str) -> str:
    return one_line(text.encode("ascii", "replace").decode(), LONGEST_REASON)
