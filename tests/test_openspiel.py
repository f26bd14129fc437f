"""Scotland Yard in OpenSpiel: its own checks pass, a state is a Game, and nobody is told what he may not know."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from twins import twin_of

from scotyard_env.board import Board
from scotyard_env.dealing import cards_left, start_with
from scotyard_env.game import Game, IllegalMoveError
from scotyard_env.links import BoardError
from scotyard_env.replay import Replay
from scotyard_env.ruleset import RuleSet, RuleSetError, resolve
from scotyard_env.state import MR_X
from scotyard_env.testing.positions import list_settings

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install 'scotyard-env[openspiel]'")

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import generate_playthrough  # noqa: E402

from scotyard_env.openspiel import ScotlandYardGame, ScotlandYardState  # noqa: E402

NAME = "python_scotland_yard"
VARIANTS: list[dict[str, Any]] = [
    {"board": "glasses"},
    {"board": "glasses", "reveals": "3"},
    {"board": "docklands", "detectives": 3},
    {"rules": "ravensburger_2013"},
    {},
]


def load(**parameters: Any) -> Any:
    return pyspiel.load_game(NAME, parameters)


def play_on(state: Any, rng: np.random.Generator, actions: int = 10**6) -> Any:
    """Deal at random, then play at random until the end or so many actions."""
    while not state.is_terminal() and (state.is_chance_node() or actions > 0):
        legal = [card for card, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        actions -= not state.is_chance_node()
        state.apply_action(int(rng.choice(legal)))
    return state


def state_of_replay(replay: Replay) -> Any:
    """Play a replay in OpenSpiel."""
    state = ScotlandYardGame.of(replay.board, replay.rules).new_initial_state()
    for card in (*replay.stations[1:], replay.stations[MR_X]):
        state.apply_action(card)
    for action in replay.game().actions:
        state.apply_action(action)
    return state


# ----------------------------------------------------------------------------------------------------------- conformity


@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_openspiels_own_checks_pass(parameters: dict[str, Any]) -> None:
    pyspiel.random_sim_test(load(**parameters), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("text", [f"{NAME}(board=glasses)", f"{NAME}(board=docklands,reveals=2 5,detectives=1)"])
def test_a_playthrough_can_be_written_and_is_the_same_again(text: str) -> None:
    first = generate_playthrough.playthrough(text, [], seed=3)
    assert "PublicObservationString" in first
    assert generate_playthrough.playthrough(text, [], seed=3) == first


def test_a_learning_environment_of_openspiel_plays_a_game_to_its_end() -> None:
    env, rng = rl_environment.Environment(load(board="docklands")), np.random.default_rng(0)
    step = env.reset()
    while not step.last():
        legal = step.observations["legal_actions"][step.observations["current_player"]]
        step = env.step([int(rng.choice(legal))])
    assert sorted(step.rewards) == [-1.0, 1.0]


# ---------------------------------------------------------------------------------------------------- a state is a game


@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_it_plays_as_our_game_does(parameters: dict[str, Any]) -> None:
    rng, state = np.random.default_rng(1), play_on(load(**parameters).new_initial_state(), np.random.default_rng(1), 0)
    board, rules = state.game.board, state.game.rules
    game = Game.from_position(board, rules, stations=state.game.stations, possible=rules.mr_x_starts)
    while game.winner is None:
        assert state.current_player() == (0 if game.seat == MR_X else 1)
        assert state.legal_actions() == game.legal
        assert [state.action_to_string(action) for action in game.legal] == game.legal_moves
        action = int(rng.choice(game.legal))
        state.apply_action(action)
        game.play(action)
    assert state.is_terminal()
    assert state.returns() == ([1.0, -1.0] if game.winner == "mr_x" else [-1.0, 1.0])
    assert len(state.history()) <= state.get_game().max_game_length() + 1 + rules.detectives


def test_a_clone_goes_on_by_itself() -> None:
    state = play_on(load(board="docklands").new_initial_state(), np.random.default_rng(0), 5)
    told, clone = str(state), state.clone()
    play_on(clone, np.random.default_rng(1))
    assert str(state) == told
    assert not state.is_terminal()


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    state = play_on(load(board="glasses").new_initial_state(), np.random.default_rng(0), 0)
    before = str(state)
    with pytest.raises(IllegalMoveError, match="T1 is not open to mr_x: only mr_x may know what is"):
        state.apply_action(0)
    assert str(state) == before
    with pytest.raises(ValueError, match=r"detective_1 cannot draw 5: there are \[1, 11\]"):
        load(board="glasses").new_initial_state().apply_action(5)


def test_every_setting_ends_within_the_most_actions_that_its_rules_allow() -> None:
    for number, (board, rules) in enumerate(list(list_settings())[::2]):
        game, rng = Game(board, rules, seed=number), np.random.default_rng(number)
        while game.winner is None:
            legal = game.legal
            game.play(legal[-1] if rng.random() < 0.3 else int(rng.choice(legal)))  # doubles are the last of the legal
        assert len(game.actions) <= rules.most_actions


# ------------------------------------------------------------------------------------------------------------- the deal


def test_the_cards_that_can_be_drawn_are_those_of_the_rules_each_as_likely() -> None:
    state = load(board="docklands").new_initial_state()
    _, rules = resolve("docklands")
    assert rules.detective_starts is not None
    assert state.chance_outcomes() == [(card, 1 / 12) for card in sorted(rules.detective_starts)]
    state.apply_action(6)
    assert [card for card, _ in state.chance_outcomes()] == [
        card for card in sorted(rules.detective_starts) if card != 6
    ]
    assert state.action_to_string(12) == "detective_2 starts on 12"


@pytest.mark.parametrize("name", ["glasses", "docklands", "london"])
def test_a_game_that_begins_with_drawn_cards_is_the_game_that_is_dealt(name: str) -> None:
    board, rules = resolve(name)
    for seed in range(20):
        dealt = Game(board, rules, seed=seed)
        cards = (*dealt.stations[1:], dealt.stations[MR_X])
        for drawn in range(len(cards)):
            assert cards[drawn] in cards_left(board, rules, cards[:drawn])
        assert start_with(board, rules, cards).tobytes() == dealt.state.tobytes()


# ------------------------------------------------------------------------------------------- what the players may know


@pytest.mark.parametrize(("board", "moves"), [("docklands", 4), ("docklands", 9), ("docklands", 14), ("london", 15)])
@pytest.mark.parametrize("seed", range(3))
def test_the_detectives_are_told_the_same_wherever_mr_x_hides(board: str, moves: int, seed: int) -> None:
    replay = Replay.of(next(filter(None, (hide(board, moves, 100 * seed + more) for more in range(100)))))
    states = [state_of_replay(replay), state_of_replay(twin_of(replay))]
    assert states[0].history() != states[1].history()
    assert told_to(states[0], 1) == told_to(states[1], 1)
    assert told_to(states[0], 0) != told_to(states[1], 0)


def hide(board: str, moves: int, seed: int) -> Game | None:
    """Play so many moves, and on until Mr. X may be in several places; None if the game ends before."""
    game, rng = Game(board, seed=seed), np.random.default_rng(seed)
    while game.winner is None and (len(game.actions) < moves or len(game.possible) < 2):
        game.play(int(rng.choice(game.legal)))
    return game if game.winner is None else None


def told_to(state: ScotlandYardState, player: int) -> list[Any]:
    """Collect what a player is told."""
    observers = [
        state.get_game().make_py_observer(
            pyspiel.IIGObservationType(public_info=public, perfect_recall=recall, private_info=private)
        )
        for public, recall in ((True, True), (True, False), (False, False))
        for private in (pyspiel.PrivateInfoType.SINGLE_PLAYER, pyspiel.PrivateInfoType.NONE)
    ]
    for observer in observers:
        observer.set_from(state, player)
    return [
        state.information_state_string(player),
        state.information_state_tensor(player),
        state.observation_string(player),
        state.observation_tensor(player),
        state.legal_actions(player) if player == 1 else None,
        *((observer.string_from(state, player), observer.tensor.tobytes()) for observer in observers),
    ]


def test_what_is_public_is_the_same_for_both_and_what_is_private_is_mr_xs_station() -> None:
    state = play_on(load(board="docklands").new_initial_state(), np.random.default_rng(2), 7)
    kinds = pyspiel.PrivateInfoType
    public = state.get_game().make_py_observer(
        pyspiel.IIGObservationType(perfect_recall=False, private_info=kinds.NONE)
    )
    assert public.string_from(state, 0) == public.string_from(state, 1) == state.observation_string(1)
    private = state.get_game().make_py_observer(pyspiel.IIGObservationType(public_info=False, perfect_recall=False))
    assert private.string_from(state, 0) == f"mr_x on {state.game.stations[MR_X]}"
    assert private.string_from(state, 1) == ""
    private.set_from(state, 0)
    assert private.dict["station"].argmax() + 1 == state.game.stations[MR_X]
    everything = state.get_game().make_py_observer(
        pyspiel.IIGObservationType(perfect_recall=True, private_info=kinds.ALL_PLAYERS)
    )
    assert everything.string_from(state, 1) == state.information_state_string(0)


def test_an_observation_is_what_our_encoder_writes() -> None:
    from scotyard_env.encode import Encoder

    state = play_on(load(board="docklands").new_initial_state(), np.random.default_rng(2), 8)
    encoder = Encoder(state.game.board, state.game.rules, "flat")
    for player in (0, 1):
        written = encoder.observe(state.view(player))["observation"]
        assert np.array_equal(np.array(state.observation_tensor(player), np.float32), written)


@pytest.mark.parametrize("parameters", VARIANTS[:3], ids=str)
def test_information_states_are_the_same_as_text_and_as_tensor(parameters: dict[str, Any]) -> None:
    game, met = load(**parameters), {}
    for seed in range(12):
        state = play_on(game.new_initial_state(), np.random.default_rng(seed), 0)
        while not state.is_terminal():
            for player in (0, 1):
                tensor = np.array(state.information_state_tensor(player), np.float32).tobytes()
                assert met.setdefault(tensor, (player, state.information_state_string(player))) == (
                    player,
                    state.information_state_string(player),
                )
            state.apply_action(int(np.random.default_rng(len(met)).choice(state.legal_actions())))
    assert len(set(met.values())) == len(met)


def test_nobody_forgets_what_he_knew() -> None:
    state = play_on(load(board="docklands").new_initial_state(), np.random.default_rng(5), 0)
    before = [state.information_state_string(player) for player in (0, 1)]
    while not play_on(state, np.random.default_rng(6), 1).is_terminal():
        now = [state.information_state_string(player) for player in (0, 1)]
        assert all(new.startswith(old) and new != old for new, old in zip(now, before, strict=True))
        before = now


def test_observers_refuse_what_they_do_not_offer() -> None:
    game = load(board="glasses")
    with pytest.raises(ValueError, match="perfect recall goes with public information"):
        game.make_py_observer(pyspiel.IIGObservationType(public_info=False, perfect_recall=True))
    with pytest.raises(ValueError, match="observations take no parameters"):
        game.make_py_observer(None, {"colour": "blue"})


# ----------------------------------------------------------------------------------------------------------- parameters


def test_boards_rules_and_variants_are_parameters(tmp_path: Path) -> None:
    Board.from_text("1-T-2 2-T-3 3-T-4 4-T-1 1-B-3", name="mine").save(tmp_path / "mine.json")
    own = dataclasses.replace(RuleSet.named("docklands"), name="own", log_entries=6, reveals=(2,))
    own.save(tmp_path / "own.json")
    assert load().board.name == "london"
    assert load(rules="milton_bradley_1985").board.name == "london_milton_bradley_1985"
    assert load(board="docklands", detectives=4).rules.detectives == 4
    assert load(board="docklands", reveals="2 5").rules.reveals == (2, 5)
    assert load(board="docklands", reveals="none").rules.reveals == ()
    assert pyspiel.load_game(f"{NAME}(board=glasses,reveals=at 3)").rules.reveals == (3,)
    assert load(board=str(tmp_path / "mine.json"), detectives=1).board.name == "mine"
    assert load(board="docklands", rules=str(tmp_path / "own.json")).rules == own
    again = pyspiel.load_game(str(load(board="docklands", reveals="2 5", detectives=1)))
    assert (again.board.name, again.rules.reveals, again.rules.detectives) == ("docklands", (2, 5), 1)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"board": "paris"}, BoardError, "there is no board named 'paris'"),
        ({"rules": "chess"}, RuleSetError, "there is no rule set 'chess': there are classic"),
        ({"detectives": 9}, RuleSetError, "detectives is 9: the game takes 1 to 5"),
        ({"board": "glasses", "rules": "classic"}, RuleSetError, "but board 'glasses' ends at 11"),
        ({"reveals": "often"}, RuleSetError, "reveals is 'often': give log entries"),
        ({"reveals": "99"}, RuleSetError, "reveals has 99: the log has entries 1 to 24"),
        ({"colour": "blue"}, Exception, "Unknown parameter 'colour'"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        load(**parameters)


def test_where_openspiel_is_missing_the_import_says_what_brings_it() -> None:
    code = "import sys; sys.modules['pyspiel'] = None\nimport scotyard_env.openspiel"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "scotyard_env.openspiel needs OpenSpiel: pip install 'scotyard-env[openspiel]'" in answer.stderr
