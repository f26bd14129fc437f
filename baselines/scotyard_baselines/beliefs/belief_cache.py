"""A cache of beliefs, each under a digest of the public record that it follows from."""

import functools
import hashlib
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.history import Histories
from scotyard_env.kernel import kernel
from scotyard_env.ruleset import RuleSet
from scotyard_env.view import Views

MOST_CACHED = 8192  # beliefs at a time: the oldest make room
KEY = np.dtype("V16")  # a key, of two words
FACTORS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)  # odd and without a pattern, one for each word
HALF = np.uint64(32)


class BeliefCache:
    """Beliefs by keys, which threads may share; a copy sent to another process begins empty."""

    def __init__(self) -> None:
        self.beliefs: dict[bytes, NDArray[np.float64]] = {}
        self.lock = threading.Lock()

    def store(self, keys: list[bytes], beliefs: NDArray[np.float64]) -> None:
        """Store copies of some beliefs, and drop the oldest if there are too many."""
        with self.lock:
            self.beliefs.update(zip(keys, beliefs.copy(), strict=True))
            while len(self.beliefs) > MOST_CACHED:
                del self.beliefs[next(iter(self.beliefs))]

    def clear(self) -> None:
        """Drop all of them."""
        with self.lock:
            self.beliefs.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, nothing: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]


def keys_of(views: Views, histories: Histories, games: NDArray[np.int64], decisions: NDArray[np.int64]) -> list[bytes]:
    """Return a digest of all that the belief after so many decisions of some games follows from, 16 bytes each."""
    keys = np.empty(len(games), KEY)
    words = keys.view(np.uint64).reshape(len(games), 2)
    words[:] = _key_of_game(views.board, views.rules)
    records = histories.states.view(np.uint64).reshape(*histories.states.shape, -1)
    told = histories.paid.view(np.uint64), histories.shown.view(np.uint64)
    digest_rows(records, *told, games, decisions - 1, words)
    found: list[bytes] = keys.tolist()
    return found


@functools.lru_cache(maxsize=64)
def _key_of_game(board: Board, rules: RuleSet) -> NDArray[np.uint64]:
    return np.frombuffer(hashlib.blake2b(f"{board.signature}{rules}".encode(), digest_size=16).digest(), np.uint64)


# --------------------------------------------------------------------------------------------------------- kernels
@kernel
def digest_rows(records, paid, shown, games, decisions, keys):
    """Mix the record before a decision of each game, and what it showed, into the two words of its key."""
    for row in range(len(games)):
        game, decision, key = games[row], decisions[row], keys[row]
        for word in range(records.shape[2]):
            mix_in(records[game, decision, word], key)
        mix_in(paid[game, decision], key)
        mix_in(shown[game, decision], key)


@kernel
def mix_in(word, key):
    """Mix one more word into a key: multiplied bits spread upwards, and from the upper half they come back."""
    for half in range(2):
        mixed = np.multiply(key[half] ^ word, FACTORS[half])  # overflows without a warning
        key[half] = mixed ^ (mixed >> HALF)
