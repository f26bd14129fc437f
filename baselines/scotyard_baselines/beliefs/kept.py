"""What was inferred of games, kept by the public bytes that it follows from."""

import functools
import hashlib
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.history import Histories
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import STATE
from scotyard_env.view import Views

MOST_KEPT = 8192  # results that are kept at a time: the oldest make room
TOLD = STATE.itemsize  # column of what a decision showed; before it comes the public record
WIDTH = TOLD + 2 * np.int64().itemsize


class Kept:
    """Arrays by keys, which threads may share."""

    def __init__(self) -> None:
        self.results: dict[bytes, NDArray[np.float64]] = {}
        self.lock = threading.Lock()

    def keep(self, keys: list[bytes], results: NDArray[np.float64]) -> None:
        """Keep copies of some results, and forget the oldest if there are too many."""
        with self.lock:
            self.results.update(zip(keys, results.copy(), strict=True))
            while len(self.results) > MOST_KEPT:
                del self.results[next(iter(self.results))]

    def forget(self) -> None:
        """Forget all of them."""
        with self.lock:
            self.results.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, nothing: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]


def keys_of(views: Views, histories: Histories, games: NDArray[np.int64], decisions: NDArray[np.int64]) -> list[bytes]:
    """Return what the weights after so many decisions of some games follow from, in a few bytes each."""
    pasts, rows = histories.states[games, decisions - 1], np.empty((len(games), WIDTH), np.uint8)
    rows[:, :TOLD] = pasts.view(np.uint8).reshape(len(games), TOLD)
    told = np.column_stack([histories.paid[games, decisions - 1], histories.shown[games, decisions - 1]])
    rows[:, TOLD:] = told.view(np.uint8)
    game = _key_of_game(views.board, views.rules)
    return [hashlib.blake2b(row.data, digest_size=16, key=game).digest() for row in rows]


@functools.lru_cache(maxsize=64)
def _key_of_game(board: Board, rules: RuleSet) -> bytes:
    return hashlib.blake2b(f"{board.signature}{rules}".encode()).digest()
