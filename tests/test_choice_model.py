"""The belief in a rational Mr. X agrees with a slow sum over all his paths."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.beliefs.choice_model import (
    CALM,
    CHOICE_SCRATCH,
    COLOURED,
    DARK,
    UTILITY_EXIT,
    UTILITY_SAFE,
    UTILITY_SECOND,
    UTILITY_TIME,
    infer_belief,
    narrow_belief,
)
from scotyard_baselines.capture.times import LONG, MAX_PAIRS, capture_times
from scotyard_env.game import Game
from scotyard_env.state import BLACK, MR_X, TAXI, station_list
from scotyard_env.view import View


def belief_of(view: View) -> np.ndarray:
    scratch = np.zeros(1, CHOICE_SCRATCH)
    infer_belief(view.board.arrays, capture_times(view.board), view.state, scratch[0])
    return scratch[0].belief[: view.board.stations + 1].copy()


def attraction(view: View, to: int, fare: int, detectives: list[int]) -> float:
    """Return exp(utility) of one move as the docstring says."""
    arrays, times = view.board.arrays, capture_times(view.board)
    distances = sorted(int(arrays.distance[detective, to]) for detective in detectives)
    pairs = [min(int(times[a, b, to]), 24) for a, b in itertools.combinations(detectives, 2)]
    neighbours = {int(arrays.to[row]) for row in range(arrays.first[to], arrays.first[to + 1])}
    second = distances[1] if len(distances) > 1 else 6
    utility = UTILITY_SAFE * (distances[0] > 1) + UTILITY_SECOND * min(second, 6)
    utility += UTILITY_EXIT * min(len(neighbours), 8)
    utility += UTILITY_TIME * float(np.mean(pairs)) if pairs else 0.0
    return {TAXI: 1.0, BLACK: DARK}.get(fare, COLOURED) * float(np.exp(utility))


def moves_from(view: View, station: int, shown: int, detectives: list[int]) -> list[tuple[int, int]]:
    """List what Mr. X could do there: a station and the fare, which is the shown one or one he still has."""
    arrays, his = view.board.arrays, view.state.tickets[MR_X]
    rows = range(arrays.first[station], arrays.first[station + 1])
    moves = [(int(arrays.to[row]), int(arrays.fare[row])) for row in rows]
    return [(to, fare) for to, fare in moves if to not in detectives and (fare == shown or his[fare] != 0)]


def slow_belief(view: View) -> np.ndarray:
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
        longer, shown = [], int(now.log[entry])
        for at, weight in paths:
            moves = moves_from(view, at, shown, before)
            total = sum(attraction(view, to, fare, before) for to, fare in moves)
            is_calm = min(int(arrays.distance[detective, at]) for detective in before) > 2
            for to, fare in moves:
                if fare == shown and is_first_half:
                    longer.append((to, weight * (CALM if is_calm else 1.0)))
                elif fare == shown:
                    longer.append((to, weight * attraction(view, to, fare, before) / total))
        paths = longer
    belief = np.zeros(view.board.stations + 1)
    for at, weight in paths:
        belief[at] += weight if at in view.possible else 0.0
    return belief / belief.sum()


@pytest.mark.parametrize(
    ("board", "rules", "detectives"),
    [("docklands", "docklands", 3), ("london", "classic", 2), ("london", "ravensburger_2013", 5)],
)
def test_the_belief_is_a_sum_over_all_paths(board: str, rules: str, detectives: int) -> None:
    hidden, doubled = set(), 0
    for seed in range(12):
        game = random_game(board, rules, detectives, seed, actions=(detectives + 1) * (1 + seed % 5))
        while game.winner is None and game.seat == MR_X:
            game.play(int(game.legal[-1 - seed % len(game.legal)]))
        if game.winner is None:
            view, now = game.view(game.seat), game.state
            assert belief_of(view) == pytest.approx(slow_belief(view))
            rounds = now.log_round[now.seen_entry : now.entries].tolist()
            hidden.add(len(rounds))
            doubled += len(set(rounds)) < len(rounds)
    assert len(hidden) > 1
    assert doubled > 0


def test_the_times_of_all_pairs_fit_a_byte() -> None:
    assert np.iinfo(np.uint8).max >= MAX_PAIRS * LONG


@pytest.mark.parametrize("seed", range(5))
def test_later_in_the_round_it_is_the_same_without_where_he_was_missed(seed: int) -> None:
    game, scratch = random_game("london", "classic", 5, seed, actions=20), np.zeros(1, CHOICE_SCRATCH)
    while game.seat != 1:
        game.play(int(game.legal[0]))
    infer_belief(game.board.arrays, capture_times(game.board), game.view(1).state, scratch[0])
    for seat in range(2, 6):
        game.play(int(game.legal[0]))
        view = game.view(seat)
        narrow_belief(game.board.arrays, view.state, scratch[0])
        assert scratch[0].belief[: game.board.stations + 1].tolist() == belief_of(view).tolist()


def test_who_doubles_had_a_detective_near_by() -> None:
    game = Game.from_position("london", stations=[45, 46, 47], possible=[45, 197])
    for action in ("2x", "T58", "T45"):
        game.play(action)
    belief, distance = belief_of(game.view(1)), game.board.arrays.distance
    here, far_away = (belief[np.flatnonzero(distance[start, : len(belief)] <= 2)].sum() for start in (45, 197))
    assert here + far_away == pytest.approx(1.0)
    assert 0.0 < far_away < here / 2


@pytest.mark.parametrize("detectives", [1, 2, 5])
def test_it_is_a_probability_over_the_possible_stations(detectives: int) -> None:
    for seed in range(5):
        game = random_game("london", "classic", detectives, seed, actions=30)
        if game.winner is None:
            view = game.view(game.seat)
            belief = belief_of(view)
            assert belief.sum() == pytest.approx(1.0)
            assert np.flatnonzero(belief).tolist() == view.possible
