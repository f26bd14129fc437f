"""Board: the map of a game, with its stations, its links, their distances and where to draw them.

A board is an immutable value. Stations carry their printed numbers 1..n, so row 0 of every array is unused. Kernels
read ``board.arrays``; people read ``board.links`` and ``board.to_networkx()``. A board comes from its name, a file, a
text or a networkx graph, and every door checks what comes in: a ``BoardError`` names the link or station at fault.

    Board.named("london")
    Board.from_text("1-T-2 2-T-3 2-B-4 3-T-5 4-T-5")
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import math
import numbers
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, TypeVar, cast, final

import numpy as np
from numpy.typing import NDArray

from scotyard_env.files import write_whole
from scotyard_env.state import BLACK, FARES, FERRY, MAX_STATIONS, TRANSPORTS, WORDS

if TYPE_CHECKING:  # networkx takes 0.1 s to import: the functions that need it import it
    import networkx as nx

DATA = Path(__file__).with_name("data")
FORMAT = "scotyard_env board 1"
UNREACHABLE = 255  # a distance: there is no way, not even a long one
MAX_MOVES = MAX_STATIONS * (MAX_STATIONS - 1) * FARES  # every station linked with every other; London has 1,800
LETTERS = {"T": "taxi", "B": "bus", "U": "underground", "F": "ferry"}

_FIELDS = {"format": str, "name": str, "note": str, "links": dict, "coordinates": dict}
_EDITION_FIELDS = {"format": str, "name": str, "note": str, "based_on": str, "add": dict, "remove": dict}
_REQUIRED = ("format", "name", "links", "based_on")  # where the kind of file has them
_JSON_NAMES = {str: "a text", dict: "an object"}

_ROWS = MAX_STATIONS + 1  # of a table by station

_Scalar = TypeVar("_Scalar", bound=np.generic)


class BoardError(ValueError):
    """A board that cannot be played on, a station that is not on it, or a file that holds none."""


class Link(NamedTuple):
    """A connection of two stations by one transport, the smaller number first."""

    a: int
    b: int
    transport: str

    def __str__(self) -> str:
        return f"{self.a}-{self.b} ({self.transport})"


BOARD = np.dtype(  # a board as kernels read it: one record, since compiled code passes it on as a pointer
    (
        np.record,
        np.dtype(
            [
                ("stations", "i4"),
                ("first", "i4", (_ROWS + 1,)),  # moves from station s are rows first[s]..first[s+1] of `to` and `fare`
                ("to", "i2", (MAX_MOVES,)),  # station reached; the rows of one station are sorted by (to, fare)
                ("fare", "i1", (MAX_MOVES,)),  # ticket paid; every neighbour has a BLACK row, over a ferry no other
                ("reach", "u8", (FARES, _ROWS, WORDS)),  # the same as sets: the stations reached from s with fare f
                ("served", "u8", (FARES, WORDS)),  # the stations where fare f pays for any move at all, as a set
                ("distance", "u1", (_ROWS, _ROWS)),  # fewest moves of a detective, tickets aside; UNREACHABLE = no way
                ("mr_x_distance", "u1", (_ROWS, _ROWS)),  # the same for Mr. X, who takes the ferry too
                ("links", "i2", (_ROWS, len(TRANSPORTS))),  # number of links at a station by transport
            ],
            align=True,
        ),
    )
)
BoardArrays = Any  # one record of BOARD


@final
class Board:
    """The map of a game: equal to another with the same links and coordinates, whatever their names."""

    name: str
    stations: int
    links: tuple[Link, ...]  # sorted, each once
    _placed: NDArray[np.float64] | None  # coordinates as given; None = to be laid out when asked for

    def __init__(
        self,
        links: Iterable[tuple[int, int, str]],
        coordinates: Mapping[int, Iterable[float]] | None = None,
        name: str = "custom",
    ) -> None:
        """Check the links and the (x, y) of every station, and make a board of them."""
        if not isinstance(name, str):
            raise BoardError(f"the name of a board is a text, not {name!r}")
        checked = _check_links(links)
        stations = _count_stations(checked)
        placed = None if coordinates is None else _check_coordinates(coordinates, stations)
        vars(self).update(name=name, links=checked, stations=stations, _placed=placed)

    @classmethod
    def named(cls, name: str) -> Board:
        """Return the board of that name, the same object each time."""
        if name not in cls.names():
            raise BoardError(f"there is no board named {name!r}: choose from {', '.join(cls.names())}")
        return _load_named(name)

    @staticmethod
    def names() -> tuple[str, ...]:
        """List the boards that come with the package."""
        return _list_named()

    @classmethod
    def from_text(
        cls, text: str, name: str = "custom", coordinates: Mapping[int, Iterable[float]] | None = None
    ) -> Board:
        """Read links such as ``1-T-2 2-B-4``; the letters are T, B, U and F (ferry)."""
        return cls([_parse_link(piece) for piece in text.split()], coordinates, name)

    def to_text(self) -> str:
        """Write the links as ``from_text`` reads them."""
        return " ".join(f"{a}-{transport[0].upper()}-{b}" for a, b, transport in self.links)

    @classmethod
    def from_networkx(cls, graph: nx.Graph, name: str = "custom") -> Board:
        """Read an undirected graph: ``transport`` on every link, ``pos`` (x, y) on all stations or on none."""
        _check_graph(graph)
        links = [(a, b, _transport_of(a, b, data)) for a, b, data in graph.edges(data=True)]
        return cls(links, _positions_of(graph), name)

    def to_networkx(self) -> nx.MultiGraph:
        """Make a graph with ``transport`` on every link, which is also its key, and ``pos`` on every station."""
        import networkx as nx

        graph = nx.MultiGraph(name=self.name)
        graph.add_nodes_from((station, {"pos": point}) for station, point in _points(self.coordinates).items())
        graph.add_edges_from((a, b, transport, {"transport": transport}) for a, b, transport in self.links)
        return graph

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Board:
        """Read a board file."""
        try:
            return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        except BoardError as error:
            raise BoardError(f"{os.fspath(path)}: {error}") from None
        except ValueError as error:  # not JSON, or not even text
            raise BoardError(f"{os.fspath(path)} is not a JSON file: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a board file, whole or not at all."""
        write_whole(path, _to_json(self.to_dict()) + "\n")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Board:
        """Read what a board file holds: a whole board, or an edition as its differences to a named one."""
        _check_fields(data)
        if "based_on" in data:
            return _make_edition(data)
        coordinates = _read_coordinates(data["coordinates"]) if "coordinates" in data else None
        return cls(_read_links(data["links"]), coordinates, data["name"])

    def to_dict(self) -> dict[str, Any]:
        """Return the board as plain lists and texts, ready for JSON."""
        groups = {transport: [[a, b] for a, b, by in self.links if by == transport] for transport in TRANSPORTS}
        return {
            "format": FORMAT,
            "name": self.name,
            "links": {transport: pairs for transport, pairs in groups.items() if pairs},
            "coordinates": {str(station): list(point) for station, point in _points(self.coordinates).items()},
        }

    @functools.cached_property
    def coordinates(self) -> NDArray[np.float64]:
        """Where to draw each station, (n+1, 2), x to the right and y downwards; laid out if none were given."""
        return _freeze(_lay_out(self) if self._placed is None else self._placed)

    @functools.cached_property
    def packed(self) -> NDArray[np.void]:
        """What kernels read, built once, as an array of one record: Numba takes an array in faster than a record."""
        return _freeze(_pack(self))

    @functools.cached_property
    def arrays(self) -> BoardArrays:
        """The record itself."""
        return self.packed[0]

    @functools.cached_property
    def degree(self) -> NDArray[np.int16]:
        """Number of distinct neighbours of each station by any transport, (n+1,)."""
        return _freeze(_by_station(self, dict(_graph(self).degree()), np.int16))

    @functools.cached_property
    def centrality(self) -> NDArray[np.float64]:
        """Betweenness of each station over all links, (n+1,): the share of shortest ways that lead through it."""
        import networkx as nx

        return _freeze(_by_station(self, nx.betweenness_centrality(_graph(self)), np.float64))

    @functools.cached_property
    def signature(self) -> str:
        """Digest of the links, 12 hex digits: the same for boards that play the same, however they are drawn."""
        return hashlib.sha256(self.to_text().encode()).hexdigest()[:12]

    def distance(self, a: int, b: int, ferry: bool = False) -> int:
        """Count the fewest moves from a to b, tickets aside; UNREACHABLE if only the ferry, not taken, gets there."""
        table = self.arrays.mr_x_distance if ferry else self.arrays.distance
        return int(table[self._check_on_board(a), self._check_on_board(b)])

    def _check_on_board(self, station: int) -> int:
        if _is_whole(station) and 1 <= station <= self.stations:
            return int(station)
        raise BoardError(f"station {station!r} is not on {self.name}: its stations are 1 to {self.stations}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self is other or (self.links == other.links and np.array_equal(self.coordinates, other.coordinates))

    def __hash__(self) -> int:
        return self._hash

    @functools.cached_property
    def _hash(self) -> int:
        return hash(self.links)

    def __repr__(self) -> str:
        return f"<Board {self.name}: {self.stations} stations, {len(self.links)} links>"

    def __reduce__(self) -> tuple[type[Board], tuple[Any, ...]]:
        return Board, (self.links, None if self._placed is None else _points(self._placed), self.name)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a board does not change: cannot set {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a board does not change: cannot delete {name}")


@functools.cache
def _list_named() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in DATA.glob("*.json")))


