"""The figures of a report as pieces of HTML: they hold no script and need nothing from elsewhere."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from scotyard_env.arena.rating import Rating
from scotyard_env.arena.summary import Pairing
from scotyard_env.board import Board
from scotyard_env.policy import Side
from scotyard_env.render.drawing import FAINT, HEAT, LINE, draw_map, element, words
from scotyard_env.render.layout import Box, Chart, lay_out
from scotyard_env.wording import FORFEITED, short_name

# Okabe and Ito's colours, safe for the colour-blind, and dashes for when there are more curves than colours
CURVES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#20222b")
DASHES = ("none", "6 3", "2 3")
MR_X_WINS, EVEN, DETECTIVES_WIN = (213, 94, 0), (255, 255, 255), (0, 114, 178)  # ends and middle of the heat map
MIDDLE_GREY = 0.179  # luminance on which black and white letters are as legible
MAP = Box(0, 0, 1000, 750)  # room for the board, in its own units
PLOT = Box(40, 12, 290, 170)  # room for the curves of one panel, of 340 x 222


def tag(name: str, content: str, /, **attributes: str) -> str:
    """Write an HTML element around content that is HTML already; ``class_`` stands for class, others for hyphens."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{content}</{name}>"


def breakable(name: str) -> str:
    """Write a name that may be broken into lines where its words end."""
    return re.sub(r"([_:,])", r"\1<wbr>", escape(name, quote=False))


# Win rates


def draw_rates(rows: Sequence[str], columns: Sequence[str], pairings: Iterable[Pairing]) -> str:
    """Draw the heat map of win rates: a table whose cells are coloured by who wins."""
    cells = [_cell(pairing) for pairing in pairings]
    head = tag("td", "") + "".join(tag("th", breakable(name), scope="col") for name in columns)
    body = ""
    for number, name in enumerate(rows):
        own = cells[number * len(columns) : (number + 1) * len(columns)]
        body += tag("tr", tag("th", breakable(name), scope="row") + "".join(own))
    return tag("table", tag("thead", tag("tr", head)) + tag("tbody", body), class_="heat")


def _cell(pairing: Pairing) -> str:
    if not pairing.results:
        return tag("td", "-")
    low, high = pairing.rate.interval
    share = pairing.rate.share
    interval = tag("small", f"{100 * low:.1f} to {100 * high:.1f}")
    title = f"{short_name(pairing.mr_x)} v {short_name(pairing.detectives)}: detectives win"
    title += f" {pairing.rate.wins} of {pairing.rate.games}"
    if forfeits := sum(result.forfeit is not None for result in pairing.results):
        title += f", {forfeits} forfeited"
    number = f"{100 * share:.1f}{f' {FORFEITED}' if forfeits else ''}"
    return tag("td", number + interval, style=shade(share), title=title)


def shade(share: float) -> str:
    """Colour a win rate of the detectives, with letters that are legible on it."""
    end = DETECTIVES_WIN if share >= 0.5 else MR_X_WINS
    weight = abs(2 * share - 1)
    mixed = [round((1 - weight) * middle + weight * far) for middle, far in zip(EVEN, end, strict=True)]
    letters = "#000" if _luminance(mixed) > MIDDLE_GREY else "#fff"
    return f"background:rgb({mixed[0]},{mixed[1]},{mixed[2]});color:{letters}"


def _luminance(colour: Iterable[int]) -> float:
    """Return how bright a colour is, from 0 to 1, as the rules of contrast reckon (WCAG 2)."""
    shares = (value / 255 for value in colour)
    linear = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


# Ratings


def draw_ratings(ratings: list[Rating], headings: dict[Side, str], marks: dict[tuple[Side, str], str]) -> str:
    """Draw ratings as dots on their intervals, side by side and best first, all on one scale."""
    low, high = min(rating.low for rating in ratings), max(rating.high for rating in ratings)
    margin = 0.03 * (high - low) + 1
    span = low - margin, high + margin
    drawn = ""
    for side, heading in headings.items():
        drawn += tag("h3", heading)
        for rating in sorted((one for one in ratings if one.side == side), key=lambda one: -one.points):
            number = f"{rating.points:+.0f}" + tag("small", f"{rating.low:+.0f} to {rating.high:+.0f}")
            name = tag("span", escape(marks[rating.side, rating.name]), class_="name")
            track = tag("span", _track(rating, *span), class_="track")
            drawn += tag("div", name + track + tag("span", number, class_="number"), class_="rating")
    return tag("div", drawn, class_="ratings")


