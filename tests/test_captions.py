"""What a view says in words: the round that is played, and why a game is over."""

from __future__ import annotations

import re

import pytest
from playing import random_actions

from scotyard_env.game import Game
from scotyard_env.render.captions import coming_round, headline, why_over
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, SPECTATOR

SETTINGS = [
    ("london", "classic", 5),
    ("london", "ravensburger_2013", 3),
    ("docklands", "docklands", 2),
    ("glasses", "glasses", 2),
]
RULES = RuleSet(name="short", log_entries=3, reveals=(), detective_starts=None, mr_x_starts=None)


def play(*moves: str, stations: tuple[int, ...], rules: RuleSet = RULES, **more: object) -> Game:
    game = Game.from_position("london", rules, stations=stations, **more)  # type: ignore[arg-type]
    for move in moves:
        game.play(move)
    return game


def test_a_round_begins_with_mr_x_and_a_double_move_stays_in_it() -> None:
    game = Game.from_position(stations=(89, 1, 2))
    rounds = []
    for move in ("T88", "T8", "T20", "2x", "T89", "T71", "T18", "T33", None):
        rounds.append(coming_round(game.view(SPECTATOR)))
        if move is not None:
            game.play(move)
    assert rounds == [1, 1, 1, 2, 2, 2, 2, 2, 3]
    assert headline(game.view(SPECTATOR)) == "Round 3: Mr. X to move"


@pytest.mark.parametrize(("board", "rules", "detectives"), SETTINGS)
def test_the_round_is_one_more_than_the_times_all_have_moved(board: str, rules: str, detectives: int) -> None:
    game, completed = Game(board, rules, detectives=detectives, seed=5), 0
    for _ in random_actions(game, 5):
        assert coming_round(game.view(SPECTATOR)) == completed + 1
        completed += game.seat == detectives


def test_a_caught_mr_x_is_named_with_who_where_and_when() -> None:
    game = play("T88", "T88", stations=(89, 117, 1))
    assert why_over(game.view(SPECTATOR)) == "Detective 1 caught Mr. X on 88 in round 1."


def test_a_cornered_mr_x_is_told_and_where_he_was_only_to_those_who_may_know() -> None:
    tickets = [[1, 0, 0, 0, 0], [9, 9, 9, 0, 0], [9, 9, 9, 0, 0]]
    rules = RuleSet(name="kept", log_entries=3, reveals=(), hand_over=False, detective_starts=None, mr_x_starts=None)
    game = play("T88", "T8", "T20", stations=(89, 1, 2), tickets=tickets, rules=rules)
    assert why_over(game.view(SPECTATOR)) == "Mr. X on 88 could not move when his turn of round 2 came."
    assert why_over(game.view(1)) == "Mr. X could not move when his turn of round 2 came."


def test_detectives_without_tickets_are_told() -> None:
    tickets = [[4, 3, 3, 5, 2], [1, 0, 0, 0, 0]]
    game = play("T88", "T8", stations=(89, 1), tickets=tickets)
    told = "No detective could move any more after 1 round, and Mr. X on 88 is free."
    assert why_over(game.view(SPECTATOR)) == told


def test_a_full_log_and_a_last_round_are_told() -> None:
    moves = ("T88", "T8", "2x", "T89", "T71", "T1")
    full = play(*moves, stations=(89, 1))
    assert why_over(full.view(1)) == "Mr. X's log is full with 3 entries after 2 rounds, and he is free."
    two = RuleSet(name="two", log_entries=None, round_limit=2, reveals=(), detective_starts=None, mr_x_starts=None)
    last = play("T88", "T8", "T89", "T1", stations=(89, 1), rules=two)
    assert why_over(last.view(SPECTATOR)) == "The last round is over, after 2 rounds, and Mr. X is free on 89."


@pytest.mark.parametrize(("board", "rules", "detectives"), SETTINGS)
def test_the_reason_fits_the_last_position(board: str, rules: str, detectives: int) -> None:
    for seed in range(20):
        game = Game(board, rules, detectives=detectives, seed=seed)
        list(random_actions(game, seed))
        told = why_over(game.view(SPECTATOR))
        is_caught = game.stations[MR_X] in game.stations[1:]
        assert ("caught" in told) == is_caught
        assert (game.winner == "detectives") == bool(re.search("caught|could not move when", told))
