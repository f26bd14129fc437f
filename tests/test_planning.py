"""The one planner: what everybody can do, what it is worth, and that enumeration and coordinate ascent agree on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.planning.choices import CHOICES, STAYS, list_choices, list_replies
from scotyard_baselines.planning.coordinate_ascent import ASCENT_SCRATCH, ascend, best_choice
from scotyard_baselines.planning.node import NODE, keep_all, keep_likeliest, look_at
from scotyard_baselines.planning.transposition import TranspositionTable
from scotyard_baselines.planning.tree import Tree
from scotyard_baselines.planning.value import HELD, mix_replies, price_choices, value_exit
from scotyard_baselines.planning.weights import make_weights
from scotyard_env.belief import weigh
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.state import MR_X
from scotyard_env.view import View

#     1 --T-- 2 --T-- 3
#             B       T
#             4 --T-- 5
SQUARE = Board.from_text("1-T-2 2-T-3 2-B-4 3-T-5 4-T-5")


def node_of(view: View, particles: int = 64) -> tuple[Any, Any]:
    """Look at a view with its uniform belief; return the node and an empty choice table."""
    node, choices = np.zeros(1, NODE)[0], np.zeros(1, CHOICES)[0]
    look_at(view.state, node)
    keep_likeliest(weigh(view, "uniform"), particles, node)
    return node, choices


def choices_of(game: Game, seat: int) -> list[tuple[int, int]]:
    node, choices = node_of(game.view(game.seat))
    list_choices(game.board.arrays, node, choices, seat)
    count = choices.count[seat]
    return list(zip(choices.to[seat, :count].tolist(), choices.fare[seat, :count].tolist(), strict=True))


# ------------------------------------------------------------------------------------------------------ what one can do


def test_a_station_that_a_later_detective_stands_on_is_no_choice() -> None:
    game = Game.from_position(SQUARE, stations=[5, 2, 3], possible=[5])
    game.play("T4")
    assert [to for to, _ in choices_of(game, 1)] == [1, 4]


def test_a_station_that_an_earlier_detective_is_about_to_leave_is_a_choice() -> None:
    game = Game.from_position(SQUARE, stations=[5, 3, 2], possible=[5])
    game.play("T4")
    assert [to for to, _ in choices_of(game, 2)] == [1, 3, 4]


def test_of_two_tickets_to_a_station_the_one_it_has_more_of_is_paid() -> None:
    board = Board.from_text("1-T-2 1-B-2 2-T-3")
    for taxis, buses, fare in ((1, 2, 1), (2, 1, 0)):
        purses = [[4, 3, 3, 2, 2], [taxis, buses, 0, 0, 0]]
        game = Game.from_position(board, stations=[3, 1], possible=[3], tickets=purses)
        game.play("T2")
        assert choices_of(game, 1) == [(2, fare)]


def test_a_detective_without_a_ticket_stays() -> None:
    game = Game.from_position(
        SQUARE, stations=[5, 1, 2], possible=[5], tickets=[[4, 3, 3, 2, 2], [0, 8, 4, 0, 0], [10, 8, 4, 0, 0]]
    )
    game.play("T4")
    assert choices_of(game, 1) == [(1, STAYS)]


def test_mr_x_replies_with_every_station_that_he_can_pay_for() -> None:
    game = Game.from_position(SQUARE, stations=[1, 5, 3], possible=[1])
    game.play("T2")
    node, choices = node_of(game.view(1))
    list_replies(SQUARE.arrays, node, make_weights(discount=0.8)[0], choices)
    rows = slice(choices.first_reply[0], choices.first_reply[1])
    assert choices.reply[rows].tolist() == [1, 3, 4]
    assert choices.ways[rows].tolist() == [2, 2, 2]  # its own ticket, and a black one
    assert sorted(choices.exits[: choices.exit_count].tolist()) == [1, 3, 4]


def test_without_replies_mr_x_is_judged_where_he_is() -> None:
    game = Game.from_position(SQUARE, stations=[1, 5, 3], possible=[1])
    game.play("T2")
    node, choices = node_of(game.view(1))
    list_replies(SQUARE.arrays, node, make_weights(discount=0.8, has_replies=False)[0], choices)
    assert choices.reply[: choices.first_reply[1]].tolist() == [2]


def test_all_particles_are_kept_as_they_are() -> None:
    node, belief = np.zeros(1, NODE)[0], np.array([0.0, 0.1, 0.0, 0.5, 0.4, 0.0])
    keep_all(SQUARE.arrays, belief, node)
    assert node.particle[: node.particles].tolist() == [1, 3, 4]
    assert node.weight[: node.particles].tolist() == [0.1, 0.5, 0.4]


# ----------------------------------------------------------------------------------------------------- what it is worth


def test_an_exit_is_worth_the_discount_to_the_power_of_its_capture_time() -> None:
    weights = make_weights(discount=0.5, coverage=0.25)[0]
    assert value_exit(weights, 3, 0, 2) == 0.125
    assert value_exit(weights, 3, 0, 1) == 0.125 + 0.25
    assert value_exit(weights, 3, 0, 0) == HELD


def test_all_pairs_count_for_their_share() -> None:
    weights = make_weights(discount=0.5, all_pairs_weight=0.25, detectives=3)[0]
    assert value_exit(weights, 1, 6, 2) == pytest.approx(0.75 * 0.5 + 0.25 * 0.5**2)


def test_the_worst_case_counts_for_its_share_and_no_reply_is_a_capture() -> None:
    weights = make_weights(discount=0.5, worst_case_weight=0.75)[0]
    assert mix_replies(weights, 0.2, 1.2, 3) == pytest.approx(0.75 * 0.2 + 0.25 * 0.4)
    assert mix_replies(weights, np.inf, 0.0, 0) == 1.0


def test_a_weight_that_does_not_exist_is_refused() -> None:
    with pytest.raises((KeyError, ValueError), match="cuation"):
        make_weights(discount=0.8, cuation=0.5)


@pytest.mark.parametrize("seed", range(6))
def test_enumeration_and_coordinate_ascent_come_to_the_same_value(seed: int) -> None:
    game = random_game("docklands", "docklands", 3, seed, actions=4)
    while game.seat == MR_X:
        game.play(int(game.legal[0]))
    view, weights = game.view(game.seat), make_weights(discount=0.8, worst_case_weight=1.0)
    tree = Tree(view, weigh(view, "uniform"), 64)
    *_, ranking = tree.rank(0, 0, weights, beam=1)
    board, (node, choices), scratch = view.board.arrays, node_of(view), np.zeros(1, ASCENT_SCRATCH)[0]
    list_replies(board, node, weights[0], choices)
    for seat in range(view.seat, len(view.stations)):
        list_choices(board, node, choices, seat)
        price_choices(board, node, weights[0], choices, seat)
    ascend(board, tree.where.times, node, weights[0], choices, scratch, np.random.default_rng(0).random((64, 5)))
    best = best_choice(board, tree.where.times, node, weights[0], choices, scratch, node.seat)
    assert scratch.value[best] == pytest.approx(ranking[0].value, abs=1e-12)


# -------------------------------------------------------------------------------------------------- transposition table


def test_a_bound_settles_only_what_it_bounds() -> None:
    table = TranspositionTable()
    table.store(b"high", 0.8, alpha=0.1, beta=0.5)  # at least 0.8
    table.store(b"low", 0.1, alpha=0.1, beta=0.5)  # at most 0.1
    table.store(b"exact", 0.3, alpha=0.1, beta=0.5)
    assert table.look_up(b"high", 0.0, 0.7) == 0.8
    assert table.look_up(b"high", 0.0, 0.9) is None
    assert table.look_up(b"low", 0.2, 0.9) == 0.1
    assert table.look_up(b"low", 0.0, 0.9) is None
    assert table.look_up(b"exact", 0.0, 1.0) == 0.3
    assert table.look_up(b"unknown", 0.0, 1.0) is None
