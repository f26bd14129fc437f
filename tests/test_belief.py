"""A belief is a weighting of the exact possible set, from nothing but a view."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from playing import IS_COMPILED, all_settings, random_actions, random_game, slow_twin
from slow_rules import PossibleByEnumeration, looks_like

from scotyard_env import belief
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.ruleset import RuleSet


def enumerated_from(game: Game) -> PossibleByEnumeration:
    twins = []
    for station in game.possible:
        twin = Game.from_position(
            game.board, game.rules, stations=[station, *game.stations[1:]], tickets=game.tickets, possible=game.possible
        )
        twins.append(slow_twin(twin))
    return PossibleByEnumeration(twins, winner=game.winner)


@pytest.mark.parametrize(("board", "stations"), [("docklands", (15, 1, 30)), ("glasses", (6, 1, 11))])
def test_path_weights_are_the_numbers_of_hidden_histories(board: str, stations: tuple[int, ...]) -> None:
    tickets = [[4, 2, 2, 3, 2]] + [[6, 3, 2, 0, 0]] * (len(stations) - 1)
    rules = RuleSet(log_entries=9, reveals=(4,))
    for seed in range(60 if IS_COMPILED else 2):
        game = Game.from_position(board, rules, stations=stations, tickets=tickets)
        enumerated, slow = enumerated_from(game), slow_twin(game)
        for action in random_actions(game, seed):
            check_against(enumerated, game)
            text = action_text(game.board, action)
            seen = looks_like(slow, text)
            slow.play(text)
            enumerated.saw(seen, slow.winner, seat=slow.seat)
        check_against(enumerated, game)


def check_against(enumerated: PossibleByEnumeration, game: Game) -> None:
    weights = np.zeros(game.board.stations + 1)
    for station, count in enumerated.weights().items():
        weights[station] = count
    assert belief.weigh(game.view(1), "paths") == pytest.approx(weights / weights.sum())


@pytest.mark.parametrize("weighting", belief.WEIGHTINGS)
def test_a_belief_is_a_distribution_over_exactly_the_possible_stations(weighting: belief.Weighting) -> None:
    for number, setting in enumerate(all_settings()):
        game = random_game(*setting, seed=number, actions=3 * (number % 30))
        weights = belief.weigh(game.view(1), weighting)
        assert weights.sum() == pytest.approx(1)
        assert np.flatnonzero(weights).tolist() == game.possible


def test_uniform_weights_are_all_the_same() -> None:
    game = Game(seed=5)
    assert belief.weigh(game.view(1), "uniform")[game.possible] == pytest.approx(1 / len(game.possible))


def test_after_a_reveal_the_belief_is_certain() -> None:
    game = Game.from_position("london", RuleSet(reveals=(1,)), stations=[74, 1])
    game.play("T58")
    weights = belief.weigh(game.view(1))
    assert (belief.top_stations(weights, 3), belief.entropy(weights)) == ([58], 0.0)


def test_a_catch_leaves_a_certain_belief() -> None:
    game = Game.from_position("glasses", stations=[6, 4, 11])
    for move in ("T5", "T5"):
        game.play(move)
    assert belief.top_stations(belief.weigh(game.view(1)), 9) == [5]


def test_entropy_counts_in_bits() -> None:
    assert belief.entropy(np.array([0, 0.25, 0.25, 0.25, 0.25])) == pytest.approx(2)
    assert belief.entropy(np.array([0, 0.5, 0.25, 0.25])) == pytest.approx(1.5)


def test_the_centroid_is_the_station_with_the_least_expected_distance() -> None:
    board = Board.named("docklands")
    rng = np.random.default_rng(3)
    weights = np.concatenate([[0], rng.dirichlet(np.ones(board.stations))])
    ways = nx.Graph((a, b) for a, b, transport in board.links if transport != "ferry")
    lengths = dict(nx.all_pairs_shortest_path_length(ways))
    expected = {s: math.fsum(weights[t] * lengths[s][t] for t in ways) for s in ways}
    assert belief.centroid(board, weights) == min(expected, key=lambda station: expected[station])


def test_the_likeliest_stations_come_first() -> None:
    weights = np.array([0, 0.1, 0.4, 0.1, 0.4, 0])
    assert belief.top_stations(weights, 3) == [2, 4, 1]
    assert belief.top_stations(weights, 99) == [2, 4, 1, 3]


def test_particles_are_drawn_by_their_weight() -> None:
    weights = np.array([0, 0.75, 0, 0.25])
    drawn = belief.sample_particles(weights, 4000, np.random.default_rng(0))
    assert set(drawn) == {1, 3}
    assert np.mean(drawn == 1) == pytest.approx(0.75, abs=0.03)


def test_a_belief_has_no_memory() -> None:
    game = random_game("london", "classic", 5, seed=1, actions=40)
    first = belief.weigh(game.view(1))
    belief.weigh(random_game("london", "classic", 5, seed=2, actions=33).view(1))
    assert belief.weigh(game.view(1)).tobytes() == first.tobytes()


def test_an_unknown_weighting_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no weighting 'flat': there are paths, uniform"):
        belief.weigh(Game(seed=0).view(1), "flat")
