"""The map as SVG text: links and stations, and what a view puts on them."""

from collections import Counter
from xml.sax.saxutils import escape

import numpy as np

from scotyard_env.render.layout import Array, Box, Chart, passed
from scotyard_env.state import BUS, FERRY, MR_X, NOWHERE, TAXI, TRANSPORTS, UNDERGROUND
from scotyard_env.view import View

PAPER, CARD, LINE, FAINT, INK = "#fbfaf6", "#ffffff", "#d9d6cc", "#6d7080", "#20222b"
HEAT = "#8e4ec6"  # where Mr. X may be
EVENLY_HOT = 0.7  # the heat of every possible station where there is no belief
TRANSPORT_COLOURS = ("#e3aa12", "#128f86", "#d8484f", "#3c4a78")
LINK_WIDTHS = (0.18, 0.4, 0.78, 0.28)  # in radii of a station; of links between the same two each lies on a wider one
SEAT_COLOURS = (INK, "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")  # Okabe and Ito, safe for the colour-blind
SEAT_INKS = (CARD, CARD, CARD, CARD, INK, INK)  # what is legible on them


# Elements


def element(name: str, content: str = "", /, **attributes: str | float) -> str:
    """Write an SVG element; underscores in the names of attributes stand for hyphens."""
    written = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{float(value):.2f}".rstrip("0").rstrip(".")


def words(x: float, y: float, text: object, size: float = 12, **attributes: str | float) -> str:
    """Write text with its middle on the height of y."""
    return element("text", escape(str(text)), x=x, y=y + 0.36 * size, font_size=size, **{"fill": INK, **attributes})


def label(point: Array, text: object, size: float, ink: str = INK) -> str:
    """Write bold text around a point."""
    return words(point[0], point[1], text, size, fill=ink, font_weight="bold", text_anchor="middle")


def disc(point: Array, radius: float, **attributes: str | float) -> str:
    """Draw a circle."""
    return element("circle", cx=point[0], cy=point[1], r=radius, **attributes)


def block(box: Box, corner: float = 4, **attributes: str | float) -> str:
    """Draw a rectangle with round corners."""
    return element("rect", x=box.x, y=box.y, width=box.width, height=box.height, rx=corner, **attributes)


# The map, which stays as it is


def draw_map(chart: Chart) -> str:
    """Draw every link and every station."""
    links = "".join(_links(chart, transport) for transport in (UNDERGROUND, BUS, TAXI, FERRY))
    return links + "".join(_station(chart, station) for station in range(1, chart.board.stations + 1))


def _links(chart: Chart, transport: int) -> str:
    pairs = [(a, b) for a, b, by in chart.board.links if by == TRANSPORTS[transport]]
    return "".join(link(_path(chart, a, b), transport, chart.radius) for a, b in pairs)


def link(path: str, transport: int, radius: float) -> str:
    """Draw a link; the widest have a bright edge, so that it is seen where each of them goes."""
    width = LINK_WIDTHS[transport] * min(radius, 13)
    edge = _stroke(path, CARD, width + 1.2) if transport == UNDERGROUND else ""
    dashes = f"{_value(2.2 * width)} {_value(1.6 * width)}" if transport == FERRY else "none"
    return edge + _stroke(path, TRANSPORT_COLOURS[transport], width, stroke_dasharray=dashes)


def _stroke(path: str, colour: str, width: float, **attributes: str | float) -> str:
    return element("path", d=path, fill="none", stroke=colour, stroke_width=width, **attributes)


def _path(chart: Chart, a: int, b: int) -> str:
    points = (chart.points[a], chart.middles[a, b], chart.points[b])
    (x, y), (x1, y1), (x2, y2) = ((_value(value) for value in point) for point in points)
    return f"M{x} {y}Q{x1} {y1} {x2} {y2}"


def _station(chart: Chart, station: int, face: str = CARD) -> str:
    stops = chart.board.arrays.links[station]
    sign = stop(chart.points[station], chart.radius, bool(stops[BUS]), bool(stops[UNDERGROUND]), face)
    return sign + _number(chart, station, INK)


def stop(point: Array, radius: float, bus: bool = False, underground: bool = False, face: str = CARD) -> str:
    """Draw a station without its number: a ring if the bus stops there, on a square if the underground does."""
    square = _square(point, 1.22 * radius) if underground else ""
    if bus:
        return square + disc(point, 0.9 * radius, fill=face, stroke=TRANSPORT_COLOURS[BUS], stroke_width=0.22 * radius)
    return square + disc(point, 0.96 * radius, fill=face, stroke=FAINT, stroke_width=0.1 * radius)


def _square(point: Array, half: float) -> str:
    box = Box(point[0] - half, point[1] - half, 2 * half, 2 * half)
    return block(box, 0.3 * half, fill=TRANSPORT_COLOURS[UNDERGROUND], stroke=CARD, stroke_width=0.8)


def _number(chart: Chart, station: int, ink: str) -> str:
    return label(chart.points[station], station, chart.radius * (0.88 if chart.board.stations > 99 else 1), ink)


# What a view puts on the map