@functools.cache
def _load_named(name: str) -> Board:
    return Board.load(DATA / f"{name}.json")


# What a board must be


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _check_station(value: Any, where: str) -> int:
    if _is_whole(value) and 1 <= value <= MAX_STATIONS:
        return int(value)
    raise BoardError(f"{where}: {value!r} is no station number, which is a whole number from 1 to {MAX_STATIONS}")


def _check_link(link: Any) -> Link:
    """Put the stations of a link in order, or say what is wrong with it."""
    try:
        a, b, transport = link
    except (TypeError, ValueError):
        raise BoardError(f"{link!r} is no link, which is two stations and a transport: (1, 8, 'taxi')") from None
    where = f"link {a}-{b} ({transport})"
    a, b = sorted((_check_station(a, where), _check_station(b, where)))
    if a == b:
        raise BoardError(f"{where}: a link joins two different stations")
    if not isinstance(transport, str) or transport not in TRANSPORTS:
        raise BoardError(f"{where}: unknown transport {transport!r}, choose from {', '.join(TRANSPORTS)}")
    return Link(a, b, transport)


def _check_links(links: Iterable[Any]) -> tuple[Link, ...]:
    """Sort the links and make sure that there are some and each is there once."""
    checked = sorted(_check_link(link) for link in links)
    if not checked:
        raise BoardError("a board has at least one link")
    for link, following in itertools.pairwise(checked):
        if link == following:
            raise BoardError(f"link {link} is given twice: give each link once, in either direction")
    return tuple(checked)


