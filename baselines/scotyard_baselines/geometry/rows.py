"""Rows of bytes by station, distances or capture times, brought together in place.

In place and on bytes, or the compiler does not make them fast; sums that a byte may not hold take two. Rows may differ
in length: what all have counts.
"""

import numpy as np

from scotyard_baselines.capture.times import LONG
from scotyard_env.kernel import kernel


@kernel
def lower(row, other):
    """Lower a row to another where that is smaller."""
    for station in range(min(len(row), len(other))):
        row[station] = min(row[station], other[station])


@kernel
def lower_both(least, second, other):
    """Lower the smallest and the second smallest of some rows by one more row."""
    for station in range(min(len(least), len(other))):
        second[station] = min(second[station], max(least[station], other[station]))
        least[station] = min(least[station], other[station])


@kernel
def add_up(total, times):
    """Add the capture times of one more pair of detectives, none above LONG."""
    for station in range(min(len(total), len(times))):
        total[station] += min(times[station], LONG)


@kernel
def lower_later(row, times, one, other):
    """Lower a row to capture times that come later by the detours of both detectives."""
    for station in range(min(len(row), len(times))):
        later = np.uint16(int(times[station]) + int(one[station]) + int(other[station]))
        row[station] = min(np.uint16(row[station]), later)


@kernel
def add_up_later(total, times, one, other):
    """Add the capture times of one more pair of detectives, later by the detours of both, none above LONG."""
    for station in range(min(len(total), len(times))):
        later = np.uint16(int(times[station]) + int(one[station]) + int(other[station]))
        total[station] += min(later, np.uint16(LONG))
