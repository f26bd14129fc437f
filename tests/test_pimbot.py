"""PimBot: the search keeps its books and its root, every part does what the paper says, and parameters are checked."""

from __future__ import annotations

import numpy as np
import pytest
from playing import random_game

from baselines.mcts import NO_NODE, Tree
from baselines.pimbot import PimBot
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.notation import parse_action
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.rules import destination
from scotyard_env.view import View, Views

LINE = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6")
KINDS = ("greedy", "chase", "random")


def grown(policy: PimBot, view: View, seed: int = 3) -> Tree:
    return policy.search(Views(view.board, view.rules, view.states), 0, np.uint64(seed))


def positions(board: str, rules: str, detectives: int) -> list[View]:
    games = [random_game(board, rules, detectives, seed, actions=5 * seed) for seed in range(8)]
    return [game.view(game.seat) for game in games if game.winner is None and len(game.legal) > 1]


def children(tree: Tree, node: int) -> list[int]:
    found, index = [], int(tree.nodes[node].child)
    while index != NO_NODE:
        found.append(index)
        index = int(tree.nodes[index].sibling)
    return found


@pytest.mark.parametrize("playouts", KINDS)
def test_a_search_leaves_the_bytes_of_its_root_as_they_were(playouts: str) -> None:
    for view in positions("london", "classic", 5):
        before = view.states.tobytes()
        grown(PimBot(iterations=200, playouts=playouts, history=5.0), view)
        assert view.states.tobytes() == before


@pytest.mark.parametrize("playouts", KINDS)
def test_every_iteration_visits_the_root_and_adds_at_most_one_node(playouts: str) -> None:
    for view in positions("docklands", "docklands", 2):
        tree = grown(PimBot(iterations=300, playouts=playouts), view)
        assert tree.nodes[0].visits == 300
        assert sum(int(tree.nodes[child].visits) for child in children(tree, 0)) == 300
        assert {int(tree.nodes[child].action) for child in children(tree, 0)} <= set(view.legal)
        assert tree.searches[0].nodes <= 301


def test_a_node_is_visited_as_often_as_its_children_and_once_when_it_was_added() -> None:
    for view in positions("london", "classic", 5):
        tree = grown(PimBot(iterations=500), view)
        for node in range(1, int(tree.searches[0].nodes)):
            below = sum(int(tree.nodes[child].visits) for child in children(tree, node))
            assert tree.nodes[node].visits >= 1 + below  # more where a game has ended there
            assert 0.0 <= tree.nodes[node].worth <= tree.nodes[node].visits


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
        assert decision.confidence == shares[0] - shares[1]
        assert decision.value is not None
        assert 0.0 <= decision.value <= 1.0


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
