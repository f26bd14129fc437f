"""A game in progress: checked at the door, unchanged by what is wrong, the same from the same seed."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import all_settings, random_actions, random_game
from test_view import Notebook

import scotyard_env
from scotyard_env.board import Board
from scotyard_env.game import Game, IllegalMoveError, PositionError, Spectator
from scotyard_env.links import BoardError
from scotyard_env.ruleset import RuleSet, RuleSetError
from scotyard_env.view import PublicMove

X = [4, 3, 3, 5, 2]
D = [10, 8, 4, 0, 0]


def test_a_game_is_classic_on_london_unless_told_otherwise() -> None:
    game = Game(seed=7)
    assert (game.board.name, game.rules.name, len(game.stations)) == ("london", "classic", 6)


def test_a_board_brings_its_rules_and_rules_bring_their_board() -> None:
    assert Game("glasses", seed=0).rules.name == "glasses"
    assert Game(rules="milton_bradley_1985", seed=0).board.name == "london_milton_bradley_1985"
    assert Game("london_1983", seed=0).rules.name == "classic"
    assert len(Game("docklands", detectives=2, seed=0).stations) == 3


def test_a_board_of_ones_own_is_played_by_classic_rules_from_any_station() -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 7-T-1")
    starts = {station for seed in range(60) for station in Game(board, seed=seed).stations}
    assert starts == set(range(1, 8))


def test_the_same_seed_gives_the_same_game() -> None:
    assert Game(seed=7).state.tobytes() == Game(seed=7).state.tobytes()
    assert Game(seed=7).stations != Game(seed=8).stations


def test_moves_are_given_as_text_or_as_integers() -> None:
    one, other = Game(seed=7), Game(seed=7)
    one.play(one.legal_moves[0])
    other.play(np.int64(other.legal[0]))
    assert one.state.tobytes() == other.state.tobytes()
    assert one.moves == other.moves


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("T199", "T199 is not open to mr_x"),
        ("--", "-- is not open to mr_x"),
        ("X45", "'X45' is not an action"),
        ("T0", "stations 1 to 199"),
        ("t88", "'t88' is not an action"),
        ("", "'' is not an action"),
        (-1, "-1 is not an action"),
        (798, "0 to 797"),
        (3.0, "3.0 is neither text nor an integer"),
        (None, "None is neither text nor an integer"),
    ],
)
def test_an_illegal_move_is_refused_and_changes_nothing(move: object, words: str) -> None:
    game = Game(seed=7)
    before = game.state.tobytes()
    with pytest.raises(IllegalMoveError) as error:
        game.play(move)  # type: ignore[arg-type]
    assert words in str(error.value)
    assert str(error.value).endswith(": only mr_x may know what is")
    assert (game.state.tobytes(), game.moves) == (before, [])


def test_nothing_can_be_played_after_the_end() -> None:
    game = random_game("glasses", "glasses", 2, seed=0)
    with pytest.raises(IllegalMoveError, match=f"the game is over, won by {game.winner}"):
        game.play("T1")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(all_settings())), st.integers(0, 10**6), st.integers(0, 60))
def test_a_pickled_copied_or_cloned_game_goes_on_identically(
    setting: tuple[str, str, int], seed: int, moves: int
) -> None:
    game = random_game(*setting, seed, moves)
    twins = [pickle.loads(pickle.dumps(game)), copy.deepcopy(game), game.clone()]
    for twin in twins:
        assert list(random_actions(twin, seed)) == list(random_actions(game.clone(), seed))
    list(random_actions(game, seed))
    for twin in twins:
        assert twin.state.tobytes() == game.state.tobytes()
        assert twin.moves == game.moves


def test_a_clone_is_independent() -> None:
    game = Game(seed=7)
    clone = game.clone()
    clone.play(clone.legal[0])
    assert (game.round, game.moves) == (0, [])


# ----------------------------------------------------------------------------------------------------------- set-up


def test_a_position_may_be_given() -> None:
    game = Game.from_position("london", "classic", stations=[45, 13, 26], tickets=[X, D, D])
    assert (game.stations, game.tickets, game.rules.detectives) == ([45, 13, 26], [X, D, D], 2)
    assert game.possible == [station for station in range(1, 200) if station not in (13, 26)]


def test_the_table_may_know_more_about_a_given_start() -> None:
    assert Game.from_position("london", stations=[45, 13], possible=[45, 46, 13]).possible == [45, 46]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stations": [45]}, "1 stations"),
        ({"stations": [1, 2, 3, 4, 5, 6, 7]}, "7 stations"),
        ({"stations": [45, 13, 13]}, "detective_1 and detective_2 both stand on station 13"),
        ({"stations": [13, 13, 26]}, "mr_x and detective_1 both stand on station 13"),
        ({"stations": [45, 200, 26]}, "detective_1: 200 is not a station of board 'london'"),
        ({"stations": [0, 13, 26]}, "mr_x: 0 is not a station"),
        ({"stations": [45, "13", 26]}, "detective_1: '13' is not a station"),
        ({"tickets": [X, D]}, "tickets for 2 seats, stations for 3"),
        ({"tickets": [X, D, D[:3]]}, "detective_2 has 3 counts of tickets"),
        ({"tickets": [X, D, [-2, 8, 4, 0, 0]]}, "detective_2 has -2 taxi tickets"),
        ({"tickets": [X, D, [1.5, 8, 4, 0, 0]]}, "detective_2 has 1.5 taxi tickets"),
        ({"tickets": [X, [10, 8, 4, 1, 0], D]}, "detective_1 has 1 black tickets: only Mr. X"),
        ({"tickets": [X, [10, 8, 4, 0, 2], D]}, "detective_1 has 2 double tickets: only Mr. X"),
        ({"tickets": [X, [-1, 8, 4, 0, 0], D]}, "detective_1 has -1 taxi tickets"),
        ({"tickets": [[4, 3, 3, 5, -1], D, D]}, "mr_x has -1 double tickets"),
        ({"possible": [46, 47]}, "possible leaves out station 45"),
        ({"possible": [45, 300]}, "possible: 300 is not a station"),
    ],
)
def test_a_position_that_cannot_be_played_is_refused(changes: dict[str, object], words: str) -> None:
    arguments: dict[str, object] = {"stations": [45, 13, 26], "tickets": [X, D, D], **changes}
    with pytest.raises(PositionError) as error:
        Game.from_position("london", "classic", **arguments)  # type: ignore[arg-type]
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"board": "paris"}, BoardError, "london"),
        ({"rules": "chess"}, RuleSetError, "there is no rule set 'chess': there are classic"),
        ({"rules": 5}, RuleSetError, "rules is 5: give a name out of classic"),
        ({"board": 5}, RuleSetError, "board is 5: give a name out of"),
        ({"detectives": 6}, RuleSetError, "detectives is 6: the game takes 1 to 5"),
        ({"board": "glasses", "rules": "classic"}, RuleSetError, "board 'glasses' ends at 11"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"seed": "x"}, ValueError, "seed is 'x'"),
    ],
)
def test_wrong_arguments_say_what_is_allowed(arguments: dict[str, object], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        Game(**arguments)  # type: ignore[arg-type]
    assert words in str(caught.value)


# ------------------------------------------------------------------------------------------------------- spectators


def test_spectators_hear_of_moves_rounds_rotations_and_the_end_in_order() -> None:
    game = Game.from_position("glasses", RuleSet(reveals=(2,)), stations=[6, 1, 11], tickets=[X, D, D])
    book = Notebook()
    game.spectators.append(book)
    for move in ("2x", "T5", "T6", "T2", "T10"):
        game.play(move)
    assert book.events == [
        ("round", 1),
        ("move", PublicMove(0, "2x", 0)),
        ("move", PublicMove(0, "T?", 0)),
        ("move", PublicMove(0, "T6", 6)),
        ("move", PublicMove(1, "T2", 2)),
        ("move", PublicMove(2, "T10", 10)),
        ("rotation", 1),
    ]


def test_spectators_hear_who_won() -> None:
    game = Game.from_position("glasses", stations=[6, 4, 11])
    book = Notebook()
    game.spectators.append(book)
    for move in ("T5", "T5"):
        game.play(move)
    assert book.events[-1] == ("over", "detectives")


def test_a_spectator_that_fails_does_not_break_the_game(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Spectator):
        def move_made(self, move: PublicMove) -> None:
            raise RuntimeError(f"cannot bear {move.text}")

    game, book = Game(seed=1), Notebook()
    game.spectators += [Broken(), book]
    game.play(game.legal[0])
    assert game.round == 1
    assert len(book.events) == 2
    assert "failed at move_made; the game goes on" in caplog.text


def test_copies_of_a_game_have_no_spectators() -> None:
    game = Game(seed=1)
    game.spectators.append(Notebook())
    assert game.clone().spectators == pickle.loads(pickle.dumps(game)).spectators == []
    assert len(game.spectators) == 1


# ----------------------------------------------------------------------------------------------------- public names


def test_every_public_name_is_there() -> None:
    for name in scotyard_env.__all__:
        assert getattr(scotyard_env, name) is not None
    assert set(scotyard_env.__all__) <= set(dir(scotyard_env))


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Gamer'"):
        _ = scotyard_env.Gamer
