"""minimax plans as its document says, step by step; what only makes it faster changes nothing of what it plays."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from playing import random_game
from slow_minimax import SlowMinimax

from scotyard_baselines import minimax
from scotyard_baselines.exact.alphabeta import backward_induction, minimax_alpha_beta
from scotyard_baselines.exact.visible_game import VisibleGame
from scotyard_baselines.minimax import Minimax, Search, SearchResult, best_by_first_move
from scotyard_baselines.planning.distances import weigh_links
from scotyard_baselines.planning.node import NODE, keep_likeliest
from scotyard_baselines.planning.variants import OURS
from scotyard_env import belief
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.rules import destination, fare_of
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X
from scotyard_env.view import Position, View

ALL_TERMS = Minimax(
    depth=2, w_1=0.02, w_2=0.05, w_3=0.03, w_4=0.04, coverage=0.05, choke=0.02, perimeter=0.03, beam=0, width=0
)
TERMS = ("w_1", "w_2", "w_3", "w_4", "coverage", "choke", "perimeter")
SWITCHES = ("alpha_beta", "pawn_order", "move_order", "answer_order", "transposition_table")
PLAIN: dict[str, Any] = {**dict.fromkeys(SWITCHES, False), "dominance": "none"}


def views(board: str, rules: str, detectives: int, seeds: range) -> list[View]:
    """Collect views of detectives from the middle of random games."""
    games = [random_game(board, rules, detectives, seed, 3 + seed) for seed in seeds]
    return [game.view(game.seat) for game in games if game.winner is None and game.seat != MR_X]


def with_weights(**weights: Any) -> Minimax:
    """Make a policy that counts these terms alone, beside the capture time."""
    return Minimax(**{"depth": 2, **dict.fromkeys(TERMS, 0.0), **weights})


def gap_of(found: SearchResult) -> float | None:
    """Return the gap to the best plan that begins with another move."""
    values = list(best_by_first_move(found.plans).values())
    return values[0] - values[1] if len(values) > 1 else None


# ------------------------------------------------------------------------------------------------- the search is right


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_the_last_two_layers_agree_with_plain_enumeration(seed: int, depth: int) -> None:
    policy = dataclasses.replace(ALL_TERMS, depth=depth)
    for view in views("docklands", "docklands", 2, range(seed, seed + 1)):
        value, plan = SlowMinimax(view, policy).best()
        best = policy.think(view).plans[0]
        assert best.value == pytest.approx(value)
        assert best.actions == plan


@pytest.mark.parametrize("depth", [3, 4])
@pytest.mark.parametrize("board", ["glasses", "docklands"])
@pytest.mark.parametrize("seed", range(4))
def test_deeper_searches_agree_with_plain_enumeration(board: str, seed: int, depth: int) -> None:
    policy = dataclasses.replace(ALL_TERMS, depth=depth, particles=3, adaptive=False)
    for view in views(board, board, 2 if board == "glasses" else 1, range(seed, seed + 1)):
        value, plan = SlowMinimax(view, policy).best()
        best = policy.think(view).plans[0]
        assert best.value == pytest.approx(value)
        assert best.actions == plan


SOME_OF_ALL: dict[str, Any] = {"w_1": 0.2, "w_2": 0.1, "w_3": 0.03, "w_4": 0.3, "coverage": 0.2, "choke": 0.1}
SELECTIONS: dict[str, dict[str, Any]] = {
    "the document": {"variant": "document", "w_4": 0.3, "few_tickets": 0},
    "the document with all bonuses": {"variant": "document", **SOME_OF_ALL, "perimeter": 0.4, "capture": 0.5},
    "its evaluation, averaged": {"variant": "document", **SOME_OF_ALL, "merge": "particles", "distances": "hops"},
    "its minimum, our evaluation": {**SOME_OF_ALL, "merge": "minimum", "perimeter": 0.4},
    "double answers": {"double_answers": True, "w_3": 0.1},
    "weighted distances": {**SOME_OF_ALL, "distances": "weighted"},
    "the document's dominance": {"dominance": "document"},
    "no capture time": {**SOME_OF_ALL, "capture": 0.0},
}


@pytest.mark.parametrize("selected", SELECTIONS)
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_every_selection_of_steps_agrees_with_plain_enumeration(selected: str, depth: int) -> None:
    policy = Minimax(
        **{"particles": 3, **SELECTIONS[selected], "depth": depth, "adaptive": False, "beam": 0, "width": 0}
    )
    cases = [("docklands", 2, range(12)), ("glasses", 2, range(3))] if depth <= 2 else [("glasses", 2, range(4))]
    cases += [("docklands", 1, range(2, 4))] if depth == 3 else []
    for board, detectives, seeds in cases:
        for view in views(board, board, detectives, seeds):
            value, plan = SlowMinimax(view, policy).best()
            best = policy.think(view).plans[0]
            assert best.value == pytest.approx(value)
            assert best.actions == plan


def seen_pursuit(seed: int, detectives: int) -> Game:
    """Play some moves on docklands against a Mr. X who shows himself at every one, and can neither double nor go black.

    Purses are full enough that nobody runs out of tickets.
    """
    rng = np.random.default_rng(seed)
    rules = RuleSet.named("docklands")
    rules = dataclasses.replace(rules, reveals=tuple(range(1, rules.log_entries + 1)))
    stations = [int(station) + 1 for station in rng.permutation(32)[: detectives + 1]]
    game = Game.from_position("docklands", rules, stations=stations, tickets=[(99, 99, 99, 0, 0)] * len(stations))
    for _ in range(1 + seed % detectives):
        game.play(int(rng.choice(game.legal)))
    return game


def tree_of(game: Game, policy: Minimax) -> VisibleGame:
    """Make the tree that is left of the document's where all see Mr. X: the detectives' turns one by one, his answers.

    A leaf is worth the discount for each answer before the last plan, and for each round that a capture is away then.
    """
    plans = (policy.depth + 1) // 2
    turns = plans * game.state.seats - game.seat + (policy.depth + 1) % 2
    slow = SlowMinimax(game.view(game.seat), policy)

    def value(at: Position) -> float:
        if at.winner == "detectives":
            return float(policy.discount ** int(at.state.entries - game.state.entries))
        here, stations = at.stations[MR_X], at.stations[1:]
        near = min(at.board.distance(station, here) for station in stations)
        return float(policy.discount ** (plans - 1 + slow.rounds(stations, here, near)))

    return VisibleGame(game, turns, value, actions=one_to_a_station, maximiser="detectives")


def one_to_a_station(at: Position) -> list[int]:
    """List one move to each station, by the ticket that the seat has most of, as plans have it."""
    purse, ways = at.tickets[at.seat], dict[int, int]()
    for action in at.legal:
        to = int(destination(action))
        if to not in ways or purse[fare_of(action)] > purse[fare_of(ways[to])]:
            ways[to] = action
    return list(ways.values())


SEEN = with_weights(worst_case_weight=1.0, particles=1, beam=0, width=0, adaptive=False)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("detectives", [1, 2])
def test_against_a_mr_x_whom_all_see_the_value_is_that_of_backward_induction(detectives: int, depth: int) -> None:
    policy = dataclasses.replace(SEEN, depth=depth)
    values = set()
    for seed in range(8):
        game = seen_pursuit(seed, detectives)
        tree = tree_of(game, policy)
        found = policy.think(game.view(game.seat)).plans[0]
        assert found.value == pytest.approx(backward_induction(tree, tree.root)[0])
        values.add(found.value)
    assert len(values) > 2  # not all alike


@pytest.mark.parametrize(("detectives", "depth"), [(1, 6), (2, 5)])
def test_deeper_down_it_is_that_of_alpha_beta_and_the_best_plan_keeps_it(detectives: int, depth: int) -> None:
    policy = dataclasses.replace(SEEN, depth=depth)
    for seed in range(5, 8):
        game = seen_pursuit(seed, detectives)
        tree = tree_of(game, policy)
        found, node = policy.think(game.view(game.seat)).plans[0], tree.root
        assert found.value == pytest.approx(minimax_alpha_beta(tree, node)[0])
        for action in found.actions:
            node = tree.play(node, action)
        assert found.value == pytest.approx(minimax_alpha_beta(tree, node)[0])


@pytest.mark.parametrize("worst_case_weight", [0.5, 1.0])
@pytest.mark.parametrize("depth", [2, 4])
def test_cuts_orderings_dominance_and_table_change_neither_value_nor_plan(depth: int, worst_case_weight: float) -> None:
    fast = dataclasses.replace(
        ALL_TERMS, depth=depth, particles=4, beam=6, width=0, worst_case_weight=worst_case_weight, adaptive=False
    )
    slow = dataclasses.replace(fast, **PLAIN)
    for view in views("docklands", "docklands", 3, range(6)):
        found, plain = fast.think(view), slow.think(view)
        assert found.plans[0].actions == plain.plans[0].actions
        assert found.plans[0].value == pytest.approx(plain.plans[0].value, abs=1e-12)
        assert gap_of(found) == pytest.approx(gap_of(plain), abs=1e-12)


@pytest.mark.parametrize("shortcut", [{"alpha_beta": True}, {"dominance": "swap"}, {"transposition_table": True}])
def test_each_shortcut_saves_nodes(shortcut: dict[str, Any]) -> None:
    policy = dataclasses.replace(ALL_TERMS, **PLAIN, depth=4, particles=3, adaptive=False, width=4)
    game = Game.from_position("london", stations=[45, 10, 22], possible=[45])  # 11 and 34 are beside both detectives
    game.play("T60")
    spent = [p.think(game.view(1)).nodes for p in (policy, dataclasses.replace(policy, **shortcut))]
    assert spent[1] < spent[0]


def test_move_order_saves_nodes_under_alpha_beta() -> None:
    ordered = Minimax(depth=2, beam=1)
    cases = views("london", "classic", 5, range(0, 24, 2))
    spent = [
        sum(policy.think(view).nodes for view in cases)
        for policy in (ordered, dataclasses.replace(ordered, move_order=False))
    ]
    assert spent[0] < spent[1]


# --------------------------------------------------------------------------------------------------- steps of the plan


def test_the_most_threatening_pawn_is_branched_over_first() -> None:
    game = Game.from_position("london", stations=[45, 150, 46, 100], possible=[45, 58, 59])
    game.play("T60")
    search = Search(game.view(1), Minimax())
    search.rank(0, 0, 2, beam=1)
    order = search.tree.scratch[0].pawn[:3].tolist()
    centre, distance = search.tree.scratch[0].centroid, game.board.arrays.distance
    assert order[0] == 2
    assert order == sorted(order, key=lambda seat: distance[game.stations[seat], centre])


def test_a_detective_with_one_way_to_go_does_not_lose_it_to_another() -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 2-T-5 5-T-6 6-T-4 4-T-7")
    game = Game.from_position(board, stations=[7, 1, 3], possible=[7, 6])
    game.play(game.legal[0])
    for policy in (Minimax(), Minimax(pawn_order=False), Minimax(depth=2, beam=0)):
        for plan in policy.think(game.view(1)).plans:
            assert action_text(board, plan.actions[0]) == "T2"
            assert action_text(board, plan.actions[1]) == "T4"


def test_moves_that_cover_the_exits_best_are_tried_first() -> None:
    game = Game.from_position("london", stations=[45, 150, 46], possible=[45])
    game.play("T60")
    search = Search(game.view(1), Minimax())
    search.rank(0, 0, 2, beam=1)
    for seat in (1, 2):
        order = search.tree.scratch[0].order[seat, : search.tree.choices[0].count[seat]]
        promise = search.tree.scratch[0].promise[seat, order].tolist()
        assert promise == sorted(promise, reverse=True)


def test_only_the_likeliest_particles_are_kept_and_weigh_one_together() -> None:
    nodes, weights = np.zeros(1, NODE), np.array([0.0, 0.1, 0.4, 0.1, 0.4])
    keep_likeliest(weights, 3, nodes[0])
    assert nodes[0].particle[:3].tolist() == [2, 4, 1]
    assert nodes[0].weight[:3].tolist() == pytest.approx([4 / 9, 4 / 9, 1 / 9])


def test_a_plan_takes_the_particles_it_lands_on_out_of_the_belief() -> None:
    game = Game.from_position("docklands", stations=[9, 8, 30], possible=[9, 10])
    game.play("T3")
    search = Search(game.view(1), Minimax(depth=2, beam=0))
    catching = next(plan for plan in search.rank(0, 0, 2) if plan.to[1] in search.tree.nodes[0].particle[:9])
    before = dict(zip(search.tree.nodes[0].particle.tolist(), search.tree.nodes[0].weight.tolist(), strict=True))
    after, caught = search.tree.carry_out(0, 0, catching)
    assert after == 1
    rest = search.tree.nodes[1].particle[: search.tree.nodes[1].particles].tolist()
    assert caught == pytest.approx(sum(before[int(to)] for to in set(catching.to[1:3].tolist()) & set(before)))
    assert int(catching.to[1]) not in rest
    assert search.tree.where.states[1].station[1] == catching.to[1]


def played_answers(entries: int) -> tuple[Search, int]:
    """Carry out the best plan where Mr. X has made so many entries, and let him answer."""
    game = random_game("london", "classic", 5, seed=2, actions=6 * entries - 5)
    assert game.state.entries == entries
    search = Search(game.view(game.seat), Minimax())
    plan = search.rank(0, 0, 2, beam=1)[0]
    after, _ = search.tree.carry_out(0, 0, plan)
    return search, search.tree.answer(after, 0)


def test_answers_are_merged_by_the_ticket_that_the_table_sees() -> None:
    search, count = played_answers(entries=1)
    fares = [int(search.tree.where.states[2 + number].log[1]) for number in range(count)]
    assert len(set(fares)) == len(fares) > 1
    assert search.tree.where.answers[0].share[:count, : search.tree.nodes[1].particles].sum(axis=0) == pytest.approx(
        1.0
    )
    assert all(search.tree.where.states[2 + number].station[MR_X] == 0 for number in range(count))


def test_at_a_reveal_every_station_is_an_answer_of_its_own() -> None:
    search, count = played_answers(entries=2)
    shown = [int(search.tree.where.states[2 + number].log_shown[2]) for number in range(count)]
    assert len(set(shown)) == len(shown) > 4
    assert all(search.tree.nodes[2 + number].particles == 1 for number in range(count))
    assert [int(search.tree.nodes[2 + number].particle[0]) for number in range(count)] == shown


def test_merging_mixes_the_best_and_the_average_answer_of_each_particle() -> None:
    search, count = played_answers(entries=1)
    merged = search.begin_merge(0, 1, 0.1, count)
    values = [0.2 + 0.1 * number for number in range(count)]
    for number in range(count):
        merged.take(number, values[number])
    expected = 0.1
    for particle in range(search.tree.nodes[1].particles):
        share = search.tree.where.answers[0].share[:count, particle]
        least = min(value for value, part in zip(values, share, strict=True) if part > 0)
        expected += search.tree.nodes[1].weight[particle] * 0.8 * (0.5 * least + 0.5 * float(share @ values))
    assert merged.value == pytest.approx(expected)


def test_the_answer_with_the_largest_escape_potential_comes_first() -> None:
    search, count = played_answers(entries=1)
    potential = search.tree.where.answers[0].potential
    order = search.order_answers(0, count)
    assert [potential[number] for number in order] == sorted(potential[:count], reverse=True)


def test_the_horizon_is_short_before_a_reveal_and_with_few_tickets() -> None:
    far = random_game("london", "classic", 5, seed=2, actions=1)
    near = random_game("london", "classic", 5, seed=2, actions=7)
    assert Minimax(depth=4).horizon_depth(far.view(far.seat)) == 4
    assert near.state.entries + 1 == 3
    assert Minimax(depth=4).horizon_depth(near.view(near.seat)) == 2
    assert Minimax(depth=4, adaptive=False).horizon_depth(near.view(near.seat)) == 4
    assert Minimax(depth=4, few_tickets=22).horizon_depth(far.view(far.seat)) == 2


def test_the_same_position_reached_by_other_detectives_has_the_same_key() -> None:
    one = Game.from_position("london", stations=[45, 150, 46], possible=[45])
    other = Game.from_position("london", stations=[45, 46, 150], possible=[45])
    keys = set()
    for game in (one, other):
        game.play("T60")
        keys.add(Search(game.view(1), Minimax()).tree.key_of(0, 2))
    assert len(keys) == 1
    elsewhere = Game.from_position("london", stations=[45, 46, 151], possible=[45])
    elsewhere.play("T60")
    assert Search(elsewhere.view(1), Minimax()).tree.key_of(0, 2) not in keys


# ------------------------------------------------------------------------------------------------------- the variants


def test_what_is_given_wins_over_the_variant() -> None:
    assert Minimax(variant="document", merge="particles").merge == "particles"
    assert Minimax(variant="document").merge == "minimum"
    assert Minimax(merge="minimum").merge == "minimum"
    assert Minimax(variant="document", **OURS) == dataclasses.replace(Minimax(), variant="document")


def test_the_document_has_no_term_but_its_own_and_no_beam() -> None:
    policy = Minimax(variant="document")
    assert [name for name in ("capture", *TERMS) if getattr(policy, name) > 0] == ["w_1", "w_2", "w_3", "w_4"]
    assert (policy.beam, policy.width) == (0, 0)


def test_with_time_and_no_depth_it_goes_to_six_layers() -> None:
    assert Minimax(seconds=1.0).depth == 6
    assert Minimax(seconds=1.0, depth=4).depth == 4
    assert Minimax(variant="document", seconds=1.0).depth == 2


def test_the_minimum_does_not_depend_on_how_likely_particles_are() -> None:
    game = Game.from_position("docklands", stations=[9, 8, 30], possible=[9, 10])
    game.play("T3")
    view, values = game.view(1), []
    for name in ("uniform", "evasive"):
        policy = with_weights(merge="minimum", belief=name, particles=64)
        values.append(policy.think(view).plans[0].value)
    assert values[0] == pytest.approx(values[1])
    averaged = [with_weights(belief=name, particles=64).think(view).plans[0].value for name in ("uniform", "evasive")]
    assert averaged[0] != pytest.approx(averaged[1])


def test_tickets_that_the_plan_hands_over_are_his() -> None:
    values = []
    for taxis in (1, 2, 9):
        purses = [(taxis, 0, 0, 0, 0), (9, 0, 0, 0, 0), (9, 0, 0, 0, 0)]
        game = Game.from_position("london", stations=[45, 46, 74], possible=[45], tickets=purses)
        game.play("T60")  # with one taxi ticket this was his last, but the detectives' will be his
        values.append(with_weights().think(game.view(1)).plans[0].value)
    assert values[0] == pytest.approx(values[2])
    assert values[1] == pytest.approx(values[2])


def test_he_is_stuck_if_nobody_hands_him_a_ticket_that_he_can_use() -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 5-B-6 6-B-7 7-B-5 4-T-5")
    purses = [(1, 0, 0, 0, 0), (0, 9, 0, 0, 0)]
    game = Game.from_position(board, stations=[1, 5], possible=[1], tickets=purses)
    game.play("T2")
    assert with_weights().think(game.view(1)).plans[0].value == 1.0


def test_on_the_weighted_graph_a_link_is_as_long_as_its_ticket_is_scarce() -> None:
    board = Board.from_text("1-T-2 2-T-3 1-B-3 3-U-4 4-F-5 1-U-5")
    distance = weigh_links(board)[0].distance
    assert [int(distance[1, to]) for to in range(1, 6)] == [0, 1, 2, 5, 3]
    assert int(distance[4, 5]) == 4


def test_the_documents_dominance_takes_a_station_from_who_comes_later() -> None:
    board = Board.from_text("1-T-2 2-T-3 2-T-4 4-T-5 5-T-6 3-T-6 1-T-7")
    plans = {}
    for purses in ([(9, 9, 9, 0, 0)] * 2, [(9, 9, 9, 0, 0), (8, 9, 9, 0, 0)]):
        game = Game.from_position(board, stations=[6, 1, 3], possible=[6], tickets=[(9, 9, 9, 0, 0), *purses])
        game.play("T5")
        found = Minimax(dominance="document", depth=2, beam=0).think(game.view(1)).plans
        plans[purses[0] == purses[1]] = {action_text(board, plan.actions[1]) for plan in found}
    assert plans == {True: {"T6"}, False: {"T2", "T6"}}


def test_a_double_move_is_an_answer_for_each_pair_of_tickets_that_the_table_sees() -> None:
    for has_doubles in (False, True):
        game = random_game("london", "classic", 5, seed=2, actions=6 * 4 - 5)  # the next reveal is far away
        search = Search(game.view(1), Minimax(double_answers=has_doubles))
        after, _ = search.tree.carry_out(0, 0, search.rank(0, 0, 2, beam=1)[0])
        count = search.tree.answer(after, 0)
        logs = [tuple(search.tree.where.states["log"][2 + number, 4:6].tolist()) for number in range(count)]
        assert len(set(logs)) == len(logs)
        assert any(second >= 0 for _, second in logs) == has_doubles
        share = search.tree.where.answers[0].share[:count, : search.tree.nodes[1].particles]
        assert share.sum(axis=0) == pytest.approx(1.0)


def test_if_he_shows_himself_with_a_double_move_only_the_station_counts() -> None:
    game = random_game("london", "classic", 5, seed=2, actions=1)  # his second move from now on shows him
    search = Search(game.view(1), Minimax(double_answers=True))
    after, _ = search.tree.carry_out(0, 0, search.rank(0, 0, 2, beam=1)[0])
    count = search.tree.answer(after, 0)
    shown = search.tree.where.states["log_shown"][2 : 2 + count, 2]
    assert len(set(shown[shown > 0].tolist())) == (shown > 0).sum() > 10
    share = search.tree.where.answers[0].share[:count, : search.tree.nodes[1].particles]
    assert share.sum(axis=0) == pytest.approx(1.0)


def test_a_shortage_of_tickets_of_mr_x_is_worth_something_to_the_document() -> None:
    values = []
    for taxis in (4, 40):
        purses = [(taxis, 3, 3, 2, 2), (9, 9, 9, 0, 0), (9, 9, 9, 0, 0)]
        game = Game.from_position("london", stations=[45, 46, 74], possible=[45], tickets=purses)
        game.play("T60")
        values.append(Minimax(variant="document").think(game.view(1)).plans[0].value)
    assert values[0] - values[1] == pytest.approx(36 * Minimax(variant="document").w_3)


def test_alpha_beta_cuts_through_the_average_at_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    windows: list[tuple[float, float]] = []
    plain = Search.maximize

    def watch(self: Search, index: int, layer: int, depth: int, alpha: float, beta: float) -> float:
        value = plain(self, index, layer, depth, alpha, beta)
        windows.append((value, beta))
        return value

    monkeypatch.setattr(Search, "maximize", watch)
    for view in views("london", "classic", 5, range(0, 16, 3)):
        Minimax().think(view)
    assert any(math.isfinite(beta) for _, beta in windows)
    assert any(value >= beta for value, beta in windows)


# ------------------------------------------------------------------------------------------------------ the evaluation


def best_landing(policy: Minimax, game: Game) -> list[int]:
    """Return where the best plan sends the detectives."""
    return [int(destination(action)) for action in policy.think(game.view(game.seat)).plans[0].actions]


def measured(term: str, plan: np.record, game: Game, **others: float) -> float:
    """Tell by how much a term with weight 1 lifts the value of a plan."""
    values = []
    for policy in (with_weights(**others), with_weights(**{term: 1.0}, **others)):
        search = Search(game.view(game.seat), dataclasses.replace(policy, beam=0, alpha_beta=False))
        ranking = search.rank(0, 0, 2)
        values += [float(ranked.value) for ranked in ranking if ranked.to.tolist() == plan.to.tolist()]
    return values[1] - values[0]


@pytest.fixture
def pursuit() -> tuple[Game, np.ndarray]:
    """Two detectives and a Mr. X seen on 45 who took a taxi; all their plans."""
    game = Game.from_position("london", stations=[45, 46, 74], possible=[45])
    game.play("T60")
    search = Search(game.view(1), Minimax(depth=2, alpha_beta=False))
    return game, search.rank(0, 0, 2)


def test_w_1_prices_the_average_distance_to_the_centroid_of_the_belief(pursuit: tuple[Game, np.ndarray]) -> None:
    game, plans = pursuit
    centre = belief.centroid(game.board, belief.weigh(game.view(1), Minimax().belief))
    distance = game.board.arrays.distance
    for plan in plans[::7]:
        assert measured("w_1", plan, game) == pytest.approx(-np.mean([distance[to, centre] for to in plan.to[1:3]]))


def test_w_2_rewards_the_entropy_that_a_miss_takes_out_of_the_belief(pursuit: tuple[Game, np.ndarray]) -> None:
    game, plans = pursuit
    weights = belief.weigh(game.view(1), Minimax().belief)
    for plan in plans[::7]:
        rest = weights.copy()
        rest[plan.to[1:3]] = 0.0
        drop = 1.0 - belief.entropy(rest / rest.sum()) / belief.entropy(weights)
        assert measured("w_2", plan, game) == pytest.approx(drop)


def replies_of(game: Game, plan: np.record) -> dict[int, float]:
    """Return for every particle that a plan leaves free its weight."""
    weights = belief.weigh(game.view(1), Minimax().belief)
    top = belief.top_stations(weights, Minimax().particles)
    total = weights[top].sum()
    return {station: weights[station] / total for station in top if station not in plan.to[1:3]}


def test_w_3_rewards_forcing_scarce_tickets_and_saving_ones_own() -> None:
    purses = [(1, 2, 0, 1, 0), (3, 2, 1, 0, 0), (2, 4, 1, 0, 0)]
    game = Game.from_position("london", stations=[45, 46, 74], possible=[45], tickets=purses)
    game.play("T60")  # his last taxi ticket: only those that the plan hands him are left
    plans = Search(game.view(1), Minimax(depth=2, alpha_beta=False, beam=0)).rank(0, 0, 2)
    seen = set()
    for plan in plans[::7]:
        paid = [int(plan.fare[seat]) for seat in (1, 2)]
        purse = [count + paid.count(fare) for fare, count in enumerate(game.tickets[MR_X][:4])]
        expected = -sum(1.0 / game.tickets[seat][plan.fare[seat]] for seat in (1, 2)) / 2
        for station, weight in replies_of(game, plan).items():
            moves = SlowMinimax(game.view(1), Minimax()).moves_from(station)
            fares = [[f for f in moves[to] if purse[f]] for to in moves if to not in plan.to[1:3]]
            scarce = [all(f == 3 or purse[f] == 1 for f in ways) for ways in fares if ways]
            expected += weight * (np.mean(scarce) if scarce else 0.0)
        averaged = {"worst_case_weight": 0.0}
        assert measured("w_3", plan, game, **averaged) == pytest.approx(expected)
        seen.add(round(expected, 6))
    assert len(seen) > 3


def test_w_4_prices_detectives_who_stand_beside_each_other(pursuit: tuple[Game, np.ndarray]) -> None:
    game, plans = pursuit
    distance = game.board.arrays.distance
    seen = set()
    for plan in plans:
        is_near = bool(distance[plan.to[1], plan.to[2]] <= 1)
        seen.add(is_near)
        assert measured("w_4", plan, game) == pytest.approx(-1.0 if is_near else 0.0)
    assert seen == {True, False}


def test_choke_rewards_stations_where_many_links_meet(pursuit: tuple[Game, np.ndarray]) -> None:
    game, plans = pursuit
    links = game.board.arrays.links[:, :3].sum(axis=1)
    for plan in plans[::7]:
        assert measured("choke", plan, game) == pytest.approx(np.mean(links[plan.to[1:3]]) / links.max())


def test_coverage_rewards_exits_that_a_detective_can_reach(pursuit: tuple[Game, np.ndarray]) -> None:
    game, plans = pursuit
    distance, seen = game.board.arrays.distance, set()
    for plan in plans[::7]:
        expected = 0.0
        for station, weight in replies_of(game, plan).items():
            moves = SlowMinimax(game.view(1), Minimax()).moves_from(station)
            free = [to for to in moves if to not in plan.to[1:3]]
            expected += weight * np.mean([min(distance[s, to] for s in plan.to[1:3]) <= 1 for to in free])
        assert measured("coverage", plan, game, worst_case_weight=0.0) == pytest.approx(expected)
        seen.add(round(expected, 6))
    assert len(seen) > 3


def test_perimeter_counts_only_when_mr_x_is_about_to_show_himself(pursuit: tuple[Game, np.ndarray]) -> None:
    game, plans = pursuit
    assert measured("perimeter", plans[0], game) == 0.0
    imminent = random_game("london", "classic", 2, seed=3, actions=4)
    assert imminent.state.entries + 1 in imminent.rules.reveals
    search = Search(imminent.view(1), Minimax(depth=2, alpha_beta=False))
    lifts = [measured("perimeter", plan, imminent) for plan in search.rank(0, 0, 2, beam=5)]
    assert max(lifts) > 0.0


# -------------------------------------------------------------------------------------------------------- what is told


def test_a_known_mr_x_within_reach_is_caught() -> None:
    game = Game.from_position("glasses", stations=[6, 4, 8], possible=[6])
    game.play("T7")  # he could also be on 5, which is beside 4 as 7 is beside 8
    plan = Minimax().think(game.view(1)).plans[0]
    assert [action_text(game.board, action) for action in plan.actions] == ["T5", "T7"]
    assert plan.value == pytest.approx(1.0, abs=0.05)


def test_a_decision_tells_the_plan_and_the_gap_to_the_best_that_begins_with_another_move() -> None:
    for view in views("london", "classic", 5, range(0, 12, 3)):
        found = Minimax().think(view)
        decision = Minimax().act(view, np.random.default_rng(0))
        assert decision.plan == found.plans[0].actions
        assert decision.action == decision.plan[0] == decision.candidates[0][0]
        others = [plan.value for plan in found.plans if plan.actions[0] != decision.action]
        assert decision.gap == (pytest.approx(found.plans[0].value - max(others)) if others else None)


@pytest.mark.parametrize("parameters", [{}, {"beam": 1}, {"depth": 3}, {"variant": "document", "particles": 3}])
def test_every_first_move_is_a_candidate_and_the_terms_add_up_to_the_value(parameters: dict[str, Any]) -> None:
    for view in views("docklands", "docklands", 3, range(8)):
        decision = Minimax(**{"dominance": "swap", **parameters}).act(view, np.random.default_rng(0))
        stations = {int(destination(action)) for action in view.legal}
        assert {int(destination(action)) for action, _ in decision.candidates} == stations
        assert [value for _, value in decision.candidates] == sorted((v for _, v in decision.candidates), reverse=True)
        assert sum(value for _, value in decision.terms) == pytest.approx(decision.value)
        assert len({name for name, _ in decision.terms}) == len(decision.terms) > 1


def test_a_term_is_what_its_weight_adds() -> None:
    for view in views("docklands", "docklands", 3, range(6)):
        terms = dict(ALL_TERMS.act(view, np.random.default_rng(0)).terms)
        slow = SlowMinimax(view, ALL_TERMS)
        value, plan = slow.best()
        without = SlowMinimax(view, dataclasses.replace(ALL_TERMS, w_4=0.0))
        difference = value - without.value_of(view.state, slow.first_particles(), plan, ALL_TERMS.horizon_depth(view))
        assert terms["w_4 clustering"] == pytest.approx(difference)


def test_every_plan_can_be_played_as_it_stands() -> None:
    for seed in range(6):
        game = random_game("london", "classic", 5, seed, actions=6 * seed + 1)
        if game.winner is None and game.seat == 1:
            for plan in Minimax(depth=2).think(game.view(1)).plans:
                SlowMinimax(game.view(1), Minimax()).play(game.view(1).state, game.possible[0], plan.actions)


class Clock:
    """A clock that moves on by a tick whenever somebody looks."""

    def __init__(self, tick: float) -> None:
        self.now, self.tick = 0.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


def test_there_is_an_answer_however_short_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimax, "perf_counter", Clock(tick=1.0))
    for view in views("london", "classic", 5, range(6)):
        found = Minimax(seconds=0.001).think(view)
        assert found.depth == 2
        assert found.plans[0].actions[0] in view.legal


def test_more_time_looks_deeper_and_stops_when_it_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    view = random_game("london", "classic", 5, seed=2, actions=1)
    depths = []
    for seconds in (1.0, 1000.0):
        clock = Clock(tick=0.1)
        monkeypatch.setattr(minimax, "perf_counter", clock)
        depths.append(Minimax(seconds=seconds, depth=6, beam=2, width=2).think(view.view(1)).depth)
        assert clock.now <= seconds + 0.2 or seconds == 1000.0
    assert depths == sorted(depths)
    assert depths[0] < depths[1]


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ("depth=0", "from 1 to 8"),
        ("depth=9", "from 1 to 8"),
        ("particles=0", "1 to 64"),
        ("belief=hope", "paths"),
        ("discount=1.0", "from 0.001 to 0.999"),
        ("worst_case_weight=1.5", "0 to 1"),
        ("w_2=-1.0", "from 0 to"),
        ("beam=-1", "from 0 to"),
        ("seconds=0", "from 0.001 to"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters: str, word: str) -> None:
    with pytest.raises(PolicyError, match=word):
        make_policy(f"minimax:{parameters}")


@pytest.mark.parametrize("name", belief.belief_names())
@pytest.mark.parametrize("variant", ["ours", "document"])
def test_it_plays_by_every_belief_there_is(variant: str, name: str) -> None:
    policy = make_policy(f"minimax:variant={variant},belief={name},particles=3")
    for view in views("docklands", "docklands", 2, range(2, 6)):
        assert policy.act(view, np.random.default_rng(0)).action in view.legal


def test_the_documents_own_parameters_are_accepted() -> None:
    policy = make_policy("minimax:depth=3,particles=8")
    view = views("london", "classic", 5, range(2, 3))[0]
    assert policy.act(view, np.random.default_rng(0)).action in view.legal
