"""A board as a page draws it: where stations stand, how links lean, where there is room for pawns."""

import functools
from typing import TypedDict

import numpy as np

from scotyard_env.board import Board
from scotyard_env.render.layout import COMPASS, Array, Box, lay_out
from scotyard_env.state import TRANSPORTS

WIDTH, HEIGHT = 1000, 740  # of the map, in units of its own
DIGITS = 1  # of a coordinate


class ChartData(TypedDict):
    """A board laid out, as JSON takes it."""

    name: str
    width: int
    height: int
    radius: float  # of a station
    points: list[list[float]]  # centre of each station; row 0 unused
    links: list[tuple[int, int, list[int], list[float]]]  # two stations, their transports, where the curve leans to
    rooms: list[list[int]]  # directions with room beside each station, best first, in twelfths from the right upwards


@functools.lru_cache(maxsize=16)
def draw_chart(board: Board) -> ChartData:
    """Lay a board out for a page."""
    chart = lay_out(board, Box(0, 0, WIDTH, HEIGHT))
    transports: dict[tuple[int, int], list[int]] = {pair: [] for pair in chart.middles}
    for a, b, transport in board.links:
        transports[a, b].append(TRANSPORTS.index(transport))
    return {
        "name": board.name,
        "width": WIDTH,
        "height": HEIGHT,
        "radius": round(chart.radius, DIGITS),
        "points": [_round(point) for point in chart.points],
        "links": [(a, b, sorted(by), _round(chart.middles[a, b])) for (a, b), by in transports.items()],
        "rooms": np.argmax(chart.rooms @ COMPASS.T, axis=2).tolist(),
    }


def _round(point: Array) -> list[float]:
    return [round(float(value), DIGITS) for value in point]
