"""Playouts: every action is legal, the greedy ones are the best by slow counting, and games come to an end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playing import all_settings, random_game

from scotyard_baselines.mcts.detectives_playout import add_up_distances, chase, strike_out, surround
from scotyard_baselines.mcts.mr_x_playout import is_black_useless, run_away
from scotyard_baselines.mcts.playouts import CHASE, GREEDY, RANDOM, SHEET, STYLE, choose, choose_any, play_out
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.rng import draw_seeds
from scotyard_env.rules import destination, fare_of
from scotyard_env.state import BLACK, MR_X, PLAYING

CHANCES = draw_seeds(np.random.default_rng(0), 1)


def style_of(kind: int, epsilon: float = 0.2) -> Any:
    styles = np.zeros(1, STYLE)
    styles[0].kind = kind
    styles[0].epsilons[:] = int(epsilon * 2**32)
    styles[0].is_filtered = True
    return styles[0]


def positions(is_mr_x: bool, seeds: int = 30) -> list[Game]:
    games = [random_game("london", "classic", 5, seed, actions=3 * seed) for seed in range(seeds)]
    return [game for game in games if game.winner is None and (game.seat == MR_X) == is_mr_x]


def moves_of(game: Game) -> list[int]:
    return [action for action in game.legal if action < 4 * game.board.stations]


def nearest(game: Game, station: int) -> int:
    return min(game.board.distance(place, station) for place in game.stations[1:])


@pytest.mark.parametrize("kind", [GREEDY, CHASE, RANDOM])
def test_playouts_are_legal_and_come_to_an_end_on_any_board_by_any_rules(kind: int) -> None:
    style, sheet = style_of(kind), np.zeros(1, SHEET)[0]
    for number, (board, rules, detectives) in enumerate(all_settings()):
        game = Game(board, rules, detectives=detectives, seed=number)
        state = game.state.copy()
        sheet.totals_entry = -1
        while game.winner is None:
            game.play(int(choose(game.board.arrays, game.rule_arrays, game.state, style, sheet, CHANCES)))
            sheet.totals_entry = -1
        play_out(game.board.arrays, game.rule_arrays, state, style, sheet, CHANCES)
        assert state.winner != PLAYING


def test_random_actions_are_all_as_likely() -> None:
    for game in (*positions(True, 12)[:3], *positions(False, 12)[:3]):
        sheet = np.zeros(1, SHEET)[0]
        arguments = game.board.arrays, game.rule_arrays, game.state, sheet, CHANCES
        drawn = [choose_any(*arguments) for _ in range(300 * len(game.legal))]
        found, times = np.unique(drawn, return_counts=True)
        assert found.tolist() == game.legal
        assert abs(times - 300).max() < 100  # more than five standard deviations


def test_a_chasing_detective_goes_nearest_to_its_target() -> None:
    for game in positions(False):
        target = game.stations[MR_X]
        to = [destination(action) for action in moves_of(game)]
        action = chase(game.board.arrays, game.state, target, CHANCES)
        if to:
            assert game.board.distance(destination(action), target) == min(game.board.distance(s, target) for s in to)
        else:
            assert [action] == game.legal


def test_a_surrounding_detective_goes_where_all_distances_add_up_to_least() -> None:
    for game in positions(False):
        sheet = np.zeros(1, SHEET)[0]
        sheet.totals_entry = -1
        totals = {a: sum(game.board.distance(destination(a), p) for p in game.possible) for a in moves_of(game)}
        action = int(surround(game.board.arrays, game.state, sheet, CHANCES))
        assert totals[action] == min(totals.values()) if totals else [action] == game.legal


def test_a_landing_is_struck_out_of_the_sums() -> None:
    game = max(positions(False), key=lambda game: len(game.possible))
    sheet = np.zeros(1, SHEET)[0]
    sheet.totals_entry = -1
    add_up_distances(game.board.arrays, game.state, sheet)
    strike_out(game.board.arrays, game.state, game.possible[1], sheet)
    rest = [*game.possible[:1], *game.possible[2:]]
    for station in range(1, 200):
        assert sheet.totals[station] == sum(game.board.distance(station, place) for place in rest)


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
    if filtered and is_black_useless(game.board.arrays, game.rule_arrays, game.state, True):
        moves = [move for move in moves if fare_of(move) != BLACK] or moves
    best = max(nearest(game, destination(move)) for move in moves)
    moves = [move for move in moves if nearest(game, destination(move)) == best]
    if game.rule_arrays.reveals[game.state.entries + 1]:
        return moves
    sizes = {move: len(possible_after(game, fare_of(move))) for move in moves}
    return [move for move in moves if sizes[move] == max(sizes.values())]


@pytest.mark.parametrize("filtered", [True, False])
def test_mr_x_runs_where_the_nearest_detective_is_farthest_and_hides_best(filtered: bool) -> None:
    sheet = np.zeros(1, SHEET)[0]
    for game in positions(True, 60):
        action = int(run_away(game.board.arrays, game.rule_arrays, game.state, filtered, True, sheet, CHANCES))
        escapes = slow_escapes(game, filtered)
        is_cornered = max(nearest(game, destination(move)) for move in escapes) < 2
        assert action in escapes or (is_cornered and action == 4 * game.board.stations)


def test_mr_x_doubles_where_every_move_ends_beside_a_detective() -> None:
    line, sheet = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6"), np.zeros(1, SHEET)[0]
    for stations, expected in (([3, 1, 5], 4 * line.stations), ([3, 1, 6], 4 * (4 - 1))):
        game = Game.from_position(line, stations=stations)
        assert run_away(line.arrays, game.rule_arrays, game.state, True, True, sheet, CHANCES) == expected


def black_useless(game: Game) -> bool:
    return bool(is_black_useless(game.board.arrays, game.rule_arrays, game.state, True))


def test_black_tickets_hide_nothing_in_rounds_one_and_two_nor_at_a_reveal() -> None:
    game = Game("london", "classic", seed=3)
    useless = []
    while game.winner is None and game.round < 9:
        if game.seat == MR_X and game.state.owed == 0:
            useless.append(black_useless(game))
            game.play(next(move for move in game.legal_moves if move.startswith("T")))
        else:
            game.play(game.legal[0])
    assert useless[:2] == [True, True]
    assert useless[2]  # entry 3 is a reveal
    assert not useless[4]
    assert useless[7]  # and entry 8


def test_black_tickets_hide_nothing_where_nobody_could_have_left_but_by_taxi() -> None:
    taxis = "1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 7-T-8"
    for text, expected in ((taxis, True), (f"{taxis} 1-B-5", False)):
        game = Game.from_position(Board.from_text(text), stations=[4, 8], possible=[1, 2, 3, 4, 5])
        game.states[0].rounds = 4
        game.states[0].entries = 4
        assert black_useless(game) == expected
