"""An action from outside is read, played if it is legal, and explained if it is not, the same for everybody."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from playing import random_game

import scotyard_env
from scotyard_env.batch import Batch
from scotyard_env.game import Game, IllegalMoveError
from scotyard_env.lockstep import ALL_LEGAL, judge_rows, play_rows
from scotyard_env.notation import NotationError
from scotyard_env.playing import NO_ACTION, explain_illegal, read_action
from scotyard_env.rules import move_action
from scotyard_env.state import MR_X, SPECTATOR, TICKETS, new_states


@pytest.mark.parametrize(
    ("move", "action"),
    [("T1", 0), ("K199", 795), ("2x", 796), ("--", 797), (5, 5), (np.int8(5), 5), (np.array(5), 5), (True, 1)],
)
def test_text_and_integers_of_any_kind_are_read(move: object, action: int) -> None:
    assert read_action(Game().board, move) == action


@pytest.mark.parametrize(
    "move", ["T200", "t1", "", None, 3.0, np.array([3]), -1, 2**70, -(2**70), np.uint64(2**64 - 1)]
)
def test_what_is_no_action_is_open_to_nobody(move: object) -> None:
    assert read_action(Game().board, move) == NO_ACTION


def test_all_actions_are_played_or_none() -> None:
    games = [random_game("london", "classic", 3, seed, actions=seed) for seed in range(6)]
    states, rows = new_states(6), np.array([4, 1, 3])
    for row, game in enumerate(games):
        states[row] = game.state
    packed = games[0].board.packed, games[0].packed_rules, states
    before, actions = states.tobytes(), np.array([games[row].legal[-1] for row in rows])
    wrong = actions.copy()
    wrong[1] = NO_ACTION
    assert play_rows(*packed, rows, wrong) == 1
    assert states.tobytes() == before
    legal = np.zeros(3, np.bool_)
    judge_rows(*packed, rows, wrong, legal)
    assert legal.tolist() == [True, False, True]
    assert play_rows(*packed, rows, actions) == ALL_LEGAL
    for row, action in zip(rows, actions, strict=True):
        games[row].play(int(action))
    assert [state.tobytes() for state in states] == [game.state.tobytes() for game in games]


def test_everybody_says_the_same_of_an_illegal_action_but_the_learner_of_mr_x_hears_more() -> None:
    game, batch = Game(seed=3), Batch(1, seed=3)
    env, solo = scotyard_env.make(illegal="raise"), scotyard_env.make_solo(side="mr_x", illegal="raise")
    batch.states[0] = game.state
    env.reset(options={"stations": game.stations})
    solo.reset(options={"stations": game.stations})
    words = explain_illegal(game.view(SPECTATOR), 792)
    more = explain_illegal(game.view(MR_X), 792)
    assert words == "T199 is not open to mr_x: only mr_x may know what is"
    assert more == f"T199 is not open to mr_x: legal for mr_x are {', '.join(game.legal_moves)}"
    for play in (game.play, env.step, solo.step, lambda action: batch.step(np.array([action]))):
        with pytest.raises(IllegalMoveError) as error:
            play(792)
        assert str(error.value).removeprefix("game 0: ") == (more if play == solo.step else words)


def test_the_shells_read_text_as_a_game_does() -> None:
    game, env = Game(seed=3), scotyard_env.make(illegal="raise")
    env.reset(options={"stations": game.stations})
    move = game.legal_moves[0]
    game.play(move)
    env.step(move)
    assert env.view("mr_x").stations == game.stations


def test_everybody_describes_an_action_the_same_way() -> None:
    game, solo = Game("docklands", seed=3), gymnasium.make("ScotlandYard-v0", board="docklands")
    doors = [game, game.view(1), scotyard_env.make(board="docklands"), scotyard_env.parallel_env(board="docklands")]
    doors += [solo.unwrapped, scotyard_env.make_vec(2, board="docklands")]
    for door in doors:
        for action in (0, 37, 127, "T12", "2x", np.int64(129)):
            assert door.describe(action) == game.describe(action)


def test_a_description_has_the_destination_and_the_fare() -> None:
    game = Game(seed=3)
    for action in range(4 * 199 + 2):
        told = game.describe(action)
        assert game.describe(told.text) == told
        if told.station is not None:
            assert action == move_action(told.station, TICKETS.index(told.fare))
            assert str(told) == f"{told.fare} to {told.station}"
    assert [str(game.describe(action)) for action in (796, 797)] == ["double move", "pass"]
    assert game.describe(796)[1:] == game.describe(797)[1:] == (None, None)
    for wrong in (-1, 798, "X45", "T200"):
        with pytest.raises(NotationError):
            game.describe(wrong)
