"""Playouts: every action is legal, the greedy ones are the best by slow counting, and games come to an end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playing import all_settings, random_game

from scotyard_baselines.geometry.black_tickets import hides_nothing
from scotyard_baselines.mcts.detectives_playout import (
    add_up_distances,
    chase_assumed_location,
    minimize_total_distance,
    strike_out_landing,
)
from scotyard_baselines.mcts.mr_x_playout import maximize_closest_distance
from scotyard_baselines.mcts.playouts import (
    CHASE,
    GREEDY,
    PLAYOUT_PARAMETERS,
    PLAYOUT_SCRATCH,
    RANDOM,
    choose,
    choose_any,
    play_out,
)
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.rng import draw_seeds
from scotyard_env.rules import destination, fare_of
from scotyard_env.state import BLACK, MR_X, PLAYING

RNG_STATE = draw_seeds(np.random.default_rng(0), 1)


def parameters_of(kind: int, epsilon: float = 0.2) -> Any:
    parameters = np.zeros(1, PLAYOUT_PARAMETERS)
    parameters[0].kind = kind
    parameters[0].epsilons[:] = int(epsilon * 2**32)
    parameters[0].is_filtered = True
    return parameters[0]


def positions(is_mr_x: bool, seeds: int = 30) -> list[Game]:
    games = [random_game("london", "classic", 5, seed, actions=3 * seed) for seed in range(seeds)]
    return [game for game in games if game.winner is None and (game.seat == MR_X) == is_mr_x]


def moves_of(game: Game) -> list[int]:
    return [action for action in game.legal if action < 4 * game.board.stations]


def nearest(game: Game, station: int) -> int:
    return min(game.board.distance(place, station) for place in game.stations[1:])


@pytest.mark.parametrize("kind", [GREEDY, CHASE, RANDOM])
def test_playouts_are_legal_and_come_to_an_end_on_any_board_by_any_rules(kind: int) -> None:
    parameters, scratch = parameters_of(kind), np.zeros(1, PLAYOUT_SCRATCH)[0]
    for number, (board, rules, detectives) in enumerate(all_settings()):
        game = Game(board, rules, detectives=detectives, seed=number)
        state = game.state.copy()
        scratch.totals_entry = -1
        while game.winner is None:
            game.play(int(choose(game.board.arrays, game.rule_arrays, game.state, parameters, scratch, RNG_STATE)))
            scratch.totals_entry = -1
        play_out(game.board.arrays, game.rule_arrays, state, parameters, scratch, RNG_STATE)
        assert state.winner != PLAYING


def test_random_actions_are_all_as_likely() -> None:
    for game in (*positions(True, 12)[:3], *positions(False, 12)[:3]):
        scratch = np.zeros(1, PLAYOUT_SCRATCH)[0]
        arguments = game.board.arrays, game.rule_arrays, game.state, scratch, RNG_STATE
        drawn = [choose_any(*arguments) for _ in range(300 * len(game.legal))]
        found, times = np.unique(drawn, return_counts=True)
        assert found.tolist() == game.legal
        assert abs(times - 300).max() < 100  # more than five standard deviations


def test_a_chasing_detective_goes_nearest_to_its_target() -> None:
    for game in positions(False):
        target = game.stations[MR_X]
        to = [destination(action) for action in moves_of(game)]
        action = chase_assumed_location(game.board.arrays, game.state, RNG_STATE)
        if to:
            assert game.board.distance(destination(action), target) == min(game.board.distance(s, target) for s in to)
        else:
            assert [action] == game.legal


def test_a_surrounding_detective_goes_where_all_distances_add_up_to_least() -> None:
    for game in positions(False):
        scratch = np.zeros(1, PLAYOUT_SCRATCH)[0]
        scratch.totals_entry = -1
        totals = {a: sum(game.board.distance(destination(a), p) for p in game.possible) for a in moves_of(game)}
        action = int(minimize_total_distance(game.board.arrays, game.state, scratch, RNG_STATE))
        assert totals[action] == min(totals.values()) if totals else [action] == game.legal


def test_a_landing_is_struck_out_of_the_sums() -> None:
    game = max(positions(False), key=lambda game: len(game.possible))
    scratch = np.zeros(1, PLAYOUT_SCRATCH)[0]
    scratch.totals_entry = -1
    add_up_distances(game.board.arrays, game.state, scratch)
    strike_out_landing(game.board.arrays, game.state, game.possible[1], scratch)
    rest = [*game.possible[:1], *game.possible[2:]]
    for station in range(1, 200):
        assert scratch.totals[station] == sum(game.board.distance(station, place) for place in rest)


def possible_after(game: Game, fare: int) -> set[int]:
    """Follow every link that a fare pays for from every possible station, slowly."""
    arrays, after = game.board.arrays, set()
    for station in game.possible:
        rows = range(arrays.first[station], arrays.first[station + 1])
        after |= {int(arrays.to[row]) for row in rows if arrays.fare[row] == fare}
    return after - set(game.stations[1:])


def slow_escapes(game: Game, filtered: bool) -> list[int]:
    """List the moves that end farthest from the nearest detective, of those the ones that hide him best."""
    moves = moves_of(game)
    if filtered and hides_nothing(game.board.arrays, game.rule_arrays, game.state):
        moves = [move for move in moves if fare_of(move) != BLACK] or moves
    best = max(nearest(game, destination(move)) for move in moves)
    moves = [move for move in moves if nearest(game, destination(move)) == best]
    if game.rule_arrays.reveals[game.state.entries + 1]:
        return moves
    sizes = {move: len(possible_after(game, fare_of(move))) for move in moves}
    return [move for move in moves if sizes[move] == max(sizes.values())]


@pytest.mark.parametrize("filtered", [True, False])
def test_mr_x_runs_where_the_nearest_detective_is_farthest_and_hides_best(filtered: bool) -> None:
    scratch = np.zeros(1, PLAYOUT_SCRATCH)[0]
    for game in positions(True, 60):
        action = int(
            maximize_closest_distance(
                game.board.arrays, game.rule_arrays, game.state, filtered, True, scratch, RNG_STATE
            )
        )
        escapes = slow_escapes(game, filtered)
        is_cornered = max(nearest(game, destination(move)) for move in escapes) < 2
        assert action in escapes or (is_cornered and action == 4 * game.board.stations)


def test_mr_x_doubles_where_every_move_ends_beside_a_detective() -> None:
    line, scratch = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6"), np.zeros(1, PLAYOUT_SCRATCH)[0]
    for stations, expected in (([3, 1, 5], 4 * line.stations), ([3, 1, 6], 4 * (4 - 1))):
        game = Game.from_position(line, stations=stations)
        assert (
            maximize_closest_distance(line.arrays, game.rule_arrays, game.state, True, True, scratch, RNG_STATE)
            == expected
        )
