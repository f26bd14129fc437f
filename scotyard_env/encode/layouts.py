"""Where everything is in an observation: the named pieces of the vectors, the features of a station, the links."""

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.kernel import record_type
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import FARES, TICKETS, TRANSPORTS

LOG_COLUMNS = FARES + 1  # a one-hot of the fare, and whether it was the second half of a double move

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

PLACES = record_type(  # where the pieces of a vector begin, as kernels read it; what a vector lacks begins at 0
    [
        (name, "i4")
        for name in (
            "seat",
            "to_move",
            "tickets",
            "log",
            "entry",
            "since_reveal",
            "to_reveal",
            "owed",
            "rounds",
            "own",
            "detectives",
            "mr_x",
            "possible",
            "belief",
        )
    ]
)


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

    @property
    def places(self) -> NDArray[np.void]:
        """Where each piece begins, as an array of one record of PLACES."""
        places = np.zeros(1, PLACES)
        for piece in self.pieces:
            places[piece.name] = piece.start
        return places

    def __getitem__(self, name: str) -> slice:
        """Return the slice of a piece."""
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
        "tickets": (seats, len(TICKETS)),  # Mr. X's, then the detectives'; tenths, 10 = unlimited
        "log": (rules.log_room, LOG_COLUMNS),  # one-hot of the fare of each entry; second half of a double move
        "entry": (1,),  # share of the log that is filled
        "since_reveal": (1,),  # entries since Mr. X showed himself, as a share of the log; 1 = never did
        "to_reveal": (1,),  # entries until he does again, as a share of the log; 1 = never will
        "owed": (1,),  # moves owed by a double move in progress: 0, a half or 1
    }


def flat_layout(board: Board, rules: RuleSet, belief: bool = False) -> Layout:
    """Lay out the flat observation: detectives in the order of their seats."""
    stations = board.stations
    game = _game_shapes(rules)
    log = {"log": game.pop("log")}
    shapes = {
        **game,
        "rounds": (1,),  # rounds begun, as a share of the log
        **log,  # after what every step changes, which lies together
        "own": (stations,),  # one-hot of the viewer's station
        "detectives": (rules.detectives, stations),  # one-hot of each detective's station
        "mr_x": (stations,),  # one-hot of where Mr. X showed himself last
        "possible": (stations,),  # 1 where Mr. X may be
        **({"belief": (stations,)} if belief else {}),  # his probability to be there by path counts
    }
    return _lay_out(shapes)


def viewer_first_layout(board: Board, rules: RuleSet, belief: bool = False) -> Layout:
    """Lay out the flat observation of version 0.1.0: detectives in cyclic order, the viewer first."""
    stations = board.stations
    shapes = {
        **_game_shapes(rules),
        "detectives": (rules.detectives, stations),  # one-hot of each detective's station
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
