"""The hunters' ascent ends on the best of all joint plans, hedging and chance hide it, and nonsense is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.beliefs.choice_model import CHOICE_SCRATCH, infer_belief
from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.exact.public_tree import build_tree
from scotyard_baselines.exact.survival import survival
from scotyard_baselines.hunters import Hunters
from scotyard_baselines.planning.hedge import hedge
from scotyard_baselines.planning.planner import look_around, new_planner_scratch
from scotyard_env.batch import Batch
from scotyard_env.duel import decide
from scotyard_env.game import Game
from scotyard_env.notation import parse_action
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.ruleset import look_up
from scotyard_env.state import MR_X, PLAYING
from scotyard_env.view import View, Views

THOROUGH = Hunters(hedge_rounds=0, starts=32)


def destinations(view: View, seat: int) -> list[int]:
    """List where a detective could go with its tickets, colleagues aside."""
    arrays, station = view.board.arrays, view.stations[seat]
    rows = range(arrays.first[station], arrays.first[station + 1])
    return sorted(
        {int(arrays.to[row]) for row in rows if arrays.fare[row] < 3 and view.tickets[seat][arrays.fare[row]]}
    )


def worth(view: View, weights: np.ndarray, stations: list[int], policy: Hunters) -> float:
    """Value a plan as the docstring of the hunters says, slowly."""
    total = sum(
        weights[particle] * worth_there(view, particle, stations, policy) for particle in np.flatnonzero(weights)
    )
    landed = stations[view.seat - 1 :]
    distance = sum(weights @ view.board.arrays.distance[station, : len(weights)] for station in landed)
    scarcity = sum(1 / most_tickets(view, seat, to) for seat, to in enumerate(landed, start=view.seat))
    return float(total - policy.distance_cost * distance - policy.ticket_cost * scarcity)


def worth_there(view: View, particle: int, stations: list[int], policy: Hunters) -> float:
    """Value a plan if Mr. X is on this station."""
    arrays, times = view.board.arrays, capture_times(view.board)
    rows = range(arrays.first[particle], arrays.first[particle + 1])
    exits = [int(arrays.to[row]) for row in rows if view.tickets[MR_X][arrays.fare[row]] != 0]
    exits = [station for station in exits if station not in stations]
    rounds = [[int(times[a, b, x]) for a, b in itertools.combinations(stations, 2)] for x in exits]
    soonest = [policy.discount ** min(pairs) for pairs in rounds]
    all_pairs = [policy.discount ** np.mean(pairs) for pairs in rounds]
    share = policy.all_pairs_weight
    lost = [(1.0 - share) * one + share * other for one, other in zip(soonest, all_pairs, strict=True)]
    if particle in stations[view.seat - 1 :] or not exits:
        return 1.0
    return float(policy.worst_case_weight * min(lost) + (1.0 - policy.worst_case_weight) * np.mean(lost))


def most_tickets(view: View, seat: int, to: int) -> int:
    """Count the tickets that a detective has most of among those that lead to a station."""
    arrays, station = view.board.arrays, view.stations[seat]
    rows = range(arrays.first[station], arrays.first[station + 1])
    fares = [int(arrays.fare[row]) for row in rows if arrays.to[row] == to and arrays.fare[row] < 3]
    return max(view.tickets[seat][fare] for fare in fares)


def belief_of(view: View) -> np.ndarray:
    scratch = np.zeros(1, CHOICE_SCRATCH)
    infer_belief(view.board.arrays, capture_times(view.board), view.state, scratch[0])
    return scratch[0].belief.copy()


def best_worth(view: View, policy: Hunters) -> float:
    """Value every plan that can be played, slowly."""
    weights = belief_of(view)
    seats = range(view.seat, len(view.stations))
    values = []
    for plan in itertools.product(*(destinations(view, seat) for seat in seats)):
        later = [view.stations[seat + 1 :] for seat in seats]
        if len({*view.stations[1 : view.seat], *plan}) == view.seat - 1 + len(plan) and not any(
            to in held for to, held in zip(plan, later, strict=True)
        ):
            values.append(worth(view, weights, [*view.stations[1 : view.seat], *plan], policy))
    return max(values)


@pytest.mark.parametrize("seed", range(6))
def test_from_many_starts_the_plan_is_the_best_there_is(seed: int) -> None:
    game = random_game("docklands", "docklands", 3, seed, actions=9 + seed)
    if game.winner is None and game.seat != MR_X and len(game.legal) > 1:
        decision = THOROUGH.act(game.view(game.seat), np.random.default_rng(0))
        assert decision.value == pytest.approx(best_worth(game.view(game.seat), THOROUGH))


def test_at_least_some_of_these_positions_were_worth_looking_at() -> None:
    games = [random_game("docklands", "docklands", 3, seed, actions=9 + seed) for seed in range(6)]
    assert sum(game.winner is None and game.seat != MR_X and len(game.legal) > 1 for game in games) >= 3


def test_a_detective_alone_has_no_pairs_to_count() -> None:
    assert Hunters(all_pairs_weight=0.5).make_weights(detectives=1)[0].all_pairs_weight == 0.0
    game = random_game("london", "classic", 1, seed=0, actions=9)
    view = game.view(1)
    alone, without = (
        Hunters(hedge_rounds=0, all_pairs_weight=share).act(view, np.random.default_rng(0)) for share in (0.5, 0.0)
    )
    assert alone == without


def test_a_known_mr_x_within_reach_is_caught() -> None:
    game = Game.from_position("london", stations=[1, 47, 150], possible=[1])
    game.play("U46")  # where all trains from 1 go
    decision = Hunters().act(game.view(1), np.random.default_rng(0))
    assert decision.action == parse_action(game.board, "T46")
    assert decision.value == pytest.approx(1.0, abs=0.1)  # less what the others pay


def test_a_decision_tells_the_plan_and_what_every_first_move_is_worth() -> None:
    game = Game.from_position("london", stations=[45, 13, 26, 29], possible=[45, 46, 60])
    game.play("T46")
    view = game.view(1)
    decision = Hunters().act(view, np.random.default_rng(0))
    values = [value for _, value in decision.candidates]
    assert values == sorted(values, reverse=True)
    assert decision.value == values[0]
    assert decision.gap == pytest.approx(values[0] - values[1])
    assert sum(number for _, number in decision.terms) == pytest.approx(decision.value)
    assert decision.plan[0] == decision.action
    game = Game.from_position("london", stations=[199, 13, 26, 29], possible=[45, 46, 60, 199])
    game.play(game.legal[0])
    for action in Hunters().act(game.view(1), np.random.default_rng(0)).plan:  # it can be played as it stands
        game.play(action)
    assert game.seat == MR_X


def test_hedging_moves_the_weight_to_where_the_plan_would_not_find_him() -> None:
    game = random_game("london", "classic", 3, seed=2, actions=20)
    view, policy, scratch = game.view(game.seat), Hunters(starts=1, learning_rate=2.0), new_planner_scratch(game.board)
    node, choices, ascent, weights = scratch.nodes[0], scratch.choices[0], scratch.ascents[0], policy.make_weights(3)[0]
    board, times, before = view.board.arrays, capture_times(view.board), belief_of(view)
    look_around(board, view.state, policy.particles, before.copy(), weights, scratch)
    hedge(board, times, node, weights, choices, ascent, np.zeros((0, 5)), 1, policy.learning_rate)
    plan = choices.landed[1 : len(view.stations)].tolist()
    after = [before[place] * np.exp(-2.0 * worth_there(view, place, plan, policy)) for place in view.possible]
    assert len(view.possible) > 2
    assert node.weight[: node.particles] == pytest.approx(np.array(after) / sum(after))


@pytest.mark.parametrize("policy", [Hunters(uniform_mix=1.0, hedge_rounds=0), Hunters(hedge_rounds=4)])
def test_each_of_many_decisions_draws_its_own_mix_and_hedging(policy: Hunters) -> None:
    views = hider_views()
    sure = Hunters(hedge_rounds=0).act_batch(views, np.random.default_rng(0))
    differing = np.flatnonzero(sure != policy.act_batch(views, np.random.default_rng(0)))[0]
    many = Views(views.board, views.rules, np.concatenate([views.states[differing : differing + 1]] * 64))
    assert len(set(policy.act_batch(many, np.random.default_rng(0)).tolist())) > 1


def test_a_best_response_on_glasses_gets_away_less_often_from_hunters_who_hedge() -> None:
    roots = build_tree(*look_up("glasses", None))
    sure, hedged = (survival(roots, "detectives", Hunters(hedge_rounds=rounds), 50, 0) for rounds in (0, 4))
    assert sure == pytest.approx(1.0)
    assert hedged < 0.6


def hider_views() -> Views:
    """Look at games against a hider in which a detective is to move."""
    batch, players = Batch(64, seed=0), (make_policy("hider"), make_policy("greedy"))
    for _ in range(30):
        for side, player in enumerate(players):
            games = np.flatnonzero((batch.winners == PLAYING) & ((batch.seats != MR_X) == side))
            batch.play(games, decide(player, batch.views(games), batch.rng))
    return batch.views(np.flatnonzero((batch.winners == PLAYING) & (batch.seats != MR_X)))


@pytest.mark.parametrize(
    "parameters",
    [
        "particles=0",
        "particles=65",
        "discount=1.0",
        "discount=0",
        "uniform_mix=1.5",
        "uniform_mix=-0.1",
        "starts=0",
        "all_pairs_weight=1.5",
        "all_pairs_weight=-0.1",
        "worst_case_weight=2",
        "ticket_cost=-1",
        "hedge_rounds=-1",
        "hedge_rounds=101",
        "learning_rate=-1",
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters: str) -> None:
    with pytest.raises(PolicyError, match=r"give"):
        make_policy(f"hunters:{parameters}")
