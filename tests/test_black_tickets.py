"""The black-ticket filter of Nijssen and Winands, clause by clause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scotyard_baselines.geometry.black_tickets import hides_nothing
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X

HIDDEN = replace(RuleSet.named("classic"), reveals=())  # Mr. X never shows himself
SHOWN_AT_FIVE = replace(HIDDEN, reveals=(5,))
TAXIS = "1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 7-T-8"


def is_wasted(game: Game) -> bool:
    return bool(hides_nothing(game.board.arrays, game.rule_arrays, game.state))


def wasted_by_entry(rules: RuleSet, entries: int, doubles: tuple[int, ...] = ()) -> list[bool]:
    """Tell for each of Mr. X's moves whether black would be wasted on it; in some rounds he doubles."""
    game, wasted = Game("london", rules, seed=3), []
    while len(wasted) < entries:
        if game.seat == MR_X and game.state.owed == 0 and game.round + 1 in doubles:
            assert is_wasted(game) == (game.round + 1 <= 2)  # the same before the double move is announced
            game.play("2x")
        elif game.seat == MR_X:
            wasted.append(is_wasted(game))
            game.play(next(move for move in game.legal_moves if move.startswith("T")))
        else:
            game.play(game.legal[0])
    return wasted


def test_black_hides_nothing_in_rounds_one_and_two() -> None:
    assert wasted_by_entry(HIDDEN, 6) == [True, True, False, False, False, False]


@pytest.mark.parametrize(
    ("doubles", "expected"),
    [
        ((1,), [True, True, True, False, False]),  # both halves are round 1, the third entry is round 2
        ((2,), [True, True, True, False, False]),  # both halves are round 2
        ((1, 2), [True, True, True, True, False]),
        ((3,), [True, True, False, False, False]),  # neither half is
    ],
)
def test_both_halves_of_a_double_move_are_in_the_round_that_it_begins(
    doubles: tuple[int, ...], expected: list[bool]
) -> None:
    assert wasted_by_entry(HIDDEN, 5, doubles) == expected


def test_black_hides_nothing_where_he_must_show_himself() -> None:
    assert wasted_by_entry(SHOWN_AT_FIVE, 5) == [True, True, False, False, True]


def test_of_a_double_move_only_the_half_that_shows_him_is_wasted() -> None:
    assert wasted_by_entry(SHOWN_AT_FIVE, 5, doubles=(4,)) == [True, True, False, False, True]


@pytest.mark.parametrize(("text", "expected"), [(TAXIS, True), (f"{TAXIS} 1-B-5", False), (f"{TAXIS} 6-B-8", True)])
def test_black_hides_nothing_where_nobody_could_have_left_but_by_taxi(text: str, expected: bool) -> None:
    game = Game.from_position(Board.from_text(text), stations=[4, 8], possible=[1, 2, 3, 4, 5])
    game.states[0].rounds = 4
    game.states[0].entries = 4
    assert is_wasted(game) == expected
