"""Numbers: what a seat may know as observation arrays, the mask of legal actions, and the spaces of both.

Every agent has the same spaces. An observation is a dict with ``observation`` and ``action_mask`` (int8, one per
action), by choice with the legal actions and their features (``move_ids``, ``move_features``; see features.py), and is
of one kind:

- ``"flat"``: one float32 vector for plain networks, stations as one-hots;
- ``"compact"``: one uint8 vector, stations as their numbers and the possible set as a byte each, for embeddings;
- ``"graph"``: float32 features of every station (n + 1 rows, row 0 unused), of the game (``game``), and the board's
  links both ways as station numbers (``links``, 2 rows), for graph networks.

The vectors are made of named pieces; ``Layout`` says where each is and takes a vector apart. They are written from a
view only. Everything is seen from the viewer's seat: detectives come in cyclic order, the viewer first, so that one
network can play all of them; Mr. X sees detective 1 first.
"""

import dataclasses
import functools
import math
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.encode.features import MANY, MOVE_WIDTH, most_moves, new_scratch
from scotyard_env.encode.writers import (
    LOG_COLUMNS,
    MARKS,
    MOST_BYTES,
    are_rows,
    write_compact_rows,
    write_flat_rows,
    write_graph_rows,
    write_mask_rows,
    write_moves_rows,
)
from scotyard_env.rules import action_count
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import TICKETS, TRANSPORTS
from scotyard_env.view import View

KINDS = ("flat", "compact", "graph")
STATION_FEATURES = (
    "own",  # the viewer stands here
    "detectives",  # how many other detectives do
    "mr_x",  # Mr. X does, to himself; to the others: he showed himself here last
    "possible",  # Mr. X may be here for all the table knows
    "belief",  # his probability to be here by path counts; 0 unless asked for
    "own_distance",  # from the viewer's station
    "detective_distance",  # from the nearest detective's
    "taxi_links",  # at the station, a quarter each, at most 2
    "bus_links",
    "underground_links",
    "ferry_links",
)

_NO_MARKS = np.zeros(0, MARKS)


