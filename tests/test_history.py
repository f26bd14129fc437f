"""The game as the table saw it is played again from any view, and comes out as it was."""

from __future__ import annotations

import numpy as np
import pytest
from playing import IS_COMPILED, all_settings, random_game

from scotyard_env.game import Game
from scotyard_env.history import ANNOUNCED, NOT_YET, Histories, play_again
from scotyard_env.rules import double_action, fare_of
from scotyard_env.state import MR_X, NOWHERE
from scotyard_env.view import Views, redact

SEEDS = range(6 if IS_COMPILED else 1)


def moments(game: Game) -> list[Game]:
    """List a game as it was before each of its actions."""
    again, before = Game.from_start(game.board, game.rules, game.start), []
    for action in game.actions:
        before.append(again.clone())
        again.play(action)
    return before


def history_of(game: Game) -> Histories:
    """Play a game again from what a detective may know of it."""
    states = np.zeros(1, game.state.dtype)
    states[0] = redact(game.state, 1)
    return play_again(Views(game.board, game.rules, states))


@pytest.mark.parametrize(("board", "rules", "detectives"), list(all_settings()))
def test_every_decision_lies_before_mr_x_again_as_it_did(board: str, rules: str, detectives: int) -> None:
    for seed in SEEDS:
        before = moments(random_game(board, rules, detectives, seed))
        his = [moment for moment in before if moment.seat == MR_X]
        (count,), (states,), (paid,), _ = history_of(before[-1])
        assert count == len(his) - (before[-1].seat == MR_X)
        for past, moment in zip(states[: count + 1], his, strict=False):
            assert past.tobytes() == redact(moment.state, 1).tobytes()
        actions = [moment_after(moment, before).actions[-1] for moment in his[:count]]
        double = double_action(before[0].board.arrays)
        assert paid[:count].tolist() == [ANNOUNCED if one == double else fare_of(one) for one in actions]
        assert paid[count] == NOT_YET


def moment_after(moment: Game, before: list[Game]) -> Game:
    return before[len(moment.actions) + 1] if len(moment.actions) + 1 < len(before) else before[-1]


@pytest.mark.parametrize(("board", "rules", "detectives"), list(all_settings()))
def test_now_comes_out_byte_for_byte(board: str, rules: str, detectives: int) -> None:
    for seed in SEEDS:
        for moment in moments(random_game(board, rules, detectives, seed)):
            (count,), (states,), _, _ = history_of(moment)
            assert states[count].tobytes() == redact(moment.state, 1).tobytes()


def test_a_game_that_was_dealt_begins_again_with_the_purses_of_its_rules() -> None:
    for seed in range(40 if IS_COMPILED else 2):
        game = random_game("london", "classic", 5, seed)
        _, (states,), _, _ = history_of(game)
        assert (states[0].tickets == game.rule_arrays.purses).all()


def test_what_he_showed_is_told_with_the_decision() -> None:
    game = random_game("london", "classic", 5, 3)
    (count,), (states,), _, (shown,) = history_of(game)
    told = {
        int(past.entries) + 1: int(station) for past, station in zip(states[:count], shown, strict=False) if station
    }
    entries = {int(entry) + 1: int(game.state.log_shown[entry]) for entry in np.flatnonzero(game.state.log_shown)}
    assert told == entries
    assert NOWHERE not in told.values()


def test_a_game_that_did_not_begin_with_a_deal_is_played_again_too() -> None:
    game = Game.from_position(
        "london", "classic", stations=[45, 13, 26, 29, 34, 50], tickets=[[4, 3, 3, 5, 2], *[[2, 2, 1, 0, 0]] * 5]
    )
    for _ in range(14):
        game.play(game.legal[0])
        (count,), (states,), _, _ = history_of(game)
        assert states[count].tobytes() == redact(game.state, 1).tobytes()


def test_nobody_ever_has_less_than_no_tickets() -> None:
    for seed in range(400 if IS_COMPILED else 4):
        rng = np.random.default_rng(seed)
        stations = rng.choice(np.arange(1, 33), size=6, replace=False).tolist()
        purses = [[*rng.integers(0, 3, 4).tolist(), 1], *([*rng.integers(0, 7, 3).tolist(), 0, 0] for _ in range(5))]
        game = Game.from_position("docklands", stations=stations, tickets=purses)
        while game.winner is None:
            game.play(int(rng.choice(game.legal)))
        (count,), (states,), _, _ = history_of(game)
        assert (states[:count]["tickets"] >= 0).all()
