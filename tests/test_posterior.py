"""The posterior of models of Mr. X agrees with following every station by the rules, and hears public facts only."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from numpy.typing import NDArray
from playing import IS_COMPILED, random_game

from scotyard_baselines.beliefs.policy_model import ask_policy, list_actions
from scotyard_baselines.beliefs.posterior import LEAST_SHARE, Answers, Posterior
from scotyard_baselines.networks.move_scorer import shipped_scorer
from scotyard_baselines.networks.population import Population, posterior_of, shipped_files
from scotyard_env.batch import Batch
from scotyard_env.belief import weigh
from scotyard_env.duel import play_batch
from scotyard_env.game import Game
from scotyard_env.policy import make_policy
from scotyard_env.rules import apply, destination, double_action, fare_of
from scotyard_env.state import MR_X, NOWHERE, PLAYING, State, station_list
from scotyard_env.view import View, Views, imagine, redact

MIX, SWITCHING = 0.1, 0.05
GAMES = [(board, seed) for board in ("glasses", "docklands", "london") for seed in range(4 if IS_COMPILED else 1)]
Weights = dict[tuple[int, int], float]  # by model and station


def favour(model: int, action: int) -> float:
    """How much a model likes an action, by nothing but its number."""
    return 1.0 + (action * (7 + 4 * model) % 13)


def made_up(views: Views) -> Answers:
    """Two models who like some actions better than others."""
    firsts, actions = list_actions(views)
    likes = np.array([[favour(model, action) for action in actions.tolist()] for model in range(2)])
    totals = np.add.reduceat(likes, firsts[:-1], axis=1)
    return Answers(firsts, likes / np.repeat(totals, np.diff(firsts), axis=1))


def follow_slowly(game: Game) -> NDArray[np.float64]:
    """Follow every model and station through the actions of a game by the rules; return the belief in each station."""
    state = redact(game.start, 1)
    hypotheses = {station: imagine(state, station) for station in station_list(state.start)}
    weights: Weights = {(model, station): 1.0 for model in range(2) for station in hypotheses}
    truth = Game.from_start(game.board, game.rules, game.start)
    for action in game.actions:
        seat = truth.seat
        truth.play(action)
        if seat == MR_X:
            hypotheses, weights = decide_slowly(truth, action, hypotheses, weights)
        else:
            for hypothesis in hypotheses.values():
                apply(game.board.arrays, game.rule_arrays, hypothesis, action)
            hypotheses = {station: one for station, one in hypotheses.items() if one.winner == PLAYING}
    belief = np.zeros(game.board.stations + 1)
    for (_, station), weight in weights.items():
        belief[station] += weight if station in hypotheses else 0.0
    return belief / belief.sum()


def decide_slowly(
    truth: Game, action: int, hypotheses: dict[int, State], weights: Weights
) -> tuple[dict[int, State], Weights]:
    """Let Mr. X decide from every station in a way that shows what the true one shows."""
    double = double_action(truth.board.arrays)
    shown = int(truth.state.log_shown[truth.state.entries - 1]) if action != double else NOWHERE
    total = sum(weight for (_, station), weight in weights.items() if station in hypotheses)
    states, after = {}, defaultdict(float)
    for station, state in hypotheses.items():
        share = sum(weights[model, station] for model in range(2)) / total
        legal = View(truth.board, truth.rules, state, MR_X).legal
        for one in legal:
            is_like = one == action if double in (one, action) else fare_of(one) == fare_of(action)
            to = station if one == double else int(destination(one))
            if is_like and shown in (NOWHERE, to):
                states[to] = state.copy()
                apply(truth.board.arrays, truth.rule_arrays, states[to], one)
                for model in range(2):
                    liked = favour(model, one) / sum(favour(model, other) for other in legal)
                    chance = MIX / len(legal) + (1 - MIX) * liked if share >= LEAST_SHARE else 1 / len(legal)
                    after[model, to] += weights[model, station] * chance
    mean = {to: sum(after[model, to] for model in range(2)) / 2 for to in states}
    mixed = {
        (model, to): (1 - SWITCHING) * after[model, to] + SWITCHING * mean[to] for model in range(2) for to in states
    }
    return states, {key: weight / sum(mixed.values()) for key, weight in mixed.items()}


def views_of(game: Game, viewer: int = 1) -> Views:
    view = game.view(viewer)
    return Views(view.board, view.rules, view.states)


def new_posterior() -> Posterior:
    return Posterior(made_up, models=2, uniform_mix=MIX, switching=SWITCHING)


@pytest.mark.parametrize(("board", "seed"), GAMES)
def test_the_posterior_agrees_with_following_every_station_by_the_rules(board: str, seed: int) -> None:
    game, posterior = random_game(board, None, None, seed), new_posterior()
    again = Game.from_start(game.board, game.rules, game.start)
    for action in game.actions[:-1]:
        again.play(action)
        np.testing.assert_allclose(posterior.weigh(views_of(again))[0], follow_slowly(again), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_changes_nothing(seed: int) -> None:
    game, posterior = random_game("london", "classic", 5, seed), new_posterior()
    again = Game.from_start(game.board, game.rules, game.start)
    for action in game.actions[:-1]:
        again.play(action)
        kept = posterior.weigh(views_of(again))
        assert kept.tobytes() == new_posterior().weigh(views_of(again)).tobytes()


def test_many_views_at_once_are_weighed_as_each_alone() -> None:
    batch, rng = Batch(20, "docklands", seed=3), np.random.default_rng(0)
    for _ in range(25):
        batch.step(make_policy("random").act_batch(batch.views(), rng))  # type: ignore[attr-defined]
    views = batch.views(viewers=np.ones(20, np.int64))
    together = new_posterior().weigh(views)
    for index in range(20):
        alone = Views(views.board, views.rules, views.states[index : index + 1])
        np.testing.assert_allclose(new_posterior().weigh(alone)[0], together[index], rtol=1e-12)


def test_where_he_hides_makes_no_difference() -> None:
    game = random_game("london", "classic", 5, 4, actions=40)
    views, posterior = [], new_posterior()
    for station in game.possible:
        state = imagine(game.state, station)
        views.append(Views(game.board, game.rules, np.array([state], state.dtype)))
    assert len({posterior.weigh(view).tobytes() for view in views}) == 1


def test_what_he_shows_tells_which_of_the_models_he_is_like() -> None:
    def ask(views: Views) -> Answers:
        firsts, actions = list_actions(views)
        lowest = np.repeat(actions[firsts[:-1]], np.diff(firsts)) == actions
        return Answers(firsts, np.stack([lowest, np.repeat(1 / np.diff(firsts), np.diff(firsts))]))

    game, rng = Game("docklands", seed=2), np.random.default_rng(0)
    while game.winner is None and len(game.actions) < 20:
        game.play(game.legal[0] if game.seat == MR_X else int(rng.choice(game.legal)))
    like_lowest, like_any = Posterior(ask, models=2).infer(views_of(game))[0].sum(axis=1)
    assert like_lowest > 0.9
    assert like_lowest + like_any == pytest.approx(1.0)


def test_a_network_that_is_the_model_is_found_where_it_is() -> None:
    batch, said = Batch(30, seed=5), defaultdict(list)
    posterior = posterior_of(shipped_files())

    def look(side: str, games: NDArray[np.int64]) -> None:
        truth = batch.states["station"][games, MR_X]
        if side == "detectives":
            views = batch.views(games)
            said["posterior"].extend(np.log(posterior.weigh(views)[np.arange(len(games)), truth]))
            for game in games:
                view = View(batch.board, batch.rules, batch.states[game], 1)
                said["choice_model"].append(np.log(weigh(view, "choice_model")[batch.states[game].station[MR_X]]))

    play_batch(batch, shipped_scorer("mr_x_league"), make_policy("hunters"), batch.rngs, before=look)
    assert np.mean(said["posterior"]) > np.mean(said["choice_model"]) + 0.4


def test_the_posterior_is_a_belief_by_name() -> None:
    view = random_game("london", "classic", 5, 3, actions=30).view(1)
    belief = weigh(view, "posterior")
    assert np.flatnonzero(belief).tolist() == view.possible
    assert belief.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("policy", ["hider", "decoy", "ppo_mr_x"])
def test_the_probabilities_of_any_policy_add_up(policy: str) -> None:
    batch, rng = Batch(10, seed=1), np.random.default_rng(0)
    answers = ask_policy(make_policy(policy), batch.views(), 3, rng)
    np.testing.assert_allclose(np.add.reduceat(answers.probabilities[0], answers.firsts[:-1]), 1.0)


def test_a_population_is_asked_as_each_of_its_networks_is() -> None:
    scorer, views = shipped_scorer("mr_x_league"), Batch(10, seed=1).views()
    answers = Population([scorer.weights, scorer.weights])(views)
    inputs, probabilities = scorer.probabilities(views)
    assert answers.firsts.tolist() == inputs.firsts.tolist()
    np.testing.assert_array_equal(answers.probabilities, np.stack([probabilities, probabilities]))
