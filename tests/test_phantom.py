"""The phantom lists the turns that the rules allow, shares its rollouts out among them, and doubles out of corners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.commands.fit_win_probability import fit
from scotyard_baselines.exploiter import list_turns as list_turns_slowly
from scotyard_baselines.networks.move_scorer import shipped_scorer
from scotyard_baselines.phantom import Phantom
from scotyard_baselines.rollouts.turns import MAX_TURNS, list_turns
from scotyard_baselines.rollouts.win_probability import FEATURES, describe_games
from scotyard_env.batch import Batch
from scotyard_env.belief import weigh
from scotyard_env.game import Game
from scotyard_env.notation import parse_action
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.rules import destination
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views

QUICK = Phantom(rollouts=16, rounds=1)


def views_of(view: View) -> Views:
    return Views(view.board, view.rules, view.states)


def positions() -> list[View]:
    games = [random_game("london", "classic", 5, seed, actions) for seed in range(12) for actions in (0, 1, 7, 14, 23)]
    return [game.view(MR_X) for game in games if game.winner is None and game.seat == MR_X]


def test_the_turns_are_those_of_slow_play() -> None:
    for view in positions():
        scratch = QUICK.make_scratch(views_of(view))
        packed = view.board.arrays, view.rule_arrays
        singles, total = list_turns(*packed, view.states, 0, scratch)
        turns = [tuple(turn.actions[: turn.steps].tolist()) for turn in scratch.turns[:total]]
        slow_singles, slow_doubles = list_turns_slowly(view)
        assert sorted(turns[:singles]) == sorted(slow_singles)
        assert len(slow_doubles) > MAX_TURNS or sorted(turns[singles:]) == sorted(slow_doubles)


def test_the_rollouts_are_shared_out_and_leave_the_view_as_it_was() -> None:
    for view in positions():
        before = view.states.tobytes()
        _, scratch = QUICK.search(views_of(view), np.random.default_rng(0))
        total = int(scratch.halving[0].total)
        visits = [int(turn.visits) for turn in scratch.turns[:total]]
        assert view.states.tobytes() == before
        assert total == 1 or max(visits) >= 1
        assert all(0.0 <= turn.total <= turn.visits for turn in scratch.turns[:total])


def test_he_steps_out_of_reach_if_he_can() -> None:
    #  glasses: 6 between 5 and 7; whoever stands on 3 reaches 5, and nobody reaches 7
    purses = [[9, 0, 0, 0, 0], [9, 0, 0, 0, 0], [9, 0, 0, 0, 0]]
    game = Game.from_position("glasses", stations=[6, 3, 4], possible=[6], tickets=purses)
    assert destination(QUICK.act(game.view(MR_X), np.random.default_rng(0)).action) == 7


def test_he_doubles_out_of_a_corner() -> None:
    #  on 6 between two detectives, each beside his only exits; a double leads past one of them
    purses = [[9, 0, 0, 0, 1], [9, 0, 0, 0, 0], [9, 0, 0, 0, 0]]
    game = Game.from_position("glasses", stations=[6, 3, 8], possible=[6], tickets=purses)
    decision = Phantom(rollouts=64, rounds=1).act(game.view(MR_X), np.random.default_rng(0))
    assert decision.action in (parse_action(game.board, "2x"), *game.legal)
    assert decision.candidates[0][0] == decision.action


def test_values_are_probabilities() -> None:
    for view in positions()[:8]:
        decision = replace(QUICK, prior_weight=0.0).act(view, np.random.default_rng(0))
        assert -0.2 <= (decision.value or 0.0) <= 1.0


def test_with_all_his_weight_on_the_prior_he_does_what_it_likes_best() -> None:
    for view in positions()[::4]:
        inputs, probabilities = shipped_scorer("ppo_mr_x").probabilities(views_of(view))
        decision = replace(QUICK, prior_weight=1000.0).act(view, np.random.default_rng(0))
        assert decision.action == inputs.ids[np.argmax(probabilities)]


def test_the_features_say_what_their_names_say() -> None:
    batch = Batch(40, seed=3)
    rows = describe_games(batch.board, batch.rules, batch.states, batch.games)
    assert rows.shape == (40, len(FEATURES))
    for game, row in zip(batch.states, rows, strict=True):
        view = View(batch.board, batch.rules, game, MR_X)
        features = dict(zip(FEATURES, row, strict=True))
        distances = sorted(view.board.arrays.distance[game.station[1:6], game.station[MR_X]].tolist())
        assert features["nearest"] == pytest.approx(min(distances[0], 5) / 5)
        assert features["second"] == pytest.approx(min(distances[1], 6) / 6)
        assert features["belief_here"] == pytest.approx(np.sqrt(weigh(view, "evasive")[game.station[MR_X]]))
        pairs = [(a, b) for a in game.station[1:6] for b in game.station[1:6] if a != b]
        soonest = min(int(capture_times(view.board)[a, b, game.station[MR_X]]) for a, b in pairs)
        assert features["capture_time"] == pytest.approx(min(soonest, 16) / 16)


def test_the_fit_finds_the_weights_that_made_the_games() -> None:
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.ones(20_000), rng.normal(size=(20_000, 2))])
    won = rng.random(20_000) < 1.0 / (1.0 + np.exp(-rows @ [0.5, 1.0, -2.0]))
    assert fit(rows, won) == pytest.approx([0.5, 1.0, -2.0], abs=0.1)


@pytest.mark.parametrize(
    "parameters",
    [
        "rollouts=0",
        "rounds=0",
        "rounds=25",
        "greedy=1.5",
        "uniform_mix=-1",
        "double_threshold=2.0",
        "prior_weight=-1.0",
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters: str) -> None:
    with pytest.raises(PolicyError, match="give"):
        make_policy(f"phantom:{parameters}")
