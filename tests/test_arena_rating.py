"""Win rates and ratings: right intervals, known strengths recovered, perfect records no trouble."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from scotyard_env.arena.rating import ELO, Rate, Rating, fit, rate_all
from scotyard_env.arena.result import Result

MR_X, DETECTIVES = ["a", "b", "c"], ["p", "q"]


def result(mr_x: str, detectives: str, number: int, is_mr_x: bool) -> Result:
    """Make up a match of which only the winner is known."""
    winner = "mr_x" if is_mr_x else "detectives"
    rest: Any = {"entries": 5, "actions": 30, "mean_possible": 9.0, "black": 0, "double": 0}
    return Result(
        mr_x, detectives, number, (1, 2), winner, 5, caught=None, decisions=(5, 25), seconds=(0.1, 0.1), **rest
    )


def made_up(points: dict[str, float], games: int, rng: np.random.Generator) -> list[Result]:
    """Let policies of known strength play."""
    matches = itertools.product(range(games), MR_X, DETECTIVES)
    probability = {(a, b): 1 / (1 + 10 ** ((points[b] - points[a]) / 400)) for a in MR_X for b in DETECTIVES}
    return [result(a, b, number, rng.random() < probability[a, b]) for number, a, b in matches]


def centre(points: dict[str, float]) -> dict[str, float]:
    mean = sum(points.values()) / len(points)
    return {name: value - mean for name, value in points.items()}


def by_name(ratings: list[Rating]) -> dict[str, Rating]:
    return {rating.name: rating for rating in ratings}


# Win rates


@pytest.mark.parametrize(("wins", "games"), [(0, 10), (1, 10), (7, 20), (200, 400), (399, 400), (400, 400)])
def test_the_interval_of_a_win_rate_is_wilsons(wins: int, games: int) -> None:
    z, share = 1.959963984540054, wins / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    assert Rate(wins, games).interval == pytest.approx((middle - half, middle + half), abs=1e-12)
    assert Rate(wins, games).share == share


def test_nothing_played_is_nothing_known() -> None:
    assert Rate(0, 0).interval == (0.0, 1.0)
    assert math.isnan(Rate(0, 0).share)


def test_a_rate_reads_as_the_literature_writes_it() -> None:
    assert str(Rate(94, 128)) == "73.4 % [65.2, 80.3]"


# Ratings


def slow_fit(wins: NDArray[Any], games: NDArray[Any]) -> NDArray[Any]:
    """Find the likeliest ratings by a general search over the likelihood written down match by match."""
    rows, columns = wins.shape

    def cost(strengths: NDArray[Any]) -> float:
        total = 0.0
        for i, j in itertools.product(range(rows), range(columns)):
            probability = 1 / (1 + math.exp(strengths[rows + j] - strengths[i]))
            total -= wins[i, j] * math.log(probability) + (games[i, j] - wins[i, j]) * math.log(1 - probability)
        return total + float(strengths.mean() ** 2)

    found = minimize(cost, np.zeros(rows + columns), method="BFGS", options={"gtol": 1e-8}).x
    return (found - found.mean()) * 400 / math.log(10)


@pytest.mark.parametrize("seed", range(5))
def test_ratings_agree_with_a_general_search_for_the_likeliest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    games = rng.integers(1, 50, (3, 4)).astype(float)
    wins = np.minimum(games - 0.5, np.maximum(0.5, rng.binomial(games.astype(int), rng.random((3, 4)))))
    assert fit(wins[None], games[None])[0] == pytest.approx(slow_fit(wins, games), abs=0.05)


def test_many_samples_are_rated_as_each_by_itself() -> None:
    rng = np.random.default_rng(0)
    games = np.full((6, 2, 3), 20.0)
    wins = rng.integers(1, 20, (6, 2, 3)).astype(float)
    alone = [fit(wins[i : i + 1], games[i : i + 1])[0] for i in range(6)]
    assert np.allclose(fit(wins, games), alone, atol=1e-6)


def test_two_policies_are_as_far_apart_as_their_win_rate_says() -> None:
    mr_x, detectives = fit(np.array([[[75.0]]]), np.array([[[100.0]]]))[0]
    assert mr_x - detectives == pytest.approx(ELO * math.log(3), abs=0.01)
    assert mr_x - detectives == pytest.approx(190.85, abs=0.01)


def test_intervals_hold_the_known_strengths_about_as_often_as_they_say() -> None:
    truth = centre({"a": 150.0, "b": 0.0, "c": -200.0, "p": 100.0, "q": -50.0})
    held = []
    for seed in range(40):
        ratings = rate_all(MR_X, DETECTIVES, made_up(truth, 60, np.random.default_rng(seed)), seed=seed)
        held += [rating.low <= truth[rating.name] <= rating.high for rating in ratings]
    assert 0.88 <= np.mean(held) <= 0.995


def test_more_games_narrow_the_intervals_and_come_nearer_to_the_truth() -> None:
    truth = centre({"a": 150.0, "b": 0.0, "c": -200.0, "p": 100.0, "q": -50.0})
    few, many = (by_name(rate_all(MR_X, DETECTIVES, made_up(truth, n, np.random.default_rng(1)))) for n in (20, 2000))
    for name in truth:
        assert many[name].high - many[name].low < (few[name].high - few[name].low) / 5
        assert abs(many[name].points - truth[name]) < 30


def test_perfect_records_have_finite_ratings_with_intervals_in_the_right_order() -> None:
    results = [result(a, b, n, a != "c") for n in range(50) for a in MR_X for b in DETECTIVES]
    ratings = by_name(rate_all(MR_X, DETECTIVES, results))
    assert all(np.isfinite([rating.points, rating.low, rating.high]).all() for rating in ratings.values())
    assert all(rating.low < rating.points < rating.high for rating in ratings.values())
    assert ratings["a"].points == pytest.approx(ratings["b"].points)
    assert ratings["a"].low > ratings["p"].high > ratings["p"].low > ratings["c"].high


def test_pairings_that_were_not_played_yet_do_not_matter() -> None:
    results = [result("a", "p", n, n % 2 == 0) for n in range(10)]
    ratings = by_name(rate_all(MR_X, DETECTIVES, results))
    assert ratings["a"].points == pytest.approx(ratings["p"].points, abs=1e-3)
    assert rate_all(MR_X, DETECTIVES, []) == []


def test_the_same_results_are_rated_the_same_in_any_order() -> None:
    results = made_up(dict.fromkeys("abcpq", 0.0), 10, np.random.default_rng(2))
    assert rate_all(MR_X, DETECTIVES, results) == rate_all(MR_X, DETECTIVES, results[::-1])
