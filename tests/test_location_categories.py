"""Categories: counted as the paper says, drawn by their weights, learned from games of anybody."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.beliefs.location_categories import (
    PUBLISHED,
    category_of,
    draw_station,
    parse_weights,
    weigh_stations,
    write_weights,
)
from scotyard_baselines.commands.fit_location_categories import count_categories, fit_weights
from scotyard_env.game import Game
from scotyard_env.state import MR_X


def slow_category(game: Game, station: int) -> int:
    """Count the moves of the nearest detective from where it stood before this round; five is the last category."""
    before = game.state.trail[max(0, game.round - 1), : len(game.stations) - 1]
    return min(5, max(1, min(game.board.distance(int(place), station) for place in before)))


def positions() -> list[Game]:
    games = [random_game("london", "classic", 5, seed, actions=7 * seed + 1) for seed in range(8)]
    return [game for game in games if game.winner is None and game.seat != MR_X]


def test_the_category_is_the_distance_of_the_nearest_detective_when_mr_x_moved() -> None:
    for game in positions():
        for station in game.possible:
            assert category_of(game.board.arrays, game.state, station) + 1 == slow_category(game, station)


def test_the_roulette_draws_stations_by_the_weight_of_their_category() -> None:
    game = max(positions(), key=lambda game: len(game.possible))
    stations, cumulative, rng_state = np.zeros(255, np.int16), np.zeros(255), np.array([9], np.uint64)
    weights = np.array(PUBLISHED)
    size = weigh_stations(game.board.arrays, game.state, game.state.possible, weights, stations, cumulative)
    assert stations[:size].tolist() == game.possible
    drawn = np.bincount([draw_station(stations, cumulative, size, rng_state) for _ in range(20_000)], minlength=200)
    shares = np.array([PUBLISHED[slow_category(game, station) - 1] for station in game.possible])
    assert drawn.sum() == drawn[game.possible].sum()
    assert np.abs(drawn[game.possible] / 20_000 - shares / shares.sum()).max() < 0.015


def test_counted_are_the_category_he_is_in_and_those_he_may_be_in() -> None:
    for game in positions():
        counts = np.zeros((2, 5), np.int64)
        count_categories(game.board.arrays, game.state, counts)
        may = {slow_category(game, station) for station in game.possible}
        assert np.flatnonzero(counts[0]).tolist() == [slow_category(game, game.stations[MR_X]) - 1]
        assert (np.flatnonzero(counts[1]) + 1).tolist() == sorted(may)


def test_a_mr_x_who_keeps_away_is_seldom_found_beside_a_detective() -> None:
    careful, careless = (fit_weights(name, "greedy", games=60, seed=0) for name in ("greedy", "random"))
    assert careful[0] < 0.5 * careless[0]
    assert all(0.0 < weight <= 1.0 for weight in (*careful, *careless))


def test_weights_are_read_as_they_are_written() -> None:
    assert parse_weights(write_weights(PUBLISHED)) == PUBLISHED


@pytest.mark.parametrize("text", ["", "1/2/3/4", "1/2/3/4/x", "0/1/1/1/1", "1/1/1/1/-1", "nan/1/1/1/1", "inf/1/1/1/1"])
def test_weights_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"give 5 numbers above 0"):
        parse_weights(text)


def test_the_command_prints_weights_as_pimbot_takes_them() -> None:
    command = [
        sys.executable,
        "-m",
        "scotyard_baselines.commands.fit_location_categories",
        "--mr-x",
        "random",
        "--games",
        "5",
        "--board",
        "docklands",
    ]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    name, _, weights = printed.strip().partition(":weights=")
    assert name == "pimbot"
    assert len(parse_weights(weights)) == 5
