"""Pictures: text, SVG string, RGB array, films and a window. Draws, never decides.

Everything here is made from a ``View``, which holds no more than its seat may know: what is hidden cannot be drawn.
"""

import functools
import io
import itertools
import os
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.files import write_whole
from scotyard_env.notation import HIDDEN
from scotyard_env.render.drawing import CARD, LINE, PAPER, block, draw_map, draw_view
from scotyard_env.render.layout import Box, lay_out
from scotyard_env.render.panels import (
    Sheet,
    about,
    draw_legend,
    draw_panels,
    headline,
    listing,
    log_length,
    next_reveal,
    plan,
    ticket_count,
)
from scotyard_env.replay import Replay
from scotyard_env.state import NOWHERE, SEATS, SPECTATOR, TICKETS
from scotyard_env.view import View

Picture = NDArray[np.uint8]
Belief = NDArray[np.float64]

WIDTH, HEIGHT = 1200, 900
FILM_WIDTH, FILM_HEIGHT = 960, 720
HELD = 4.0  # seconds for the last frame of a film
FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
FONT_FAMILY = "DejaVu Sans, Verdana, Arial, sans-serif"


class RenderError(RuntimeError):
    """Something that a picture needs is missing on this machine."""


# Text


def text(view: View) -> str:
    """Describe a view for a terminal, without colours."""
    lines = [
        about(view),
        headline(view),
        *_table(view),
        f"log (* = reveal): {next_reveal(view)}",
        *_log_lines(view),
        f"possible ({len(view.possible)}): {listing(view.possible, 24)}",
    ]
    return "\n".join(line.rstrip() for line in lines)


def _table(view: View) -> Iterator[str]:
    yield "  seat         station" + "".join(
        f"{kind:>13}" if kind == "underground" else f"{kind:>8}" for kind in TICKETS
    )
    for seat, (station, purse) in enumerate(zip(view.stations, view.tickets, strict=True)):
        mark = ">" if view.winner is None and seat == view.seat else " "
        where = HIDDEN if station == NOWHERE else str(station)
        counts = [ticket_count(count) for count in purse]
        row = f"{counts[0]:>8}{counts[1]:>8}{counts[2]:>13}{counts[3]:>8}{counts[4]:>8}"
        yield f"{mark} {SEATS[seat]:<12} {where:>7}{row}"


def _log_lines(view: View, columns: int = 8) -> Iterator[str]:
    written = view.log + ["."] * (log_length(view) - len(view.log))
    cells = [f"{n:>4}{'*' if n in view.rules.reveals else ' '}{entry:<5}" for n, entry in enumerate(written, start=1)]
    for first in range(0, len(cells), columns):
        yield "".join(cells[first : first + columns])


# Pictures


def svg(view: View, width: int = WIDTH, height: int = HEIGHT, belief: Belief | None = None) -> str:
    """Draw a view as an SVG document; with a belief its weights are the heat, else every possible station is as hot."""
    sheet = _plan(view, width, height)
    return _document(sheet, width, height, _back(view.board, sheet) + _front(view, sheet, belief))


def rgb_array(view: View, width: int = WIDTH, height: int = HEIGHT, belief: Belief | None = None) -> Picture:
    """Draw a view as pixels, (height, width, 3); no screen needed."""
    sheet = _plan(view, width, height)
    front = _rasterize(_document(sheet, width, height, _front(view, sheet, belief)))
    picture = _back_image(view.board, sheet, width, height).copy()
    picture.alpha_composite(front)
    return np.asarray(picture.convert("RGB"))


def _plan(view: View, width: int, height: int) -> Sheet:
    if width < 1 or height < 1:
        raise ValueError(f"a picture of {width} x {height} pixels has no room: give numbers of at least 1")
    return plan(view, width, height)


@functools.lru_cache(maxsize=16)
def _back(board: Board, sheet: Sheet) -> str:
    """Draw what stays as it is during a game: the map and the legend."""
    paper = block(Box(0, 0, sheet.width, sheet.height), 0, fill=PAPER)
    frame = block(sheet.map, 8, fill=CARD, stroke=LINE)
    return paper + frame + draw_map(lay_out(board, sheet.map)) + draw_legend(board, sheet)


def _front(view: View, sheet: Sheet, belief: Belief | None) -> str:
    return draw_view(view, lay_out(view.board, sheet.map), belief) + draw_panels(view, sheet)


def _document(sheet: Sheet, width: int, height: int, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {sheet.width:g} {sheet.height:g}" font-family="{FONT_FAMILY}">{content}</svg>'
    )


@functools.lru_cache(maxsize=8)
def _back_image(board: Board, sheet: Sheet, width: int, height: int) -> Any:
    """Draw the part that stays as it is once, as a Pillow image."""
    return _rasterize(_document(sheet, width, height, _back(board, sheet)))


def _rasterize(document: str) -> Any:
    """Turn SVG into a Pillow image with the fonts that come with matplotlib, so that it looks the same everywhere."""
    from PIL import Image
    from resvg_py import svg_to_bytes

    png = svg_to_bytes(svg_string=document, skip_system_fonts=True, font_files=_font_files())
    return Image.open(io.BytesIO(png)).convert("RGBA")


