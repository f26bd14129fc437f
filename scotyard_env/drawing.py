"""The pieces of a picture as SVG text: the map, what the view puts on it, and the panels around it."""

import functools
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.chart import Box, Chart, lay_out
from scotyard_env.notation import DOUBLE_TEXT, HIDDEN, LETTERS
from scotyard_env.state import BUS, FARES, FERRY, MR_X, NOWHERE, SPECTATOR, TAXI, TRANSPORTS, UNDERGROUND, UNLIMITED
from scotyard_env.view import View

PAPER, CARD, LINE, FAINT, INK = "#fbfaf6", "#ffffff", "#d9d6cc", "#6d7080", "#20222b"
HEAT = "#8e4ec6"  # where Mr. X may be
TRANSPORT_COLOURS = ("#e3aa12", "#128f86", "#d8484f", "#3c4a78")
TICKET_COLOURS = (*TRANSPORT_COLOURS[:FERRY], INK, FAINT)
TICKET_INKS = (INK, "#ffffff", "#ffffff", "#ffffff", "#ffffff")
TICKET_MARKS = (*LETTERS, DOUBLE_TEXT)
LINK_WIDTHS = (
    0.18,
    0.4,
    0.78,
    0.28,
)  # by transport, in radii of a station: what runs together is seen one on the other
DETECTIVE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")  # Okabe and Ito, safe for the colour-blind
DETECTIVE_INKS = ("#ffffff", "#ffffff", "#ffffff", INK, INK)

LEAST_WIDTH, LEAST_HEIGHT = 1200, 900  # a sheet is designed in these units, whatever its size in pixels
MARGIN, HEAD, SIDE = 16, 52, 216
CELL, ROW, STRIP_HEAD = 38, 58, 26  # the log: its widest cell, the height of a row and of the heading
CARD_HEIGHT, CHIP = 54, 37

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


# Elements


def element(name: str, content: str = "", **attributes: str | float) -> str:
    """Write an SVG element; underscores in the names of attributes stand for hyphens."""
    written = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{float(value):.2f}".rstrip("0").rstrip(".")


def words(x: float, y: float, text: object, size: float = 12, **attributes: str | float) -> str:
    """Write text, centred on y; XML cannot hold every character, what it cannot is replaced."""
    clean = escape(_NOT_XML.sub("\ufffd", str(text)))
    return element("text", clean, x=x, y=y + 0.36 * size, font_size=size, **{"fill": INK, **attributes})


def disc(point: NDArray[np.float64], radius: float, **attributes: str | float) -> str:
    """Draw a circle."""
    return element("circle", cx=point[0], cy=point[1], r=radius, **attributes)


def block(box: Box, corner: float = 4, **attributes: str | float) -> str:
    """Draw a rectangle with round corners."""
    return element("rect", x=box.x, y=box.y, width=box.width, height=box.height, rx=corner, **attributes)


# The sheet


class Sheet(NamedTuple):
    """The division of a picture: the headline above, the map, the log below it, the seats at the side."""

    width: float
    height: float
    columns: int  # of the log
    rows: int

    @property
    def side(self) -> Box:
        """The column at the right."""
        return Box(self.width - SIDE - MARGIN, MARGIN, SIDE, self.height - 2 * MARGIN)

    @property
    def strip(self) -> Box:
        """The log, under the map."""
        height = STRIP_HEAD + ROW * self.rows
        return Box(MARGIN, self.height - MARGIN - height, self.side.x - 2 * MARGIN, height)

    @property
    def map(self) -> Box:
        """What is left for the map."""
        return Box(MARGIN, HEAD, self.strip.width, self.strip.y - HEAD - 8)


