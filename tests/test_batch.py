"""A batch plays the games that ``Game`` plays, many at once, and is checked at the door all the same."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from playing import all_settings

from scotyard_env.batch import Batch
from scotyard_env.board import Board
from scotyard_env.encode import KINDS, Encoder
from scotyard_env.game import Game, IllegalMoveError
from scotyard_env.links import BoardError
from scotyard_env.ruleset import RuleSet, RuleSetError
from scotyard_env.state import DETECTIVES_WIN, MR_X, MR_X_WINS, NOWHERE, PLAYING, SPECTATOR, STATE, WINNERS
from scotyard_env.view import View

Setting = tuple[str, str, int]
SETTINGS = list(all_settings())


USED = STATE.fields["fares"][1] + STATE["fares"].itemsize  # bytes of a record up to the end of its last field


def facts(states: Any) -> bytes:
    """Return all fields of a record, or of many, as bytes; the gap behind the last field may hold anything."""
    return np.frombuffer(states.tobytes(), np.uint8).reshape(-1, STATE.itemsize)[:, :USED].tobytes()


def all_bytes(observation: dict[str, np.ndarray]) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in observation.items()}


def make(setting: Setting, games: int, seed: int = 0) -> Batch:
    return Batch(games, setting[0], setting[1], detectives=setting[2], seed=seed)


def twin_of(batch: Batch, game: int) -> Game:
    """Make a game of the one of this number, which has just been dealt."""
    return Game.from_start(batch.board, batch.rules, batch.states[game].copy())


def choose(twins: list[Game], rng: np.random.Generator) -> np.ndarray:
    """Choose a legal action for each game by chance."""
    legal = [twin.legal for twin in twins]
    return np.array([actions[rng.integers(len(actions))] for actions in legal])


def play_beside_twins(setting: Setting, games: int, steps: int, seed: int = 0) -> Counter[str | None]:
    """Play a batch and a game beside each of its games, compare them after every move, count the winners."""
    batch, rng = make(setting, games, seed), np.random.default_rng(seed)
    twins = [twin_of(batch, game) for game in range(games)]
    won: Counter[str | None] = Counter()
    for _ in range(steps):
        actions = choose(twins, rng)
        winners = batch.step(actions)
        for game, (twin, action) in enumerate(zip(twins, actions, strict=True)):
            twin.play(int(action))
            assert WINNERS[winners[game]] == twin.winner
            if twin.winner is None:
                assert facts(batch.states[game]) == facts(twin.state)
            else:
                won[twin.winner] += 1
                twins[game] = twin_of(batch, game)
                assert (twins[game].winner, twins[game].round, twins[game].seat) == (None, 0, MR_X)
                assert twins[game].tickets == [list(purse) for purse in batch.rules.purses]
    return won


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
def test_a_batch_plays_move_for_move_what_single_games_play(setting: Setting) -> None:
    play_beside_twins(setting, games=4, steps=60)


@pytest.mark.parametrize(
    ("setting", "games", "steps", "at_least"),
    [
        (("glasses", "glasses", 2), 128, 200, 2000),
        (("docklands", "docklands", 3), 64, 400, 600),
        (("london", "classic", 5), 64, 400, 150),
        (("london", "ravensburger_2013", 5), 32, 400, 80),
    ],
)
def test_over_thousands_of_random_games_every_winner_is_reported_once(
    setting: Setting, games: int, steps: int, at_least: int
) -> None:
    won = play_beside_twins(setting, games, steps, seed=1)
    assert won["mr_x"] + won["detectives"] >= at_least
    assert min(won["mr_x"], won["detectives"]) > 0


def test_the_same_seed_plays_the_same_games_and_no_seed_lets_chance_go_on() -> None:
    one, other = Batch(50, "docklands", seed=3), Batch(50, "docklands", seed=4)
    assert facts(one.states) != facts(other.states)
    seen = []
    for batch in (one, other):
        batch.reset(3)
        rng, states = np.random.default_rng(0), []
        for _ in range(60):
            batch.step(choose([twin_of(batch, game) for game in range(50)], rng))
            states.append(facts(batch.states))
        batch.reset()
        seen.append([*states, facts(batch.states)])
    assert seen[0] == seen[1]
    assert facts(Batch(50, "docklands", seed=3).states) != seen[0][-1]


def test_a_batch_without_a_seed_is_dealt_by_chance() -> None:
    assert len({facts(Batch(4).states) for _ in range(3)}) > 1


def test_games_are_dealt_apart_from_each_other() -> None:
    batch = Batch(4000, seed=0)
    starts = Counter(batch.states["station"][:, MR_X].tolist())
    assert set(starts) == set(batch.rules.mr_x_starts or ())
    assert max(starts.values()) < 2 * min(starts.values())


def test_only_the_games_asked_for_are_dealt_or_played() -> None:
    batch = Batch(5, seed=2)
    before = [facts(state) for state in batch.states]
    batch.deal(np.array([1, 3]))
    changed = [facts(state) != old for state, old in zip(batch.states, before, strict=True)]
    assert changed == [False, True, False, True, False]
    before = [facts(state) for state in batch.states]
    batch.play(np.array([4, 0]), np.array([twin_of(batch, game).legal[0] for game in (4, 0)]))
    changed = [facts(state) != old for state, old in zip(batch.states, before, strict=True)]
    assert changed == [True, False, False, False, True]


@pytest.mark.parametrize(
    "how", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))], ids=["copy", "pickle"]
)
def test_a_copy_goes_on_identically_and_by_itself(how: Any) -> None:
    batch = Batch(20, "glasses", seed=1)
    twin, before = how(batch), facts(batch.states)
    for each in (twin, batch):
        if each is batch:
            assert facts(batch.states) == before
        rng = np.random.default_rng(1)
        for _ in range(30):
            each.step(choose([twin_of(each, game) for game in range(20)], rng))
    assert facts(twin.states) == facts(batch.states) != before


# -------------------------------------------------------------------------------------------------------- at the door


def test_an_illegal_action_names_the_game_and_changes_none() -> None:
    batch = Batch(6, seed=5)
    before = facts(batch.states)
    actions = choose([twin_of(batch, game) for game in range(6)], np.random.default_rng(0))
    for action, words in (
        (792, "game 4: T199 is not open to mr_x: only mr_x may know what is"),
        (797, "game 4: -- is not open to mr_x"),
        (798, "game 4: 798 is not an action: board 'london' has 0 to 797: only mr_x may know what is"),
        (-1, "game 4: -1 is not an action"),
        (2**62, f"game 4: {2**62} is not an action"),
    ):
        wrong = actions.copy()
        wrong[4] = action
        with pytest.raises(IllegalMoveError, match=words):
            batch.step(wrong)
        assert facts(batch.states) == before
    batch.step(actions)


def test_a_game_that_is_over_takes_no_more_moves() -> None:
    batch = Batch(2, "glasses", seed=0)
    batch.winners[1] = MR_X_WINS
    with pytest.raises(IllegalMoveError, match=r"game 1: .* the game is over, won by"):
        batch.play(np.array([1]), np.array([0]))


def test_are_legal_agrees_with_the_list_of_every_game() -> None:
    batch = Batch(30, "docklands", seed=1)
    twins = [twin_of(batch, game) for game in range(30)]
    for action in range(4 * batch.board.stations + 2):
        told = batch.are_legal(np.arange(30), np.full(30, action))
        assert told.tolist() == [action in twin.legal for twin in twins]
    assert batch.are_legal(np.array([7, 2]), np.array([twins[7].legal[0], -3])).tolist() == [True, False]


@pytest.mark.parametrize(
    "actions",
    [np.zeros(3), np.zeros(2, int), np.zeros(4, int), np.zeros((3, 1), int), np.zeros(3, bool), [0, 1], 5, None, "abc"],
    ids=lambda actions: repr(actions),
)
def test_actions_of_a_wrong_shape_or_kind_are_refused(actions: Any) -> None:
    batch = Batch(3, seed=0)
    before = facts(batch.states)
    with pytest.raises(ValueError, match=r"actions are .* of shape .*: give 3 integers"):
        batch.step(actions)
    with pytest.raises(ValueError, match="give 3 integers"):
        batch.are_legal(np.arange(3), actions)
    assert facts(batch.states) == before


@pytest.mark.parametrize("kind", [np.int16, np.uint16, np.int32, np.int64, list])
def test_every_kind_of_integers_is_actions(kind: Any) -> None:
    batch, twin = Batch(3, seed=0), Batch(3, seed=0)
    actions = choose([twin_of(batch, game) for game in range(3)], np.random.default_rng(0))
    batch.step(actions.tolist() if kind is list else actions.astype(kind))
    twin.step(actions)
    assert facts(batch.states) == facts(twin.states)


@pytest.mark.parametrize(
    "games", [[3], [-1], [10**12], [0, 0], [[0]], [0.5], 0, "ab", [0, 1, 2, 0]], ids=lambda games: repr(games)
)
def test_games_that_are_not_there_or_come_twice_are_refused(games: Any) -> None:
    batch = Batch(3, seed=0)
    before = facts(batch.states)
    number = np.array(games)
    for ask in (
        lambda: batch.deal(number),
        lambda: batch.play(number, np.zeros(number.size, int)),
        lambda: batch.are_legal(number, np.zeros(number.size, int)),
        lambda: batch.views(number),
        lambda: batch.observe(Encoder(batch.board, batch.rules), {}, number),
    ):
        with pytest.raises(ValueError, match="give numbers from 0 to 2, each at most once"):
            ask()
    assert facts(batch.states) == before
    assert len(batch.views(np.arange(3))) == 3  # what is fine stays fine


@pytest.mark.parametrize("viewers", [[0], [0, 1, 6], [0, 1, -2], [0.0, 1.0, 2.0], [[0, 1, 2]]], ids=repr)
def test_viewers_that_have_no_seat_are_refused(viewers: Any) -> None:
    batch = Batch(3, seed=0)
    with pytest.raises(ValueError, match=r"give 3 seats from 0 \(Mr. X\) to 5, or -1 for a spectator"):
        batch.views(viewers=np.array(viewers))


@pytest.mark.parametrize("games", [0, -3, 1.5, "4", None, True])
def test_a_number_of_games_that_is_none_is_refused(games: Any) -> None:
    with pytest.raises(ValueError, match=f"num_games is {games!r}: give a whole number of at least 1"):
        Batch(games)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"board": "paris"}, BoardError, "choose from docklands"),
        ({"rules": "chess"}, RuleSetError, "there are classic"),
        ({"detectives": 0}, RuleSetError, "the game takes 1 to 5"),
        ({"seed": -1}, ValueError, "seed is -1"),
    ],
)
def test_wrong_arguments_say_what_is_allowed(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Batch(2, **arguments)


#     1 --T-- 2 --T-- 3 --B-- 4
STUCK = Board.from_text(
    "1-T-2 2-T-3 3-B-4"
)  # without bus tickets a detective is stuck on 4; one on 2 has Mr. X stuck on 1


def test_what_is_over_before_anybody_has_moved_is_dealt_again() -> None:
    rules = RuleSet(detectives=1, detective_tickets=(3, 0, 0), detective_starts=None, mr_x_starts=None)
    deals = [Game(STUCK, rules, seed=seed) for seed in range(60)]
    assert {game.winner for game in deals} == {None, "mr_x", "detectives"}
    assert not Batch(500, STUCK, rules, seed=0).winners.any()


def test_rules_under_which_every_deal_is_over_are_refused() -> None:
    rules = RuleSet(name="broke", detective_tickets=(0, 0, 0))
    with pytest.raises(RuleSetError, match="'broke' on board 'london': 1000 deals in a row were over before anybody"):
        Batch(2, rules=rules, seed=0)


# --------------------------------------------------------------------------------------------------------------- views


def played(games: int = 40, steps: int = 25) -> Batch:
    """Play a batch into the middle of its games."""
    batch, rng = Batch(games, "docklands", detectives=3, seed=9), np.random.default_rng(9)
    for _ in range(steps):
        batch.step(choose([twin_of(batch, game) for game in range(games)], rng))
    return batch


@pytest.mark.parametrize("viewer", [None, MR_X, 1, 3, SPECTATOR])
def test_views_are_what_each_viewer_may_know(viewer: int | None) -> None:
    batch = played()
    batch.winners[::7] = DETECTIVES_WIN  # over and not yet dealt anew, as a settling duel sees them
    viewers = batch.seats.astype(int) if viewer is None else np.full(len(batch), viewer)
    views = batch.views(viewers=None if viewer is None else viewers)
    assert len(views) == len(batch)
    for state, truth, seat in zip(views.states, batch.states, viewers, strict=True):
        assert facts(state) == facts(View(batch.board, batch.rules, truth, int(seat)).state)
        knows = seat == MR_X or (seat == SPECTATOR and truth.winner != PLAYING)
        assert (state.station[MR_X] != NOWHERE) == knows


def test_views_of_some_games_come_in_the_order_asked_for() -> None:
    batch = played()
    games, viewers = np.array([17, 3, 31]), np.array([2, MR_X, 1])
    for state, game, viewer in zip(batch.views(games, viewers).states, games, viewers, strict=True):
        assert facts(state) == facts(View(batch.board, batch.rules, batch.states[game], int(viewer)).state)


def test_whoever_changes_a_view_does_not_change_the_game() -> None:
    batch = played()
    before = facts(batch.states)
    batch.views().states["station"][:] = 5
    assert facts(batch.states) == before


@pytest.mark.parametrize("kind", KINDS)
def test_observations_go_into_the_rows_of_their_games_and_no_others(kind: str) -> None:
    batch = played()
    encoder = Encoder(batch.board, batch.rules, kind, kind != "compact", moves=True)
    arrays, games = encoder.new_arrays(len(batch)), np.array([30, 2, 11])
    for name in arrays.keys() - {"links"}:
        arrays[name][:] = 99
    batch.observe(encoder, arrays, games)
    for game in range(len(batch)):
        expected = encoder.observe(View(batch.board, batch.rules, batch.states[game], int(batch.seats[game])))
        for name in arrays.keys() - {"links"}:
            if game in games:
                assert arrays[name][game].tobytes() == expected[name].tobytes()
            else:
                assert (arrays[name][game] == 99).all()