def _count_stations(links: tuple[Link, ...]) -> int:
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
    import networkx as nx

    return cast(set[int], nx.node_connected_component(nx.Graph([link[:2] for link in links]), 1))


def _check_coordinates(coordinates: Mapping[int, Iterable[float]], stations: int) -> NDArray[np.float64]:
    """Make the (n+1, 2) table of a mapping that has every station and no other."""
    if not isinstance(coordinates, Mapping):
        raise BoardError(f"coordinates map every station to its (x, y): {{1: (0.0, 0.0), ...}}, not {coordinates!r}")
    table = np.zeros((stations + 1, 2))
    for station, point in coordinates.items():
        if _check_station(station, "coordinates") > stations:
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


# Text, graphs and files


def _parse_link(piece: str) -> tuple[int, int, str]:
    match = re.fullmatch(r"([0-9]{1,9})-([TBUF])-([0-9]{1,9})", piece)
    if not match:
        raise BoardError(f"cannot read {piece!r}: a link is written 1-T-2, with one of {', '.join(LETTERS)}")
    return int(match[1]), int(match[3]), LETTERS[match[2]]


def _check_graph(graph: nx.Graph) -> None:
    import networkx as nx

    if not isinstance(graph, nx.Graph):
        raise BoardError(f"expected a networkx graph, not {type(graph).__name__}")
    if graph.is_directed():
        raise BoardError("links lead both ways: give an undirected graph, such as graph.to_undirected()")
    for station in graph:
        _check_station(station, "graph")
        if graph.degree(station) == 0:
            raise BoardError(f"station {station} has no link: every station can be reached")