def draw_view(view: View, chart: Chart, belief: Array | None) -> str:
    """Draw what a view knows: the last moves, where Mr. X may be, where he was seen, and the pawns."""
    rooms = _Rooms(chart)
    placed = [(seat, station) for seat, station in enumerate(view.stations) if station != NOWHERE]
    pawns = [_pawn(rooms, seat, station) for seat, station in placed]
    seen = _seen(rooms, int(view.state.seen), int(view.state.seen_entry)) if view.state.seen_entry else ""
    return _steps(view, chart) + _heat(view, chart, belief) + seen + "".join(reversed(pawns))


def _steps(view: View, chart: Chart) -> str:
    """Draw the last move of each detective, and again the stations that its line covers."""
    drawn = ""
    for seat in range(1, len(view.stations)):
        trail = [int(station) for station in view.state.trail[: view.round + 1, seat - 1] if station != NOWHERE]
        pair = min(trail[-2:]), max(trail[-2:])
        if pair in chart.middles:
            drawn += dots(_path(chart, *pair), SEAT_COLOURS[seat], chart.radius)
            drawn += "".join(_station(chart, station) for station in passed(chart, *pair))
    return drawn


def dots(path: str, colour: str, radius: float) -> str:
    """Draw a dotted line."""
    dashes = f"0 {_value(0.75 * radius)}"
    dotted = _stroke(path, colour, 0.45 * radius, stroke_linecap="round", stroke_dasharray=dashes)
    return _stroke(path, CARD, 0.6 * radius) + dotted


def _heat(view: View, chart: Chart, belief: Array | None) -> str:
    return "".join(
        glow(chart.points[station], chart.radius, heat) + _station(chart, station, tint(heat))
        for station, heat in _heats(view, belief).items()
    )


def _heats(view: View, belief: Array | None) -> dict[int, float]:
    """Return the stations that are hot and how hot, 1 at most; by the root, so that the unlikely ones are seen too."""
    if belief is None:
        return dict.fromkeys(view.possible, EVENLY_HOT)
    belief = np.asarray(belief, dtype=np.float64)
    rows = view.board.stations + 1
    if belief.shape != (rows,) or not np.isfinite(belief).all() or (belief < 0).any():
        raise ValueError(f"a belief has a weight of 0 or more for each station, and row 0 unused: {rows} in all")
    most = belief[1:].max()
    return {int(station): float(np.sqrt(belief[station] / most)) for station in np.flatnonzero(belief) if station}


def glow(point: Array, radius: float, heat: float) -> str:
    """Draw the halo of a hot station."""
    return disc(point, 1.5 * radius, fill=HEAT, fill_opacity=0.15 + 0.45 * heat)


def tint(heat: float) -> str:
    """Mix the colour of a hot station."""
    share = 0.1 + 0.4 * heat
    mixed = ((1 - share) * int(CARD[i : i + 2], 16) + share * int(HEAT[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(channel):02x}" for channel in mixed)


class _Rooms:
    """The places beside the stations, given out one after the other so that no two signs share one."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self._given: Counter[int] = Counter()

    def take(self, station: int, away: float) -> Array:
        """Return the middle of the best place left at a station, so many radii away from it."""
        way = self.chart.rooms[station, self._given[station]]
        self._given[station] += 1
        place: Array = self.chart.points[station] + away * self.chart.radius * way
        return place


def _pawn(rooms: _Rooms, seat: int, station: int) -> str:
    """Draw a magnifying glass: its lens lies on the station, its handle says whose it is."""
    point, radius, colour = rooms.chart.points[station], rooms.chart.radius, SEAT_COLOURS[seat]
    grip = rooms.take(station, 2.1)
    handle = f"M{_value(point[0])} {_value(point[1])}L{_value(grip[0])} {_value(grip[1])}"
    return (
        _stroke(handle, CARD, 0.95 * radius)
        + disc(point, 1.42 * radius, fill=CARD)
        + disc(grip, 1.08 * radius, fill=CARD)
        + _stroke(handle, colour, 0.55 * radius)
        + disc(point, 1.25 * radius, fill=colour)
        + _badge(grip, radius, seat)
        + _number(rooms.chart, station, SEAT_INKS[seat])
    )


def _badge(point: Array, radius: float, seat: int) -> str:
    if seat == MR_X:
        return disc(point, 0.93 * radius, fill=INK) + label(point, "X", radius, CARD)
    rim = disc(point, 0.8 * radius, fill=CARD, stroke=SEAT_COLOURS[seat], stroke_width=0.26 * radius)
    return rim + label(point, seat, radius)


def _seen(rooms: _Rooms, station: int, entry: int) -> str:
    """Mark where Mr. X showed himself last, with the number of the entry as it stands in the log."""
    radius = rooms.chart.radius
    return dashed_ring(rooms.chart.points[station], 1.75 * radius) + entry_mark(rooms.take(station, 2.3), radius, entry)


def dashed_ring(point: Array, radius: float) -> str:
    """Draw the ring around the station that was shown last."""
    return disc(point, radius, fill="none", stroke=INK, stroke_width=0.11 * radius, stroke_dasharray="4 2.5")


def entry_mark(point: Array, radius: float, entry: int) -> str:
    """Draw the number of a log entry, dark as a reveal is in the log."""
    box = Box(point[0] - 0.9 * radius, point[1] - 0.7 * radius, 1.8 * radius, 1.4 * radius)
    sign = block(box, 0.3 * radius, fill=INK, stroke=CARD, stroke_width=0.12 * radius)
    return sign + label(point, entry, 0.95 * radius, CARD)
