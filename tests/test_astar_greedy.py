"""Every step of A* + Greedy on boards small enough to check by hand; its paths against a breadth-first search."""

from __future__ import annotations

import functools
import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from playing import all_settings, random_actions, random_game
from slow_rules import FARES, neighbours_by_station

from scotyard_baselines.astar_greedy import AStarGreedy, Base
from scotyard_baselines.geometry.a_star import ROOM, find_path, new_scratch, shortest_path
from scotyard_baselines.geometry.assignment import assign_targets
from scotyard_baselines.geometry.reachable import Reachable
from scotyard_env.batch import Batch
from scotyard_env.belief import Belief
from scotyard_env.board import Board
from scotyard_env.duel import play_games
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.policy import make_policy
from scotyard_env.rules import destination, fare_of
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, NOWHERE
from scotyard_env.view import View, Views

PLENTY = (20, 20, 20)
BASES = get_args(Base)
HIDDEN = RuleSet(reveals=())  # Mr. X never shows himself
SETTINGS = list(all_settings())


def to_move(
    board: Board | str,
    detectives: Sequence[int],
    possible: Iterable[int],
    tickets: Sequence[int] = PLENTY,
    rules: RuleSet = HIDDEN,
) -> View:
    """Make the view of the first detective, whose turn it is, with Mr. X on one of the possible stations."""
    possible = list(possible)
    purses = [[20, 20, 20, 20, 0], [*tickets, 0, 0], *[[*PLENTY, 0, 0]] * (len(detectives) - 1)]
    game = Game.from_position(board, rules, stations=[possible[0], *detectives], tickets=purses, possible=possible)
    view = game.view(1)
    view.state.seat = 1
    return view


def decide_text(view: View, policy: AStarGreedy | None = None, seed: int = 0) -> str:
    policy = policy or AStarGreedy()
    return action_text(view.board, policy.act(view, np.random.default_rng(seed)).action)


@functools.cache
def neighbours(board: Board) -> dict[int, list[tuple[int, str]]]:
    return neighbours_by_station(board.links)


def likely(view: View, base: Base = "uniform", alpha: float = 0.0) -> dict[int, float]:
    weights = AStarGreedy(alpha, base).probability_map(view)
    return {int(station): float(weights[station]) for station in np.flatnonzero(weights)}


# ------------------------------------------------------------------------------------------------ reachable stations

#     1 --T-- 2 --T-- 4 --T-- 6
#     |       B
#     T       |
#     3 --T-- 5 --T-- 7 --T-- 8
FORK = Board.from_text("1-T-2 1-T-3 2-T-4 2-B-5 3-T-5 4-T-6 5-T-7 7-T-8")


def after(moves: str, base: Base = "uniform", rules: RuleSet = HIDDEN, stations: Sequence[int] = (1, 8)) -> set[int]:
    """Play some moves on the fork and tell where the detectives take Mr. X to be."""
    game = Game.from_position(
        FORK,
        rules,
        stations=stations,
        tickets=[[9, 9, 9, 9, 2], *[[*PLENTY, 0, 0]] * (len(stations) - 1)],
        possible=stations[:1],
    )
    for move in moves.split():
        game.play(move)
    return set(likely(game.view(1), base))


@pytest.mark.parametrize("base", BASES)
def test_reachable_is_what_the_tickets_lead_to(base: Base) -> None:
    assert after("T2", base) == {2, 3}
    assert after("T2 T7 B5", base) == {5}
    assert after("T3 T7 T1", base) == {1, 4, 5}
    assert after("T2 T7 K4", base) == {1, 4, 5}


@pytest.mark.parametrize("base", BASES)
def test_reachable_starts_anew_where_he_was_last_seen(base: Base) -> None:
    assert after("T2 T7 T4", base, RuleSet(reveals=(2,))) == {4}
    assert after("T2 T7 T4 T8 T6", base, RuleSet(reveals=(2,))) == {2, 6}


@pytest.mark.parametrize("base", BASES)
def test_reachable_before_the_first_reveal_starts_from_the_start_cards(base: Base) -> None:
    game = Game.from_position(FORK, HIDDEN, stations=[1, 8], possible=[1, 6])
    game.play("T2")
    assert set(likely(game.view(1), base)) == {2, 3, 4}


