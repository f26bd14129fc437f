"""Numbers: what a seat may know as observation arrays, the mask of legal actions, and the spaces of both.

Every agent has the same spaces. An observation is a dict with ``observation`` and ``action_mask`` (int8, one per
action), by choice with the legal actions and their features (``move_ids``, ``move_features``; see features.py), and is
of one kind:

- ``"flat"``: one float32 vector for plain networks, stations as one-hots;
- ``"compact"``: one uint8 vector, stations as their numbers and the possible set as a byte each, for embeddings;
- ``"graph"``: float32 features of every station (n + 1 rows, row 0 unused), of the game (``game``), and the board's
  links both ways as station numbers (``links``, 2 rows), for graph networks.

The vectors are made of named pieces; ``Layout`` says where each is and takes a vector apart (layouts.py). They are
written from a view only. Everything is seen from the viewer's seat: detectives come in cyclic order, the viewer first,
so that one network can play all of them; Mr. X sees detective 1 first.
"""

import functools
from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.encode.features import MANY, MOVE_WIDTH, most_moves, new_scratch
from scotyard_env.encode.layouts import (
    STATION_FEATURES,
    Layout,
    compact_layout,
    flat_layout,
    game_layout,
    link_index,
)
from scotyard_env.encode.rows import (
    are_rows,
    write_compact_rows,
    write_flat_rows,
    write_graph_rows,
    write_mask_rows,
    write_moves_rows,
)
from scotyard_env.encode.writers import MOST_BYTES, WRITTEN
from scotyard_env.packing import freeze
from scotyard_env.rules import action_count
from scotyard_env.ruleset import RuleSet
from scotyard_env.view import View

ObservationKind = Literal["flat", "compact", "graph"]
KINDS: tuple[ObservationKind, ...] = get_args(ObservationKind)
_NOTHING = np.zeros(0, WRITTEN)  # nothing is known of what stands in the rows


class Encoder:
    """Turns views into observations of one kind on one board with one rule set; knows the spaces."""

    def __init__(
        self,
        board: Board,
        rules: RuleSet,
        observation: ObservationKind = "flat",
        belief: bool = False,
        moves: bool = False,
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
        self._blank = np.zeros(1, WRITTEN)
        self._places = self.layout.places

    @functools.cached_property
    def layout(self) -> Layout:
        """Where the pieces of ``observation`` are; of ``game`` for a graph."""
        if self.observation == "flat":
            return flat_layout(self.board, self.rules, self.belief)
        return compact_layout(self.board, self.rules) if self.observation == "compact" else game_layout(self.rules)

    @functools.cached_property
    def links(self) -> NDArray[np.int64]:
        """The board's links both ways, as a graph observation has them."""
        return freeze(link_index(self.board))

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
        """Return arrays for the observations of so many games; the links are there once, seen by all."""
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
        written: NDArray[np.void] | None = None,
    ) -> None:
        """Write the observation of each view by its viewer into the given row of the arrays.

        With the notes on what stands in the arrays (``new_written``), only what has changed is written.
        """
        if not are_rows(rows, len(arrays["action_mask"])):
            raise ValueError(f"rows go up to {rows.max()}: the arrays have 0 to {len(arrays['action_mask']) - 1}")
        given = self.board.packed, self._rules, views, viewers, rows
        if self.observation == "flat":
            written = _NOTHING if written is None else written
            write_flat_rows(
                *given, self._places, self.belief, self._weights, written, self._blank, arrays["observation"]
            )
        elif self.observation == "compact":
            write_compact_rows(*given, self._places, arrays["observation"])
        else:
            write_graph_rows(
                *given, self._places, self.belief, self._weights, self._blank, arrays["observation"], arrays["game"]
            )
        if self.moves:
            write_moves_rows(*given, self._scratch, arrays["action_mask"], arrays["move_ids"], arrays["move_features"])
        else:
            write_mask_rows(*given, self._scratch, arrays["action_mask"])

    def new_written(self, games: int) -> NDArray[np.void]:
        """Return notes on what stands in new arrays: nothing yet. Nobody but ``write`` may then change the arrays."""
        return np.zeros(games, WRITTEN)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_rules", "links")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._rules = self.rules.packed(self.board)  # NumPy would bring it back as an array that can be written to

    def observe(self, view: View) -> dict[str, NDArray[Any]]:
        """Return the observation of one view by its viewer, in arrays of its own."""
        arrays = self.new_arrays(1)
        self.write(view.states, np.array([view.viewer]), np.zeros(1, np.int64), arrays)
        return {name: array[0] for name, array in arrays.items()}
