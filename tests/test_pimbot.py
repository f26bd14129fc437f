"""PimBot: the search keeps its books and its root, every part does what the paper says, and parameters are checked."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines import pimbot
from scotyard_baselines.pimbot import PimBot
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.notation import parse_action
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.rules import destination
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views

LINE = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6")
KINDS = ("greedy", "chase", "random")


def positions(board: str, rules: str, detectives: int) -> list[View]:
    games = [random_game(board, rules, detectives, seed, actions=5 * seed) for seed in range(8)]
    return [game.view(game.seat) for game in games if game.winner is None and len(game.legal) > 1]


def test_a_mr_x_who_is_seen_is_caught() -> None:
    game = Game.from_position("docklands", stations=[9, 8, 30], possible=[9])
    game.play("T3")
    decision = make_policy("pimbot").act(game.view(1), np.random.default_rng(0))
    assert destination(decision.action) in (2, 9, 10)


@pytest.mark.parametrize("playouts", KINDS)
def test_a_detective_steps_where_mr_x_must_be(playouts: str) -> None:
    game = Game.from_position(LINE, stations=[1, 3, 6], possible=[1])
    game.play("T2")
    decision = make_policy(f"pimbot:playouts={playouts}").act(game.view(1), np.random.default_rng(0))
    assert decision.action == parse_action(LINE, "T2")
    assert decision.value == 1.0


def test_the_decision_tells_shares_of_visits_best_first() -> None:
    for view in positions("london", "classic", 5):
        decision = PimBot(iterations=300).act(view, np.random.default_rng(0))
        shares = [share for _, share in decision.candidates]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1.0)
        assert decision.action == decision.candidates[0][0]
        assert decision.gap == shares[0] - shares[1]
        assert decision.value is not None
        assert 0.0 <= decision.value <= 1.0


def test_who_stops_early_decides_the_same_with_fewer_simulations() -> None:
    saved = 0
    for number, view in enumerate(positions("docklands", "docklands", 2)):
        plain, early = PimBot(iterations=2000), PimBot(iterations=2000, stop_early=True)
        seeds = np.array([number + 1], np.uint64)
        trees = [policy.search(Views(view.board, view.rules, view.states), 0, seeds) for policy in (plain, early)]
        actions = [pimbot.decide_by_visits(grown).action for grown in trees]
        assert actions[0] == actions[1]
        saved += int(trees[0][0].nodes[0].visits - trees[1][0].nodes[0].visits)
    assert saved > 0


def test_stopping_early_is_for_a_search_by_iterations_in_one_thread() -> None:
    for parameters in ("seconds=0.1", "threads=2"):
        with pytest.raises(PolicyError, match="leave seconds and threads out"):
            make_policy(f"pimbot:stop_early=True,{parameters}")


@pytest.mark.parametrize("parameters", ["", ",playouts=greedy", ",history=5", ",seconds=0.001"])
def test_many_views_at_once_get_the_actions_they_get_alone(parameters: str) -> None:
    policy = make_policy(f"pimbot:iterations=40{parameters}")
    assert isinstance(policy, PimBot)
    views = positions("london", "classic", 5)
    states = np.concatenate([view.states for view in views])
    together = policy.act_batch(Views(views[0].board, views[0].rules, states), np.random.default_rng(1))
    if policy.is_timed:
        assert all(action in view.legal for action, view in zip(together, views, strict=True))
    else:
        rng = np.random.default_rng(1)
        assert together.tolist() == [policy.act(view, rng).action for view in views]


@pytest.mark.parametrize(
    "parameters",
    [
        "iterations=0",
        "seconds=-1.0",
        "playouts=best",
        "epsilon_mr_x=1.1",
        "c_detectives=-1",
        "weights=1/2",
        "reduction=2",
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters: str) -> None:
    with pytest.raises(PolicyError, match=r"give|choose"):
        make_policy(f"pimbot:{parameters}")


def test_by_the_clock_mr_x_answers_no_sooner_because_there_is_one_move(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4")
    view = Game.from_position(board, stations=(1, 4), tickets=[(4, 0, 0, 0, 0), (9, 9, 9, 0, 0)]).view(MR_X)
    clock = itertools.count()
    monkeypatch.setattr(pimbot.time, "perf_counter", lambda: float(next(clock)))
    decision = PimBot(seconds=5.0).act(view, np.random.default_rng(0))
    assert [decision.action] == view.legal
    assert next(clock) == 6  # it looked at the clock until the five seconds were over
