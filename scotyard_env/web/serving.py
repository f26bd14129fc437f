"""Running the server: a socket that listens, and a browser that is sent there."""

import os
import socket
import sys
import threading
import webbrowser

import uvicorn
from starlette.applications import Starlette

from scotyard_env.web.limits import MESSAGE, PING
from scotyard_env.web.patience import Patient

SCREENS = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")  # one of which is set where Linux has a browser with windows
CLOSING = 2  # seconds in which everybody is sent away when the server stops


def listen_on(host: str, port: int) -> socket.socket:
    """Listen, or say why that cannot be."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        raise ValueError(f"cannot listen on {host}, port {port}: {error}; --port takes another") from error


def make_server(app: Starlette) -> uvicorn.Server:
    """Make a server with all its limits."""
    config = uvicorn.Config(
        app,
        http=Patient,
        ws_max_size=MESSAGE,
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        log_level="warning",
        timeout_graceful_shutdown=CLOSING,
    )
    return uvicorn.Server(config)


def serve(app: Starlette, listening: socket.socket) -> None:
    """Serve until interrupted."""
    make_server(app).run(sockets=[listening])


def open_browser(address: str) -> bool:
    """Open a page in a browser, which may take its time; tell whether there is a screen to show it on."""
    has_screen = sys.platform != "linux" or any(os.environ.get(name) for name in SCREENS)
    if has_screen:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    return has_screen
