"""The tree: it keeps its books, chooses by the formulas, rewards whom it should, and never plays on its own root."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.mcts.search import reward_of
from scotyard_baselines.mcts.selection import find_best_child, list_choices
from scotyard_baselines.mcts.tree import NO_NODE, Tree, new_tree, write_node
from scotyard_baselines.pimbot import PimBot
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.rules import fare_of
from scotyard_env.state import BLACK, DETECTIVES_WIN, MR_X, MR_X_WINS
from scotyard_env.view import View, Views

KINDS = ("greedy", "chase", "random")


def search_tree(policy: PimBot, view: View, seed: int = 3) -> Tree:
    (tree,) = policy.search(Views(view.board, view.rules, view.states), 0, np.array([seed], np.uint64))
    return tree


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
        search_tree(PimBot(iterations=200, playouts=playouts, history=5.0, possible_set=False), view)
        search_tree(PimBot(iterations=200, playouts=playouts), view)
        assert view.states.tobytes() == before


@pytest.mark.parametrize("playouts", KINDS)
def test_every_iteration_visits_the_root_and_adds_at_most_one_node(playouts: str) -> None:
    for view in positions("docklands", "docklands", 2):
        tree = search_tree(PimBot(iterations=300, playouts=playouts), view)
        assert tree.nodes[0].visits == 300
        assert sum(int(tree.nodes[child].visits) for child in children(tree, 0)) == 300
        assert {int(tree.nodes[child].action) for child in children(tree, 0)} <= set(view.legal)
        assert tree.scratch[0].nodes <= 301


def test_a_node_is_visited_once_when_it_is_added_and_then_with_its_children() -> None:
    for view in positions("london", "classic", 5):
        tree = search_tree(PimBot(iterations=500), view)
        for node in range(1, int(tree.scratch[0].nodes)):
            below = sum(int(tree.nodes[child].visits) for child in children(tree, node))
            assert tree.nodes[node].visits >= 1 + below  # more where a game has ended there
            assert 0.0 <= tree.nodes[node].reward <= tree.nodes[node].visits


def test_a_search_goes_on_without_new_nodes_when_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scotyard_baselines.pimbot.MOST_NODES", 60)
    for view in positions("london", "classic", 5):
        tree = search_tree(PimBot(iterations=400), view)
        assert tree.scratch[0].nodes == 60
        assert tree.nodes[0].visits == 400


def test_a_hundred_thousand_iterations_take_less_than_200_megabytes() -> None:
    small, large = (sum(array.nbytes for array in new_tree(size)) for size in (10_001, 100_001))
    assert large < 200e6
    assert large < 10 * small  # linear in the iterations


def is_held(words: Any, station: int) -> bool:
    return bool(int(words[station >> 6]) >> (station & 63) & 1)


@pytest.mark.parametrize("possible_set", [True, False])
def test_mr_x_is_placed_where_he_may_be_or_anywhere_if_nobody_keeps_track(possible_set: bool) -> None:
    for view in positions("london", "classic", 5):
        scratch = search_tree(PimBot(iterations=5, possible_set=possible_set), view).scratch[0]
        believed = scratch.stations[: scratch.station_count].tolist()
        free = [station for station in range(1, 200) if station not in view.stations[1:]]
        just_seen = view.state.seen_entry == view.state.entries and view.state.entries > 0
        assert believed == (view.possible if possible_set or just_seen else free)


def family(visits: list[int], wins: list[int]) -> tuple[Tree, list[int]]:
    """Make a root with children that have so many visits and wins; give their actions too."""
    tree, actions = new_tree(10), [10 * (place + 1) for place in range(len(visits))]
    write_node(tree.nodes, 0, -1)
    for place, (visited, won) in enumerate(zip(visits, wins, strict=True)):
        write_node(tree.nodes, place + 1, actions[place])
        tree.nodes[place + 1].visits, tree.nodes[place + 1].reward = visited, won
        tree.nodes[place + 1].sibling, tree.nodes[0].child = tree.nodes[0].child, place + 1
    tree.nodes[0].visits = sum(visits)
    return tree, actions


def chosen(tree: Tree, legal: list[int], seat: int, exploration: float, history: float = 0.0) -> int:
    parameters, scratch = tree.parameters[0], tree.scratch[0]
    parameters.exploration[:] = exploration
    parameters.history = history
    scratch.legal[: len(legal)] = legal
    return int(find_best_child(tree.nodes[0], tree.nodes, seat, len(legal), parameters, scratch))


@pytest.mark.parametrize("exploration", [0.0, 0.2, 2.0])
def test_uct_chooses_the_child_with_the_best_mean_plus_exploration(exploration: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        visits = rng.integers(1, 50, size=5).tolist()
        wins = [int(rng.integers(0, visited + 1)) for visited in visits]
        tree, actions = family(visits, wins)
        bounds = [w / n + exploration * math.sqrt(math.log(sum(visits)) / n) for w, n in zip(wins, visits, strict=True)]
        best = chosen(tree, actions, 1, exploration) - 1
        assert bounds[best] == pytest.approx(max(bounds))


def test_children_that_are_not_legal_from_where_he_is_do_not_count() -> None:
    tree, actions = family([5, 5, 5], [5, 1, 0])
    assert chosen(tree, actions[1:], MR_X, 0.0) == 2


def test_as_long_as_a_legal_action_has_no_child_there_is_no_best_one() -> None:
    tree, actions = family([5, 5, 5], [5, 1, 0])
    assert chosen(tree, [*actions, 77], MR_X, 0.0) == NO_NODE
    assert tree.scratch[0].unexpanded[77] == tree.scratch[0].stamp


def test_progressive_history_favours_actions_that_won_elsewhere_the_less_the_more_they_lose_here() -> None:
    tree, actions = family([4, 4], [2, 2])
    tree.scratch[0].history_visits[1, actions] = 10.0
    tree.scratch[0].history_rewards[1, actions] = 9.0, 1.0
    assert chosen(tree, actions, 1, 0.0, history=5.0) == 1
    tree.scratch[0].history_rewards[1, actions] = 1.0, 9.0
    assert chosen(tree, actions, 1, 0.0, history=5.0) == 2
    tree.nodes[1].reward = 4.0  # one always won; 1 + 0.1 * 5 / 1 against 0.5 + 0.9 * 5 / (0.5 * 4 + 1)
    assert chosen(tree, actions, 1, 0.0, history=5.0) == 2
    tree.nodes[2].visits = 40  # now 0.05 + 0.9 * 5 / 39
    assert chosen(tree, actions, 1, 0.0, history=5.0) == 1


@pytest.mark.parametrize(
    ("winner", "catcher", "searcher", "of_detectives"),
    [
        (DETECTIVES_WIN, 2, 2, 1.0),
        (DETECTIVES_WIN, 3, 2, 0.75),  # a colleague's catch
        (DETECTIVES_WIN, MR_X, 2, 0.75),  # he was stuck
        (DETECTIVES_WIN, 3, MR_X, 1.0),  # it is Mr. X who searches
        (MR_X_WINS, MR_X, 2, 0.0),
    ],
)
def test_coalition_reduction(winner: int, catcher: int, searcher: int, of_detectives: float) -> None:
    state = Game(seed=1).state.copy()
    state.winner, state.seat = winner, catcher
    assert reward_of(state, 1, 0.25, searcher) == of_detectives
    assert reward_of(state, MR_X, 0.25, searcher) == (winner == MR_X_WINS)


def choices(game: Game, black_filter: bool) -> list[int]:
    tree = PimBot(black_filter=black_filter).make_tree(1)
    legal = tree.scratch[0].legal
    size = list_choices(game.board.arrays, game.rule_arrays, game.state, tree.playout_parameters[0], legal)
    return legal[:size].tolist()


def test_the_filter_strikes_out_black_tickets_that_hide_nothing() -> None:
    game = Game(seed=2)  # in round 1 they do not
    double = 4 * game.board.stations
    assert choices(game, black_filter=False) == game.legal
    assert choices(game, black_filter=True) == [a for a in game.legal if a == double or fare_of(a) != BLACK]


def test_the_filter_leaves_black_tickets_where_there_is_no_other_move() -> None:
    ferry = Board.from_text("1-F-2 2-T-3 3-T-4 4-T-5")
    game = Game.from_position(ferry, stations=[1, 5])
    assert choices(game, black_filter=True) == game.legal