@dataclasses.dataclass(frozen=True)
class Piece:
    """A named part of an observation vector."""

    name: str
    start: int
    stop: int
    shape: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Layout:
    """Where the named pieces of an observation vector are."""

    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """Length of the whole vector."""
        return self.pieces[-1].stop

    def __getitem__(self, name: str) -> slice:
        """Give the slice of a piece."""
        for piece in self.pieces:
            if piece.name == name:
                return slice(piece.start, piece.stop)
        raise KeyError(f"there is no piece {name!r}: there are {', '.join(piece.name for piece in self.pieces)}")

    def split(self, vector: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Take a vector, or a batch of them, apart into its pieces, each in its shape."""
        return {
            piece.name: vector[..., piece.start : piece.stop].reshape(*vector.shape[:-1], *piece.shape)
            for piece in self.pieces
        }


def _lay_out(shapes: dict[str, tuple[int, ...]]) -> Layout:
    pieces, start = [], 0
    for name, shape in shapes.items():
        pieces.append(Piece(name, start, start + math.prod(shape), shape))
        start = pieces[-1].stop
    return Layout(tuple(pieces))


def _game_shapes(rules: RuleSet) -> dict[str, tuple[int, ...]]:
    seats = 1 + rules.detectives
    return {
        "seat": (seats,),  # one-hot of the viewer's own seat
        "to_move": (seats,),  # one-hot of the seat to move
        "tickets": (seats, len(TICKETS)),  # Mr. X's, then the detectives' in order; tenths, 10 = unlimited
        "log": (rules.log_room, LOG_COLUMNS),  # one-hot of the fare of each entry; second half of a double move
        "entry": (1,),  # share of the log that is filled
        "since_reveal": (1,),  # entries since Mr. X showed himself, as a share of the log; 1 = never did
        "to_reveal": (1,),  # entries until he does again, as a share of the log; 1 = never will
        "owed": (1,),  # moves owed by a double move in progress: 0, a half or 1
    }


def flat_layout(board: Board, rules: RuleSet, belief: bool = False) -> Layout:
    """Lay out the flat observation."""
    stations = board.stations
    shapes = {
        **_game_shapes(rules),
        "detectives": (rules.detectives, stations),  # one-hot of each detective's station, in order
        "mr_x": (stations,),  # one-hot of his station, to himself; to the others: where he showed himself last
        "possible": (stations,),  # 1 where Mr. X may be
        **({"belief": (stations,)} if belief else {}),  # his probability to be there by path counts
    }
    return _lay_out(shapes)


def game_layout(rules: RuleSet) -> Layout:
    """Lay out the ``game`` vector of the graph observation."""
    return _lay_out(_game_shapes(rules))


def compact_layout(board: Board, rules: RuleSet) -> Layout:
    """Lay out the compact observation."""
    return _lay_out(
        {
            "seat": (1,),  # the viewer's own seat
            "to_move": (1,),  # the seat to move
            "entry": (1,),  # log entries filled
            "since_reveal": (1,),  # entries since Mr. X showed himself, or since the start
            "to_reveal": (1,),  # entries until he does again; 0 = never will
            "owed": (1,),  # moves owed by a double move in progress
            "mr_x": (1,),  # his station, to himself; to the others: where he showed himself last; 0 = never did
            "detectives": (rules.detectives,),  # the detectives' stations, in order
            "tickets": (1 + rules.detectives, len(TICKETS)),  # Mr. X's, then the detectives' in order; 255 = unlimited
            "log": (rules.log_room,),  # 1 + fare of each entry, 0 = not yet; + 8 for the second half of a double move
            "possible": (board.stations,),  # 1 where Mr. X may be
        }
    )


def link_index(board: Board) -> NDArray[np.int64]:
    """List the links of a board both ways, (2, 2 * links), as station numbers."""
    pairs = np.array([(link.a, link.b) for link in board.links], np.int64).T
    return np.concatenate([pairs, pairs[::-1]], axis=1)


def link_transports(board: Board) -> NDArray[np.int64]:
    """Number the transport of each column of ``link_index``."""
    transports = [TRANSPORTS.index(link.transport) for link in board.links]
    return np.array([*transports, *transports], np.int64)


class Encoder:
    """Turns views into observations of one kind on one board with one rule set; knows the spaces."""

    def __init__(
        self, board: Board, rules: RuleSet, observation: str = "flat", belief: bool = False, moves: bool = False
    ) -> None:
        if observation not in KINDS:
            raise ValueError(f"there is no observation {observation!r}: there are {', '.join(KINDS)}")
        if belief and observation == "compact":
            raise ValueError("a compact observation holds bytes and no belief: choose flat or graph, or belief=False")
        self.board = board
        self.rules = rules
        self.observation = observation
        self.belief = belief
        self.moves = moves
        self.action_space = spaces.Discrete(int(action_count(board.arrays)))
        self.observation_space = spaces.Dict(self._spaces())
        self._shapes = [
            (name, space.shape or (), space.dtype) for name, space in self.observation_space.items() if name != "links"
        ]
        self._rules = rules.packed(board)
        self._scratch = new_scratch()
        self._weights = np.zeros((2, board.stations + 1))
        self._blank = np.zeros(1, MARKS)

    @functools.cached_property
    def layout(self) -> Layout:
        """Where the pieces of ``observation`` are; of ``game`` for a graph."""
        if self.observation == "flat":
            return flat_layout(self.board, self.rules, self.belief)
        return compact_layout(self.board, self.rules) if self.observation == "compact" else game_layout(self.rules)

    @functools.cached_property
    def links(self) -> NDArray[np.int64]:
        """The board's links both ways, as a graph observation has them."""
        return link_index(self.board)

    def _spaces(self) -> dict[str, spaces.Space[Any]]:
        found: dict[str, spaces.Space[Any]] = {}
        if self.observation == "flat":
            found["observation"] = spaces.Box(0, MANY, (self.layout.size,), np.float32)
        elif self.observation == "compact":
            found["observation"] = spaces.Box(0, MOST_BYTES, (self.layout.size,), np.uint8)
        else:
            found["observation"] = spaces.Box(0, MANY, (self.board.stations + 1, len(STATION_FEATURES)), np.float32)
            found["game"] = spaces.Box(0, MANY, (self.layout.size,), np.float32)
            found["links"] = spaces.Box(1, self.board.stations, self.links.shape, np.int64)
        found["action_mask"] = spaces.Box(0, 1, (int(self.action_space.n),), np.int8)
        if self.moves:
            most = most_moves(self.board)
            found["move_ids"] = spaces.Box(-1, int(self.action_space.n) - 1, (most,), np.int32)
            found["move_features"] = spaces.Box(-2, 2, (most, MOVE_WIDTH), np.float32)
        return found

    def new_arrays(self, games: int) -> dict[str, NDArray[Any]]:
        """Make arrays for the observations of so many games; the links are there once, seen by all."""
        arrays = {name: np.zeros((games, *shape), dtype) for name, shape, dtype in self._shapes}
        if self.observation == "graph":
            arrays["links"] = np.broadcast_to(self.links, (games, *self.links.shape))
        return arrays

    def write(
        self,
        views: NDArray[np.void],
        viewers: NDArray[np.int64],
        rows: NDArray[np.int64],
        arrays: dict[str, NDArray[Any]],
        marks: NDArray[np.void] | None = None,
    ) -> None:
        """Write the observation of each view by its viewer into the given row of the arrays.

        With marks (``new_marks``) that go with the arrays, only what has changed since the last time is written.
        """
        if not are_rows(rows, len(arrays["action_mask"])):
            raise ValueError(f"rows go up to {rows.max()}: the arrays have 0 to {len(arrays['action_mask']) - 1}")
        given = self.board.packed, self._rules, views, viewers, rows
        if self.observation == "flat":
            marks = _NO_MARKS if marks is None else marks
            write_flat_rows(*given, self.belief, self._weights, marks, self._blank, arrays["observation"])
        elif self.observation == "compact":
            write_compact_rows(*given, arrays["observation"])
        else:
            write_graph_rows(*given, self.belief, self._weights, self._blank, arrays["observation"], arrays["game"])
        if self.moves:
            write_moves_rows(*given, self._scratch, arrays["action_mask"], arrays["move_ids"], arrays["move_features"])
        else:
            write_mask_rows(*given, self._scratch, arrays["action_mask"])

    def new_marks(self, games: int) -> NDArray[np.void]:
        """Make the notes on what stands in new arrays, of which nobody but ``write`` may then change anything."""
        return np.zeros(games, MARKS)

    def observe(self, view: View) -> dict[str, NDArray[Any]]:
        """Make the observation of one view by its viewer, in arrays of its own."""
        arrays = self.new_arrays(1)
        self.write(view.states, np.array([view.viewer]), np.zeros(1, np.int64), arrays)
        return {name: array[0] for name, array in arrays.items()}
