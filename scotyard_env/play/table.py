"""The table as a person at the terminal sees it: seats and tickets, the log, where Mr. X may be, what is legal.

Everything is made from a view, which holds no more than its seat may know.
"""

import textwrap
from collections.abc import Iterator

from rich.text import Text

from scotyard_env.notation import DOUBLE_TEXT, HIDDEN, PASS_TEXT, describe_action
from scotyard_env.play.reading import group_legal
from scotyard_env.render.captions import count_of, headline, log_length, next_reveal, seat_name, ticket_count
from scotyard_env.state import BLACK, MR_X, NOWHERE, TICKETS
from scotyard_env.view import PublicMove, View

TICKET_STYLES = dict(zip(TICKETS, ("yellow", "green", "red", "bold", "magenta"), strict=True))
MOVER, HEADING, POSSIBLE, QUIET = "bold", "bold", "cyan", "dim"
BY_LETTER = {"T": "taxi", "B": "bus", "U": "underground", "K": "a black ticket"}


def draw_table(view: View, width: int) -> Text:
    """Draw all that there is to know, in lines of at most this width."""
    lines = [
        Text(headline(view), HEADING),
        *_draw_seats(view),
        *_draw_log(view, width),
        *draw_possible(view, width),
    ]
    return Text("\n").join(lines)


def _draw_seats(view: View) -> Iterator[Text]:
    head = Text(f"{'':2}{'':12}{'at':>5}")
    for ticket in TICKETS:
        head.append(f"{ticket:>{_column(ticket)}}", TICKET_STYLES[ticket])
    yield head
    for seat, (station, purse) in enumerate(zip(view.stations, view.tickets, strict=True)):
        is_mover = view.winner is None and seat == view.seat
        where = HIDDEN if station == NOWHERE else str(station)
        shown = purse if seat == MR_X else purse[:BLACK]
        counts = "".join(f"{ticket_count(n):>{_column(kind)}}" for kind, n in zip(TICKETS, shown, strict=False))
        yield Text(f"{'> ' if is_mover else '  '}{seat_name(seat):12}{where:>5}{counts}", MOVER if is_mover else "")


def _column(ticket: str) -> int:
    return max(len(ticket) + 2, 7)


def _draw_log(view: View, width: int) -> Iterator[Text]:
    told = f"Log, {len(view.log)} of {count_of(log_length(view), 'entry')}; {next_reveal(view)}:"
    yield from map(Text, textwrap.wrap(told, width))
    entries = textwrap.wrap(" ".join(_bind_doubles(view)) or "empty", width - 2, break_long_words=False)
    yield from (Text(f"  {line}") for line in entries)


def _bind_doubles(view: View) -> Iterator[str]:
    """Give the entries of the log, the two of a double move in brackets."""
    rounds = [0, *view.state.log_round[: len(view.log)].tolist(), 0]
    for number, entry in enumerate(view.log, start=1):
        first, second = rounds[number] == rounds[number + 1], rounds[number] == rounds[number - 1]
        yield f"{'(' if first else ''}{entry}{')' if second else ''}"


def draw_possible(view: View, width: int) -> Iterator[Text]:
    """List where Mr. X may be, all of it, by how many moves the nearest detective is away."""
    yield Text(f"Mr. X may be on {count_of(len(view.possible), 'station')}, by moves to the nearest detective:")
    for moves, stations in sorted(group_possible(view).items()):
        head = f"{moves:>4}  "
        listed = textwrap.wrap(" ".join(map(str, stations)), max(width - len(head), 20))
        for number, line in enumerate(listed):
            yield Text.assemble((head if number == 0 else " " * len(head), QUIET), (line, POSSIBLE))


def group_possible(view: View) -> dict[int, list[int]]:
    """Return the possible stations by the fewest moves that any detective needs to reach them, tickets aside."""
    groups: dict[int, list[int]] = {}
    for station in view.possible:
        moves = min(view.board.distance(detective, station) for detective in view.stations[1:])
        groups.setdefault(moves, []).append(station)
    return groups


def draw_legal(view: View) -> Text:
    """List what is open to the seat to move, by ticket."""
    shown = Text(f"{seat_name(view.seat)} on {view.stations[view.seat]} may go: ")
    for number, (ticket, places) in enumerate(group_legal(view)):
        shown.append(", " if number else "").append(ticket, TICKET_STYLES[ticket]).append(f" {places}")
    return shown


# One action, in words


def tell_own(view: View, action: int) -> str:
    """Say what the person's own side does, from what it knew before."""
    told = describe_action(view.board, action)
    if told.text == PASS_TEXT:
        return f"{seat_name(view.seat)} cannot move and passes."
    return f"{seat_name(view.seat)}: {told}."


def tell_searched(view: View, action: int) -> str:
    """Say what a detective's move tells when it does not end the game: Mr. X is not where it led."""
    station = view.describe(action).station
    if view.seat == MR_X or station not in view.possible:
        return ""
    return f" Mr. X is not there: {count_of(len(view.possible) - 1, 'station')} left."


def tell_public(move: PublicMove) -> str:
    """Say what the table sees of the other side."""
    name = seat_name(move.seat)
    if move.text == PASS_TEXT:
        return f"{name} cannot move and passes."
    if move.text == DOUBLE_TEXT:
        return f"{name} announces a double move."
    by = f"{name} goes by {BY_LETTER[move.text[0]]}"
    if move.seat != MR_X:
        return f"{by} to {move.station}."
    return f"{by}." if move.station == NOWHERE else f"{by} and shows himself on {move.station}."


def prompt_of(view: View) -> str:
    """Return what stands before the place where a person writes."""
    return f"{seat_name(view.seat)} on {view.stations[view.seat]} > "
