"""Sets of stations: what compiled code lists and finds is what Python does."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from scotyard_env.state import (
    MAX_STATIONS,
    NOWHERE,
    add,
    clear,
    count,
    discard,
    has,
    list_stations,
    next_station,
    station_list,
    station_set,
)


def some_sets() -> list[list[int]]:
    rng = np.random.default_rng(7)
    drawn = [sorted(rng.choice(np.arange(1, MAX_STATIONS + 1), size, replace=False)) for size in range(0, 255, 9)]
    return [[], [1], [63, 64, 65], [MAX_STATIONS], list(range(1, MAX_STATIONS + 1)), *(map(int, one) for one in drawn)]


@pytest.mark.parametrize("stations", [list(one) for one in some_sets()], ids=len)
def test_stations_of_a_set_are_listed_ascending(stations: list[int]) -> None:
    numbers = np.full(MAX_STATIONS, -1, np.int16)
    assert list_stations(station_set(stations), numbers) == len(stations) == count(station_set(stations))
    assert numbers[: len(stations)].tolist() == stations == station_list(station_set(stations))
    assert (numbers[len(stations) :] == -1).all()


@pytest.mark.parametrize("stations", [list(one) for one in some_sets()], ids=len)
def test_one_station_comes_after_the_other(stations: list[int]) -> None:
    for station, following in pairwise([NOWHERE, *stations, NOWHERE]):
        assert next_station(station_set(stations), station) == following


def test_the_next_station_is_found_from_outside_of_the_set_too() -> None:
    stations = station_set([5, 70, 200])
    assert [next_station(stations, station) for station in (4, 5, 63, 64, 71, 200, 255)] == [5, 70, 70, 70, 200, 0, 0]


def test_stations_come_and_go() -> None:
    stations = station_set([3, 64])
    add(stations, 128)
    discard(stations, 3)
    discard(stations, 4)
    assert station_list(stations) == [64, 128]
    assert [bool(has(stations, station)) for station in (3, 64, 128)] == [False, True, True]
    clear(stations)
    assert station_list(stations) == []
