"""What is hidden stays hidden, and what is not is there."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from playing import random_actions, random_game

from scotyard_env import belief
from scotyard_env.game import Game, Spectator
from scotyard_env.rules import apply, legal_actions
from scotyard_env.state import MR_X, NOWHERE, SPECTATOR
from scotyard_env.view import PublicMove, View, Views, imagine, redact


def two_games(moves: int, seed: int = 0) -> tuple[Game, Game]:
    """Play a game on, then make another that differs only in where Mr. X hides; both have the same public past."""
    game = random_game("london", "classic", 5, seed, moves)
    others = [station for station in game.possible if station != game.stations[MR_X]]
    there = copy.deepcopy(game)
    there.state.station[MR_X] = others[len(others) // 2]
    return game, there


HIDING = [moves for moves in range(1, 60) if len(random_game("london", "classic", 5, 0, moves).possible) > 1]


def everything_shown_to(game: Game, seat: int) -> list[object]:
    """Collect what a seat can get hold of."""
    view = game.view(seat)
    weights = [belief.weigh(view, weighting) for weighting in belief.WEIGHTINGS]
    return [
        redact(game.state, seat).tobytes(),
        view.state.tobytes(),
        pickle.dumps(view),
        repr(view),
        (view.stations, view.tickets, view.log, view.round, view.seat, view.winner, view.possible),
        view.legal_moves if view.seat != MR_X else [],
        [weight.tobytes() for weight in weights],
        [belief.sample_particles(weight, 20, np.random.default_rng(1)).tolist() for weight in weights],
        [belief.top_stations(weight, 8) for weight in weights],
        [belief.centroid(view.board, weight) for weight in weights],
    ]


@pytest.mark.parametrize("moves", HIDING)
def test_what_a_detective_sees_does_not_depend_on_where_mr_x_hides(moves: int) -> None:
    here, there = two_games(moves)
    assert here.state.tobytes() != there.state.tobytes()
    for seat in (*range(1, 6), SPECTATOR):
        assert everything_shown_to(here, seat) == everything_shown_to(there, seat)


class Notebook(Spectator):
    """Writes down all that it is told."""

    def __init__(self) -> None:
        self.events: list[tuple[str, object]] = []

    def round_started(self, round: int) -> None:
        self.events.append(("round", round))

    def move_made(self, move: PublicMove) -> None:
        self.events.append(("move", move))

    def rotation_completed(self, round: int) -> None:
        self.events.append(("rotation", round))

    def game_over(self, winner: str) -> None:
        self.events.append(("over", winner))


def test_spectators_hear_the_same_wherever_mr_x_hides() -> None:
    notes = []
    for first in ("T58", "T73"):  # from 74 by taxi; neither is shown
        game = Game.from_position("london", stations=[74, 1, 199])
        book = Notebook()
        game.spectators.append(book)
        for move in (first, "T8", "T171"):
            game.play(move)
        notes.append(book.events)
    assert notes[0] == notes[1]
    assert ("move", PublicMove(MR_X, "T?", NOWHERE)) in notes[0]


def test_mr_x_sees_himself_and_the_detectives_do_not() -> None:
    game = Game(seed=1)
    assert game.view(MR_X).stations == game.stations
    assert game.view(1).stations == [NOWHERE, *game.stations[1:]]
    assert game.view(1).legal == []  # of a hidden Mr. X


def test_a_spectator_is_told_when_the_game_is_over_and_not_before() -> None:
    game = random_game("london", "classic", 5, seed=3)
    assert game.view(SPECTATOR).stations == game.stations
    assert game.view(1).stations[MR_X] == NOWHERE
    assert Game(seed=3).view(SPECTATOR).stations[MR_X] == NOWHERE


def test_a_view_is_a_copy_that_later_moves_do_not_change() -> None:
    game = Game(seed=1)
    view = game.view(1)
    before = view.state.tobytes()
    game.play(game.legal[0])
    assert view.state.tobytes() == before


def test_imagining_the_true_station_gives_back_the_state() -> None:
    game = random_game("london", "classic", 5, seed=2, actions=17)
    view = game.view(2)
    assert view.imagine(game.stations[MR_X]).tobytes() == game.state.tobytes()
    assert view.stations[MR_X] == NOWHERE


def test_an_imagined_state_can_be_played_on_to_the_end() -> None:
    game = random_game("london", "classic", 5, seed=2, actions=17)
    view, rng, legal = game.view(2), np.random.default_rng(0), np.empty(800, np.int64)
    for station in view.possible:
        state = imagine(view.state, station)
        while state.winner == 0:
            count = legal_actions(view.board.arrays, view.rule_arrays, state, legal)
            apply(view.board.arrays, view.rule_arrays, state, legal[rng.integers(count)])


def test_a_view_survives_pickling() -> None:
    view = random_game("docklands", "docklands", 3, seed=2, actions=9).view(2)
    again = pickle.loads(pickle.dumps(view))
    assert isinstance(again, View)
    assert (again.state.tobytes(), again.viewer, again.legal) == (view.state.tobytes(), view.viewer, view.legal)


def test_a_view_for_a_seat_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no seat 3.*0 \(Mr. X\) to 2"):
        Game("docklands", detectives=2, seed=0).view(3)


def test_many_views_are_counted() -> None:
    game = Game(seed=0)
    assert len(Views(game.board, game.rules, np.array([game.view(1).state] * 3))) == 3


def test_random_actions_of_two_identical_games_are_the_same() -> None:
    assert list(random_actions(Game(seed=4), 5)) == list(random_actions(Game(seed=4), 5))
