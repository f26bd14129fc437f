"""Copying and sorting inside kernels agree with Python's."""

from __future__ import annotations

import numpy as np
import pytest

from scotyard_env.arrays import copy_values, order_by, sort_ascending


def test_values_are_copied_and_the_rest_of_the_target_stays() -> None:
    source, target = np.array([1, 2], np.int16), np.full(3, 9.0)
    copy_values(source, target)
    assert target.tolist() == [1.0, 2.0, 9.0]


@pytest.mark.parametrize("seed", range(20))
def test_values_are_sorted_and_the_rest_stays(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, size=12).astype(np.float32)
    count = int(rng.integers(0, 13))
    expected = [*sorted(values[:count].tolist()), *values[count:].tolist()]
    sort_ascending(values, count)
    assert values.tolist() == expected


@pytest.mark.parametrize("seed", range(20))
def test_numbers_are_ordered_by_their_keys_and_equal_ones_stay_as_they_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys, order = rng.integers(0, 4, size=12).astype(np.float64), rng.permutation(12)
    count = int(rng.integers(0, 13))
    expected = [*sorted(order[:count].tolist(), key=lambda number: -keys[number]), *order[count:].tolist()]
    order_by(keys, order, count)
    assert order.tolist() == expected
