"""What every baseline promises: legal everywhere, blind to what is hidden, no memory, the same from the same rng."""

from __future__ import annotations

import numpy as np
import pytest
from playing import all_settings, random_game
from test_view import HIDING, two_games

from scotyard_env.duel import decide
from scotyard_env.game import Game
from scotyard_env.policy import make_policy, policy_names
from scotyard_env.state import MR_X
from scotyard_env.view import Views

SETTINGS = list(all_settings())
CHEAP = {  # where the default is slow, or timed and hence not reproducible
    "bristol_mr_x": "bristol_mr_x:depth=2",
    "minimax": "minimax:beam=2,width=2",
    "exploiter": "exploiter:against=greedy,samples=1,rounds=1",
    "phantom": "phantom:rollouts=8,rounds=1",
    "pimbot": "pimbot:iterations=20",
    "tracker": "tracker:samples=1",
}
MR_X_POLICIES = [CHEAP.get(name, name) for name in policy_names("mr_x")]
DETECTIVE_POLICIES = [CHEAP.get(name, name) for name in policy_names("detectives")]


def play_out(game: Game, mr_x: str, detectives: str, seed: int) -> Game:
    players, rng = (make_policy(mr_x), make_policy(detectives)), np.random.default_rng(seed)
    while game.winner is None:
        player = players[0 if game.seat == MR_X else 1]
        game.play(player.act(game.view(game.seat), rng).action)
    return game


@pytest.mark.parametrize("name", MR_X_POLICIES)
def test_mr_x_never_plays_an_illegal_action_on_any_board_by_any_rules(name: str) -> None:
    for number, (board, rules, detectives) in enumerate(SETTINGS):
        play_out(Game(board, rules, detectives=detectives, seed=number), name, "random", number)


@pytest.mark.parametrize("name", DETECTIVE_POLICIES)
def test_detectives_never_play_an_illegal_action_on_any_board_by_any_rules(name: str) -> None:
    for number, (board, rules, detectives) in enumerate(SETTINGS):
        play_out(Game(board, rules, detectives=detectives, seed=number), "random", name, number)


@pytest.mark.parametrize("name", DETECTIVE_POLICIES)
def test_what_detectives_do_does_not_depend_on_where_mr_x_hides(name: str) -> None:
    policy = make_policy(name)
    for moves in HIDING:
        here, there = two_games(moves)
        if here.seat != MR_X:
            one = policy.act(here.view(here.seat), np.random.default_rng(1))
            assert policy.act(there.view(there.seat), np.random.default_rng(1)) == one


@pytest.mark.parametrize("name", sorted({*MR_X_POLICIES, *DETECTIVE_POLICIES}))
def test_the_same_view_and_rng_give_the_same_decision_whatever_came_before(name: str) -> None:
    policy = make_policy(name)
    views = [game.view(game.seat) for game in playable(policy.sides)]  # type: ignore[attr-defined]
    first = [policy.act(view, np.random.default_rng(5)) for view in views]
    again = [policy.act(view, np.random.default_rng(5)) for view in reversed(views)]
    assert first == again[::-1]


@pytest.mark.parametrize("name", sorted({*MR_X_POLICIES, *DETECTIVE_POLICIES}))
def test_deciding_for_many_views_agrees_with_deciding_for_each(name: str) -> None:
    policy = make_policy(name)
    for game in playable(policy.sides):  # type: ignore[attr-defined]
        view = game.view(game.seat)
        together = decide(policy, Views(view.board, view.rules, view.states), np.random.default_rng(3))
        assert together.tolist() == [policy.act(view, np.random.default_rng(3)).action]


def playable(sides: tuple[str, ...]) -> list[Game]:
    """Collect positions of several games in which a seat of these sides is to move."""
    games = [random_game("london", "classic", 5, seed, actions) for seed in range(4) for actions in range(0, 40, 3)]
    wanted = [game for game in games if game.winner is None]
    return [game for game in wanted if ("mr_x" if game.seat == MR_X else "detectives") in sides]
