"""The tracker plays the game again for every station and finds a Mr. X whose policy it knows."""

from __future__ import annotations

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.greedy import Greedy
from scotyard_baselines.hider import Hider
from scotyard_baselines.tracker import Past, Tracker, deduce_fares
from scotyard_env.game import Game
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.state import MR_X
from scotyard_env.view import View


def play(mr_x: str, detectives: str, seed: int, actions: int) -> Game:
    """Play a game for so many actions, and on until a detective is to move."""
    players, game, rng = (make_policy(mr_x), make_policy(detectives)), Game(seed=seed), np.random.default_rng(seed)
    while game.winner is None and (actions > 0 or game.seat == MR_X):
        game.play(players[game.seat != MR_X].act(game.view(game.seat), rng).action)
        actions -= 1
    return game


def games(mr_x: str = "hider") -> list[Game]:
    played = [play(mr_x, "greedy", seed, actions) for seed in range(4) for actions in (0, 9, 26, 40, 55)]
    return [game for game in played if game.winner is None]


def replay(view: View) -> Past:
    past, nobody = Past(view), np.empty((0, 0), np.int64)
    for entry in range(view.state.entries):
        if past.begins_double(entry):
            past.follow_double(nobody, 0.1)
        past.follow_move(entry, nobody, 0.1)
        past.move_detectives(entry)
    return past


def test_played_again_mr_x_may_be_where_the_table_knows_he_may_be() -> None:
    for game in games():
        past = replay(game.view(game.seat))
        assert sorted(past.states["station"][:, MR_X].tolist()) == game.view(game.seat).possible


def test_played_again_the_table_looks_the_same() -> None:
    for game in games():
        view = game.view(game.seat)
        for state in replay(view).states:
            assert state.possible.tolist() == view.state.possible.tolist()
            assert state.tickets.tolist() == view.state.tickets.tolist()
            assert state.station[1:].tolist() == view.state.station[1:].tolist()
            assert (state.seat, state.entries, state.rounds) == (view.state.seat, view.state.entries, view.state.rounds)


def test_fares_add_up_to_what_was_spent() -> None:
    for game in games():
        view = game.view(game.seat)
        for seat in range(1, 6):
            paid = [deduce_fares(view, seat).count(fare) for fare in range(3)]
            assert paid == (view.rule_arrays.purses[seat, :3] - view.state.tickets[seat, :3]).tolist()


@pytest.mark.parametrize("policy", [Hider(), Greedy()])
def test_a_mr_x_who_is_known_is_found_where_he_is(policy: Hider | Greedy) -> None:
    name = type(policy).__name__.lower()
    beliefs = [
        (Tracker(policy, samples=2).track(game.view(game.seat), np.random.default_rng(0)), game) for game in games(name)
    ]
    known = np.mean([np.log(belief[game.stations[MR_X]]) for belief, game in beliefs])
    alike = np.mean([-np.log(len(game.view(game.seat).possible)) for _, game in beliefs])
    assert known > alike + 0.5


def test_a_belief_is_over_the_possible_stations() -> None:
    for game in games("random"):
        view = game.view(game.seat)
        belief = Tracker(samples=1).track(view, np.random.default_rng(0))
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


@pytest.mark.parametrize("parameters", ["samples=0", "uniform_mix=0.0", "uniform_mix=1.5", "against=coverage"])
def test_parameters_that_make_no_sense_are_refused(parameters: str) -> None:
    with pytest.raises(PolicyError):
        make_policy(f"tracker:{parameters}")
