"""A view as a picture: an SVG string, pixels, or a file of either."""

import functools
import io
import os
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.belief import Belief
from scotyard_env.board import Board
from scotyard_env.explanation import Explanation
from scotyard_env.files import write_whole
from scotyard_env.render.captions import seat_name
from scotyard_env.render.drawing import CARD, LINE, PAPER, block, draw_map, draw_view
from scotyard_env.render.layout import Box, lay_out
from scotyard_env.render.panels import Sheet, draw_legend, draw_panels, plan
from scotyard_env.render.thoughts import draw_explanation, draw_summary
from scotyard_env.view import View, may_know_thoughts

Picture = NDArray[np.uint8]  # (height, width, 3)

WIDTH, HEIGHT = 1200, 900
FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
FONT_FAMILY = "DejaVu Sans, Verdana, Arial, sans-serif"


class RenderError(RuntimeError):
    """Something that a picture needs is missing on this machine."""


def svg(
    view: View,
    width: int = WIDTH,
    height: int = HEIGHT,
    belief: Belief | None = None,
    explanation: Explanation | None = None,
) -> str:
    """Draw a view as an SVG document; with a belief its weights are the heat, else every possible station is as hot.

    An explanation of the next action is drawn as arrows, for the plan, and numbers, for what was weighed; its own
    belief is the heat if no other is given.
    """
    sheet = _plan(view, width, height)
    return _document(sheet, width, height, _back(view.board, sheet) + _front(view, sheet, belief, explanation))


def rgb_array(
    view: View,
    width: int = WIDTH,
    height: int = HEIGHT,
    belief: Belief | None = None,
    explanation: Explanation | None = None,
) -> Picture:
    """Draw a view as pixels, (height, width, 3); no screen needed."""
    sheet = _plan(view, width, height)
    front = rasterize(_document(sheet, width, height, _front(view, sheet, belief, explanation)))
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


def _front(view: View, sheet: Sheet, belief: Belief | None, explanation: Explanation | None) -> str:
    if explanation is None:
        return draw_view(view, lay_out(view.board, sheet.map), belief) + draw_panels(view, sheet)
    if not may_know_thoughts(view.viewer, explanation.seat, view.winner is not None):
        who, whose = seat_name(view.viewer), seat_name(explanation.seat)
        raise ValueError(f"this is a view of {who}, who may not know what {whose} thinks")
    if belief is None and explanation.believed:
        belief = np.zeros(view.board.stations + 1)
        for station, share in explanation.believed:
            belief[station] = share
    chart = lay_out(view.board, sheet.map)
    drawn = draw_view(view, chart, belief) + draw_explanation(view, chart, explanation)
    return drawn + draw_panels(view, sheet) + draw_summary(explanation)


def _document(sheet: Sheet, width: int, height: int, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {sheet.width:g} {sheet.height:g}" font-family="{FONT_FAMILY}">{content}</svg>'
    )


@functools.lru_cache(maxsize=8)
def _back_image(board: Board, sheet: Sheet, width: int, height: int) -> Any:
    """Draw the part that stays as it is once, as a Pillow image."""
    return rasterize(_document(sheet, width, height, _back(board, sheet)))


def rasterize(document: str) -> Any:
    """Turn SVG into a Pillow image."""
    from PIL import Image

    return Image.open(io.BytesIO(_to_png(document))).convert("RGBA")


def _to_png(document: str) -> bytes:
    """Turn SVG into a PNG file with the fonts that come with matplotlib, so that it looks the same everywhere."""
    from resvg_py import svg_to_bytes

    return bytes(svg_to_bytes(svg_string=document, skip_system_fonts=True, font_files=_font_files()))


@functools.cache
def _font_files() -> list[str]:
    package = find_spec("matplotlib")  # found, not imported: that would take a second
    if package is None or package.origin is None:
        raise RenderError(
            "pictures take their letters from matplotlib's fonts, which is missing: pip install matplotlib"
        )
    folder = Path(package.origin).parent / "mpl-data" / "fonts" / "ttf"
    return [str(folder / name) for name in FONTS]


def save(
    view: View, path: str | PathLike[str], belief: Belief | None = None, explanation: Explanation | None = None
) -> None:
    """Write a picture of a view to a file, .svg or .png by its ending, whole or not at all."""
    check_ending(path, (".png", ".svg"))
    document = svg(view, belief=belief, explanation=explanation)
    write_whole(path, document if Path(path).suffix.lower() == ".svg" else _to_png(document))


def check_ending(path: str | PathLike[str], endings: tuple[str, ...]) -> None:
    """Refuse a file whose ending is none of these."""
    if Path(path).suffix.lower() not in endings:
        raise ValueError(f"cannot write {os.fspath(path)}: the endings that can be written are {', '.join(endings)}")
