"""A network that reads what those believe who know it: as defined, from public facts, and as its file says."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.beliefs.posterior import Posterior
from scotyard_baselines.networks.inputs import make_inputs
from scotyard_baselines.networks.move_scorer import FileScorer, answer, own_posterior, read_views
from scotyard_baselines.networks.own_posterior import UNIFORM_MIX, OwnPosterior
from scotyard_baselines.networks.population import Population, posterior_of
from scotyard_baselines.networks.weights import KnownWeights, Weights, load_weights, shapes
from scotyard_baselines.tracker import Tracker
from scotyard_env.belief import weigh
from scotyard_env.game import Game
from scotyard_env.state import MR_X
from scotyard_env.view import Views, imagine


def make_weights(stations: int, scale: float = 0.3) -> KnownWeights:
    rng = np.random.default_rng(3)
    arrays = {name: rng.normal(0.0, scale, shape) for name, shape in shapes(stations, 8).items()}
    return KnownWeights(**{name: array.astype(np.float32) for name, array in arrays.items()})


def moments_of(board: str, seed: int, moves: int) -> list[Game]:
    """Return a game before each of Mr. X's decisions."""
    game, moments = random_game(board, None, None, seed, actions=moves), []
    again = Game.from_start(game.board, game.rules, game.start)
    for action in game.actions:
        if again.seat == MR_X:
            moments.append(Game.from_start(game.board, game.rules, game.start))
            for earlier in again.actions:
                moments[-1].play(earlier)
        again.play(action)
    return moments


def hardest(moments: list[Game]) -> Game:
    """Return the moment at which the table knows least."""
    return max(moments, key=lambda game: len(game.possible))


def views_of(game: Game, seat: int) -> Views:
    view = game.view(seat)
    return Views(view.board, view.rules, view.states)


def ask_from_scratch(weights: KnownWeights, views: Views) -> object:
    """Ask a network that is told what a posterior says which has seen nothing before."""
    return answer(weights, views, OwnPosterior(functools.partial(answer, weights)).tell(views))


@pytest.mark.parametrize("seed", range(3))
def test_the_belief_follows_from_what_the_network_reads_of_it_at_every_decision_before(seed: int) -> None:
    weights = make_weights(26)
    for game in moments_of("docklands", seed, 40):
        slow = Posterior(functools.partial(ask_from_scratch, weights), models=1, uniform_mix=UNIFORM_MIX)
        fast, views = own_posterior(weights).weigh(views_of(game, 1)), views_of(game, 1)
        np.testing.assert_allclose(fast, slow.weigh(views), atol=1e-6)


def test_where_he_stands_does_not_matter_to_what_he_is_told() -> None:
    weights, game = make_weights(26), hardest(moments_of("docklands", 1, 40))
    states = np.array([imagine(game.state, station) for station in game.possible], game.state.dtype)
    told = own_posterior(weights).tell(Views(game.board, game.rules, states))
    assert len(told) > 1
    assert (told == told[0]).all()


def test_many_views_are_told_what_each_alone_is() -> None:
    weights, games = make_weights(26), moments_of("docklands", 2, 60)
    states = np.concatenate([views_of(game, MR_X).states for game in games for _ in range(2)])
    views = Views(games[0].board, games[0].rules, states)
    together = read_views(weights, views)
    for index, game in enumerate(games):
        alone = read_views(make_weights(26), views_of(game, MR_X))
        rows = slice(together.firsts[2 * index + 1], together.firsts[2 * index + 2])
        np.testing.assert_allclose(together.rows[rows], alone.rows, atol=1e-5)


def test_who_is_given_the_usual_belief_reads_what_he_reads_without() -> None:
    for game in moments_of("london", 4, 30):
        views = views_of(game, MR_X)
        given = make_inputs(views, weigh(game.view(MR_X), "evasive")[np.newaxis])
        for one, other in zip(given, make_inputs(views), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_move_from_where_nobody_believes_him_to_be_has_finite_columns() -> None:
    game = hardest(moments_of("london", 4, 30))
    nowhere = np.zeros((1, game.board.stations + 1))
    nowhere[0, next(one for one in game.possible if one != game.state.station[MR_X])] = 1.0
    assert np.isfinite(make_inputs(views_of(game, MR_X), nowhere).rows).all()


def test_a_file_says_what_its_network_reads(tmp_path: Path) -> None:
    weights = make_weights(199, scale=0.05)
    weights.save(tmp_path / "known.npz")
    Weights(*weights).save(tmp_path / "other.npz")
    assert isinstance(load_weights(str(tmp_path / "known.npz")), KnownWeights)
    assert not isinstance(load_weights(str(tmp_path / "other.npz")), KnownWeights)
    views = views_of(hardest(moments_of("london", 5, 30)), MR_X)
    known, other = (
        FileScorer(file=str(tmp_path / f"{name}.npz")).probabilities(views)[1] for name in ("known", "other")
    )
    assert not np.allclose(known, other, atol=1e-6)


def test_who_tracks_it_and_who_has_it_as_a_model_believe_what_it_is_told(tmp_path: Path) -> None:
    file = str(tmp_path / "known.npz")
    make_weights(199, scale=0.05).save(file)
    views, rng = views_of(hardest(moments_of("london", 5, 40)), 1), np.random.default_rng(0)
    own = own_posterior(load_weights(file)).weigh(views)  # type: ignore[arg-type]
    np.testing.assert_allclose(
        Tracker(against=f"file:{file}", model_mix=UNIFORM_MIX).believe(views, rng), own, atol=1e-6
    )
    np.testing.assert_allclose(posterior_of((file,)).weigh(views), own, atol=1e-6)


def test_a_population_of_both_kinds_is_asked_as_each_of_its_networks_is() -> None:
    known = make_weights(26)
    other, views = Weights(*known), views_of(moments_of("docklands", 2, 30)[-1], MR_X)
    together = Population([other, known])(views).probabilities
    np.testing.assert_allclose(together[0], answer(other, views).probabilities[0])
    np.testing.assert_allclose(together[1], answer(known, views, own_posterior(known).tell(views)).probabilities[0])
