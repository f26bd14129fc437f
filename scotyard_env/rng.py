"""Random numbers inside kernels: a generator of one 64-bit word that the caller seeds (G. Marsaglia, "Xorshift RNGs").

Numba takes a NumPy generator in slowly and a search draws millions of numbers, so a policy draws one seed of its rng
for each decision, and kernels go on from there. Shifts alone never overflow, so plain Python draws the same numbers.
"""

import numpy as np
from numpy.typing import NDArray

from scotyard_env.kernel import kernel

_LEFT, _RIGHT, _LEFT_AGAIN = np.uint64(13), np.uint64(7), np.uint64(17)
_HALF = np.uint64(32)


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
