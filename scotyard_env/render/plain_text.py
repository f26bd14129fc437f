"""A view as text for a terminal."""

from collections.abc import Iterator

from scotyard_env.notation import HIDDEN
from scotyard_env.render.captions import about, headline, listing, log_length, next_reveal, ticket_count
from scotyard_env.state import NOWHERE, SEATS, TICKETS
from scotyard_env.view import View


def text(view: View) -> str:
    """Describe a view for a terminal, without colours."""
    lines = [
        about(view),
        headline(view),
        *_table(view),
        f"log (* = reveal): {next_reveal(view)}",
        *_log_lines(view),
        f"possible ({len(view.possible)}): {listing(view.possible, 24)}",
    ]
    return "\n".join(line.rstrip() for line in lines)


def _table(view: View) -> Iterator[str]:
    yield "  seat         station" + "".join(
        f"{kind:>13}" if kind == "underground" else f"{kind:>8}" for kind in TICKETS
    )
    for seat, (station, purse) in enumerate(zip(view.stations, view.tickets, strict=True)):
        mark = ">" if view.winner is None and seat == view.seat else " "
        where = HIDDEN if station == NOWHERE else str(station)
        counts = [ticket_count(count) for count in purse]
        row = f"{counts[0]:>8}{counts[1]:>8}{counts[2]:>13}{counts[3]:>8}{counts[4]:>8}"
        yield f"{mark} {SEATS[seat]:<12} {where:>7}{row}"


def _log_lines(view: View, columns: int = 8) -> Iterator[str]:
    written = view.log + ["."] * (log_length(view) - len(view.log))
    cells = [f"{n:>4}{'*' if n in view.rules.reveals else ' '}{entry:<5}" for n, entry in enumerate(written, start=1)]
    for first in range(0, len(cells), columns):
        yield "".join(cells[first : first + columns])
