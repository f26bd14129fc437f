"""Where things go on paper: stations that keep apart, links that bend around them, room for pawns beside them."""

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board

Array = NDArray[np.float64]

BENDS = (0.0, 0.05, -0.05, 0.1, -0.1, 0.15, -0.15, 0.2, -0.2, 0.27, -0.27)  # sideways, as a share of a link's length
STRETCH = 1.1  # how much larger the scale of one axis may be if it fills the box better
ALONG = np.linspace(0.1, 0.9, 17)  # where a curve is looked at, from its first station to its second
ANGLES = np.radians(np.arange(0, 360, 30))
COMPASS = np.stack([np.cos(ANGLES), -np.sin(ANGLES)], axis=1)  # (12, 2) y downwards
ROOMS = 3  # places for pawns and flags around a station: Mr. X, a detective and the flag may meet on one


class Box(NamedTuple):
    """A rectangle on the sheet."""

    x: float
    y: float
    width: float
    height: float

    def inset(self, by: float) -> "Box":
        """Return the rectangle that is smaller by this much on every side."""
        return Box(self.x + by, self.y + by, self.width - 2 * by, self.height - 2 * by)


class Chart(NamedTuple):
    """A board laid out in a box."""

    board: Board
    radius: float  # of a station
    points: Array  # (n+1, 2) centre of each station; row 0 unused
    middles: dict[tuple[int, int], Array]  # by stations of a link: the point that its curve leans to
    rooms: Array  # (n+1, ROOMS, 2) unit vectors from each station to where there is room, most of it first


@functools.lru_cache(maxsize=16)
def lay_out(board: Board, box: Box) -> Chart:
    """Lay a board out in a box, as large as it fits."""
    radius = _choose_radius(_fit(board.coordinates[1:], box.inset(20)))
    inner = box.inset(1.7 * radius)
    points = _keep_apart(_fit(board.coordinates[1:], inner), 2 * radius + 3, inner)
    pairs = sorted({(a, b) for a, b, _ in board.links})
    middles = {(a, b): _lean(points, a - 1, b - 1, radius) for a, b in pairs}
    return Chart(board, radius, _with_row_0(points), middles, _with_row_0(_find_rooms(points, radius, box)))


def _with_row_0(rows: Array) -> Array:
    return np.concatenate([np.zeros_like(rows[:1]), rows])


def _fit(coordinates: Array, box: Box) -> Array:
    """Scale the coordinates to the box, nearly the same both ways, and centre them in it."""
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    scales = np.array([box.width, box.height]) / np.maximum(high - low, 1e-6)
    scales = np.minimum(scales, STRETCH * scales.min())
    fitted: Array = (coordinates - (low + high) / 2) * scales + [box.x + box.width / 2, box.y + box.height / 2]
    return fitted


def _distances(points: Array) -> Array:
    between: Array = np.linalg.norm(points[:, None] - points[None], axis=-1)
    np.fill_diagonal(between, np.inf)
    return between


def _choose_radius(points: Array) -> float:
    """Choose the size of the stations so that nearly all of them have room as they are."""
    return float(np.clip(0.42 * np.quantile(_distances(points).min(axis=1), 0.05), 8, 18))


def _keep_apart(points: Array, gap: float, box: Box) -> Array:
    """Push stations that would overlap away from each other, as far as the box allows."""
    points = points.copy()
    for _ in range(100):
        close = np.argwhere(np.triu(_distances(points) < gap - 0.01))
        for a, b in close:
            push = _push(points[b] - points[a], gap, turn=int(a + b))
            points[a] -= push
            points[b] += push
        points = np.clip(points, box[:2], np.add(box[:2], box[2:]))
        if len(close) == 0:
            break
    return points


def _push(way: Array, gap: float, turn: int) -> Array:
    """Give half of what two stations lack to the gap; two on the same spot go any way, by turns."""
    length = float(np.hypot(way[0], way[1]))
    if length < 1e-6:
        way, length = COMPASS[turn % len(COMPASS)] / 1e6, 1e-6
    push: Array = way / length * max(gap - length, 0) / 2
    return push


def passed(chart: Chart, a: int, b: int) -> list[int]:
    """List the stations that the link between two stations touches, both of them included."""
    path = curve(chart.points[a], chart.middles[a, b], chart.points[b], np.linspace(0, 1, 33))
    away = np.linalg.norm(path[:, None] - chart.points[None, 1:], axis=-1).min(axis=0)
    touched: list[int] = (1 + np.flatnonzero(away < 1.6 * chart.radius)).tolist()
    return touched


def curve(start: Array, middle: Array, end: Array, along: Array) -> Array:
    """Return points of the curve that leaves start towards middle and comes to end."""
    t = along[:, None]
    points: Array = (1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end
    return points


def _lean(points: Array, a: int, b: int, radius: float) -> Array:
    """Choose how a link leans so that it passes by the other stations, straight if nothing is in its way."""
    start, end = points[a], points[b]
    clearance = radius + 5
    is_near = np.hypot(*(points - (start + end) / 2).T) < 0.8 * np.hypot(*(end - start)) + clearance  # of the widest
    is_near[[a, b]] = False
    others = points[is_near]
    sideways = np.array([end[1] - start[1], start[0] - end[0]])
    choices: list[Array] = []
    costs: list[float] = []
    for bend in BENDS:
        choices.append((start + end) / 2 + 2 * bend * sideways)
        costs.append(_crowding(curve(start, choices[-1], end, ALONG), others, clearance) + 1.5 * abs(bend))
        if costs[-1] == 0:
            break
    return choices[int(np.argmin(costs))]


def _crowding(path: Array, others: Array, clearance: float) -> float:
    """Measure how much a path runs into other stations: 0 if it passes all of them by."""
    if len(others) == 0:
        return 0.0
    nearest = np.linalg.norm(path[:, None] - others[None], axis=-1).min(axis=0)
    return float(np.maximum(1 - nearest / clearance, 0).sum())


def _find_rooms(points: Array, radius: float, box: Box) -> Array:
    """Find around each station the directions in which a pawn hides least of the others."""
    spots = points[:, None] + 2.1 * radius * COMPASS  # (n, 12, 2)
    away = np.linalg.norm(spots[:, :, None] - points[None, None], axis=-1)  # (n, 12, n)
    free = np.minimum(away.min(axis=2), 3 * radius) + 0.5 * COMPASS @ [1.0, -1.0]  # all else equal, up and right
    inner = box.inset(0.9 * radius)
    inside = (spots > inner[:2]) & (spots < np.add(inner[:2], inner[2:]))
    free -= np.where(inside.all(axis=2), 0, 4 * radius)
    crowded = COMPASS @ COMPASS.T > 0.01  # the next one at a right angle or more
    rooms = np.empty((len(points), ROOMS, 2))
    for room in range(ROOMS):
        best = np.argmax(free, axis=1)
        rooms[:, room] = COMPASS[best]
        free[crowded[best]] = -np.inf
    return rooms
