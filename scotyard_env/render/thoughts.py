"""An explanation on the map, as SVG text: arrows for the moves of the plan, numbers for what was weighed."""

import numpy as np

from scotyard_env.explanation import LEAST_SHARE, Explanation, number_text
from scotyard_env.notation import HIDDEN, describe_action
from scotyard_env.render.drawing import CARD, FAINT, INK, SEAT_COLOURS, SEAT_INKS, block, element, label, words
from scotyard_env.render.layout import Array, Box, Chart, curve
from scotyard_env.render.panels import MARGIN
from scotyard_env.state import NOWHERE
from scotyard_env.view import View

MOST_NUMBERS = 12  # stations that a number is written at
CLEAR = 1.5  # radii of a station that an arrow keeps away from its centre
ALONG = np.linspace(0, 1, 65)  # where a curve is looked at


def draw_explanation(view: View, chart: Chart, explanation: Explanation) -> str:
    """Draw the moves of the plan, without one the move itself, and what was weighed."""
    steps = list_steps(view, explanation)
    arrows = "".join(draw_step(chart, start, end, SEAT_COLOURS[seat]) for seat, start, end in reversed(steps))
    return arrows + _numbers(view, chart, explanation)


def list_steps(view: View, explanation: Explanation) -> list[tuple[int, int, int]]:
    """List the moves of the plan, without one the move itself: seat, from where, to where."""
    starts = {**dict(enumerate(view.stations)), explanation.seat: explanation.station}
    moves = explanation.plan or ((explanation.seat, explanation.move),)
    return [(seat, starts[seat], _destination(view, move)) for seat, move in moves]


def draw_summary(explanation: Explanation) -> str:
    """Say under the headline what is played, and how sure it was."""
    told = f"{explanation.policy} plays {explanation.move}"
    known = f": {explanation.summary()}" if explanation.summary() else ""
    signs = " (arrows: the plan; numbers: what was weighed)" if explanation.plan else ""
    return words(MARGIN, 45, told + known + signs, 12, fill=FAINT)


def _destination(view: View, move: str) -> int:
    """Return where a move leads, NOWHERE if it leads nowhere."""
    return NOWHERE if move == HIDDEN else describe_action(view.board, move).station or NOWHERE


def draw_step(chart: Chart, start: int, end: int, colour: str) -> str:
    """Draw an arrow along the link from one station to another; nothing if there is no link."""
    middle = chart.middles.get((min(start, end), max(start, end)))
    if middle is None:
        return ""
    path = curve(chart.points[start], middle, chart.points[end], ALONG)
    away = np.minimum(*(np.linalg.norm(path - chart.points[station], axis=1) for station in (start, end)))
    shown = path[away >= min(CLEAR * chart.radius, 0.6 * away.max())]
    return _draw_arrow(shown, chart.radius, colour)


def _draw_arrow(path: Array, radius: float, colour: str) -> str:
    """Draw a line with a head, on a bright edge so that it stands out from the links."""
    way = path[-1] - path[max(0, len(path) - 9)]
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    side = np.array([-way[1], way[0]])
    tip = path[-1] + 0.55 * radius * way
    corners = (
        tip,
        path[-1] - 0.45 * radius * way + 0.6 * radius * side,
        path[-1] - 0.45 * radius * way - 0.6 * radius * side,
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in path)
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    edge = element("polyline", points=line, fill="none", stroke=CARD, stroke_width=0.75 * radius)
    shaft = element("polyline", points=line, fill="none", stroke=colour, stroke_width=0.42 * radius)
    return edge + shaft + element("polygon", points=head, fill=colour, stroke=CARD, stroke_width=0.1 * radius)


def list_numbers(view: View, explanation: Explanation) -> dict[int, str]:
    """Return by station what the best move there is worth, or how probable moves there are."""
    numbers: dict[int, float] = {}
    for move, value in explanation.candidates:
        numbers.setdefault(_destination(view, move), value)
    texts = {station: number_text(value) for station, value in numbers.items()}
    if not explanation.candidates:
        for move, share in explanation.probabilities:
            numbers[_destination(view, move)] = numbers.get(_destination(view, move), 0.0) + share
        texts = {station: f"{share:.0%}" for station, share in numbers.items() if share >= LEAST_SHARE}
    return dict([(station, text) for station, text in texts.items() if station != NOWHERE][:MOST_NUMBERS])


def _numbers(view: View, chart: Chart, explanation: Explanation) -> str:
    """Write what was weighed under the stations."""
    chosen = _destination(view, explanation.move)
    return "".join(
        _sign(chart, station, text, explanation.seat if station == chosen else None)
        for station, text in list_numbers(view, explanation).items()
    )


def _sign(chart: Chart, station: int, text: str, seat: int | None) -> str:
    radius = chart.radius
    size, middle = 0.95 * radius, chart.points[station] + np.array([0, 1.75 * radius])
    width = size * (0.68 * len(text) + 0.5)
    box = Box(middle[0] - width / 2, middle[1] - 0.75 * size, width, 1.5 * size)
    fill, ink = (CARD, INK) if seat is None else (SEAT_COLOURS[seat], SEAT_INKS[seat])
    return block(box, 0.4 * size, fill=fill, stroke=INK, stroke_width=0.8) + label(middle, text, size, ink)
