"""Who may talk to the server: hosts by name, pages of our own origin, and headers that keep pages to themselves."""

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

CONTENT = "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
HEADERS = (
    (b"content-security-policy", CONTENT.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
REFUSAL = b"this server does not answer to that host or origin; scotyard web --names says by which it is reached"
SAFE_METHODS = ("GET", "HEAD")


class Guard:
    """Refuses requests to other hosts and changes asked for by pages of others; adds headers to every answer."""

    def __init__(self, app: App, names: Collection[str]) -> None:
        self._app = app
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        if not self._is_welcome(scope, headers.get("host", ""), headers.get("origin")):
            await _refuse(scope, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _is_welcome(self, scope: Scope, host: str, origin: str | None) -> bool:
        try:
            name, page = urlsplit(f"//{host}").hostname, None if origin is None else urlsplit(origin).netloc
        except ValueError:  # such as a bracket that is not closed
            return False
        is_change = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        return name in self._names and (not is_change or page is None or page == host)


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain"), *HEADERS]})
    await send({"type": "http.response.body", "body": REFUSAL})


def _with_headers(send: Send) -> Send:
    async def send_more(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return send_more
