"""Numbers: what a seat may know as observation arrays, the mask of legal actions, and the spaces of both.

Every agent has the same spaces. An observation is a dict with ``observation`` and ``action_mask`` (int8, one per
action), by choice with the legal actions and their features (``move_ids``, ``move_features``; see features.py), and is
of one kind:

- ``"flat"``: one float32 vector for plain networks, stations as one-hots;
- ``"flat_viewer_first"``: the flat observation of version 0.1.0, for networks that were trained on it;
- ``"compact"``: one uint8 vector, stations as their numbers and the possible set as a byte each, for embeddings;
- ``"graph"``: float32 features of every station (n + 1 rows, row 0 unused), of the game (``game``), and the board's
  links both ways as station numbers (``links``, 2 rows), for graph networks.

The vectors are made of named pieces; ``Layout`` says where each is and takes a vector apart (layouts.py). They are
written from a view only. In a flat observation the detectives come in the order of their seats, so that a step changes
little of it, and a piece says where the viewer stands. In the others they come in cyclic order, the viewer first, so
that one network can play all of them; Mr. X sees detective 1 first.
"""

import functools
import threading
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
    viewer_first_layout,
)
from scotyard_env.encode.rows import write_compact_rows, write_flat_rows, write_graph_rows, write_moves_rows
from scotyard_env.encode.writers import MOST_BYTES, WRITTEN
from scotyard_env.packing import freeze
from scotyard_env.rules import action_count
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import NO_FARE, new_states
from scotyard_env.view import MOVERS, View

ObservationKind = Literal["flat", "flat_viewer_first", "compact", "graph"]
KINDS: tuple[ObservationKind, ...] = get_args(ObservationKind)
FLAT = ("flat", "flat_viewer_first")
_NOTHING = np.zeros(0, WRITTEN)  # nothing is known of what stands in the rows
_ALL = np.zeros(0, np.int64)  # what stands for all states in order


class _Scratch(threading.local):
    """What kernels write into and nobody reads, for each thread that encodes."""

    def __init__(self, stations: int) -> None:
        self.views = new_states(1)
        self.moves = new_scratch()
        self.weights = np.zeros((2, stations + 1))
        self.blanks = np.zeros(1, WRITTEN)


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
        self._places = self.layout.places
        self._keep_at_hand()

    def _keep_at_hand(self) -> None:
        self._rules = self.rules.packed(self.board)
        self._scratch = _Scratch(self.board.stations)

    @functools.cached_property
    def layout(self) -> Layout:
        """Where the pieces of ``observation`` are; of ``game`` for a graph."""
        if self.observation == "flat":
            return flat_layout(self.board, self.rules, self.belief)
        if self.observation == "flat_viewer_first":
            return viewer_first_layout(self.board, self.rules, self.belief)
        return compact_layout(self.board, self.rules) if self.observation == "compact" else game_layout(self.rules)

    @functools.cached_property
    def links(self) -> NDArray[np.int64]:
        """The board's links both ways, as a graph observation has them."""
        return freeze(link_index(self.board))

    def _spaces(self) -> dict[str, spaces.Space[Any]]:
        found: dict[str, spaces.Space[Any]] = {}
        if self.observation in FLAT:
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
        states: NDArray[np.void],
        viewers: NDArray[np.int64] | None,
        rows: NDArray[np.int64],
        arrays: dict[str, NDArray[Any]],
        written: NDArray[np.void] | None = None,
        games: NDArray[np.int64] | None = None,
    ) -> None:
        """Write what a viewer, the seat to move if left out, may know of each state into the given row of the arrays.

        These are all states in order, or those numbered in games. With the notes on what stands in the arrays
        (``new_written``), only what has changed is written.
        """
        scratch, mask = self._scratch, arrays["action_mask"]
        seen_by = _ALL if games is None else games, MOVERS if viewers is None else viewers, rows
        given = self.board.packed, self._rules, states, *seen_by, scratch.views, scratch.moves
        if self.observation in FLAT:
            options = self.observation == "flat_viewer_first", self.belief, scratch.weights
            notes = _NOTHING if written is None else written, scratch.blanks
            is_written = write_flat_rows(*given, mask, self._places, *options, *notes, arrays["observation"])
        elif self.observation == "compact":
            is_written = write_compact_rows(*given, mask, self._places, arrays["observation"])
        else:
            belief = self.belief, scratch.weights
            shown = arrays["observation"], arrays["game"]
            is_written = write_graph_rows(*given, mask, self._places, *belief, scratch.blanks, *shown)
        if not is_written:
            told = f"there are {len(states)} states, {len(rows)} rows up to {rows.max()}, and {len(mask)} in the arrays"
            raise ValueError(f"these cannot be written: {told}; give a state, a viewer and a row of the arrays each")
        if self.moves:
            write_moves_rows(*given, arrays["move_ids"], arrays["move_features"])

    def new_written(self, games: int) -> NDArray[np.void]:
        """Return notes on what stands in new arrays: nothing yet. Nobody but ``write`` may then change the arrays."""
        written = np.zeros(games, WRITTEN)
        written["log"] = NO_FARE
        return written

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_rules", "_scratch", "links")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._keep_at_hand()  # NumPy would bring the rules back as an array that can be written to

    def observe(self, view: View) -> dict[str, NDArray[Any]]:
        """Return the observation of one view by its viewer, in arrays of its own."""
        arrays = self.new_arrays(1)
        self.write(view.states, np.array([view.viewer]), np.zeros(1, np.int64), arrays)
        return {name: array[0] for name, array in arrays.items()}