@functools.cache
def _font_files() -> list[str]:
    package = find_spec("matplotlib")  # found, not imported: that would take a second
    if package is None or package.origin is None:
        raise RenderError(
            "pictures take their letters from matplotlib's fonts, which is missing: pip install matplotlib"
        )
    folder = Path(package.origin).parent / "mpl-data" / "fonts" / "ttf"
    return [str(folder / name) for name in FONTS]


# Files


def save(view: View, path: str | PathLike[str], belief: Belief | None = None) -> None:
    """Write a picture of a view to a file, .svg or .png by its ending, whole or not at all."""
    _check_ending(path, (".png", ".svg"))
    if Path(path).suffix.lower() == ".svg":
        write_whole(path, svg(view, belief=belief))
    else:
        write_whole(path, _to_png(rgb_array(view, belief=belief)))


def _check_ending(path: str | PathLike[str], endings: tuple[str, ...]) -> None:
    if Path(path).suffix.lower() not in endings:
        raise ValueError(f"cannot write {os.fspath(path)}: the endings that can be written are {', '.join(endings)}")


def _to_png(picture: Picture) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG", optimize=True)
    return file.getvalue()


def animate(replay: Replay, path: str | PathLike[str], viewer: int = SPECTATOR, seconds_per_move: float = 0.6) -> None:
    """Film a replay as a seat saw it, .gif or .mp4: the start, then one frame for each action, the last one held.

    A spectator is shown Mr. X in the last frame of a finished game, his own seat (0) sees him all along.
    """
    _check_ending(path, (".gif", ".mp4"))
    if not seconds_per_move > 0:
        raise ValueError(f"seconds_per_move is {seconds_per_move}: a move takes more than no time")
    views = [game.view(viewer) for game in replay.games()]
    film = _to_gif if Path(path).suffix.lower() == ".gif" else _to_mp4
    write_whole(path, film(views, seconds_per_move))


def _frame(view: View) -> Any:
    from PIL import Image

    return Image.fromarray(rgb_array(view, FILM_WIDTH, FILM_HEIGHT))


def _to_gif(views: list[View], seconds: float) -> bytes:
    """Make a GIF whose frames share their colours, so that only what changes takes space."""
    from PIL import Image

    samples = [_frame(view) for view in (views[0], views[len(views) // 2], views[-1])]
    sheet = np.concatenate([np.asarray(sample) for sample in samples])
    palette = Image.fromarray(sheet).quantize(255, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
    frames = (_frame(view).quantize(palette=palette, dither=Image.Dither.NONE) for view in views)
    durations = [round(1000 * seconds)] * (len(views) - 1) + [round(1000 * max(HELD, seconds))]
    file = io.BytesIO()
    next(frames).save(file, "GIF", save_all=True, append_images=frames, duration=durations, loop=0, disposal=1)
    return file.getvalue()


def _to_mp4(views: list[View], seconds: float) -> bytes:
    """Make an H.264 film of 10 pictures a second, which players like, whatever the time for a move."""
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise RenderError("a .mp4 needs ffmpeg: pip install imageio-ffmpeg, or write a .gif") from error
    held = round(HELD / seconds)
    frames = itertools.chain(map(_frame, views), itertools.repeat(_frame(views[-1]), held))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        size, rate = (FILM_WIDTH, FILM_HEIGHT), {"fps": 1 / seconds, "output_params": ["-r", "10"]}
        writer = imageio_ffmpeg.write_frames(path, size, **rate, ffmpeg_log_level="error")
        writer.send(None)
        for frame in frames:
            writer.send(frame.tobytes())
        writer.close()
        return path.read_bytes()


# A window


class Window:
    """A window on the screen that shows one view after the other; once the user shuts it, it stays shut."""

    def __init__(self, width: int = WIDTH, height: int = HEIGHT, title: str = "Scotland Yard") -> None:
        self._size = (width, height)
        self._pygame = _import_pygame()
        try:
            self._pygame.display.init()
            self._screen = self._pygame.display.set_mode(self._size)
        except self._pygame.error as error:
            raise RenderError(f"no window can be opened ({error}): {_INSTEAD}") from error
        self._pygame.display.set_caption(title)
        self.is_open = True

    def show(self, view: View, belief: Belief | None = None) -> None:
        """Show a view."""
        if self.is_open and any(event.type == self._pygame.QUIT for event in self._pygame.event.get()):
            self.close()
        if self.is_open:
            picture = rgb_array(view, *self._size, belief=belief)
            self._screen.blit(self._pygame.image.frombuffer(picture.tobytes(), self._size, "RGB"), (0, 0))
            self._pygame.display.flip()

    def close(self) -> None:
        """Shut the window; shutting it again does nothing."""
        if self.is_open:
            self.is_open = False
            self._pygame.display.quit()


_INSTEAD = 'use render_mode="rgb_array" for pictures without a screen'


def _import_pygame() -> Any:
    if sys.platform.startswith("linux") and not any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"))
    ):
        raise RenderError(f"there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set): {_INSTEAD}")
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise RenderError(f"a window needs pygame: pip install pygame-ce, or {_INSTEAD}") from error
    return pygame