def _transport_of(a: object, b: object, data: Mapping[str, Any]) -> Any:
    if "transport" not in data:
        raise BoardError(f"link {a}-{b} has no transport: set transport= to one of {', '.join(TRANSPORTS)}")
    return data["transport"]


def _positions_of(graph: nx.Graph) -> dict[int, Any] | None:
    """Read where the stations of a graph are drawn, if it says so of any."""
    positions = {station: point for station, point in graph.nodes(data="pos") if point is not None}
    return positions or None


def _points(coordinates: NDArray[np.float64]) -> dict[int, tuple[float, float]]:
    return {station: (float(x), float(y)) for station, (x, y) in enumerate(coordinates) if station}


def _check_fields(data: Any) -> None:
    """Make sure that the fields of a board file are there and of the right type, and no others."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise BoardError(f'not a board: expected an object with "format": "{FORMAT}"')
    fields = _EDITION_FIELDS if "based_on" in data else _FIELDS
    for field, value in data.items():
        if field not in fields:
            raise BoardError(f"unknown field {field!r}: choose from {', '.join(fields)}")
        if not isinstance(value, fields[field]):
            raise BoardError(f'"{field}" must be {_JSON_NAMES[fields[field]]}, not {value!r}')
    for field in fields:
        if field in _REQUIRED and field not in data:
            raise BoardError(f'"{field}" is missing')


def _read_links(groups: Mapping[str, Any]) -> Iterator[Link]:
    """Read links grouped by transport: {"taxi": [[1, 8], [1, 9]]}."""
    for transport, pairs in groups.items():
        if not isinstance(pairs, list):
            raise BoardError(f'"{transport}" must be a list of pairs of stations, not {pairs!r}')
        for pair in pairs:
            if not isinstance(pair, list) or len(pair) != 2:
                raise BoardError(f'"{transport}" holds {pair!r}, which should be a pair of stations such as [1, 8]')
            yield _check_link((*pair, transport))


def _read_coordinates(points: Mapping[str, Any]) -> dict[int, Any]:
    for key in points:
        if not re.fullmatch("[1-9][0-9]{0,8}", str(key)):
            raise BoardError(f"coordinates: {key!r} is no station number")
    return {int(key): point for key, point in points.items()}


def _make_edition(data: Mapping[str, Any]) -> Board:
    """Add and remove links of a named board."""
    base = Board.named(data["based_on"])
    removed = set(_read_links(data.get("remove", {})))
    for link in sorted(removed):
        if link not in base.links:
            raise BoardError(f"link {link} cannot be removed: {base.name} does not have it")
    kept = [link for link in base.links if link not in removed]
    return Board([*kept, *_read_links(data.get("add", {}))], _points(base.coordinates), data["name"])


def _to_json(value: Any, indent: str = "") -> str:
    """Write JSON for people: what fits on a line stays on it, and long lists fill their lines."""
    flat = json.dumps(value)
    if len(flat) <= 80 or not isinstance(value, dict | list):
        return flat
    inner = indent + "  "
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {_to_json(item, inner)}" for key, item in value.items()]
    else:
        items = [_to_json(item, inner) for item in value]
    left, right = "{}" if isinstance(value, dict) else "[]"
    return f"{left}\n{inner}{_fill(items, inner)}\n{indent}{right}"


def _fill(items: list[str], indent: str) -> str:
    """Put as many short items on a line as fit."""
    lines = [items[0]]
    for item in items[1:]:
        if len(lines[-1]) + len(item) <= 100 and "\n" not in lines[-1] + item:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return f",\n{indent}".join(lines)


# What is computed once


def _freeze(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array


def _graph(board: Board, transports: Sequence[str] = TRANSPORTS) -> nx.Graph:
    """Make the plain graph of all stations, where those linked by any of the transports are neighbours."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(1, board.stations + 1))
    graph.add_edges_from(link[:2] for link in board.links if link.transport in transports)
    return graph


