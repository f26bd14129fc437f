"""The server: routes and sockets. It translates and decides nothing."""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from scotyard_env.board import Board
from scotyard_env.json_files import parse_json
from scotyard_env.state import MR_X
from scotyard_env.web.analysis import Analyses, BusyError, Message
from scotyard_env.web.chart import draw_chart
from scotyard_env.web.door import Door
from scotyard_env.web.guard import Guard
from scotyard_env.web.limits import ABANDONED, BURST, HELLO, MESSAGE, RATE, SENDING
from scotyard_env.web.listener import Listener
from scotyard_env.web.messages import MessageError, read_message
from scotyard_env.web.offer import Offer
from scotyard_env.web.page import STATIC, tell_replay, write_page
from scotyard_env.web.registry import FullError, Registry
from scotyard_env.web.room import Room
from scotyard_env.web.seating import SetupError, read_setup
from scotyard_env.web.table import RefusedError

_LOG = logging.getLogger(__name__)

KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
PAGES = {"": "index.html", "table": "table.html"}
REFUSALS = {  # by code: the status, and what is said of it
    "unknown_board": (404, "There is no such board: api/1/choices lists those there are."),
    "full": (503, "All tables are taken: try again later."),
    "storage": (507, "The server has no room left to keep games: try again later."),
    "message": (
        400,
        f"A table is asked for as JSON of at most {MESSAGE} bytes, with content-type application/json: an object with"
        " board, rules, players and practice.",
    ),
    "unknown_replay": (404, "There is no finished game: no such table is known, or its game still goes on."),
    "busy": (503, "Other games are being analysed: try again later."),
}


def make_app(registry: Registry, offer: Offer, names: Collection[str], analyses: Analyses) -> Starlette:
    """Return the application; names are those of the hosts that it answers to."""
    files = {
        file.name: (file.read_bytes(), KINDS[file.suffix]) for file in STATIC.iterdir() if file.name != "replay.html"
    }

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        registry.resume()
        parking = asyncio.create_task(_park(registry))
        yield
        parking.cancel()
        await analyses.close()
        await registry.close()

    routes = [
        *(Route(f"/{path}", _show_file, name=name) for path, name in PAGES.items()),
        Route("/static/{name}", _show_file),
        Route("/api/1/choices", _list_choices),
        Route("/api/1/boards/{name}", _show_board),
        Route("/api/1/tables", _make_table, methods=["POST"]),
        Route("/api/1/tables/{name}/replay.{ending}", _show_replay),
        Route("/api/1/tables/{name}/analysis", _analyse, methods=["POST"]),
        WebSocketRoute("/ws/1/{name}", _serve_socket),
    ]
    guard = Middleware(Guard, names=names)
    app = Starlette(routes=routes, middleware=[guard], lifespan=lifespan, exception_handlers={404: _miss})
    app.state.registry, app.state.choices, app.state.files = registry, offer.to_dict(), files
    app.state.door, app.state.analyses = Door(), analyses
    return app


async def _park(registry: Registry) -> None:
    while True:
        await asyncio.sleep(ABANDONED)
        registry.park()


# Answers


def _refuse(code: str) -> Response:
    status, told = REFUSALS[code]
    return JSONResponse({"code": code, "told": told}, status)


async def _miss(*_: object) -> Response:
    return PlainTextResponse("There is no such page: tables are opened at the address of the server alone.", 404)


async def _show_file(request: Request) -> Response:
    name = request.path_params.get("name") or PAGES[request.url.path.rpartition("/")[2]]
    found = request.app.state.files.get(name)
    if found is None:
        return await _miss()
    return Response(found[0], media_type=found[1], headers={"cache-control": "no-cache"})


async def _list_choices(request: Request) -> Response:
    return JSONResponse(request.app.state.choices)


