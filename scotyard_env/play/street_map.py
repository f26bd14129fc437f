"""The board as characters: pawns, where Mr. X may be, and as many station numbers as there is room for."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from scotyard_env.notation import describe_action
from scotyard_env.play.table import POSSIBLE, QUIET
from scotyard_env.state import MR_X, TRANSPORTS
from scotyard_env.view import View

ZOOM = 3.0  # how much larger the surroundings of a station are drawn, unless its neighbours are farther away
LEGEND = "D1: a detective   X: Mr. X   88?: he may be there   [88]: legal   . ?: no room"


class Sign(NamedTuple):
    """What may stand for a station: the first of its texts for which there is room."""

    station: int
    texts: tuple[str, ...]
    style: str


def draw_map(view: View, width: int, height: int, around: int | None = None) -> Text:
    """Draw the board, or the surroundings of a station, into so many columns and lines."""
    near = [] if around is None else [around, *_list_ends(view, around, TRANSPORTS[0])]
    cells = _place(view.board.coordinates[1:], width, height, near)
    canvas = [[(" ", "")] * width for _ in range(height)]
    for sign in sorted(_signs(view), key=lambda sign: sign.style == QUIET):
        column, row = (int(place) for place in cells[sign.station - 1])
        if 0 <= column < width and 0 <= row < height:
            _write(canvas[row], column, sign)
    lines = [Text.assemble(*line) for line in canvas]
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def _place(points: NDArray[np.float64], width: int, height: int, near: list[int]) -> NDArray[np.int64]:
    """Return the column and line of every station.

    Of the surroundings of a station, which comes first, those that are near are in sight; others may be off the canvas.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(high - low, 1e-9)
    if near:
        middle, *ends = (points[station - 1] for station in near)
        far = 2 * np.abs(np.array(ends).reshape(-1, 2) - middle).max(axis=0, initial=0)
        span = np.minimum(np.maximum(span / ZOOM, far), span)
        low = np.clip(middle - span / 2, low, high - span)
    room = np.array([width - 4, height - 1])  # a number stands around its place
    cells: NDArray[np.int64] = np.rint((points - low) / span * room).astype(np.int64) + np.array([1, 0])
    return cells


def _signs(view: View) -> Iterator[Sign]:
    """Give a sign for every station, what matters most first."""
    pawns = {station: f"D{seat}" for seat, station in enumerate(view.stations) if seat != MR_X}
    pawns[view.stations[MR_X]] = "X"  # on no station at all while he is hidden
    told = [describe_action(view.board, action) for action in view.legal] if view.viewer == view.seat else []
    legal, possible = {one.station for one in told}, set(view.possible)
    for station in range(1, view.board.stations + 1):
        if station in pawns:
            yield Sign(station, (pawns[station],), "bold reverse")
    for station in range(1, view.board.stations + 1):
        if station in pawns:
            continue
        mark = "?" if station in possible else ""
        number = f"[{station}{mark}]" if station in legal else f"{station}{mark}"
        yield Sign(station, (number, mark or "."), "bold" if station in legal else POSSIBLE if mark else QUIET)


def _write(line: list[tuple[str, str]], column: int, sign: Sign) -> None:
    """Write the first text of a sign that keeps a blank to its neighbours; the last one wherever nothing stands."""
    for text in sign.texts:
        start = max(0, min(column - len(text) // 2, len(line) - len(text)))
        around = slice(max(0, start - 1), start + len(text) + 1)
        is_last = text == sign.texts[-1]
        if all(character == " " for character, _ in (line[column : column + 1] if is_last else line[around])):
            start = column if is_last and len(text) == 1 else start
            line[start : start + len(text)] = [(character, sign.style) for character in text]
            return


def tell_links(view: View, station: int) -> str:
    """List where a station's links lead, by transport."""
    ways = []
    for transport in TRANSPORTS:
        if ends := _list_ends(view, station, transport):
            ways.append(f"{transport} {' '.join(map(str, ends))}")
    return f"From {station}: {', '.join(ways)}."


def _list_ends(view: View, station: int, transport: str) -> list[int]:
    """List where a station's links by a transport lead."""
    return sorted(a + b - station for a, b, by in view.board.links if by == transport and station in (a, b))
