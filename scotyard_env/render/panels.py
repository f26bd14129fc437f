"""What stands around the map, as SVG text: the headline, Mr. X's log, the seats with their tickets, the legend."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scotyard_env.board import Board
from scotyard_env.notation import DOUBLE_TEXT, HIDDEN, LETTERS
from scotyard_env.render.captions import about, headline, listing, log_length, next_reveal, seat_name, ticket_count
from scotyard_env.render.drawing import (
    CARD,
    EVENLY_HOT,
    FAINT,
    INK,
    LINE,
    SEAT_COLOURS,
    SEAT_INKS,
    TRANSPORT_COLOURS,
    block,
    dashed_ring,
    disc,
    dots,
    element,
    entry_mark,
    glow,
    label,
    link,
    stop,
    tint,
    words,
)
from scotyard_env.render.layout import Array, Box
from scotyard_env.state import BLACK, BUS, FERRY, MR_X, NOWHERE, TRANSPORTS, UNDERGROUND
from scotyard_env.view import View

LEAST_WIDTH, LEAST_HEIGHT = 1200, 900  # a sheet is designed in these units, whatever its size in pixels
MARGIN, HEAD, SIDE = 16, 52, 216
CELL, ROW, STRIP_HEAD = 46, 58, 26  # the log: its widest cell, the height of a row and that of the heading
LEAST_CELL = 34
CARD_HEIGHT, CHIP = 54, 37

TICKET_COLOURS = (*TRANSPORT_COLOURS[:FERRY], INK, FAINT)
TICKET_INKS = (INK, CARD, CARD, CARD, CARD)
TICKET_MARKS = (*LETTERS, DOUBLE_TEXT)


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
    sheet = Sheet(width * scale, height * scale, columns=1, rows=1)
    rows = -(-log_length(view) // int(sheet.strip.width // LEAST_CELL))
    return sheet._replace(columns=-(-log_length(view) // rows), rows=rows)


# Panels


def draw_panels(view: View, sheet: Sheet) -> str:
    """Draw the headline, the log, the seats and the possible stations."""
    seats = "".join(_seat(view, seat, _seat_box(sheet, seat)) for seat in range(len(view.stations)))
    return _head(view, sheet) + _log(view, sheet) + seats + _possible(view, sheet)


def _head(view: View, sheet: Sheet) -> str:
    title = words(MARGIN, 24, headline(view), 22, font_weight="bold")
    return title + words(sheet.map.x + sheet.map.width, 24, about(view), 13, fill=FAINT, text_anchor="end")


def _log(view: View, sheet: Sheet) -> str:
    box = sheet.strip
    count = f"{len(view.log)} of {log_length(view)} entries, {next_reveal(view)}"
    drawn = words(box.x, box.y + 10, "Mr. X's log", 13, font_weight="bold")
    drawn += words(box.x + box.width, box.y + 10, count, 12, fill=FAINT, text_anchor="end")
    for entry in range(1, log_length(view) + 1):
        drawn += _cell(sheet, entry, entry in view.rules.reveals)
        if entry <= len(view.log):
            drawn += _entry(view, sheet, entry)
    return drawn


def _cell_box(sheet: Sheet, entry: int) -> Box:
    row, column = divmod(entry - 1, sheet.columns)
    width = min(sheet.strip.width / sheet.columns, CELL)
    return Box(sheet.strip.x + column * width, sheet.strip.y + STRIP_HEAD + row * ROW, width - 3, ROW - 4)


def _cell(sheet: Sheet, entry: int, reveals: bool) -> str:
    """Draw an empty entry of the log; where Mr. X shows himself it is dark."""
    box = _cell_box(sheet, entry)
    middle = np.array([box.x + box.width / 2, box.y + 7])
    frame = block(box, fill=CARD, stroke=INK if reveals else LINE, stroke_width=1.6 if reveals else 1)
    head = block(box._replace(height=14), fill=INK if reveals else LINE)
    return frame + head + label(middle, entry, 9, CARD if reveals else INK)


def _entry(view: View, sheet: Sheet, entry: int) -> str:
    """Fill in an entry of the log: the fare, the station if it was shown, and what belongs to one double move."""
    box, state = _cell_box(sheet, entry), view.state
    fare, shown = int(state.log[entry - 1]), int(state.log_shown[entry - 1])
    middle = np.array([box.x + box.width / 2, box.y + 26])
    drawn = block(Box(box.x + 4, box.y + 17, box.width - 8, 18), 3, fill=TICKET_COLOURS[fare])
    drawn += label(middle, LETTERS[fare], 13, TICKET_INKS[fare])
    if shown != NOWHERE:
        drawn += label(middle + np.array([0, 19]), shown, 12.5)
    if entry > 1 and state.log_round[entry - 1] == state.log_round[entry - 2]:
        drawn += _tie(box)
    return drawn


def _tie(box: Box) -> str:
    """Tie the second half of a double move to the first; between two rows, to the margin."""
    tie = block(Box(box.x - 11, box.y + 20, 18, 12), 6, fill=FAINT, stroke=CARD)
    return tie + label(np.array([box.x - 2, box.y + 26]), DOUBLE_TEXT, 9, CARD)


def _seat_box(sheet: Sheet, seat: int) -> Box:
    gap = 0 if seat == MR_X else 8
    return Box(sheet.side.x, sheet.side.y + seat * (CARD_HEIGHT + 6) + gap, SIDE, CARD_HEIGHT)


def _seat(view: View, seat: int, box: Box) -> str:
    """Draw a seat: who, where, and the tickets left; the one to move has a frame in its colour."""
    to_move = view.winner is None and view.seat == seat
    station = view.stations[seat]
    middle = np.array([box.x + 17, box.y + 16])
    return (
        block(box, 6, fill=CARD, stroke=SEAT_COLOURS[seat] if to_move else LINE, stroke_width=3 if to_move else 1)
        + disc(middle, 9, fill=SEAT_COLOURS[seat])
        + label(middle, seat or "X", 11, SEAT_INKS[seat])
        + words(box.x + 33, box.y + 16, seat_name(seat), 13)
        + _at_end(box.x + box.width - 12, box.y + 16, HIDDEN if station == NOWHERE else station, 16)
        + "".join(_chips(view, seat, Box(box.x + 9, box.y + 30, CHIP, 18)))
    )


def _at_end(x: float, y: float, text: object, size: float, ink: str = INK) -> str:
    return words(x, y, text, size, fill=ink, font_weight="bold", text_anchor="end")


def _chips(view: View, seat: int, box: Box) -> Iterator[str]:
    """Draw the tickets of a seat, pale where none is left; only Mr. X has black ones and doubles."""
    for kind, count in enumerate(view.tickets[seat] if seat == MR_X else view.tickets[seat][:BLACK]):
        chip = block(box, 3, fill=TICKET_COLOURS[kind])
        chip += words(box.x + 5, box.y + 9, TICKET_MARKS[kind], 8.5, fill=TICKET_INKS[kind])
        chip += _at_end(box.x + CHIP - 4, box.y + 9, ticket_count(count), 12, TICKET_INKS[kind])
        yield element("g", chip, opacity=0.3) if count == 0 else chip
        box = box._replace(x=box.x + CHIP + 3)


def _possible(view: View, sheet: Sheet) -> str:
    """Say how many stations are possible, and which."""
    x, top = sheet.side.x, _seat_box(sheet, len(view.stations)).y + 14
    stations = view.possible
    title = f"Mr. X may be on {len(stations)} station{'' if len(stations) == 1 else 's'}"
    lines = _wrap(listing(stations, 48).split(), 30)
    drawn = words(x, top, title, 13, font_weight="bold")
    return drawn + "".join(words(x, top + 20 + 16 * row, line, 11.5, fill=FAINT) for row, line in enumerate(lines))


def _wrap(pieces: list[str], most: int) -> list[str]:
    lines = [""]
    for piece in pieces:
        if len(lines[-1]) + len(piece) >= most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {piece}".strip()
    return lines


# The legend, which stays as it is


def draw_legend(board: Board, sheet: Sheet) -> str:
    """Explain the lines and signs, at the foot of the side."""
    rows = list(_legend_rows(board))
    x, top = sheet.side.x, sheet.side.y + sheet.side.height - 24 * len(rows) + 12
    return "".join(
        element("g", sign + words(52, 0, text), transform=f"translate({x:g} {top + 24 * row:g})")
        for row, (sign, text) in enumerate(rows)
    )


def _legend_rows(board: Board) -> Iterator[tuple[str, str]]:
    line, middle = "M0 0h40", np.array([20.0, 0.0])
    for transport, name in enumerate(TRANSPORTS):
        if any(by == name for _, _, by in board.links):
            yield link(line, transport, 10) + _sample(middle, transport), name
    yield glow(middle, 7, EVENLY_HOT) + stop(middle, 7, face=tint(EVENLY_HOT)), "Mr. X may be here"
    yield dashed_ring(middle, 9) + entry_mark(middle + np.array([14, -5]), 7, 3), "shown last, at that entry"
    yield dots(line, SEAT_COLOURS[1], 10), "a detective's last move"


def _sample(point: Array, transport: int) -> str:
    return stop(point, 7, bus=transport == BUS, underground=transport == UNDERGROUND)