def _by_station(board: Board, values: Mapping[int, Any], dtype: type[_Scalar]) -> NDArray[_Scalar]:
    return np.array([0, *(values[station] for station in range(1, board.stations + 1))], dtype)


def _lay_out(board: Board) -> NDArray[np.float64]:
    """Place the stations so that their distances on paper resemble those in moves; no chance involved."""
    import networkx as nx

    positions = nx.kamada_kawai_layout(_graph(board), scale=50 * math.sqrt(board.stations))
    table = np.zeros((board.stations + 1, 2))
    table[1:] = [positions[station] for station in range(1, board.stations + 1)]
    table[1:] -= table[1:].min(axis=0)
    return table.round(1)


def _pack(board: Board) -> NDArray[np.void]:
    moves = _moves(board.links)
    station, to, fare = moves.T
    rows = slice(board.stations + 1)
    records = np.zeros(1, BOARD)
    record = records[0]
    record.stations = board.stations
    record.first[:] = np.searchsorted(station, np.arange(_ROWS + 1))
    record.to[: len(moves)] = to
    record.fare[: len(moves)] = fare
    record.reach[:, rows] = _reach(board.stations, station, to, fare)
    record.served[:] = np.bitwise_or.reduce(record.reach, axis=1)  # every link leads both ways
    record.distance[:] = record.mr_x_distance[:] = UNREACHABLE
    record.distance[rows, rows] = _distances(board, TRANSPORTS[:FERRY])
    record.mr_x_distance[rows, rows] = _distances(board, TRANSPORTS)
    record.links[rows] = _count_links(board)
    return records


def _moves(links: tuple[Link, ...]) -> NDArray[np.int64]:
    """List every (station, to, fare) once, sorted: a link takes the ticket of its transport's number, or BLACK."""
    moves = set()
    for a, b, transport in links:
        for fare in (TRANSPORTS.index(transport), BLACK):  # the ferry's number is BLACK
            moves |= {(a, b, fare), (b, a, fare)}
    return np.array(sorted(moves))


def _reach(
    stations: int, station: NDArray[np.int64], to: NDArray[np.int64], fare: NDArray[np.int64]
) -> NDArray[np.uint64]:
    sets = np.zeros((FARES, stations + 1, WORDS), np.uint64)
    np.bitwise_or.at(sets, (fare, station, to >> 6), np.uint64(1) << (to & 63).astype(np.uint64))
    return sets


def _distances(board: Board, transports: Sequence[str]) -> NDArray[np.uint8]:
    import networkx as nx

    table = np.full((board.stations + 1, board.stations + 1), UNREACHABLE, np.uint8)
    for station, lengths in nx.all_pairs_shortest_path_length(_graph(board, transports)):
        table[station, list(lengths)] = list(lengths.values())
    return table


def _count_links(board: Board) -> NDArray[np.int16]:
    counts = np.zeros((board.stations + 1, len(TRANSPORTS)), np.int16)
    for a, b, transport in board.links:
        counts[[a, b], TRANSPORTS.index(transport)] += 1
    return counts