async def _show_board(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in Board.names():
        return _refuse("unknown_board")
    return JSONResponse(draw_chart(Board.named(name)), headers={"cache-control": "max-age=3600"})


async def _make_table(request: Request) -> Response:
    registry: Registry = request.app.state.registry
    try:
        fields = parse_json(await _read_body(request))
        name, tokens = await registry.make(read_setup(fields, registry.policies))
    except FullError:
        return _refuse("full")
    except OSError as error:
        _LOG.error("a table cannot be kept: %s", error)
        return _refuse("storage")
    except SetupError as error:
        return JSONResponse({"code": "setup", "told": str(error)}, 400)
    except ValueError:
        return _refuse("message")
    return JSONResponse({"table": name, "tokens": tokens}, 201)


async def _read_body(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise ValueError("a table is asked for as JSON")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MESSAGE:
            raise ValueError("the message is too long")
    return body


async def _show_replay(request: Request) -> Response:
    """Give the game of a table that is over."""
    table = request.app.state.registry.look_up(request.path_params["name"])
    replay, ending = None if table is None else table.published(), request.path_params["ending"]
    if replay is None or ending not in ("jsonl", "html", "json"):
        return _refuse("unknown_replay")
    if ending == "json":
        return JSONResponse(await asyncio.to_thread(tell_replay, replay))
    if ending == "jsonl":
        return Response(replay.to_line() + "\n", media_type="application/jsonl")
    page = await asyncio.to_thread(write_page, replay, MR_X)
    return Response(page, media_type="text/html", headers={"content-disposition": "attachment; filename=game.html"})


async def _analyse(request: Request) -> Response:
    """Tell what is found out about the game of a table that is over, a line of JSON for each piece of news."""
    table = request.app.state.registry.look_up(request.path_params["name"])
    replay = None if table is None else table.published()
    if replay is None:
        return _refuse("unknown_replay")
    analyses: Analyses = request.app.state.analyses
    if not analyses.has_room_for(replay):
        return _refuse("busy")
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}  # a proxy shall not wait for the end
    return StreamingResponse(_write_lines(analyses.follow(replay)), media_type="application/jsonl", headers=headers)


async def _write_lines(messages: AsyncGenerator[Message, None]) -> AsyncIterator[str]:
    try:
        async with contextlib.aclosing(messages):
            async for message in messages:
                yield json.dumps(message, separators=(",", ":"), allow_nan=False) + "\n"
    except BusyError:  # others came first
        yield json.dumps({"type": "error", "code": "busy"}) + "\n"


# Sockets


async def _serve_socket(socket: WebSocket) -> None:
    """Let a socket in if there is room, and serve it until it leaves."""
    door: Door = socket.app.state.door
    address = socket.client.host if socket.client else ""
    if not door.admit(address):
        await socket.close(1013)
        return
    try:
        await socket.accept()
        try:
            found = await _greet(socket)
        finally:
            door.seat()
        if found is not None:
            await _serve(socket, *found)
    finally:
        door.leave(address)


async def _serve(socket: WebSocket, room: Room, listener: Listener) -> None:
    sending = asyncio.create_task(_send(socket, listener))
    try:
        await _listen(socket, room, listener)
    except (WebSocketDisconnect, RuntimeError):  # gone, or closed while we were about to listen
        pass
    finally:
        sending.cancel()
        room.leave(listener)


async def _greet(socket: WebSocket) -> tuple[Room, Listener] | None:
    """Wait for the hello, and let its sender in if there is such a table, such a token and room."""
    code = "hello"
    with contextlib.suppress(TimeoutError, MessageError, WebSocketDisconnect, KeyError):
        hello = read_message(await asyncio.wait_for(socket.receive_text(), HELLO))
        if hello["type"] == "hello":
            code, room, listener = await _enter(socket, hello["token"])
            if room is not None and listener is not None:
                return room, listener
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.send_json({"type": "error", "code": code})
        await socket.close(1008)
    return None


async def _enter(socket: WebSocket, token: str) -> tuple[str, Room | None, Listener | None]:
    """Enter a table; if that cannot be, the first is the code of why."""
    try:
        room = socket.app.state.registry.find(socket.path_params["name"])
    except FullError:
        return "full", None, None
    if room is None:
        return "unknown_table", None, None
    return "no_entry", room, await room.enter(token)


async def _listen(socket: WebSocket, room: Room, listener: Listener) -> None:
    """Do what comes, as long as it does not come too fast."""
    allowance, last = float(BURST), time.monotonic()
    while True:
        text = await _receive(socket)
        now = time.monotonic()
        allowance, last = min(BURST, allowance + RATE * (now - last)) - 1, now
        code = "too_fast" if allowance < 0 else await answer(socket.app.state.registry, room, listener, text)
        if code is not None:
            listener.tell({"type": "error", "code": code})


async def _receive(socket: WebSocket) -> str:
    """Wait for a text; who sends bytes is told that they are no message, and hung up on."""
    try:
        return await socket.receive_text()
    except KeyError:
        await socket.close(1003)
        raise WebSocketDisconnect(1003) from None


async def answer(registry: Registry, room: Room, listener: Listener, text: str) -> str | None:
    """Do what a message asks for; return the code of what is wrong with it."""
    try:
        message: dict[str, Any] = read_message(text)
        if message["type"] == "hello":
            return "message"
        if message["type"] == "rematch":
            await registry.rematch(room, listener, message["swap"])
        else:
            await room.act(listener, message)
    except MessageError:
        return "message"
    except RefusedError as refused:
        return refused.code
    return None


async def _send(socket: WebSocket, listener: Listener) -> None:
    """Send what waits for a listener; close the socket of one who is gone or too slow."""
    with contextlib.suppress(TimeoutError, RuntimeError, WebSocketDisconnect):
        while (text := await listener.outbox.get()) is not None:
            await asyncio.wait_for(socket.send_text(text), SENDING)
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.close(1013)
