"""What a player of OpenSpiel is told: a view as our encoder writes it and, with perfect recall, the game so far.

The detectives have no secrets, so the public observation is theirs and only Mr. X has a private one: his station. With
perfect recall a tensor ends with the start cards and a row for every action, made from the very text that is the
information state as a string.
"""

import itertools
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.encode import Encoder
from scotyard_env.notation import DOUBLE_TEXT, HIDDEN, LETTERS, PASS_TEXT
from scotyard_env.openspiel.state import DETECTIVES_PLAYER, MR_X_PLAYER, ScotlandYardState
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X
from scotyard_env.wire import frame, to_line

KINDS_OF_MOVES = (*LETTERS, DOUBLE_TEXT, PASS_TEXT)
MOVE_COLUMNS = (*KINDS_OF_MOVES, "station")  # one-hot of the kind; the station as a share of the board's, 0 = hidden
FIRST_ROW = np.zeros(1, np.int64)


class ScotlandYardObserver:
    """Writes what a player may know into ``tensor``, whose pieces by name are ``dict``, and as text."""

    def __init__(self, board: Board, rules: RuleSet, kind: Any, params: Any = None) -> None:
        if params:
            raise ValueError(f"observations take no parameters, but were given {params}")
        if kind.perfect_recall and not kind.public_info:
            raise ValueError("perfect recall goes with public information: ask for public_info=True")
        self.board, self.rules, self.kind = board, rules, kind
        self._encoder = Encoder(board, rules, "flat")
        self._mask = np.zeros((1, int(self._encoder.action_space.n)), np.int8)
        self.tensor, self.dict = _lay_out(self._shapes())

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        if not self.kind.public_info:
            return {"station": (self.board.stations,)}
        shapes = {piece.name: piece.shape for piece in self._encoder.layout.pieces}
        if self.kind.perfect_recall:
            shapes["starts"] = (1 + self.rules.detectives,)  # as shares of the board's stations, Mr. X's first
            shapes["moves"] = (self.rules.most_actions, len(MOVE_COLUMNS))
        return shapes

    def set_from(self, state: ScotlandYardState, player: int) -> None:
        """Write what a player may know of a state into the tensor."""
        self.tensor.fill(0)
        if not self.kind.public_info:
            self._write_station(state, player)
        elif state.is_dealt:
            self._write_view(state, player)
        if self.kind.perfect_recall:
            self._write_game(state.tell(self._is_told_all(player)))

    def string_from(self, state: ScotlandYardState, player: int) -> str:
        """Write what a player may know of a state as text."""
        told_all = self._is_told_all(player)
        if not self.kind.public_info:
            return f"mr_x on {state.game.view(MR_X).stations[MR_X]}" if told_all and state.is_dealt else ""
        if self.kind.perfect_recall or not state.is_dealt:
            return state.tell(told_all)
        return to_line(frame(state.view(MR_X_PLAYER if told_all else DETECTIVES_PLAYER))).decode().rstrip()

    def _is_told_all(self, player: int) -> bool:
        """Tell whether an observation for a player says where Mr. X is."""
        if self.kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            return True
        return self.kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER and player == MR_X_PLAYER

    def _write_station(self, state: ScotlandYardState, player: int) -> None:
        if self._is_told_all(player) and state.is_dealt:
            self.dict["station"][state.game.view(MR_X).stations[MR_X] - 1] = 1

    def _write_view(self, state: ScotlandYardState, player: int) -> None:
        view = state.view(MR_X_PLAYER if self._is_told_all(player) else DETECTIVES_PLAYER)
        row = self.tensor[None, : self._encoder.layout.size]
        arrays: dict[str, NDArray[Any]] = {"observation": row, "action_mask": self._mask}
        self._encoder.write(view.states, np.array([view.viewer]), FIRST_ROW, arrays)

    def _write_game(self, told: str) -> None:
        starts, moves, *_ = told.removeprefix("starts ").split(";")
        for seat, start in enumerate(starts.split()):
            self.dict["starts"][seat] = self._share(start)
        for row, move in zip(self.dict["moves"], moves.split(), strict=False):
            kind = move if move in KINDS_OF_MOVES else move[0]
            row[KINDS_OF_MOVES.index(kind)] = 1
            row[-1] = self._share(move.removeprefix(kind) or HIDDEN)

    def _share(self, station: str) -> float:
        return 0.0 if station == HIDDEN else int(station) / self.board.stations


def _lay_out(shapes: dict[str, tuple[int, ...]]) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
    """Return an empty tensor and its pieces by name, which are parts of its memory."""
    ends = list(itertools.accumulate(int(np.prod(shape)) for shape in shapes.values()))
    tensor = np.zeros(ends[-1], np.float32)
    parts = np.split(tensor, ends[:-1])
    return tensor, {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
