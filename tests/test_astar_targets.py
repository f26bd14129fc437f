"""``scotyard astar_targets``: shared targets, stations passed by and what alpha changes, on boards to check by hand."""

from __future__ import annotations

import sys

import pytest

from scotyard_baselines.astar_greedy import AStarGreedy
from scotyard_baselines.commands import astar_targets
from scotyard_baselines.commands.astar_targets import PASSED_BY, SHARED, Command, Counts, is_shared
from scotyard_env.arena.rating import Rate
from scotyard_env.board import Board
from scotyard_env.commands import run_module
from scotyard_env.game import Game
from scotyard_env.policy import make_policy
from scotyard_env.ruleset import RuleSet
from scotyard_env.view import View, Views

LINE = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7")


def to_move(detectives: list[int], possible: list[int]) -> View:
    purses = [[9, 9, 9, 9, 0], *[[9, 9, 9, 0, 0]] * len(detectives)]
    game = Game.from_position(
        LINE, RuleSet(reveals=()), stations=[possible[0], *detectives], tickets=purses, possible=possible
    )
    view = game.view(1)
    view.state.seat = 1
    return view


def test_a_target_is_shared_if_all_have_it() -> None:
    assert is_shared(AStarGreedy(), to_move([3, 4], [7, 1]))
    assert not is_shared(AStarGreedy(targets="assigned"), to_move([3, 4], [7, 1]))
    assert not is_shared(AStarGreedy(), to_move([3, 5], [7, 1]))


def test_a_station_in_reach_is_passed_by_for_one_far_away_and_with_alpha_0_it_is_not() -> None:
    counts, view = Counts(AStarGreedy(), (0.0, 0.1)), to_move([3], [7, 2])
    counts.look(Views(view.board, view.rules, view.states))
    assert counts.rates() == {SHARED: Rate(1, 1), PASSED_BY: Rate(1, 1), 0.0: Rate(1, 1), 0.1: Rate(0, 1)}
    calm = Counts(AStarGreedy(alpha=0), (0.5,))
    calm.look(Views(view.board, view.rules, view.states))
    assert calm.rates() == {SHARED: Rate(1, 1), PASSED_BY: Rate(0, 1), 0.5: Rate(1, 1)}


def test_every_decision_of_the_games_is_counted() -> None:
    rates = Command(games=5, board="docklands", alphas=(0.5, 9.0)).count(AStarGreedy(), make_policy("random"))
    assert (rates[0.5].wins, rates[9.0].wins) == (0, 0)  # the base is uniform
    assert rates[0.5].games == rates[9.0].games > 20
    assert rates["caught"].games == 5
    by_paths = Command(games=20, board="docklands", alphas=(9.0,)).count(
        AStarGreedy(base="paths"), make_policy("random")
    )
    assert by_paths[9.0].wins > 0


def test_the_table_has_a_row_for_each_policy_and_wrong_input_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["astar_targets", "--board", "docklands", "--games", "2", "--alphas", "3"])
    run_module(astar_targets.Command)
    lines = capsys.readouterr().out.splitlines()
    assert "| alpha=3 differs" in lines[0]
    assert len(lines) == 4
    for arguments, words in (
        (["--games", "0"], "games is 0: give a whole number"),
        (["--policy", "greedy"], "policy 'greedy' has no targets to count: give astar_greedy"),
    ):
        monkeypatch.setattr(sys, "argv", ["astar_targets", *arguments])
        with pytest.raises(SystemExit) as stop:
            run_module(astar_targets.Command)
        said = capsys.readouterr().err
        assert stop.value.code == 2
        assert words in said
        assert said.count("\n") == 1
