"""The suspicion of a rational Mr. X agrees with a slow sum over all his paths."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from playing import random_game

from baselines.capture import capture_times
from baselines.suspicion import EXITS, SAFE, SECOND, TIME, suspect
from scotyard_env.state import MR_X, station_list
from scotyard_env.view import View


def suspicion_of(view: View) -> np.ndarray:
    belief = np.zeros((2, view.board.stations + 1))
    soonest = np.zeros(view.board.stations + 1, np.uint8)
    suspect(view.board.arrays, capture_times(view.board), view.state, *belief, soonest)
    return belief[0]


def taste(view: View, station: int, detectives: list[int]) -> float:
    """Weigh one move as the docstring says."""
    arrays, times = view.board.arrays, capture_times(view.board)
    distances = sorted(int(arrays.distance[detective, station]) for detective in detectives)
    soonest = min([16, *(int(times[a, b, station]) for a, b in itertools.combinations(detectives, 2))])
    neighbours = {int(arrays.to[row]) for row in range(arrays.first[station], arrays.first[station + 1])}
    second = distances[1] if len(distances) > 1 else 5
    figures = SAFE * (distances[0] > 1) + TIME * soonest + SECOND * min(second, 5) + EXITS * min(len(neighbours), 8)
    return float(np.exp(figures))


def slow_suspicion(view: View) -> np.ndarray:
    """Walk every path by itself."""
    now, arrays = view.state, view.board.arrays
    starts = [int(now.seen)] if now.seen_entry else station_list(now.start)
    walked = int(now.log_round[now.seen_entry - 1]) if now.seen_entry else 0
    paths = [(start, 1.0) for start in starts]
    for entry in range(now.seen_entry, now.entries):
        moved_in = int(now.log_round[entry])
        before = now.trail[moved_in - 1, : now.seats - 1].tolist()
        if moved_in > walked:
            met = now.trail[walked, : now.seats - 1].tolist()
            paths, walked = [(at, weight) for at, weight in paths if at not in met], moved_in
        is_first_half = entry + 1 < now.entries and now.log_round[entry + 1] == moved_in
        longer = []
        for at, weight in paths:
            for row in range(arrays.first[at], arrays.first[at + 1]):
                to = int(arrays.to[row])
                if arrays.fare[row] == now.log[entry] and to not in before:
                    longer.append((to, weight if is_first_half else weight * taste(view, to, before)))
        paths = longer
    belief = np.zeros(view.board.stations + 1)
    for at, weight in paths:
        belief[at] += weight if at in view.possible else 0.0
    return belief / belief.sum()


@pytest.mark.parametrize("seed", range(8))
def test_the_suspicion_is_a_sum_over_all_paths(seed: int) -> None:
    game = random_game("docklands", "docklands", 3, seed, actions=4 + 3 * seed)
    if game.winner is None and game.seat != MR_X:
        view = game.view(game.seat)
        assert suspicion_of(view) == pytest.approx(slow_suspicion(view))


@pytest.mark.parametrize("detectives", [1, 2, 5])
def test_it_is_a_probability_over_the_possible_stations(detectives: int) -> None:
    for seed in range(5):
        game = random_game("london", "classic", detectives, seed, actions=30)
        if game.winner is None:
            view = game.view(game.seat)
            belief = suspicion_of(view)
            assert belief.sum() == pytest.approx(1.0)
            assert np.flatnonzero(belief).tolist() == view.possible