@pytest.mark.parametrize("base", BASES)
def test_reachable_leaves_out_where_detectives_stand_and_landed(base: Base) -> None:
    assert after("T2", base, stations=(1, 3)) == {2}
    assert after("T3 T2", base, stations=(1, 4)) == {3}
    assert after("T3 T2 T5", base, stations=(1, 4)) == {1, 5}


def generate_reachable(view: View) -> set[int]:
    """Follow the document's function to the letter: no detectives in it."""
    state = view.state
    reachable = {int(state.seen)} if state.seen != NOWHERE else set(start_stations(view))
    for entry in range(state.seen_entry, state.entries):
        ticket = int(state.log[entry])
        reachable = {to for station in reachable for to, by in neighbours(view.board)[station] if ticket in FARES[by]}
    return reachable


@pytest.mark.parametrize("reachable", ["shown", "tickets"])
def test_by_tickets_alone_reachable_is_what_the_document_generates(reachable: Reachable) -> None:
    smaller = 0
    for number, setting in enumerate(SETTINGS):
        view = random_game(*setting, seed=number, actions=2 * (number % 30)).view(1)
        ways = count_ways(view, reachable)
        for base, expected in (("uniform", dict.fromkeys(ways, 1)), ("paths", ways)):
            weights = AStarGreedy(alpha=0, base=base, reachable=reachable).probability_map(view)  # type: ignore[arg-type]
            total = sum(expected.values())
            found = {int(station): weights[station] for station in np.flatnonzero(weights)}
            assert found == pytest.approx({station: count / total for station, count in expected.items()})
        smaller += set(count_ways(view, "shown")) < set(count_ways(view, "tickets"))
    assert smaller > 10


def count_ways(view: View, reachable: Reachable) -> Counter[int]:
    """Follow GenerateReachableNodes, and count the ways; available is what he showed, or all he had then or has now."""
    state, log = view.state, view.state.log[: view.state.entries].tolist()
    ways = Counter([int(state.seen)] if state.seen != NOWHERE else start_stations(view))
    held = {fare for fare in range(4) if view.tickets[MR_X][fare] != 0}
    for t in range(int(state.seen_entry), len(log)):
        available = {log[t]} if reachable == "shown" else held | set(log[t:])
        following: Counter[int] = Counter()
        for node, count in ways.items():
            tickets = {(to, ticket) for to, by in neighbours(view.board)[node] for ticket in FARES[by]}
            for neighbour, ticket in tickets:
                following[neighbour] += count * (ticket in available)
        ways = +following
    return ways


def test_by_tickets_alone_no_detective_aims_at_where_it_stands() -> None:
    view = to_move(LINE, detectives=(7,), possible=(1,))
    view.state.entries, view.state.log[0], view.state.station[1] = 1, 0, 2  # by taxi from 1: to 2, where it stands now
    assert decide_text(view, AStarGreedy(reachable="tickets")) in ("T1", "T3")


def start_stations(view: View) -> list[int]:
    return [station for station in range(1, 256) if int(view.state.start[station >> 6]) >> (station & 63) & 1]


@pytest.mark.parametrize("base", BASES)
def test_reachable_is_part_of_what_the_document_generates(base: Base) -> None:
    smaller = 0
    for number, setting in enumerate(SETTINGS):
        view = random_game(*setting, seed=number, actions=2 * (number % 30)).view(1)
        assert set(likely(view, base)) == set(view.possible) <= generate_reachable(view)
        smaller += set(view.possible) < generate_reachable(view)
    assert smaller > 10


# --------------------------------------------------------------------------------------------------- probability map


def test_the_base_is_uniform_or_by_the_number_of_paths() -> None:
    game = Game.from_position(FORK, HIDDEN, stations=[1, 8], possible=[1])
    for move in ("T2", "T7", "T4"):  # by taxi and taxi: 1-2-1, 1-3-1, 1-2-4, 1-3-5
        game.play(move)
    assert likely(game.view(1), "uniform") == pytest.approx({1: 1 / 3, 4: 1 / 3, 5: 1 / 3})
    assert likely(game.view(1), "paths") == pytest.approx({1: 1 / 2, 4: 1 / 4, 5: 1 / 4})