def plan(view: View, width: int, height: int) -> Sheet:
    """Divide a sheet of the given proportions."""
    scale = max(LEAST_WIDTH / width, LEAST_HEIGHT / height)
    sheet = Sheet(width * scale, height * scale, 1, 1)
    entries = log_length(view)
    fitting = int(sheet.strip.width // (CELL - 4))
    rows = -(-entries // fitting)
    return sheet._replace(columns=-(-entries // rows), rows=rows)


# What the view says, in words


def seat_name(seat: int) -> str:
    """Name a seat for people."""
    return "a spectator" if seat == SPECTATOR else "Mr. X" if seat == MR_X else f"Detective {seat}"


def headline(view: View) -> str:
    """Say how the game stands."""
    if view.winner is not None:
        return f"{'Mr. X wins' if view.winner == 'mr_x' else 'The detectives win'} in round {view.round}"
    owed = int(view.state.owed)
    double = f" (double move, {owed} to go)" if owed else ""
    return f"{f'Round {view.round}' if view.round else 'Start'}: {seat_name(view.seat)} to move{double}"


def log_length(view: View) -> int:
    """Count the entries that the log has room for."""
    return max(view.rules.log_room, int(view.state.entries))


def next_reveal(view: View) -> str:
    """Say when Mr. X shows himself next."""
    entries = int(view.state.entries)
    coming = [entry for entry in sorted(view.rules.reveals) if entry > entries]
    if not coming or view.winner is not None:
        return "no reveal to come"
    away = coming[0] - entries
    return f"next reveal at entry {coming[0]}, in {away} {'entry' if away == 1 else 'entries'}"


def ticket_count(count: int) -> str:
    """Write a number of tickets."""
    return "∞" if count == UNLIMITED else str(count)


def listing(stations: list[int], most: int) -> str:
    """List stations, and only count those beyond the most that are wanted."""
    listed = " ".join(str(station) for station in stations[:most])
    return listed if len(stations) <= most else f"{listed} ... and {len(stations) - most} more"


# The map, which stays as it is


@functools.lru_cache(maxsize=16)
def backdrop(board: Board, sheet: Sheet) -> str:
    """Draw what does not change during a game: the map and the legend."""
    chart = lay_out(board, sheet.map)
    links = "".join(_links(chart, transport) for transport in (UNDERGROUND, BUS, TAXI, FERRY))
    stations = "".join(station_sign(chart, station) for station in range(1, board.stations + 1))
    paper = block(Box(0, 0, sheet.width, sheet.height), 0, fill=PAPER)
    frame = block(sheet.map, 8, fill=CARD, stroke=LINE)
    return paper + frame + element("g", links, fill="none") + stations + legend(board, sheet)


def _links(chart: Chart, transport: int) -> str:
    pairs = [(a, b) for a, b, by in chart.board.links if by == TRANSPORTS[transport]]
    return "".join(_link(_path(chart, a, b), transport, chart.radius) for a, b in pairs)


def _link(path: str, transport: int, radius: float) -> str:
    """Draw a link; the wide ones have a bright edge, so that it is seen where each of them goes."""
    width = LINK_WIDTHS[transport] * min(radius, 13)
    dashes = {"stroke_dasharray": f"{_value(2.2 * width)} {_value(1.6 * width)}"} if transport == FERRY else {}
    edge = element("path", d=path, stroke=CARD, stroke_width=width + 1.2) if transport in (BUS, UNDERGROUND) else ""
    return edge + element("path", d=path, stroke=TRANSPORT_COLOURS[transport], stroke_width=width, **dashes)


def _path(chart: Chart, a: int, b: int) -> str:
    points = (chart.points[a], chart.middles[a, b], chart.points[b])
    (x, y), (x1, y1), (x2, y2) = ((f"{value:.1f}" for value in point) for point in points)
    return f"M{x} {y}Q{x1} {y1} {x2} {y2}"


def station_sign(chart: Chart, station: int, face: str = CARD) -> str:
    """Draw a station: a ring if the bus stops there, on a square if the underground does."""
    point, radius = chart.points[station], chart.radius
    stops = chart.board.arrays.links[station]
    return _stop(point, radius, bool(stops[BUS]), bool(stops[UNDERGROUND]), face) + number(chart, station, INK)


def _stop(point: NDArray[np.float64], radius: float, bus: bool, underground: bool, face: str = CARD) -> str:
    square = _square(point, 1.22 * radius) if underground else ""
    if bus:
        return square + disc(point, 0.9 * radius, fill=face, stroke=TRANSPORT_COLOURS[BUS], stroke_width=0.22 * radius)
    return square + disc(point, 0.96 * radius, fill=face, stroke=FAINT, stroke_width=0.1 * radius)


def _square(point: NDArray[np.float64], half: float) -> str:
    box = Box(point[0] - half, point[1] - half, 2 * half, 2 * half)
    return block(box, 0.3 * half, fill=TRANSPORT_COLOURS[UNDERGROUND], stroke=CARD, stroke_width=0.8)


def number(chart: Chart, station: int, ink: str) -> str:
    """Write the number of a station onto it."""
    size = chart.radius * (0.88 if chart.board.stations > 99 else 1.0)
    x, y = chart.points[station]
    return words(x, y, station, size, fill=ink, font_weight="bold", text_anchor="middle")


# What the view puts on the map


def overlay(view: View, chart: Chart, belief: NDArray[np.float64] | None) -> str:
    """Draw what a view knows: where Mr. X may be, where he was seen, and the pawns."""
    rooms = _Rooms(chart)
    signs = [_mr_x(rooms, int(view.state.station[MR_X]))] if view.state.station[MR_X] != NOWHERE else []
    for seat in range(1, int(view.state.seats)):
        if view.state.station[seat] != NOWHERE:
            signs.append(_detective(rooms, seat, int(view.state.station[seat])))
    seen = _seen(rooms, int(view.state.seen), int(view.state.seen_entry)) if view.state.seen_entry else ""
    return _steps(view, chart) + _heat(view, chart, belief) + seen + "".join(reversed(signs))


def weights(view: View, belief: NDArray[np.float64] | None) -> dict[int, float]:
    """Give the stations that are drawn hot and how hot, the hottest 1."""
    if belief is None:
        return dict.fromkeys(view.possible, 0.7)
    belief = np.asarray(belief, dtype=np.float64)
    if belief.shape != (view.board.stations + 1,) or not (np.isfinite(belief).all() and (belief >= 0).all()):
        raise ValueError(
            f"a belief is one weight of 0 or more for each station and row 0: ({view.board.stations + 1},)"
        )
    most = belief[1:].max()
    return {int(station): float(np.sqrt(belief[station] / most)) for station in np.flatnonzero(belief) if station}


def _heat(view: View, chart: Chart, belief: NDArray[np.float64] | None) -> str:
    drawn = ""
    for station, weight in weights(view, belief).items():
        glow = disc(chart.points[station], 1.5 * chart.radius, fill=HEAT, fill_opacity=0.15 + 0.45 * weight)
        drawn += glow + station_sign(chart, station, _blend(CARD, HEAT, 0.1 + 0.4 * weight))
    return drawn


def _blend(one: str, other: str, share: float) -> str:
    """Mix two colours."""
    channels = (round((1 - share) * int(one[i : i + 2], 16) + share * int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{channel:02x}" for channel in channels)


class _Rooms:
    """The places beside the stations, given out one after the other so that no two signs share one."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self._given: Counter[int] = Counter()

    def take(self, station: int) -> NDArray[np.float64]:
        """Give the direction of the best place left at a station."""
        way: NDArray[np.float64] = self.chart.rooms[station, self._given[station]]
        self._given[station] += 1
        return way


def _pawn(rooms: _Rooms, station: int, colour: str, ink: str, mark: str) -> str:
    """Draw a magnifying glass: its lens lies on the station, its handle says whose it is."""
    chart, way = rooms.chart, rooms.take(station)
    point, radius = chart.points[station], chart.radius
    grip = point + 2.1 * radius * way
    handle = {"x1": point[0], "y1": point[1], "x2": grip[0], "y2": grip[1]}
    badge = disc(grip, 0.8 * radius, fill=CARD, stroke=colour, stroke_width=0.26 * radius)
    return (
        element("line", **handle, stroke=CARD, stroke_width=0.95 * radius)
        + disc(point, 1.42 * radius, fill=CARD)
        + disc(grip, 1.05 * radius, fill=CARD)
        + element("line", **handle, stroke=colour, stroke_width=0.55 * radius)
        + disc(point, 1.25 * radius, fill=colour)
        + (badge if colour != INK else disc(grip, 0.9 * radius, fill=INK))
        + words(*grip, mark, radius, fill=CARD if colour == INK else INK, font_weight="bold", text_anchor="middle")
        + number(chart, station, ink)
    )


def _mr_x(rooms: _Rooms, station: int) -> str:
    return _pawn(rooms, station, INK, "#ffffff", "X")


def _detective(rooms: _Rooms, seat: int, station: int) -> str:
    return _pawn(rooms, station, DETECTIVE_COLOURS[seat - 1], DETECTIVE_INKS[seat - 1], str(seat))


def _seen(rooms: _Rooms, station: int, entry: int) -> str:
    """Mark where Mr. X showed himself last, with the number of the log entry as it stands in the log."""
    chart = rooms.chart
    grip = chart.points[station] + 2.3 * chart.radius * rooms.take(station)
    return _dashed_ring(chart.points[station], 1.75 * chart.radius) + _entry_mark(grip, chart.radius, entry)


def _dashed_ring(point: NDArray[np.float64], radius: float) -> str:
    return disc(point, radius, fill="none", stroke=INK, stroke_width=0.11 * radius, stroke_dasharray="4 2.5")


def _entry_mark(point: NDArray[np.float64], radius: float, entry: int) -> str:
    box = Box(point[0] - 0.9 * radius, point[1] - 0.7 * radius, 1.8 * radius, 1.4 * radius)
    label = words(*point, entry, 0.95 * radius, fill=CARD, text_anchor="middle")
    return block(box, 0.3 * radius, fill=INK, stroke=CARD, stroke_width=0.12 * radius) + label


def _steps(view: View, chart: Chart) -> str:
    """Draw the last move of each detective as a dotted line."""
    drawn = ""
    for seat in range(1, int(view.state.seats)):
        trail = [int(station) for station in view.state.trail[: view.round + 1, seat - 1] if station != NOWHERE]
        pair = min(trail[-2:]), max(trail[-2:])
        if pair in chart.middles:
            drawn += _dots(_path(chart, *pair), DETECTIVE_COLOURS[seat - 1], chart.radius)
            drawn += station_sign(chart, trail[-2])
    return drawn


def _dots(path: str, colour: str, radius: float) -> str:
    line = {"d": path, "fill": "none", "stroke_linecap": "round"}
    return element("path", **line, stroke=CARD, stroke_width=0.7 * radius) + element(
        "path", **line, stroke=colour, stroke_width=0.45 * radius, stroke_dasharray=f"0 {_value(0.75 * radius)}"
    )


# The panels


def panels(view: View, sheet: Sheet) -> str:
    """Draw the headline, the log and the seats."""
    cards = "".join(_card(view, seat, _card_box(sheet, seat)) for seat in range(int(view.state.seats)))
    return _head(view, sheet) + _log(view, sheet) + cards + _possible(view, sheet)


def _head(view: View, sheet: Sheet) -> str:
    about = ", ".join(dict.fromkeys((_cut(view.board.name), _cut(view.rules.name))))  # once if they are the same
    right = sheet.map.x + sheet.map.width
    return words(MARGIN, 28, headline(view), 22, font_weight="bold") + words(
        right, 28, f"{about}, seen by {seat_name(view.viewer)}", 13, fill=FAINT, text_anchor="end"
    )


def _cut(text: str, most: int = 28) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _log(view: View, sheet: Sheet) -> str:
    box = sheet.strip
    heading = f"{int(view.state.entries)} of {log_length(view)} entries, {next_reveal(view)}"
    title = words(box.x, box.y + 10, "Mr. X's log", 13, font_weight="bold")
    about = words(box.x + box.width, box.y + 10, heading, 12, fill=FAINT, text_anchor="end")
    return title + about + "".join(_entry(view, sheet, entry) for entry in range(1, log_length(view) + 1))


def _entry_box(sheet: Sheet, entry: int) -> Box:
    row, column = divmod(entry - 1, sheet.columns)
    width = min(sheet.strip.width / sheet.columns, CELL + 8)
    return Box(sheet.strip.x + column * width, sheet.strip.y + STRIP_HEAD + row * ROW, width - 3, ROW - 4)


def _entry(view: View, sheet: Sheet, entry: int) -> str:
    """Draw an entry of the log: its number, dark where he shows himself, the fare and the station shown."""
    box, state = _entry_box(sheet, entry), view.state
    centre = box.x + box.width / 2
    reveals = entry in view.rules.reveals
    drawn = block(box, fill=CARD, stroke=INK if reveals else LINE, stroke_width=1.6 if reveals else 1)
    drawn += block(Box(box.x, box.y, box.width, 14), fill=INK if reveals else LINE)
    drawn += words(centre, box.y + 7, entry, 9.5, fill=CARD if reveals else INK, text_anchor="middle")
    if entry > state.entries:
        return drawn
    fare, shown = int(state.log[entry - 1]), int(state.log_shown[entry - 1])
    drawn += block(Box(box.x + 4, box.y + 17, box.width - 8, 18), 3, fill=TICKET_COLOURS[fare])
    drawn += words(
        centre, box.y + 26, LETTERS[fare], 13, fill=TICKET_INKS[fare], font_weight="bold", text_anchor="middle"
    )
    if shown != NOWHERE:
        drawn += words(centre, box.y + 45, shown, 12.5, font_weight="bold", text_anchor="middle")
    if entry > 1 and state.log_round[entry - 1] == state.log_round[entry - 2]:
        drawn += _bridge(sheet, entry)
    return drawn


def _bridge(sheet: Sheet, entry: int) -> str:
    """Tie the second half of a double move to the first."""
    box = _entry_box(sheet, entry)
    return block(Box(box.x - 11, box.y + 20, 18, 12), 6, fill=FAINT, stroke=CARD) + words(
        box.x - 2, box.y + 26, DOUBLE_TEXT, 9, fill=CARD, font_weight="bold", text_anchor="middle"
    )


def _card_box(sheet: Sheet, seat: int) -> Box:
    gap = 8 if seat else 0
    return Box(sheet.side.x, sheet.side.y + seat * (CARD_HEIGHT + 6) + gap, SIDE, CARD_HEIGHT)


def _card(view: View, seat: int, box: Box) -> str:
    """Draw a seat: who, where, and the tickets left."""
    station = int(view.state.station[seat])
    to_move = view.winner is None and view.seat == seat
    colour = INK if seat == MR_X else DETECTIVE_COLOURS[seat - 1]
    ink = CARD if seat == MR_X else DETECTIVE_INKS[seat - 1]
    drawn = block(box, 6, fill=CARD, stroke=colour if to_move else LINE, stroke_width=3 if to_move else 1)
    drawn += disc(np.array([box.x + 17, box.y + 16]), 9, fill=colour)
    drawn += words(box.x + 17, box.y + 16, seat or "X", 11, fill=ink, font_weight="bold", text_anchor="middle")
    drawn += words(box.x + 33, box.y + 16, seat_name(seat), 13)
    where = HIDDEN if station == NOWHERE else station
    drawn += words(box.x + box.width - 12, box.y + 16, where, 16, font_weight="bold", text_anchor="end")
    return drawn + "".join(_chips(view, seat, box.x + 9, box.y + 30))


def _chips(view: View, seat: int, x: float, y: float) -> Iterator[str]:
    """Draw the tickets of a seat, pale where none is left; only Mr. X has black ones and doubles."""
    for kind, count in enumerate(view.tickets[seat]):
        if seat != MR_X and kind >= FARES - 1 and count == 0:
            continue
        box = Box(x + kind * (CHIP + 3), y, CHIP, 18)
        label = words(box.x + 5, y + 9, TICKET_MARKS[kind], 8.5, fill=TICKET_INKS[kind])
        label += words(
            box.x + CHIP - 4,
            y + 9,
            ticket_count(count),
            12,
            fill=TICKET_INKS[kind],
            font_weight="bold",
            text_anchor="end",
        )
        chip = block(box, 3, fill=TICKET_COLOURS[kind]) + label
        yield element("g", chip, opacity=0.3) if count == 0 else chip


def _possible(view: View, sheet: Sheet) -> str:
    """Say how many stations are possible, and which if they are few."""
    top = _card_box(sheet, int(view.state.seats)).y + 8
    stations = view.possible
    title = f"Mr. X may be on {len(stations)} station{'' if len(stations) == 1 else 's'}"
    lines = _wrap(listing(stations, 48).split(), 30)
    return words(sheet.side.x, top + 6, title, 13, font_weight="bold") + "".join(
        words(sheet.side.x, top + 26 + 16 * row, line, 11.5, fill=FAINT) for row, line in enumerate(lines)
    )


def _wrap(pieces: list[str], most: int) -> list[str]:
    lines = [""]
    for piece in pieces:
        if len(lines[-1]) + len(piece) >= most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {piece}".strip()
    return lines


def legend(board: Board, sheet: Sheet) -> str:
    """Explain the lines and signs, from the foot of the side upwards."""
    x, foot = sheet.side.x, sheet.side.y + sheet.side.height
    present = [kind for kind, name in enumerate(TRANSPORTS) if any(by == name for _, _, by in board.links)]
    middle = np.array([x + 20, 0])
    rows = [
        (_link(f"M{x} 0h40", kind, 10) + _stop(middle, 7, kind == BUS, kind == UNDERGROUND), TRANSPORTS[kind])
        for kind in present
    ]
    rows += [
        (disc(middle, 11, fill=HEAT, fill_opacity=0.45) + _stop(middle, 7, False, False), "Mr. X may be here"),
        (_dashed_ring(middle, 9) + _entry_mark(middle + [14, -5], 7, 3), "shown last, at that entry"),
        (_dots(f"M{x} 0h40", DETECTIVE_COLOURS[0], 10), "a detective's last move"),
    ]
    top = foot - 24 * len(rows) + 12
    return "".join(
        element("g", sign + words(x + 52, 0, label, 12), transform=f"translate(0 {_value(top + 24 * row)})")
        for row, (sign, label) in enumerate(rows)
    )
