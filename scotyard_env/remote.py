"""A program behind a socket as a policy, ``"remote:ws://127.0.0.1:8421"``: the messages of ``process:`` by WebSocket.

A policy connects when it is made, so that an address where nobody plays is refused at once; copies, and those in other
processes, connect at their first decision. A connection that is closed between two decisions is made again, once for
each of them; one that is closed while a decision is waited for forfeits, as a program does that ends.

Names of policies stand in tables, records and replays, hence no secret may be in one: what comes before an @ or behind
a ? is the name of an environment variable, ``"remote:wss://example.org/bot?key=$BOT_KEY"``.
"""

import contextlib
import dataclasses
import os
import re
import weakref
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

from websockets.exceptions import ConnectionClosed, InvalidStatus, NegotiationError, WebSocketException
from websockets.protocol import State
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from scotyard_env.outside import LONGEST_ANSWER, OutsideError, OutsidePolicy, Talk
from scotyard_env.wire import PROTOCOL
from scotyard_env.wording import one_line

SUBPROTOCOL = Subprotocol(f"scotyard-bot-{PROTOCOL}")  # that both ends name when they connect
SCHEMES = {"ws": 80, "wss": 443}  # each with its port
LOOPBACK = ("127.0.0.1", "localhost", "::1")
VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)
OPENING = 10.0  # seconds until a connection must be there
CLOSING = 1.0  # seconds that the other end may take to say goodbye
LONGEST_REASON = 120  # characters of why it closed a connection
TOO_LONG, NO_MESSAGE = 1009, (1002, 1007)  # codes with which we close a connection
UNASKED = "the program said more than it was asked: give one message for each decision"
OTHER_END = "scotyard bot POLICY --listen 8421 starts one"
EXAMPLE = "write remote:ws://host:port or remote:wss://host/path"


@dataclasses.dataclass(frozen=True)
class RemotePolicy(OutsidePolicy):
    """Let a program behind a socket decide: JSON messages by WebSocket, those of ``process:``."""

    address: str

    def __post_init__(self) -> None:
        Address.read(self.address)
        self.keep(self.begin())

    def begin(self) -> Talk:
        """Connect to the program."""
        return Link(Address.read(self.address))


class Address(NamedTuple):
    """Where a program is: the words for it, and what is kept to ourselves."""

    place: str  # host and port
    host: str
    whole: str  # with what variables stand for

    @classmethod
    def read(cls, text: str) -> "Address":
        """Read an address, which names no secret itself; ValueError says what is wrong with it."""
        parts = _split(text)
        _refuse_secrets(parts)
        host, port = parts.hostname or "", parts.port or SCHEMES[parts.scheme]
        shown = f"[{host}]" if ":" in host else host
        return cls(f"{shown}:{port}", host, VARIABLE.sub(_look_up, text))


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in SCHEMES and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:  # such as a port that is no number
        is_address = False
    if not is_address or not text.isascii() or not text.isprintable() or " " in text or "$" in (parts.hostname or ""):
        raise ValueError(f"it is no address of a WebSocket: {EXAMPLE}")
    return parts


def _refuse_secrets(parts: SplitResult) -> None:
    """Refuse what may be secret and is no variable: names of policies are written into tables and records."""
    user = parts.netloc.rpartition("@")[0]
    pairs = (pair.partition("=") for pair in parts.query.split("&"))
    given = [*user.split(":"), *(value or name for name, _, value in pairs), parts.fragment]
    if any(part and not VARIABLE.fullmatch(part) for part in given):
        told = "what stands before an @ or behind a ? may be secret, and names of policies are written into tables"
        raise ValueError(f"{told}: put it into an environment variable, as in wss://example.org/bot?key=$BOT_KEY")


def _look_up(found: "re.Match[str]") -> str:
    name = found[1] or found[2]
    if name not in os.environ:
        raise ValueError(f"the address names ${name}, and there is no such environment variable")
    return quote(os.environ[name], safe="")


class Link(Talk):
    """A connection to a program."""

    def __init__(self, address: Address) -> None:
        self._connection = _connect(address)
        super().__init__(weakref.finalize(self, self._connection.close))

    @property
    def is_lost(self) -> bool:
        """Whether the connection was closed meanwhile."""
        return self._connection.state is not State.OPEN

    def ask(self, messages: list[bytes]) -> bytes:
        """Send messages and wait for the answer to the last of them."""
        with _explaining():
            with contextlib.suppress(TimeoutError):
                self._connection.recv(0, decode=False)
                raise OutsideError(UNASKED)
            for message in messages:
                self._connection.send(message.removesuffix(b"\n"), text=True)
            return self._connection.recv(decode=False)


def _connect(address: Address) -> ClientConnection:
    """Connect to a program that speaks as we do."""
    with _explaining_refusal(address.place):
        connection = connect(
            address.whole,
            subprotocols=[SUBPROTOCOL],
            compression=None,
            proxy=None if address.host in LOOPBACK else True,
            open_timeout=OPENING,
            close_timeout=CLOSING,
            ping_interval=None,  # who thinks need not answer pings
            max_size=LONGEST_ANSWER,
        ).__enter__()
    if connection.subprotocol != SUBPROTOCOL:
        connection.close()
        raise OutsideError(f"at {address.place} is something else than {SUBPROTOCOL}: {OTHER_END}")
    return connection


@contextlib.contextmanager
def _explaining_refusal(place: str) -> Iterator[None]:
    """Say why there is no connection, without a word of what is secret."""
    try:
        yield
    except TimeoutError:
        raise OutsideError(f"{place} did not answer within {OPENING:g} s") from None
    except OSError as error:
        told = one_line(error.strerror or str(error), LONGEST_REASON)
        raise OutsideError(f"{place} cannot be reached ({told}): {OTHER_END}") from None
    except (WebSocketException, ValueError) as error:  # the latter where it sends us to what is no address
        is_plain = isinstance(error, InvalidStatus | NegotiationError)  # others may quote the whole address
        told = one_line(str(error), LONGEST_REASON) if is_plain else type(error).__name__
        raise OutsideError(f"at {place} is no program that plays ({told}): {OTHER_END}") from None


@contextlib.contextmanager
def _explaining() -> Iterator[None]:
    """Say of a connection that ends how it did."""
    try:
        yield
    except ConnectionClosed as closed:
        sent, received = closed.sent, closed.rcvd
        if sent is not None and sent.code == TOO_LONG and not closed.rcvd_then_sent:
            raise OutsideError(f"the program answered more than {LONGEST_ANSWER} bytes") from None
        if sent is not None and sent.code in NO_MESSAGE and not closed.rcvd_then_sent:
            raise OutsideError("the program sent what is no WebSocket message") from None
        why = "" if received is None else f": {received.code} {one_line(received.reason, LONGEST_REASON)}".rstrip()
        raise OutsideError(f"the program closed the connection{why}") from None