def test_a_station_gains_alpha_per_move_of_distance_from_the_closest_detective() -> None:
    view = to_move(FORK, detectives=(8, 6), possible=(2, 5, 7))  # at distances 2, 2 and 1
    assert likely(view, alpha=0.5) == pytest.approx({2: 2 / 5.5, 5: 2 / 5.5, 7: 1.5 / 5.5})


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("alpha", [0.0, 0.3, 2.0])
def test_the_map_is_the_documents_formula(base: Base, alpha: float) -> None:
    for seed in range(20):
        view = random_game("london", "classic", 5, seed, actions=10 + 3 * seed).view(1)
        ways = nx.Graph((a, b) for a, b, transport in view.board.links if transport != "ferry")
        distance = nx.multi_source_dijkstra_path_length(ways, set(view.stations[1:]))
        expected = {s: p * (1 + alpha * distance[s]) for s, p in likely(view, base).items()}
        total = sum(expected.values())
        assert likely(view, base, alpha) == pytest.approx({s: p / total for s, p in expected.items()})


@pytest.mark.parametrize("reachable", ["exact", "tickets"])
@pytest.mark.parametrize("base", BASES)
def test_one_map_before_the_loop_is_that_of_the_first_detective(base: Base, reachable: Reachable) -> None:
    once, anew = (AStarGreedy(base=base, reachable=reachable, map=when) for when in ("round", "turn"))
    differ = 0
    for seed in range(6):
        game = Game("london", seed=seed)
        for action in random_actions(game, seed):
            view = game.view(1)
            if game.seat == 1:
                first = anew.probability_map(view)
            if game.seat > 1:
                assert once.probability_map(view) == pytest.approx(first)
                differ += not np.allclose(anew.probability_map(view), first)
            assert action in game.legal
    assert differ > 100


# ---------------------------------------------------------------------------------------------------- target and move

#     1 --T-- 2 --T-- 3 --T-- 4 --T-- 5 --T-- 6 --T-- 7
LINE = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7")


def test_the_target_is_the_station_of_maximum_probability() -> None:
    assert decide_text(to_move(LINE, detectives=(3,), possible=(1, 7))) == "T4"


def test_among_ties_the_target_is_the_closest() -> None:
    assert decide_text(to_move(LINE, detectives=(3,), possible=(1, 7)), AStarGreedy(alpha=0)) == "T2"


def test_among_ties_at_the_same_distance_chance_decides() -> None:
    view = to_move(LINE, detectives=(4,), possible=(1, 7))
    counts = Counter(decide_text(view, seed=seed) for seed in range(400))
    assert counts.keys() == {"T3", "T5"}
    assert 150 < counts["T3"] < 250


def test_with_the_uniform_base_alpha_above_0_does_not_matter() -> None:
    for seed in range(30):
        view = random_game("london", "classic", 5, seed, actions=6 * seed + 1).view(1)
        view.state.seat = 1
        assert decide_text(view, AStarGreedy(alpha=0.01), seed) == decide_text(view, AStarGreedy(alpha=9.0), seed)


def test_the_closest_is_counted_tickets_aside_or_by_what_they_pay_for() -> None:
    express = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 4-B-7")
    view = to_move(express, detectives=(4,), possible=(7, 2), tickets=(9, 0, 0))  # one move by bus, which it cannot pay
    assert decide_text(view, AStarGreedy(alpha=0)) == "T5"
    assert decide_text(view, AStarGreedy(alpha=0, tie_break="tickets")) == "T3"


