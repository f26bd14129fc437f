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

from scotyard_env.belief import weigh_by_paths
from scotyard_env.board import Board
from scotyard_env.features import MOVE_WIDTH, most_moves, new_work, write_moves
from scotyard_env.kernel import kernel
from scotyard_env.rules import action_count, legal_actions
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import (
    FARES,
    MAX_DETECTIVES,
    MAX_LOG,
    MR_X,
    NOWHERE,
    TICKETS,
    TRANSPORTS,
    UNLIMITED,
    WORDS,
    clear,
    has,
    lowest,
)
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
LOG_COLUMNS = FARES + 1  # a one-hot of the fare, and whether it was the second half of a double move
FAR = 8.0  # distances are divided by this
MANY = 10.0  # counts of tickets by this
MOST_BYTES = 255  # what an unlimited or larger count of tickets is in a byte

MARKS = np.dtype(  # what stands in a row of flat observations, so that the next one need not begin with wiping 7 kB
    (
        np.record,
        np.dtype(
            [
                ("possible", "u8", (WORDS,)),
                ("station", "i2", (MAX_DETECTIVES + 1,)),  # of the detectives in order, then of Mr. X; NOWHERE = none
                ("entries", "i2"),
                ("log", "u1", (MAX_LOG,)),  # each entry as `log_code` writes it
            ],
            align=True,
        ),
    )
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
        self._work = new_work()
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
        given = self.board.packed, self._rules, views, viewers, rows
        if self.observation == "flat":
            marks = _NO_MARKS if marks is None else marks
            write_flat_rows(*given, self.belief, self._weights, marks, self._blank, arrays["observation"])
        elif self.observation == "compact":
            write_compact_rows(*given, arrays["observation"])
        else:
            write_graph_rows(*given, self.belief, self._weights, self._blank, arrays["observation"], arrays["game"])
        if self.moves:
            write_moves_rows(*given, self._work, arrays["action_mask"], arrays["move_ids"], arrays["move_features"])
        else:
            write_mask_rows(*given, self._work, arrays["action_mask"])

    def new_marks(self, games: int) -> NDArray[np.void]:
        """Make the notes on what stands in new arrays, of which nobody but ``write`` may then change anything."""
        return np.zeros(games, MARKS)

    def observe(self, view: View) -> dict[str, NDArray[Any]]:
        """Make the observation of one view by its viewer, in arrays of its own."""
        arrays = self.new_arrays(1)
        self.write(view.states, np.array([view.viewer]), np.zeros(1, np.int64), arrays)
        return {name: array[0] for name, array in arrays.items()}


# ---------------------------------------------------------------------------------------------------- many at a time


@kernel
def write_flat_rows(boards, rules, views, viewers, rows, with_belief, weights, marks, blanks, out):
    """Write a flat observation of each view: what has changed where there are marks, else all of it."""
    for index in range(len(rows)):
        row = rows[index]
        if len(marks) > 0:
            mark = marks[row]
        else:
            mark = blanks[0]
            wipe_mark(mark)
            out[row, :] = 0.0
        write_flat(boards[0], rules[0], views[index], viewers[index], with_belief, weights, mark, out[row])


@kernel
def write_compact_rows(boards, rules, views, viewers, rows, out):
    """Write a compact observation of each view."""
    for index in range(len(rows)):
        write_compact(boards[0], rules[0], views[index], viewers[index], out[rows[index]])


@kernel
def write_graph_rows(boards, rules, views, viewers, rows, with_belief, weights, blanks, stations, game):
    """Write a graph observation of each view."""
    for index in range(len(rows)):
        view, viewer, row = views[index], viewers[index], rows[index]
        wipe_mark(blanks[0])
        game[row, :] = 0.0
        write_game(rules[0], view, viewer, blanks[0], game[row])
        write_stations(boards[0], view, viewer, with_belief, weights, stations[row])


@kernel
def write_mask_rows(boards, rules, views, viewers, rows, works, masks):
    """Write the mask of legal actions of each view; nothing is legal for a viewer who is not to move."""
    work = works[0]
    for index in range(len(rows)):
        view, mask = views[index], masks[rows[index]]
        mask[:] = 0
        if view.seat == viewers[index]:
            for legal in range(legal_actions(boards[0], rules[0], view, work.legal)):
                mask[work.legal[legal]] = 1


@kernel
def write_moves_rows(boards, rules, views, viewers, rows, works, masks, ids, features):
    """Write the mask, the legal actions and their features of each view."""
    for index in range(len(rows)):
        view, row = views[index], rows[index]
        mask = masks[row]
        mask[:] = 0
        if view.seat == viewers[index]:
            for legal in range(write_moves(boards[0], rules[0], view, works[0], ids[row], features[row])):
                mask[ids[row, legal]] = 1
        else:
            ids[row, :] = -1
            features[row, :, :] = 0.0


# ----------------------------------------------------------------------------------------------------- one at a time


@kernel
def nth_detective(view, viewer, place):
    """Tell which detective comes at this place in the viewer's order: the viewer first, Mr. X begins with the first."""
    seat = place + (viewer if viewer > MR_X else 1)
    return seat if seat < view.seats else seat - view.seats + 1


@kernel
def known_station(view, viewer):
    """Tell where Mr. X is, to himself; to the others, where he showed himself last."""
    return view.station[MR_X] if viewer == MR_X else view.seen


@kernel
def entries_to_reveal(rules, view):
    """Count the log entries until Mr. X shows himself again; 0 if he never will."""
    for entry in range(view.entries + 1, rules.log_entries + 1):
        if rules.reveals[entry]:
            return entry - view.entries
    return 0


@kernel
def log_code(view, entry):
    """Write a log entry as one number: 1 + fare, + 8 for the second half of a double move."""
    is_second = entry > 0 and view.log_round[entry] == view.log_round[entry - 1]
    return 1 + view.log[entry] + (8 if is_second else 0)


@kernel
def write_game(rules, view, viewer, mark, out):
    """Write the pieces that are not about stations over those that the mark describes; return where they end."""
    seats, room = int(view.seats), int(rules.log_entries)  # wide enough to count the places with, as plain Python too
    for place in range(2 * seats):
        out[place] = 0.0
    if viewer >= MR_X:
        out[viewer] = 1.0
    out[seats + view.seat] = 1.0
    at = 2 * seats
    for place in range(seats):
        seat = MR_X if place == 0 else nth_detective(view, viewer, place - 1)
        for kind in range(len(TICKETS)):
            tickets = view.tickets[seat, kind]
            out[at] = MANY if tickets == UNLIMITED else min(tickets / MANY, MANY)
            at += 1
    write_log(view, mark, out, at)
    at += LOG_COLUMNS * room
    to_reveal = entries_to_reveal(rules, view)
    out[at] = view.entries / room
    out[at + 1] = (view.entries - view.seen_entry) / room if view.seen_entry > 0 else 1.0
    out[at + 2] = to_reveal / room if to_reveal > 0 else 1.0
    out[at + 3] = view.owed / 2.0
    return at + 4


@kernel
def write_log(view, mark, out, at):
    """Write the log entries that are not as the mark describes them."""
    for entry in range(max(view.entries, mark.entries)):
        code = log_code(view, entry) if entry < view.entries else 0
        if code != mark.log[entry]:
            mark.log[entry] = code
            for column in range(LOG_COLUMNS):
                out[at + LOG_COLUMNS * entry + column] = 0.0
            if code > 0:
                out[at + LOG_COLUMNS * entry + (code - 1) % 8] = 1.0
                out[at + LOG_COLUMNS * entry + FARES] = 1.0 if code > 8 else 0.0
    mark.entries = view.entries


@kernel
def write_flat(board, rules, view, viewer, with_belief, weights, mark, out):
    """Write a flat observation over the one that the mark describes."""
    at = write_game(rules, view, viewer, mark, out)
    stations = board.stations
    for place in range(view.seats - 1):
        move_one(out, at, mark, place, view.station[nth_detective(view, viewer, place)])
        at += stations
    move_one(out, at, mark, MAX_DETECTIVES, known_station(view, viewer))
    at += stations
    for word in range(WORDS):
        changed = view.possible[word] ^ mark.possible[word]
        mark.possible[word] = view.possible[word]
        while changed != 0:
            station = 64 * word + lowest(changed)
            changed &= changed - np.uint64(1)
            out[at + station - 1] = 1.0 if has(view.possible, station) else 0.0
    if with_belief:
        weigh_by_paths(board, view, False, weights[0], weights[1])
        out[at + stations : at + 2 * stations] = weights[0, 1:]


@kernel
def wipe_mark(mark):
    """Note that nothing stands in a row."""
    clear(mark.possible)
    for place in range(MAX_DETECTIVES + 1):
        mark.station[place] = NOWHERE
    mark.entries = 0
    mark.log[:] = 0


@kernel
def move_one(out, at, mark, place, station):
    """Move the 1 of a one-hot piece that begins at a column to a station, or take it away."""
    if mark.station[place] != NOWHERE:
        out[at + mark.station[place] - 1] = 0.0
    if station != NOWHERE:
        out[at + station - 1] = 1.0
    mark.station[place] = station


@kernel
def write_compact(board, rules, view, viewer, out):
    """Write a compact observation."""
    out[0] = max(viewer, MR_X)
    out[1] = view.seat
    out[2] = view.entries
    out[3] = view.entries - view.seen_entry
    out[4] = entries_to_reveal(rules, view)
    out[5] = view.owed
    out[6] = known_station(view, viewer)
    at = 7
    for place in range(view.seats - 1):
        out[at] = view.station[nth_detective(view, viewer, place)]
        at += 1
    for place in range(view.seats):
        seat = MR_X if place == 0 else nth_detective(view, viewer, place - 1)
        for kind in range(len(TICKETS)):
            tickets = view.tickets[seat, kind]
            out[at] = MOST_BYTES if tickets == UNLIMITED else min(tickets, MOST_BYTES)
            at += 1
    for entry in range(rules.log_entries):
        out[at] = log_code(view, entry) if entry < view.entries else 0
        at += 1
    for station in range(1, board.stations + 1):
        out[at] = 1 if has(view.possible, station) else 0
        at += 1


@kernel
def write_stations(board, view, viewer, with_belief, weights, out):
    """Write the features of every station."""
    out[:] = 0.0
    own = view.station[viewer] if viewer >= MR_X else NOWHERE  # a spectator stands nowhere
    if with_belief:
        weigh_by_paths(board, view, False, weights[0], weights[1])
    for station in range(1, board.stations + 1):
        nearest = 255
        for seat in range(1, view.seats):
            nearest = min(nearest, board.distance[view.station[seat], station])
        row = out[station]
        row[3] = 1.0 if has(view.possible, station) else 0.0
        if with_belief:
            row[4] = weights[0, station]
        if own != NOWHERE:
            row[5] = min(board.distance[own, station] / FAR, 2.0)
        row[6] = min(nearest / FAR, 2.0)
        for transport in range(len(TRANSPORTS)):
            row[7 + transport] = min(board.links[station, transport] / 4.0, 2.0)
    if own != NOWHERE:
        out[own, 0] = 1.0
    for seat in range(1, view.seats):
        if seat != viewer:
            out[view.station[seat], 1] += 1.0
    known = known_station(view, viewer)
    if known != NOWHERE:
        out[known, 2] = 1.0