def _track(rating: Rating, low: float, high: float) -> str:
    """Draw the interval and the dot of one rating, and the line where 0 is, between two ends."""

    def place(points: float) -> str:
        return f"{100 * (points - low) / (high - low):.2f}%"

    zero = tag("i", "", class_="zero", style=f"left:{place(0)}") if low < 0 < high else ""
    width = place(low + rating.high - rating.low)
    interval = tag("i", "", class_="interval", style=f"left:{place(rating.low)};width:{width}")
    return zero + interval + tag("i", "", class_="dot", style=f"left:{place(rating.points)}")


# Capture rounds


def draw_curves(pairings: Sequence[Pairing], last: int, title: str) -> str:
    """Draw for each policy of the detectives the share of games in which they have caught Mr. X by each round."""
    drawn = _axes(last)
    for curve, pairing in enumerate(pairings):
        if pairing.results:
            points = [_point(number, share, last) for number, share in enumerate(caught_by(pairing, last))]
            path = f"M{points[0]}" + "".join(f"H{point.split()[0]}V{point.split()[1]}" for point in points[1:])
            drawn += element("path", d=path, fill="none", stroke_width=2.2, stroke_linejoin="round", **_style(curve))
    return element("svg", drawn, viewBox="0 0 340 222", role="img", aria_label=escape(title), width="100%")


def caught_by(pairing: Pairing, last: int) -> list[float]:
    """Return the share of games in which Mr. X was caught in the rounds 0, 1, ... up to each."""
    counts = np.bincount(np.array(pairing.capture_rounds, np.int64), minlength=last + 1)
    shares: list[float] = (np.cumsum(counts) / len(pairing.results)).tolist()
    return shares


def key_of_curves(names: Sequence[str]) -> str:
    """Say which curve is whose."""
    entries = ""
    for number, name in enumerate(names):
        line = element("path", d="M0 6H26", stroke_width=3, fill="none", **_style(number))
        entries += tag("span", element("svg", line, width="26", height="12") + escape(name))
    return tag("p", entries, class_="key")


def _style(number: int) -> dict[str, str]:
    colour, dash = CURVES[number % len(CURVES)], DASHES[number // len(CURVES) % len(DASHES)]
    return {"stroke": colour, "stroke_dasharray": dash}


def _point(round: int, share: float, last: int) -> str:
    return f"{PLOT.x + PLOT.width * round / last:.1f} {PLOT.y + PLOT.height * (1 - share):.1f}"


def _axes(last: int) -> str:
    drawn = ""
    for percent in (0, 25, 50, 75, 100):
        y = PLOT.y + PLOT.height * (1 - percent / 100)
        drawn += element("path", d=f"M{PLOT.x} {y}h{PLOT.width}", stroke=LINE)
        drawn += words(PLOT.x - 6, y, f"{percent}", 11, fill=FAINT, text_anchor="end")
    for number in range(0, last + 1, 4 if last > 12 else 2):
        x = PLOT.x + PLOT.width * number / last
        drawn += words(x, PLOT.y + PLOT.height + 13, number, 11, fill=FAINT, text_anchor="middle")
    caption = "round; games in which he is caught by then, in %"
    return drawn + words(
        PLOT.x + PLOT.width / 2, PLOT.y + PLOT.height + 31, caption, 11, fill=FAINT, text_anchor="middle"
    )


# The board


def draw_board(board: Board) -> str:
    """Draw the board once, for the other pictures to refer to."""
    symbol = element("symbol", draw_map(_chart(board)), id="board", viewBox=_view_box())
    return element("svg", symbol, width="0", height="0", style="position:absolute")


def draw_captures(board: Board, caught: "Counter[int]") -> str:
    """Draw where Mr. X is caught: a disc under every station, the larger and hotter the more often."""
    chart, most = _chart(board), max(caught.values())
    discs = ""
    for station, times in sorted(caught.items()):
        heat = float(np.sqrt(times / most))
        hint = element("title", f"station {station}: caught {times} times")
        look: dict[str, float] = {"cx": chart.points[station][0], "cy": chart.points[station][1]}
        look |= {"r": chart.radius * (1 + 1.9 * heat), "fill_opacity": 0.1 + 0.8 * heat}
        discs += element("circle", hint, fill=HEAT, **look)
    faint = element("use", href="#board", width=MAP.width, height=MAP.height, opacity=0.5, pointer_events="none")
    return element("svg", discs + faint, viewBox=_view_box(20), role="img", aria_label=_tell(caught), width="100%")


def _tell(caught: "Counter[int]") -> str:
    """Say where Mr. X is caught most often."""
    return "Captures at " + ", ".join(f"{station} ({times})" for station, times in caught.most_common(10))


def _chart(board: Board) -> Chart:
    return lay_out(board, MAP)


def _view_box(margin: float = 0) -> str:
    box = MAP.inset(-margin)
    return f"{box.x} {box.y} {box.width} {box.height}"
