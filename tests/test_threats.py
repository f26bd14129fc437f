"""Who can reach a station: each answer is restated here slowly, from the public lists of a view."""

from __future__ import annotations

import pytest
from playing import all_settings, distance, random_game
from slow_rules import neighbours_by_station

from scotyard_env.state import SPECTATOR, TRANSPORTS, station_set
from scotyard_env.threats import (
    can_step_to,
    count_exits,
    count_safe_exits,
    count_threats,
    distance_to_nearest,
    is_beside,
    is_threatened,
    nearest_detective,
    share_beside,
)
from scotyard_env.view import View

SETTINGS = [setting for setting in all_settings() if setting[1] in ("classic", "docklands", "glasses")]


def steppers(view: View, station: int) -> list[int]:
    """List the detectives that have a link and a ticket to a station."""
    links = neighbours_by_station(view.board.links)[station]
    return [
        seat
        for seat, here in enumerate(view.stations)
        if seat > 0 and any(near == here and view.tickets[seat][TRANSPORTS.index(by)] for near, by in links)
    ]


def free_neighbours(view: View, station: int) -> list[int]:
    near = {to for to, _ in neighbours_by_station(view.board.links)[station]}
    return sorted(near - set(view.stations[1:]))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
def test_threats_and_exits_are_what_the_lists_say(setting: tuple[str, str, int]) -> None:
    view = random_game(*setting, seed=5, actions=20).view(SPECTATOR)
    board, state, seats = view.board.arrays, view.state, len(view.stations)
    for station in range(1, view.board.stations + 1):
        threats = steppers(view, station)
        exits = free_neighbours(view, station)
        assert [seat for seat in range(1, seats) if can_step_to(board, state, seat, station)] == threats
        assert count_threats(board, state, station) == len(threats)
        assert bool(is_threatened(board, state, station)) == bool(threats)
        assert count_exits(board, state, station) == len(exits)
        assert count_safe_exits(board, state, station) == sum(not steppers(view, to) for to in exits)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
def test_distances_are_the_shortest_ways(setting: tuple[str, str, int]) -> None:
    view = random_game(*setting, seed=6, actions=20).view(SPECTATOR)
    board, state = view.board.arrays, view.state
    beside = []
    for station in range(1, view.board.stations + 1):
        nearest = min(distance(view.board, detective, station) for detective in view.stations[1:])
        assert nearest_detective(board, state, station) == min(nearest, 255)
        assert distance_to_nearest(board, state.station[1 : state.seats], station, 4) == min(nearest, 4)
        assert bool(is_beside(board, state, station)) == any(
            distance(view.board, detective, station) == 1 for detective in view.stations[1:]
        )
        beside += [station] if is_beside(board, state, station) else []
    everywhere = station_set(range(1, view.board.stations + 1))
    assert share_beside(board, state, everywhere) == len(beside) / view.board.stations
