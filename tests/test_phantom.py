"""The phantom lists the turns that the rules allow, shares its rollouts out among them, and doubles out of corners."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playing import IS_COMPILED, random_game

from scotyard_baselines.beliefs.choice_model import CHOICE_SCRATCH, follow_belief, infer_belief
from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.commands.fit_win_probability import fit
from scotyard_baselines.exploiter import list_turns as list_turns_slowly
from scotyard_baselines.networks.move_scorer import FileScorer, shipped_scorer
from scotyard_baselines.networks.weights import DATA, load_weights
from scotyard_baselines.phantom import Phantom
from scotyard_baselines.rollouts.outlook import known_posterior, look_out
from scotyard_baselines.rollouts.rollout import begin_known_belief
from scotyard_baselines.rollouts.root_policy import draw_action
from scotyard_baselines.rollouts.scratch import Scratch
from scotyard_baselines.rollouts.turns import MAX_TURNS, list_turns
from scotyard_baselines.rollouts.win_probability import FEATURES, describe_games
from scotyard_baselines.tracker import Tracker
from scotyard_env.batch import Batch
from scotyard_env.belief import weigh
from scotyard_env.game import Game
from scotyard_env.notation import parse_action
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.rules import destination, fare_of
from scotyard_env.state import BLACK, MR_X
from scotyard_env.view import View, Views

QUICK = Phantom(rollouts=16, rounds=1)
SHARP = replace(QUICK, prior_exponent=0.0, temperature=1e-4)


def views_of(view: View) -> Views:
    return Views(view.board, view.rules, view.states)


def games() -> list[Game]:
    """Return games played at random, with Mr. X to move."""
    played = [random_game("london", "classic", 5, seed, actions) for seed in range(12) for actions in (0, 1, 7, 14, 23)]
    return [game for game in played if game.winner is None and game.seat == MR_X]


def positions() -> list[View]:
    return [game.view(MR_X) for game in games()]


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
    assert destination(SHARP.act(game.view(MR_X), np.random.default_rng(0)).action) == 7


def test_he_doubles_out_of_a_corner() -> None:
    #  on 6 between two detectives, each beside his only exits; a double leads past one of them
    purses = [[9, 0, 0, 0, 1], [9, 0, 0, 0, 0], [9, 0, 0, 0, 0]]
    game = Game.from_position("glasses", stations=[6, 3, 8], possible=[6], tickets=purses)
    decision = replace(SHARP, rollouts=64).act(game.view(MR_X), np.random.default_rng(0))
    assert decision.action in (parse_action(game.board, "2x"), *game.legal)
    assert decision.candidates[0][0] == decision.action


# ----------------------------------------------------------------------------------------------- the policy at the root


def root_policy_slowly(policy: Phantom, view: View, scratch: Scratch) -> dict[int, float]:
    """Return prior^a exp(value / tau) of every action, in shares; actions not played on are worth the mean."""
    prior = prior_of(view)
    played: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for turn in scratch.turns[: scratch.halving[0].total]:
        actions = turn.actions[: turn.steps].tolist()
        is_double = len(actions) == 3
        blacks = sum(fare_of(action) == BLACK for action in actions[is_double:])
        if turn.visits:
            costs = policy.double_cost * is_double + policy.black_cost * blacks
            played[actions[0]].append((int(turn.visits), turn.total / turn.visits - costs))
    values = {action: max(turns)[1] for action, turns in played.items()}
    mean = sum(prior[action] * values[action] for action in values) / sum(prior[action] for action in values)
    weights = {
        action: share**policy.prior_exponent * math.exp(values.get(action, mean) / policy.temperature)
        for action, share in prior.items()
    }
    return {action: weight / sum(weights.values()) for action, weight in weights.items()}


def prior_of(view: View) -> dict[int, float]:
    inputs, probabilities = shipped_scorer("ppo_mr_x").probabilities(views_of(view))
    return dict(zip(inputs.ids.tolist(), probabilities.tolist(), strict=True))


@pytest.mark.parametrize(("exponent", "temperature"), [(1.0, 0.1), (0.0, 0.3), (0.5, 2.0)])
@pytest.mark.parametrize("double_threshold", [0.0, 1.0])
def test_the_root_policy_is_the_prior_to_a_power_times_exp_of_value_by_temperature(
    exponent: float, temperature: float, double_threshold: float
) -> None:
    policy = replace(QUICK, prior_exponent=exponent, temperature=temperature, double_threshold=double_threshold)
    for view in positions():
        told = dict(policy.act(view, np.random.default_rng(0)).probabilities)
        _, scratch = policy.search(views_of(view), np.random.default_rng(0))
        if scratch.halving[0].total > 1:
            assert told == pytest.approx(root_policy_slowly(policy, view, scratch), abs=1e-6)


def test_at_a_high_temperature_he_plays_exactly_as_his_prior() -> None:
    policy = replace(QUICK, prior_exponent=1.0, temperature=1e6)
    for view in positions():
        assert dict(policy.act(view, np.random.default_rng(0)).probabilities) == pytest.approx(prior_of(view), abs=1e-5)


def test_actions_are_drawn_as_often_as_the_root_policy_says() -> None:
    _, scratch = replace(QUICK, temperature=1.0).search(views_of(positions()[1]), np.random.default_rng(0))
    count = int(scratch.root.size[0])
    drawn = [int(draw_action(scratch)) for _ in range(20_000)]
    for action, share in zip(scratch.root.actions[:count], scratch.root.probabilities[:count], strict=True):
        assert drawn.count(action) / len(drawn) == pytest.approx(share, abs=0.02)


def test_without_a_prior_and_at_a_low_temperature_he_takes_the_best_turn() -> None:
    for view in positions()[::4]:
        decision = SHARP.act(view, np.random.default_rng(0))
        assert decision.value == pytest.approx(max(value for _, value in decision.candidates), abs=1e-3)
        assert 0.0 <= (decision.value or 0.0) + SHARP.double_cost + 2 * SHARP.black_cost <= 1.1


def test_with_all_his_weight_on_the_prior_he_does_what_it_likes_best() -> None:
    for view in positions()[::4]:
        decision = replace(QUICK, prior_exponent=10_000.0).act(view, np.random.default_rng(0))
        assert decision.action == max(prior_of(view).items(), key=lambda pair: pair[1])[0]


def test_another_network_may_be_the_prior(tmp_path: Path) -> None:
    file = tmp_path / "other.npz"
    load_weights(str(DATA / "mr_x_league.npz")).save(file)
    policy, view = replace(QUICK, temperature=1e6, prior=str(file)), positions()[1]
    inputs, probabilities = FileScorer(file=str(file)).probabilities(views_of(view))
    expected = dict(zip(inputs.ids.tolist(), probabilities.tolist(), strict=True))
    assert dict(policy.act(view, np.random.default_rng(0)).probabilities) == pytest.approx(expected, abs=1e-5)
    assert policy.files == (str(file),)


def test_who_tracks_him_believes_by_the_probabilities_that_he_tells() -> None:
    played = (random_game("london", "classic", 5, seed, 12) for seed in range(20))
    game = next(game for game in played if game.winner is None and game.seat == MR_X)
    believed = Tracker(against=replace(QUICK, rollouts=4)).believe(views_of(game.view(1)), np.random.default_rng(0))[0]
    assert believed.sum() == pytest.approx(1.0)
    assert set(np.flatnonzero(believed).tolist()) == set(game.possible)


# ------------------------------------------------------------------------------------- detectives who know his network


@pytest.mark.parametrize("name", ["ppo_mr_x", "mr_x_league"])
def test_what_knowing_detectives_believe_in_a_rollout_is_their_posterior_after_his_action(name: str) -> None:
    network, compared = shipped_scorer(name), 0
    posterior = known_posterior(network)
    for game in games()[:: 1 if IS_COMPILED else 9]:
        seen = views_of(game.view(MR_X))
        outlook, scratch = look_out(network, seen), QUICK.make_scratch(seen)
        for action in game.legal:
            after = game.clone()
            after.play(action)
            if after.winner is None:
                board, state, model = game.board.arrays, after.view(1).state, scratch.planner.beliefs[0]
                entries = begin_known_belief(board, seen.states[0], outlook.beliefs[0], action, scratch)
                follow_belief(board, capture_times(game.board), state, entries, model)
                expected = posterior.weigh(views_of(after.view(1)))[0]
                assert model.belief[: len(expected)] == pytest.approx(expected, abs=1e-6)
                compared += 1
    assert compared > 10


def test_a_belief_taken_on_is_that_which_was_inferred_at_once() -> None:
    compared = 0
    for game in games():
        times, scratch = capture_times(game.board), np.zeros(2, CHOICE_SCRATCH)
        infer_belief(game.board.arrays, times, game.view(1).state, scratch[0])
        entries = int(game.view(1).state.entries)
        for move in range(18):
            game.play(game.legal[(7 * move) % len(game.legal)])
            if game.winner is not None:
                break
            view = game.view(1).state
            if view.seat == 1 and entries > 0:
                infer_belief(game.board.arrays, times, view, scratch[1])
                follow_belief(game.board.arrays, times, view, entries, scratch[0])
                assert scratch[0].belief == pytest.approx(scratch[1].belief, abs=1e-12)
                entries, compared = int(view.entries), compared + 1
    assert compared > 10


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
        "prior_exponent=-1.0",
        "temperature=0.0",
        "knowing=1.5",
        "prior=nowhere.npz",
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters: str) -> None:
    with pytest.raises(PolicyError, match="give"):
        make_policy(f"phantom:{parameters}")
