"""What a board must be: every link, every station number and every point is checked here, and errors name the fault."""

from __future__ import annotations

import itertools
import math
import numbers
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_env.state import MAX_STATIONS, TRANSPORTS

LETTERS = {"T": "taxi", "B": "bus", "U": "underground", "F": "ferry"}


class BoardError(ValueError):
    """A board that cannot be played on, a station that is not on it, or a file that holds none."""


class Link(NamedTuple):
    """A connection of two stations by one transport, the smaller number first."""

    a: int
    b: int
    transport: str

    def __str__(self) -> str:
        return f"{self.a}-{self.b} ({self.transport})"


def is_whole(value: object) -> bool:
    """Tell a whole number from anything else."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_station(value: Any, where: str) -> int:
    """Refuse what is no station number; where says what it was found in."""
    if is_whole(value) and 1 <= value <= MAX_STATIONS:
        return int(value)
    raise BoardError(f"{where}: {value!r} is no station number, which is a whole number from 1 to {MAX_STATIONS}")


def check_link(link: Any) -> Link:
    """Put the stations of a link in order, or say what is wrong with it."""
    try:
        a, b, transport = link
    except (TypeError, ValueError):
        raise BoardError(f"{link!r} is no link, which is two stations and a transport: (1, 8, 'taxi')") from None
    where = f"link {a}-{b} ({transport})"
    a, b = sorted((check_station(a, where), check_station(b, where)))
    if a == b:
        raise BoardError(f"{where}: a link joins two different stations")
    if not isinstance(transport, str) or transport not in TRANSPORTS:
        raise BoardError(f"{where}: unknown transport {transport!r}, choose from {', '.join(TRANSPORTS)}")
    return Link(a, b, transport)


def check_links(links: Iterable[Any]) -> tuple[Link, ...]:
    """Sort the links and make sure that there are some and each is there once."""
    checked = sorted(check_link(link) for link in links)
    if not checked:
        raise BoardError("a board has at least one link")
    for link, following in itertools.pairwise(checked):
        if link == following:
            raise BoardError(f"link {link} is given twice: give each link once, in either direction")
    return tuple(checked)


def count_stations(links: tuple[Link, ...]) -> int:
    """Count the stations and make sure that they are numbered without gaps and hang together."""
    numbered = {station for link in links for station in link[:2]}
    last = max(numbered)
    for station in range(1, last):
        if station not in numbered:
            raise BoardError(f"station {station} has no link: stations are numbered 1 to {last} without gaps")
    apart = numbered - _reachable(links)
    if apart:
        raise BoardError(f"station {min(apart)} cannot be reached from station 1: a board is connected")
    return last


def _reachable(links: tuple[Link, ...]) -> set[int]:
    """Return the stations that hang together with station 1; by hand, since importing networkx would take longer."""
    neighbours = defaultdict(set)
    for a, b, _ in links:
        neighbours[a].add(b)
        neighbours[b].add(a)
    reached, waiting = {1}, [1]
    while waiting:
        new = neighbours[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def check_coordinates(coordinates: Mapping[int, Iterable[float]], stations: int) -> NDArray[np.float64]:
    """Return the (n+1, 2) table of a mapping that has every station and no other."""
    if not isinstance(coordinates, Mapping):
        raise BoardError(f"coordinates map every station to its (x, y): {{1: (0.0, 0.0), ...}}, not {coordinates!r}")
    table = np.zeros((stations + 1, 2))
    for station, point in coordinates.items():
        if check_station(station, "coordinates") > stations:
            raise BoardError(f"station {station} has coordinates but no link: the stations are 1 to {stations}")
        table[station] = _check_point(station, point)
    for station in range(1, stations + 1):
        if station not in coordinates:
            raise BoardError(f"station {station} has no coordinates: give them for all stations or for none")
    return table


def _check_point(station: int, point: Any) -> tuple[float, float]:
    try:
        x, y = (float(value) if _is_real(value) else math.nan for value in point)
    except (TypeError, ValueError, OverflowError):
        x = y = math.nan
    if math.isfinite(x) and math.isfinite(y):
        return x, y
    raise BoardError(f"station {station} has coordinates {point!r}, which should be two finite numbers (x, y)")


def _is_real(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def parse_link(piece: str) -> tuple[int, int, str]:
    """Read a link such as ``1-T-2``."""
    match = re.fullmatch(r"([0-9]{1,9})-([TBUF])-([0-9]{1,9})", piece)
    if not match:
        raise BoardError(f"cannot read {piece!r}: a link is written 1-T-2, with one of {', '.join(LETTERS)}")
    return int(match[1]), int(match[3]), LETTERS[match[2]]
