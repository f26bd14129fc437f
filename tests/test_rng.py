"""Random numbers inside kernels: the same seed draws the same ones, and each is as likely as it should be."""

from __future__ import annotations

import numpy as np

from scotyard_env.rng import draw_below, draw_bits, draw_seeds, draw_unit


def test_the_same_seed_draws_the_same_bits() -> None:
    one, other = np.array([17], np.uint64), np.array([17], np.uint64)
    assert [draw_bits(one) for _ in range(50)] == [draw_bits(other) for _ in range(50)]


def test_bits_are_those_of_xorshift() -> None:
    word, rng_state = 88172645463325252, np.array([88172645463325252], np.uint64)
    for _ in range(20):
        word ^= word << 13 & (1 << 64) - 1
        word ^= word >> 7
        word ^= word << 17 & (1 << 64) - 1
        assert draw_bits(rng_state) == word >> 32


def test_numbers_below_a_bound_are_all_drawn_alike() -> None:
    rng_state = np.array([5], np.uint64)
    drawn = np.bincount([draw_below(rng_state, 7) for _ in range(7000)], minlength=7)
    assert len(drawn) == 7
    assert abs(drawn - 1000).max() < 150  # five standard deviations


def test_units_fill_the_interval() -> None:
    rng_state = np.array([5], np.uint64)
    drawn = np.array([draw_unit(rng_state) for _ in range(2000)])
    assert (drawn >= 0).all()
    assert (drawn < 1).all()
    assert abs(drawn.mean() - 0.5) < 0.04


def test_seeds_are_never_nought_and_come_one_by_one_as_they_come_together() -> None:
    one, other = np.random.default_rng(1), np.random.default_rng(1)
    together = draw_seeds(one, 20)
    assert together.tolist() == [int(draw_seeds(other, 1)[0]) for _ in range(20)]
    assert (together > 0).all()