def test_the_closest_by_tickets_has_the_shortest_path_of_all_that_tie() -> None:
    policy, farther = AStarGreedy(alpha=0, tie_break="tickets"), 0
    rng = np.random.default_rng(3)
    for seed in range(60):
        game = random_game("london", "classic", 5, seed, actions=6 * (seed % 20) + 1)
        if game.winner is not None:
            continue
        view = to_move("london", game.stations[1:], game.possible, tickets=rng.integers(0, 4, 3).tolist())
        lengths = path_lengths(view)
        payable = {station: lengths[station] for station in view.possible if station in lengths}
        if payable:
            closest = {station for station in payable if payable[station] == min(payable.values())}
            steps = {path[0] for station in closest for path in [shortest_path(view, station)] if path}
            assert policy.act(view, np.random.default_rng(seed)).action in steps
            by_hops = min(view.possible, key=lambda station: view.board.distance(view.stations[1], station))
            farther += by_hops not in closest
    assert farther > 3


# --------------------------------------------------------------------------------------------------- assigned targets


def cheapest(view: View, probability: Belief) -> tuple[float, int]:
    """Try every way to give different stations to the detectives yet to move: most probability, then fewest moves."""
    stations = np.flatnonzero(probability).tolist()
    lengths = [path_lengths(at_seat(view, seat)) for seat in range(view.seat, len(view.stations))]
    return min(
        (-sum(probability[station] for station in given), sum(row[to] for row, to in zip(lengths, given, strict=True)))
        for given in itertools.permutations(stations, len(lengths))
        if all(station in row for row, station in zip(lengths, given, strict=True))
    )


def at_seat(view: View, seat: int) -> View:
    other = View(view.board, view.rules, view.state, view.viewer)
    other.state.seat = seat
    return other


@pytest.mark.parametrize("seed", range(12))
def test_assigned_targets_are_different_and_the_likeliest_by_the_shortest_paths(seed: int) -> None:
    rng = np.random.default_rng(seed)
    stations = (1 + rng.choice(199, 8, replace=False)).tolist()
    view = to_move("london", stations[:3], stations[3:])
    view.state.tickets[1:4, :3] = 8, 4, 2  # enough to get there, and few enough to try them all
    probability = AStarGreedy(alpha=0 if seed % 2 else 0.5).probability_map(view)
    given = assign_targets(view, probability)
    assert list(given) == [1, 2, 3]
    assert len(set(given.values())) == 3
    moves = sum(path_lengths(at_seat(view, seat))[station] for seat, station in given.items())
    assert (-sum(probability[list(given.values())]), moves) == pytest.approx(cheapest(view, probability))


def test_detectives_who_share_a_target_are_sent_to_different_ones() -> None:
    view = to_move(LINE, detectives=(3, 5), possible=(1, 7))  # the same distance from both
    assert assign_targets(view, AStarGreedy().probability_map(view)) == {1: 1, 2: 7}
    view = to_move(LINE, detectives=(3, 4), possible=(1, 7))  # 7 is likelier: farther from both
    likeliest = likely(view, alpha=0.5)[7]
    assert [AStarGreedy().act(at_seat(view, seat), np.random.default_rng(0)).value for seat in (1, 2)] == [
        likeliest
    ] * 2
    assert assign_targets(view, AStarGreedy().probability_map(view)) == {1: 1, 2: 7}
    assert decide_text(view, AStarGreedy(targets="assigned")) == "T2"


def test_whoever_is_left_without_a_target_chooses_for_itself() -> None:
    view = to_move(LINE, detectives=(3, 5), possible=(7,))
    policy = AStarGreedy(targets="assigned")
    assert assign_targets(view, policy.probability_map(view)) == {2: 7}
    assert decide_text(view, policy) == "T4"


def test_an_assignment_comes_with_the_first_steps_of_all_detectives_yet_to_move() -> None:
    policy, others = AStarGreedy(targets="assigned"), 0
    for seed in range(6):
        game = Game("london", seed=seed)
        while game.winner is None and game.round < 8:
            view, rng = game.view(game.seat), np.random.default_rng(seed)
            if game.seat == MR_X:
                game.play(make_policy("hider").act(view, rng).action)
                continue
            decision = policy.act(view, rng)
            others += decision.action != AStarGreedy().act(view, np.random.default_rng(seed)).action
            if decision.plan:
                assert decision.plan[0] == decision.action
                assert len(decision.plan) == len(view.stations) - view.seat
                check_plan(game.clone(), decision.plan)
            game.play(decision.action)
    assert others > 20


