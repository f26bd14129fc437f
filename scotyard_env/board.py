"""Board: the map of a game, with its stations, its links, their distances and where to draw them.

A board is an immutable value. Stations carry their printed numbers 1..n, so row 0 of every array is unused. Kernels
read ``board.arrays``; people read ``board.links`` and ``board.to_networkx()``. A board comes from its name, a file, a
text or a networkx graph, and every door checks what comes in: a ``BoardError`` names the link or station at fault.

    Board.named("london")
    Board.from_text("1-T-2 2-T-3 2-B-4 3-T-5 4-T-5")
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self, final

import numpy as np
from numpy.typing import NDArray

from scotyard_env.files import write_whole
from scotyard_env.links import (
    BoardError,
    Link,
    check_coordinates,
    check_link,
    check_links,
    check_station,
    count_stations,
    is_whole,
    parse_link,
)
from scotyard_env.packing import BoardArrays, by_station, freeze, lay_out, pack, plain_graph
from scotyard_env.state import TRANSPORTS

if TYPE_CHECKING:  # networkx takes 0.1 s to import: the functions that need it import it
    import networkx as nx

DATA = Path(__file__).with_name("data")
FORMAT = "scotyard_env board 1"

_FIELDS = {"format": str, "name": str, "note": str, "links": dict, "coordinates": dict, "labels": dict}
_EDITION_FIELDS = {"format": str, "name": str, "note": str, "based_on": str, "add": dict, "remove": dict}
_REQUIRED = ("format", "name", "links", "based_on")  # where the kind of file has them
_JSON_NAMES = {str: "a text", dict: "an object"}


@final
class Board:
    """The map of a game: equal to another with the same links and coordinates, whatever their names."""

    name: str
    stations: int
    links: tuple[Link, ...]  # sorted, each once
    labels: Mapping[int, str]  # what stations are called where they came from, if that is no number
    _placed: NDArray[np.float64] | None  # coordinates as given; None = to be laid out when asked for

    def __init__(
        self,
        links: Iterable[tuple[int, int, str]],
        coordinates: Mapping[int, Iterable[float]] | None = None,
        name: str = "custom",
        labels: Mapping[int, str] | None = None,
    ) -> None:
        """Check the links, the (x, y) of every station and their labels, and make a board of them."""
        if not isinstance(name, str):
            raise BoardError(f"the name of a board is a text, not {name!r}")
        checked = check_links(links)
        stations = count_stations(checked)
        placed = None if coordinates is None else freeze(check_coordinates(coordinates, stations))
        known = MappingProxyType(_check_labels(labels or {}, stations))
        vars(self).update(name=name, links=checked, stations=stations, labels=known, _placed=placed)

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
        return cls([parse_link(piece) for piece in text.split()], coordinates, name)

    def to_text(self) -> str:
        """Write the links as ``from_text`` reads them."""
        return " ".join(f"{a}-{transport[0].upper()}-{b}" for a, b, transport in self.links)

    @classmethod
    def from_networkx(cls, graph: nx.Graph, name: str = "custom") -> Board:
        """Read an undirected graph: ``transport`` on every link, ``pos`` (x, y) on all stations or on none.

        Nodes that are whole numbers from 1 keep them. Any others are numbered from 1, in their order if they have one
        and else in that of the graph; ``board.labels`` tells the node of each station.
        """
        _check_graph(graph)
        numbers = _number_nodes(graph)
        links = [(numbers[a], numbers[b], _transport_of(a, b, data)) for a, b, data in graph.edges(data=True)]
        positions = {numbers[node]: point for node, point in graph.nodes(data="pos") if point is not None}
        is_renumbered = any(node != number for node, number in numbers.items())
        labels = {number: str(node) for node, number in numbers.items()} if is_renumbered else {}
        return cls(links, positions or None, name, labels)

    def to_networkx(self) -> nx.MultiGraph:
        """Return a graph with ``transport`` on every link, which is also its key, and ``pos`` on every station."""
        import networkx as nx

        graph = nx.MultiGraph(name=self.name)
        graph.add_nodes_from((station, {"pos": point}) for station, point in _points(self.coordinates).items())
        graph.add_nodes_from((station, {"label": label}) for station, label in self.labels.items())
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
        coordinates = _by_station(data["coordinates"], "coordinates") if "coordinates" in data else None
        labels = _by_station(data.get("labels", {}), "labels")
        return cls(_read_links(data["links"]), coordinates, data["name"], labels)

    def to_dict(self) -> dict[str, Any]:
        """Return the board as plain lists and texts, ready for JSON."""
        groups = {transport: [[a, b] for a, b, by in self.links if by == transport] for transport in TRANSPORTS}
        labels = {str(station): label for station, label in self.labels.items()}
        return {
            "format": FORMAT,
            "name": self.name,
            "links": {transport: pairs for transport, pairs in groups.items() if pairs},
            "coordinates": {str(station): list(point) for station, point in _points(self.coordinates).items()},
            **({"labels": labels} if labels else {}),
        }

    @functools.cached_property
    def coordinates(self) -> NDArray[np.float64]:
        """Where to draw each station, (n+1, 2), x to the right and y downwards; laid out if none were given."""
        return freeze(lay_out(self) if self._placed is None else self._placed)

    @functools.cached_property
    def packed(self) -> NDArray[np.void]:
        """What kernels read, built once, as an array of one record: Numba takes an array in faster than a record."""
        return freeze(pack(self))

    @functools.cached_property
    def arrays(self) -> BoardArrays:
        """The record itself."""
        return self.packed[0]

    @functools.cached_property
    def degree(self) -> NDArray[np.int16]:
        """Number of distinct neighbours of each station by any transport, (n+1,)."""
        return freeze(by_station(self, dict(plain_graph(self).degree()), np.int16))

    @functools.cached_property
    def centrality(self) -> NDArray[np.float64]:
        """Betweenness of each station over all links, (n+1,): the share of shortest ways that lead through it."""
        import networkx as nx

        return freeze(by_station(self, nx.betweenness_centrality(plain_graph(self)), np.float64))

    @functools.cached_property
    def signature(self) -> str:
        """Digest of the links, 12 hex digits: the same for boards that play the same, however they are drawn."""
        return hashlib.sha256(self.to_text().encode()).hexdigest()[:12]

    def distance(self, a: int, b: int, ferry: bool = False) -> int:
        """Count the fewest moves from a to b, tickets aside; UNREACHABLE if only the ferry, not taken, gets there."""
        table = self.arrays.mr_x_distance if ferry else self.arrays.distance
        return int(table[self._check_on_board(a), self._check_on_board(b)])

    def _check_on_board(self, station: int) -> int:
        if is_whole(station) and 1 <= station <= self.stations:
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
        placed = None if self._placed is None else _points(self._placed)
        return Board, (self.links, placed, self.name, dict(self.labels))

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


# Text, graphs and files


def _check_graph(graph: nx.Graph) -> None:
    import networkx as nx

    if not isinstance(graph, nx.Graph):
        raise BoardError(f"expected a networkx graph, not {type(graph).__name__}")
    if graph.is_directed():
        raise BoardError("links lead both ways: give an undirected graph, such as graph.to_undirected()")
    for node in graph:
        if graph.degree(node) == 0:
            raise BoardError(f"station {node} has no link: every station can be reached")


def _number_nodes(graph: nx.Graph) -> dict[Any, int]:
    """Give every node of a graph a station number, its own if all nodes have one."""
    nodes = list(graph)
    if all(is_whole(node) and node > 0 for node in nodes):
        return {node: check_station(node, "graph") for node in nodes}
    with contextlib.suppress(TypeError):  # nodes of several kinds have no order
        nodes.sort()
    return {node: number for number, node in enumerate(nodes, 1)}


def _transport_of(a: object, b: object, data: Mapping[str, Any]) -> Any:
    if "transport" not in data:
        raise BoardError(f"link {a}-{b} has no transport: set transport= to one of {', '.join(TRANSPORTS)}")
    return data["transport"]


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
            yield check_link((*pair, transport))


def _by_station(values: Mapping[str, Any], what: str) -> dict[int, Any]:
    for key in values:
        if not re.fullmatch("[1-9][0-9]{0,8}", str(key)):
            raise BoardError(f"{what}: {key!r} is no station number")
    return {int(key): value for key, value in values.items()}


def _check_labels(labels: Mapping[int, str], stations: int) -> dict[int, str]:
    for station, label in labels.items():
        if not is_whole(station) or not 1 <= station <= stations:
            raise BoardError(f"labels: there is no station {station!r}, the stations are 1 to {stations}")
        if not isinstance(label, str):
            raise BoardError(f"labels: that of station {station} must be a text, not {label!r}")
    return dict(labels)


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
