"""Random numbers of policies: an rng for each side that tells nothing of the deal, and the numbers inside kernels.

What deals a game and what the two policies draw from come from one seed, and nobody shall find out the seed, the deal
or the other side's numbers from the rng that he is handed: a side's rng is made from a digest of the seed and goes its
own way. Who guesses the seed can deal the game himself, so a seed that must not be guessed is a large one.

Inside kernels it is a generator of one 64-bit word that the caller seeds (G. Marsaglia, "Xorshift RNGs"): Numba takes a
NumPy generator in slowly and a search draws millions of numbers, so a policy draws one seed of its rng for each
decision, and kernels go on from there. Shifts alone never overflow, so plain Python draws the same numbers.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from scotyard_env.kernel import kernel

_LEFT, _RIGHT, _LEFT_AGAIN = np.uint64(13), np.uint64(7), np.uint64(17)
_HALF = np.uint64(32)


Rngs = tuple[np.random.Generator, np.random.Generator]  # of Mr. X's policy and of the detectives'


def policy_rng(*key: int | str) -> np.random.Generator:
    """Return the rng that belongs to a key, such as a seed and a side, from which the key cannot be told."""
    digest = hashlib.blake2b("/".join(map(str, key)).encode(), digest_size=32).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def side_rngs(seed: int | None, *number: int) -> Rngs:
    """Return the rng of each side, Mr. X's first, for a game of this seed and number; by chance without a seed."""
    if seed is None:
        return np.random.default_rng(), np.random.default_rng()
    return policy_rng(seed, *number, "mr_x"), policy_rng(seed, *number, "detectives")


def draw_seeds(rng: np.random.Generator, size: int) -> NDArray[np.uint64]:
    """Draw one seed for each of so many decisions; no seed is 0, which would stay 0 for ever."""
    return rng.integers(1, 2**64, size=size, dtype=np.uint64)


@kernel
def draw_bits(rng_state):
    """Draw 32 random bits; the state of the generator is an array of one word, which moves on."""
    word = rng_state[0]
    word ^= word << _LEFT
    word ^= word >> _RIGHT
    word ^= word << _LEFT_AGAIN
    rng_state[0] = word
    return np.int64(word >> _HALF)


@kernel
def draw_below(rng_state, size):
    """Draw a whole number from 0 to size - 1, each as likely as the others."""
    return (draw_bits(rng_state) * size) >> 32


@kernel
def draw_unit(rng_state):
    """Draw a number in [0, 1)."""
    return draw_bits(rng_state) * 2.0**-32