def check_plan(game: Game, plan: Sequence[int]) -> None:
    for action in plan:
        if game.winner is None:
            game.play(action)  # which refuses what is illegal


def test_only_an_assignment_imports_what_assigns() -> None:
    code = """
import sys
import numpy as np
from scotyard_env.game import Game
from scotyard_env.policy import make_policy
game = Game("docklands", seed=1)
game.play(game.legal[0])
for name in ("astar_greedy", "astar_greedy:targets=assigned"):
    make_policy(name).act(game.view(1), np.random.default_rng(0))
    print("scipy.optimize" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "True"]


#     1 --T-- 2 --T-- 3 --T-- 4
#     |                       |
#     U                       T
#     5 ----------U---------- 6
RING = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-6 1-U-5 5-U-6")


def test_the_first_step_of_the_shortest_path_is_taken() -> None:
    assert decide_text(to_move(RING, (1,), possible=(4,))) in ("T2", "U5")
    assert decide_text(to_move(RING, (1,), possible=(6,))) == "U5"


def test_the_path_is_one_that_the_tickets_pay_for() -> None:
    assert decide_text(to_move(RING, (1,), possible=(6,), tickets=(9, 0, 1))) == "T2"
    assert decide_text(to_move(RING, (1,), possible=(4,), tickets=(2, 0, 2))) == "U5"


def test_the_first_step_is_not_onto_a_colleague_but_later_ones_may_be() -> None:
    assert decide_text(to_move(RING, (1, 5), possible=(6,))) == "T2"
    assert decide_text(to_move(RING, (1, 6), possible=(4,), tickets=(1, 0, 2))) == "U5"


def test_a_path_may_wait_by_going_out_and_back_until_a_colleague_has_left() -> None:
    path = shortest_path(to_move(LINE, (2, 3), possible=(4,), tickets=(4, 0, 0)), 4)
    assert path is not None
    assert [destination(move) for move in path] == [1, 2, 3, 4]


def test_if_no_path_can_be_paid_for_the_next_best_target_is_taken() -> None:
    view = to_move(RING, (3,), possible=(1, 4, 5), tickets=(9, 0, 0))  # 5 is the farthest, by underground only
    assert decide_text(view) == "T2"
    assert AStarGreedy().act(view, np.random.default_rng(0)).value == pytest.approx(likely(view, alpha=0.5)[1])


def test_if_no_target_can_be_paid_for_it_goes_as_near_as_it_can() -> None:
    assert decide_text(to_move(LINE, (3,), possible=(6, 7), tickets=(2, 0, 0))) == "T4"
    assert decide_text(to_move(LINE, (3, 4), possible=(6, 7), tickets=(3, 0, 0))) == "T2"


def test_a_detective_who_is_stuck_passes() -> None:
    assert decide_text(to_move(LINE, (1, 2), possible=(7,))) == "--"
    assert decide_text(to_move(RING, (1,), possible=(4,), tickets=(0, 9, 0))) == "--"


# ---------------------------------------------------------------------------------------------------------------- A*


def path_lengths(view: View) -> dict[int, int]:
    """Search breadth-first over (station, purse): the fewest moves to every station that can be paid for."""
    here, taken = view.stations[view.seat], set(view.stations[1:])
    front = {(here, tuple(view.tickets[view.seat][:3]))}
    seen, lengths, length = set(front), {here: 0}, 0
    while front:
        following = set()
        for station, purse in front:
            for to, transport in neighbours(view.board)[station]:
                fare = FARES[transport][0]
                if fare < 3 and purse[fare] > 0 and not (length == 0 and to in taken):
                    following.add((to, (*purse[:fare], purse[fare] - 1, *purse[fare + 1 :])))
        front = following - seen
        seen |= front
        length += 1
        for station, _ in front:
            lengths.setdefault(station, length)
    return lengths


def check_path(view: View, path: list[int]) -> None:
    """Walk a path and pay for it."""
    station, purse = view.stations[view.seat], list(view.tickets[view.seat][:3])
    assert not path or destination(path[0]) not in view.stations[1:]
    for move in path:
        assert (destination(move), fare_of(move)) in [
            (to, FARES[transport][0]) for to, transport in neighbours(view.board)[station]
        ]
        station = destination(move)
        purse[fare_of(move)] -= 1
    assert min(purse) >= 0


@pytest.mark.parametrize(("board", "purses", "most"), [("london", 200, (6, 4, 3)), ("docklands", 2000, (5, 4, 3))])
def test_a_star_finds_a_shortest_path_that_can_be_paid_for_exactly_if_there_is_one(
    board: str, purses: int, most: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(7)
    found = missed = 0
    stations = Board.named(board).stations
    for _ in range(purses):
        mr_x, *detectives = (1 + rng.choice(stations, 4, replace=False)).tolist()
        view = to_move(board, detectives, [mr_x], tickets=rng.integers(0, np.add(most, 1)).tolist())
        lengths = path_lengths(view)
        for target in (1 + rng.choice(stations, 12, replace=False)).tolist():
            path = shortest_path(view, target)
            assert (None if path is None else len(path)) == lengths.get(target)
            if path is None:
                missed += 1
            else:
                found += 1
                check_path(view, path)
                assert not path or destination(path[-1]) == target
    assert found > 500
    assert missed > 500


@pytest.mark.parametrize("board", ["london", "london_1983", "docklands"])
def test_there_is_room_for_the_longest_search(board: str) -> None:
    for station in range(1, Board.named(board).stations + 1, 9):
        for tickets in ((11, 8, 4), (30, 30, 30)):
            view = to_move(board, [station], [station % 9 + 1 + (station < 10)], tickets)
            scratch = new_scratch()
            assert find_path(view.board.arrays, view.state, NOWHERE, scratch[0]) == -1
            assert scratch[0].labels < ROOM / 4


# ------------------------------------------------------------------------------------------------------- as a policy


def test_a_decision_tells_the_first_steps_to_the_likeliest_stations() -> None:
    view = to_move(LINE, detectives=(3,), possible=(1, 7))
    decision = AStarGreedy(alpha=0.5).act(view, np.random.default_rng(0))
    named = {action_text(LINE, action): value for action, value in decision.candidates}
    assert list(named) == ["T4", "T2"]
    assert named == pytest.approx({"T4": 0.6, "T2": 0.4})
    assert (decision.value, decision.gap) == pytest.approx((0.6, 0.2))


@pytest.mark.parametrize(
    "policy",
    [
        AStarGreedy(),
        AStarGreedy(alpha=0),
        AStarGreedy(tie_break="tickets", alpha=0),
        AStarGreedy(targets="assigned"),
        AStarGreedy(reachable="tickets", map="round"),
    ],
)
def test_actions_come_up_as_often_as_their_probabilities_say(policy: AStarGreedy) -> None:
    drawn, draws = 0, (np.arange(240) + 0.5) / 240  # in place of chance
    for seed in range(40):
        game = random_game("london", "classic", 5, seed, actions=5 * seed + 1)
        if game.seat == MR_X or game.winner is not None:
            continue
        game.state.tickets[1:, :3] //= 1 + 3 * (seed % 3)
        view = game.view(game.seat)
        probabilities = dict(policy.act(view, np.random.default_rng(seed)).probabilities)
        assert sum(probabilities.values()) == pytest.approx(1)
        chosen = policy.act_batch(Views(view.board, view.rules, np.repeat(view.states, 240)), Even(draws))  # type: ignore[arg-type]
        counts = Counter(chosen.tolist())
        assert {action: count / 240 for action, count in counts.items()} == pytest.approx(probabilities, abs=0.01)
        drawn += len(counts) > 1
    assert drawn > 0 or policy.targets == "assigned"


class Even:
    """Draws numbers that lie evenly between 0 and 1."""

    def __init__(self, draws: NDArray[np.float64]) -> None:
        self.draws = draws

    def random(self, count: int) -> NDArray[np.float64]:
        return self.draws[:count]


def test_a_detective_who_draws_among_targets_out_of_reach_tells_it_too() -> None:
    view = to_move(LINE, (4,), possible=(1, 7), tickets=(1, 0, 0))
    decision = AStarGreedy().act(view, np.random.default_rng(0))
    named = {action_text(LINE, action): share for action, share in decision.probabilities}
    assert named == pytest.approx({"T3": 0.5, "T5": 0.5})


def test_the_chosen_action_is_the_first_candidate() -> None:
    for seed in range(40):
        view = random_game("london", "classic", 5, seed, actions=4 * seed + 1).view(1)
        if view.seat != MR_X and view.winner is None and decide_text(view) != "--":
            decision = AStarGreedy().act(view, np.random.default_rng(seed))
            assert decision.candidates[0] == (decision.action, decision.value)
            assert {action for action, _ in decision.candidates} <= set(view.legal)
            values = [value for _, value in decision.candidates]
            assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("policy", "settings"),
    [
        (AStarGreedy(), SETTINGS),
        (AStarGreedy(base="paths"), SETTINGS),
        (AStarGreedy(reachable="tickets", tie_break="tickets", map="round"), SETTINGS[::5]),
        (AStarGreedy(targets="assigned", reachable="shown"), SETTINGS[::8]),
    ],
)
def test_it_plays_by_the_rules_everywhere_and_batches_decide_the_same(
    policy: AStarGreedy, settings: list[tuple[str, str, int]]
) -> None:
    rng = np.random.default_rng(1)
    for number, (board, rules, detectives) in enumerate(settings):
        game = Game(board, rules, detectives=detectives, seed=number)
        while game.winner is None:
            if game.seat == MR_X:
                game.play(int(rng.choice(game.legal)))
                continue
            view = game.view(game.seat)
            action = policy.act(view, np.random.default_rng(number)).action
            views = Views(view.board, view.rules, view.states)
            assert policy.act_batch(views, np.random.default_rng(number)).tolist() == [action]
            game.play(action)


def test_a_batch_decides_as_one_after_the_other() -> None:
    batch = Batch(200, seed=5)
    rng = np.random.default_rng(5)
    for _ in range(40):
        batch.step(make_policy("random").act_batch(batch.views(), rng))  # type: ignore[attr-defined]
    views = batch.views(np.flatnonzero(batch.seats != MR_X))
    one, many = np.random.default_rng(2), np.random.default_rng(2)
    singly = [AStarGreedy().act(View(views.board, views.rules, s, int(s.seat)), one).action for s in views.states]
    assert AStarGreedy().act_batch(views, many).tolist() == singly


@pytest.mark.parametrize("base", BASES)
def test_a_decision_does_not_depend_on_where_mr_x_hides_nor_on_earlier_ones(base: Base) -> None:
    policy, compared = AStarGreedy(base=base), 0
    for seed in range(60):
        game = random_game("london", "classic", 5, seed, actions=3 * seed)
        if game.seat == MR_X or game.winner is not None:
            continue
        first = policy.act(game.view(game.seat), np.random.default_rng(seed))
        for station in game.possible[:5]:
            twin = game.clone()
            twin.state.station[MR_X] = station
            assert policy.act(twin.view(twin.seat), np.random.default_rng(seed)) == first
            compared += 1
    assert compared > 50


def test_a_view_is_left_as_it_was() -> None:
    view = random_game("london", "classic", 5, seed=3, actions=40).view(1)
    before = view.states.tobytes()
    AStarGreedy(base="paths").act(view, np.random.default_rng(0))
    assert view.states.tobytes() == before


def test_a_random_mr_x_is_caught() -> None:
    assert play_games(make_policy("random"), make_policy("astar_greedy"), 300, seed=3) > 270


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"alpha": -0.1}, "alpha is -0.1: give"),
        ({"base": "flat"}, "no base 'flat': there are uniform, paths"),
        ({"reachable": "all"}, "no reachable 'all': there are exact, shown, tickets"),
        ({"targets": "one"}, "no targets 'one': there are shared, assigned"),
        ({"tie_break": 1}, "no tie_break 1: there are hops, tickets"),
        ({"map": "game"}, "no map 'game': there are turn, round"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters: dict[str, object], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        AStarGreedy(**parameters)  # type: ignore[arg-type]
