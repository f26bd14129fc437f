"""The tracker finds a Mr. X whose policy it knows, and plays whole games against any."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray
from playing import random_game

from scotyard_baselines.beliefs.policy_model import ask_policy
from scotyard_baselines.greedy import Greedy
from scotyard_baselines.hider import Hider
from scotyard_baselines.networks.inputs import Inputs
from scotyard_baselines.networks.move_scorer import shipped_scorer
from scotyard_baselines.tracker import Tracker
from scotyard_env.batch import Batch
from scotyard_env.duel import play_games
from scotyard_env.game import Game
from scotyard_env.policy import Decision, PolicyError, make_policy
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views


def play(mr_x: str, detectives: str, seed: int, actions: int) -> Game:
    """Play a game for so many actions, and on until a detective is to move."""
    players, game, rng = (make_policy(mr_x), make_policy(detectives)), Game(seed=seed), np.random.default_rng(seed)
    while game.winner is None and (actions > 0 or game.seat == MR_X):
        game.play(players[game.seat != MR_X].act(game.view(game.seat), rng).action)
        actions -= 1
    return game


def track(tracker: Tracker, game: Game) -> NDArray[np.float64]:
    """Return what a tracker believes of a game."""
    view = game.view(game.seat)
    belief: NDArray[np.float64] = tracker.believe(Views(view.board, view.rules, view.states), np.random.default_rng(0))[
        0
    ]
    return belief


def games(mr_x: str = "hider") -> list[Game]:
    played = [play(mr_x, "greedy", seed, actions) for seed in range(4) for actions in (0, 9, 26, 40, 55)]
    return [game for game in played if game.winner is None]


@pytest.mark.parametrize("policy", [Hider(), Greedy()])
def test_a_mr_x_who_is_known_is_found_where_he_is(policy: Hider | Greedy) -> None:
    name = type(policy).__name__.lower()
    beliefs = [(track(Tracker(against=policy, samples=2), game), game) for game in games(name)]
    known = np.mean([np.log(belief[game.stations[MR_X]]) for belief, game in beliefs])
    alike = np.mean([-np.log(len(game.view(game.seat).possible)) for _, game in beliefs])
    assert known > alike + 0.5


def test_a_belief_is_over_the_possible_stations() -> None:
    for game in games("random"):
        view = game.view(game.seat)
        belief = track(Tracker(samples=1), game)
        assert np.flatnonzero(belief).tolist() == view.possible
        assert belief.sum() == pytest.approx(1.0)


def test_a_game_that_began_in_the_middle_is_still_played() -> None:
    purses = [[2, 2, 2, 2, 2], *[[2, 2, 2, 0, 0]] * 3]
    game = Game.from_position("london", stations=[45, 13, 26, 29], possible=[45, 46, 60], tickets=purses)
    game.play("T46")
    view = game.view(1)
    assert Tracker(samples=1).act(view, np.random.default_rng(0)).action in view.legal


def test_every_detective_of_a_round_may_ask() -> None:
    game = random_game("london", "classic", 5, 3, actions=20)
    view = game.view(game.seat)
    assert view.seat != MR_X
    assert Tracker(samples=1).act(view, np.random.default_rng(0)).action in view.legal


@pytest.mark.parametrize("parameters", ["samples=0", "model_mix=0.0", "model_mix=1.5", "against=coverage"])
def test_parameters_that_make_no_sense_are_refused(parameters: str) -> None:
    with pytest.raises(PolicyError):
        make_policy(f"tracker:{parameters}")


def test_a_network_is_tracked_the_same_in_a_batch_and_alone() -> None:
    batch, rng = Batch(12, seed=2), np.random.default_rng(0)
    for _ in range(13):
        batch.step(make_policy("random").act_batch(batch.views(), rng))  # type: ignore[attr-defined]
    views = batch.views(np.flatnonzero(batch.seats != MR_X))
    together = Tracker(against="ppo_mr_x").believe(views, rng)
    for index in range(len(views)):
        alone = Views(views.board, views.rules, views.states[index : index + 1])
        np.testing.assert_allclose(Tracker(against="ppo_mr_x").believe(alone, rng)[0], together[index], rtol=1e-4)


def test_a_learned_mr_x_does_not_escape_who_knows_his_network() -> None:
    mr_x = shipped_scorer("mr_x_league")
    assert play_games(mr_x, Tracker(against=mr_x), 40, seed=1) >= 38


@dataclasses.dataclass
class Plain:
    """A Mr. X who gives probabilities and cannot be the key of a dict."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return make_policy("ppo_mr_x").act(view, rng)

    def probabilities(self, views: Views) -> tuple[Inputs, NDArray[np.float64]]:
        return shipped_scorer("ppo_mr_x").probabilities(views)


@dataclasses.dataclass(frozen=True)
class Reserved:
    """A Mr. X who tells his probabilities only where there is a choice of fares."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        told = tuple((action, 1 / len(view.legal)) for action in view.legal)
        return Decision(view.legal[0], probabilities=told if view.stations[MR_X] % 2 else ())


def test_an_object_is_tracked_as_its_name_is() -> None:
    game = games("ppo_mr_x")[2]
    named, given = (track(Tracker(against=policy), game) for policy in ("ppo_mr_x", Plain()))
    np.testing.assert_allclose(named, given, rtol=1e-4)


def test_who_tells_probabilities_only_at_times_is_taken_at_his_move_else() -> None:
    views = Batch(12, seed=1).views()
    answers = ask_policy(Reserved(), views, 1, np.random.default_rng(0))
    np.testing.assert_allclose(np.add.reduceat(answers.probabilities[0], answers.firsts[:-1]), 1.0)
