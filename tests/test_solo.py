"""One side against policies: the learner's returns are the true results, and its decisions are what the game asks."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import pickle
import re
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from playing import all_settings
from test_batch import all_bytes, facts

import scotyard_env
from scotyard_env.duel import Pool
from scotyard_env.encode import KINDS, Encoder
from scotyard_env.game import Game, IllegalMoveError, PositionError
from scotyard_env.links import BoardError
from scotyard_env.notation import parse_action
from scotyard_env.policy import Decision, PolicyError
from scotyard_env.render import text
from scotyard_env.ruleset import RuleSetError
from scotyard_env.solo import ScotlandYardSoloEnv
from scotyard_env.state import MR_X, NOWHERE, State
from scotyard_env.view import View, Views

Setting = tuple[str, str, int]
SETTINGS = list(all_settings())
SIDES = ("mr_x", "detectives")
SOME_SETTINGS = [
    ("london", "classic", 5),
    ("london", "ravensburger_2013", 2),
    ("docklands", "docklands", 1),
    ("docklands", "docklands", 3),
    ("glasses", "glasses", 2),
]
both_sides = pytest.mark.parametrize("side", SIDES)
only_harmless_warnings = pytest.mark.filterwarnings(
    "error",
    "ignore:.*the game is forfeited$",  # the checkers sample without the mask
    "ignore:Your observation .* has an unconventional shape",  # SB3 on rows of features
)


def make(setting: Setting, **settings: Any) -> ScotlandYardSoloEnv:
    return ScotlandYardSoloEnv(board=setting[0], rules=setting[1], detectives=setting[2], **settings)


def pick(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


@dataclasses.dataclass(eq=False)
class Recorder:
    """Plays at random and writes down what it was shown and what it did."""

    seen: list[View] = dataclasses.field(default_factory=list)
    actions: list[int] = dataclasses.field(default_factory=list)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        self.seen.append(view)
        self.actions.append(view.legal[rng.integers(len(view.legal))])
        return Decision(self.actions[-1])

    def forget(self) -> None:
        self.seen.clear()
        self.actions.clear()


@dataclasses.dataclass
class Played:
    """One game as a learner lived through it."""

    start: State
    observations: list[dict[str, np.ndarray]]  # one more than there are decisions
    infos: list[dict[str, Any]]  # the same
    actions: list[int]
    rewards: list[float]


def play_solo(env: ScotlandYardSoloEnv, recorder: Recorder, rng: np.random.Generator, **reset: Any) -> Played:
    """Play a game at random against a recorder."""
    recorder.forget()
    observation, info = env.reset(**reset)
    start = env.batch.states[0] if env.duel.side == "mr_x" else recorder.seen[0].state  # Mr. X has seen all of it
    played, ended = Played(start.copy(), [observation], [info], [], []), False
    while not ended:
        assert env.action_masks().tolist() == observation["action_mask"].astype(bool).tolist()
        action = pick(env.action_masks(), rng)
        observation, reward, ended, truncated, info = env.step(action)
        assert truncated is False
        played.actions.append(action)
        played.rewards.append(reward)
        played.observations.append(observation)
        played.infos.append(info)
    return played


def replay(env: ScotlandYardSoloEnv, recorder: Recorder, played: Played) -> Game:
    """Play the same actions in a game, and compare what the learner got with what the game says."""
    game = Game.from_start(env.batch.board, env.batch.rules, played.start)
    mine, theirs, decider = iter(range(len(played.actions))), iter(recorder.actions), MR_X
    while game.winner is None:
        if (game.seat == MR_X) == (env.duel.side == "mr_x"):
            number, decider = next(mine), game.seat
            shown = played.observations[number]
            assert all_bytes(shown) == all_bytes(env.encoder.observe(game.view(decider)))
            assert np.flatnonzero(shown["action_mask"]).tolist() == game.legal
            assert played.infos[number] == {"seat": decider}
            game.play(played.actions[number])
        else:
            game.play(next(theirs))
    assert (next(mine, None), next(theirs, None)) == (None, None)  # every decision was an action of the game
    assert all_bytes(played.observations[-1]) == all_bytes(env.encoder.observe(game.view(decider)))
    assert played.infos[-1] == {"seat": decider, "winner": game.winner}
    return game


# ------------------------------------------------------------------------------------------------------------ checkers


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
@both_sides
@only_harmless_warnings
def test_it_passes_the_checks_of_gymnasium_and_sb3(setting: Setting, side: str) -> None:
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    board, rules, detectives = setting
    env = gymnasium.make("ScotlandYard-v0", side=side, board=board, rules=rules, detectives=detectives).unwrapped
    check_env(env, skip_render_check=True)
    sb3.check_env(env, skip_render_check=True)


@pytest.mark.parametrize("kind", KINDS)
@both_sides
@only_harmless_warnings
def test_it_passes_them_with_every_kind_of_observation(kind: str, side: str) -> None:
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    settings: dict[str, Any] = {"observation": kind, "belief": kind != "compact", "moves": True}
    for board in ("docklands", "london"):
        env = gymnasium.make("ScotlandYard-v0", side=side, board=board, **settings).unwrapped
        check_env(env, skip_render_check=True)
        sb3.check_env(env, skip_render_check=True)


@both_sides
@only_harmless_warnings
def test_it_passes_the_check_of_its_render_modes(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    check_env(gymnasium.make("ScotlandYard-v0", side=side, board="docklands").unwrapped)


# ---------------------------------------------------------------------------------------------------- returns, exactly


@pytest.mark.parametrize("setting", SOME_SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
@both_sides
def test_the_returns_are_the_true_results_and_come_with_the_last_decision(setting: Setting, side: str) -> None:
    recorder, rng = Recorder(), np.random.default_rng(2)
    env = make(setting, side=side, opponent=recorder)
    results: Counter[str | None] = Counter()
    returns = 0.0
    for number in range(40):
        played = play_solo(env, recorder, rng, seed=None if number else 5)
        game = replay(env, recorder, played)
        assert played.rewards == [0.0] * (len(played.actions) - 1) + [1.0 if game.winner == side else -1.0]
        returns += sum(played.rewards)
        results[game.winner] += 1
    other = SIDES[1 - SIDES.index(side)]
    assert returns == results[side] - results[other]
    assert results["mr_x"] + results["detectives"] == 40
    assert results["detectives"] > 0


@pytest.mark.parametrize(
    ("kind", "belief", "moves"), [("flat", True, True), ("compact", False, True), ("graph", True, True)]
)
@both_sides
def test_the_learner_observes_the_view_of_the_seat_that_decides(
    side: str, kind: str, belief: bool, moves: bool
) -> None:
    recorder, rng = Recorder(), np.random.default_rng(3)
    env = make(SOME_SETTINGS[3], side=side, opponent=recorder, observation=kind, belief=belief, moves=moves)
    for seed in range(5):
        replay(env, recorder, play_solo(env, recorder, rng, seed=seed))


def test_mr_x_decides_three_times_in_a_double_move_and_nobody_moves_in_between() -> None:
    recorder = Recorder()
    env = scotyard_env.make_solo(side="mr_x", opponent=recorder, detectives=2)
    env.reset(seed=0, options={"stations": [74, 188, 199]})
    moved = []
    for move in ("2x", "T73", "T74", "T75"):
        _, reward, terminated, _, info = env.step(parse_action(env.batch.board, move))
        moved.append(len(recorder.actions))
        assert (reward, terminated, info) == (0.0, False, {"seat": MR_X})
    assert moved == [0, 0, 2, 4]


def test_a_learner_of_detectives_decides_for_one_after_the_other_and_mr_x_answers_the_last() -> None:
    recorder = Recorder()
    env = scotyard_env.make_solo(side="detectives", opponent=recorder, detectives=3)
    _, info = env.reset(seed=1)
    seats, answers = [info["seat"]], [len(recorder.seen)]
    for seed in range(6):
        *_, info = env.step(pick(env.action_masks(), np.random.default_rng(seed)))
        seats.append(info["seat"])
        answers.append(len(recorder.seen))
    assert seats == [1, 2, 3, 1, 2, 3, 1]
    turns = [later > earlier for earlier, later in itertools.pairwise(answers)]
    assert turns == [False, False, True, False, False, True]


def test_the_opponents_see_no_more_than_their_seats() -> None:
    recorder, rng = Recorder(), np.random.default_rng(4)
    env = make(SOME_SETTINGS[3], side="mr_x", opponent=recorder)
    viewers = set()
    for _ in range(10):
        play_solo(env, recorder, rng)
        viewers |= {view.viewer for view in recorder.seen}
        assert {view.stations[MR_X] for view in recorder.seen} == {NOWHERE}
        assert all(view.viewer == view.seat for view in recorder.seen)
    assert viewers == {1, 2, 3}


# ----------------------------------------------------------------------------------------------------------- opponents


@dataclasses.dataclass(frozen=True)
class Member:
    """One of a pool, with a name; plays at random."""

    name: str
    met: list[str] = dataclasses.field(compare=False)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        self.met.append(self.name)
        return Decision(view.legal[rng.integers(len(view.legal))])


@both_sides
def test_a_pool_is_drawn_from_once_a_game_by_its_weights(side: str) -> None:
    met: list[str] = []
    pool = {Member("one", met): 1, Member("two", met): 3, Member("never", met): 0}
    env = make(("glasses", "glasses", 2), side=side, opponent=pool)
    rng, drawn, games = np.random.default_rng(0), Counter[str](), 800
    for number in range(games):
        met.clear()
        env.reset(seed=None if number else 1)
        ended = False
        while not ended:
            ended = env.step(pick(env.action_masks(), rng))[2]
        assert len(set(met)) == 1
        drawn[met[0]] += 1
    assert set(drawn) == {"one", "two"}
    assert abs(drawn["two"] - 0.75 * games) < 4 * np.sqrt(games * 0.75 * 0.25)


def test_who_is_listed_twice_is_drawn_twice_as_often() -> None:
    met: list[str] = []
    one, two = Member("one", met), Member("two", met)
    assert Pool([one, two, one], "mr_x").weights.tolist() == [1 / 3] * 3
    assert Pool(iter(["random", two]), "mr_x").weights.tolist() == [1 / 2] * 2
    assert Pool({"random": 2, two: 6}, "mr_x").weights.tolist() == [1 / 4, 3 / 4]
    draws = Pool({one: 2, two: 6}, "mr_x").draw(4000, np.random.default_rng(0))
    assert abs((draws == 1).mean() - 0.75) < 0.03


class Batchwise:
    """Knows only how to play many games at once: the first legal action of each."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        raise NotImplementedError

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        del rng
        return np.array([View(views.board, views.rules, each, each.seat).legal[0] for each in views.states])


def test_a_policy_that_plays_many_games_at_once_is_asked_to() -> None:
    env = make(("docklands", "docklands", 2), side="mr_x", opponent=Batchwise())
    env.reset(seed=3)
    game = Game.from_start(env.batch.board, env.batch.rules, env.batch.states[0].copy())
    for _ in range(3):
        game.play(game.legal[0])
    env.step(first_legal(env))
    assert facts(env.batch.states[0]) == facts(game.state)


def first_legal(env: ScotlandYardSoloEnv) -> int:
    return int(np.flatnonzero(env.action_masks())[0])


@dataclasses.dataclass(frozen=True)
class Cheat:
    """Plays what it is told to, legal or not."""

    action: Any = 792

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        del view, rng
        return Decision(self.action)


@dataclasses.dataclass(frozen=True)
class LazyBatch(Cheat):
    """Forgets all games but one."""

    def act_batch(self, views: Views, rng: np.random.Generator) -> list[int]:
        del views, rng
        return [0, 0, 0]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Cheat(), "opponent Cheat(action=792) played an illegal action: game 0: T199 is not open to detective_1"),
        (Cheat(-1), "opponent Cheat(action=-1) played an illegal action: game 0: -1 is not an action"),
        (Cheat(45.7), "opponent Cheat(action=45.7) played an illegal action: actions are float64"),
        (Cheat(None), "opponent Cheat(action=None) played an illegal action: actions are object"),
        (LazyBatch(), "opponent LazyBatch(action=792) played an illegal action: actions are int64 of shape (3,)"),
    ],
    ids=repr,
)
def test_an_opponent_that_plays_an_illegal_action_is_named(policy: Cheat, words: str) -> None:
    env = scotyard_env.make_solo(side="mr_x", opponent=policy)
    env.reset(seed=1, options={"stations": [45, 13, 26, 29, 34, 50]})
    with pytest.raises(IllegalMoveError, match=re.escape(words)):
        env.step(np.flatnonzero(env.action_masks())[0])


class MrXOnly(Recorder):
    sides = ("mr_x",)


@pytest.mark.parametrize(
    ("opponent", "words"),
    [
        ("nobody", "there is no policy 'nobody'"),
        ([], "no opponent given: name a policy for detectives, or several"),
        ({}, "no opponent given"),
        (None, "opponent is None: give a policy or its name, several, or a dict with weights"),
        (5, "opponent is 5: give a policy or its name, several, or a dict with weights"),
        ([5], "5 is not a policy"),
        ({"random": -1}, "weights of a pool are [-1.0]: give numbers of at least 0, not all of them 0"),
        ({"random": 0}, "not all of them 0"),
        ({"random": float("nan")}, "weights of a pool are [nan]"),
        (MrXOnly(), "plays mr_x, not detectives"),
    ],
    ids=str,
)
def test_an_opponent_that_cannot_play_is_refused(opponent: Any, words: str) -> None:
    with pytest.raises(PolicyError, match=re.escape(words)):
        scotyard_env.make_solo(side="mr_x", opponent=opponent)


# ----------------------------------------------------------------------------------------------------- illegal actions

NO_ACTIONS = [
    (3, "K1 is not open to"),
    (-1, "-1 is not an action"),
    (798, "798 is not an action: board 'london' has 0 to 797"),
    (2**70, f"{2**70} is not an action"),
    (3.0, "3.0 is neither text nor an integer"),
    (None, "None is neither text nor an integer"),
    (np.array([3]), "array([3]) is neither text nor an integer"),
]
every_no_action = pytest.mark.parametrize(("action", "words"), NO_ACTIONS, ids=[words for _, words in NO_ACTIONS])


@both_sides
@every_no_action
def test_an_illegal_action_forfeits_the_game_with_a_warning(side: str, action: Any, words: str) -> None:
    env = scotyard_env.make_solo(side=side, detectives=2)
    _, info = env.reset(seed=1)
    agent = "mr_x" if side == "mr_x" else "detective_1"
    legal = View(env.batch.board, env.batch.rules, env.batch.states[0], info["seat"]).legal_moves
    with pytest.warns(UserWarning, match="the game is forfeited") as caught:
        observation, reward, terminated, truncated, last = env.step(action)
    assert words in str(caught[0].message)
    assert f": legal for {agent} are {', '.join(legal)}; the game is forfeited" in str(caught[0].message)
    assert caught[0].filename == __file__
    winner = SIDES[1 - SIDES.index(side)]
    assert (reward, terminated, truncated, last) == (-1.0, True, False, {**info, "winner": winner})
    assert not observation["action_mask"].any()
    assert not env.action_masks().any()


@both_sides
@every_no_action
def test_or_it_raises_and_changes_nothing(side: str, action: Any, words: str) -> None:
    env = scotyard_env.make_solo(side=side, detectives=2, illegal="raise")
    env.reset(seed=1)
    before, masks = facts(env.batch.states), env.action_masks()
    with pytest.raises(IllegalMoveError, match=re.escape(words)):
        env.step(action)
    assert facts(env.batch.states) == before
    assert env.action_masks().tolist() == masks.tolist()
    env.step(first_legal(env))


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.array], ids=lambda kind: kind.__name__)
def test_what_a_trained_model_predicts_is_an_action(kind: Callable[[int], Any]) -> None:
    env = scotyard_env.make_solo(side="mr_x", illegal="raise")  # SB3 predicts arrays of no dimensions
    env.reset(seed=1)
    _, _, terminated, _, _ = env.step(kind(first_legal(env)))
    assert not terminated


# ------------------------------------------------------------------------------------------------------ order and seeds


@pytest.mark.parametrize("ask", [lambda env: env.step(0), lambda env: env.action_masks(), lambda env: env.render()])
def test_there_is_no_game_before_the_first_reset(ask: Callable[[ScotlandYardSoloEnv], object]) -> None:
    with pytest.raises(ValueError, match=r"no game has begun: call reset\(\) first"):
        ask(scotyard_env.make_solo(render_mode="ansi"))


def test_a_game_that_is_over_takes_no_more_steps() -> None:
    env, rng = make(("glasses", "glasses", 2)), np.random.default_rng(0)
    env.reset(seed=1)
    while not env.step(pick(env.action_masks(), rng))[2]:
        pass
    with pytest.raises(ValueError, match=r"the game is over: call reset\(\) for the next one"):
        env.step(0)
    env.reset()
    assert env.step(first_legal(env))[4]["seat"] in (1, 2)


def lives(env: ScotlandYardSoloEnv, games: int, **reset: Any) -> list[object]:
    """Play games at random and take down all that the learner gets."""
    rng, got = np.random.default_rng(0), []
    for number in range(games):
        observation, info = env.reset(**(reset if number == 0 else {}))
        got += [all_bytes(observation), info]
        ended = False
        while not ended:
            observation, *rest = env.step(pick(observation["action_mask"], rng))
            got += [all_bytes(observation), *rest]
            ended = rest[1]
    return got


@both_sides
def test_a_seed_decides_the_deal_the_opponents_and_all_later_games(side: str) -> None:
    env, twin = (make(SOME_SETTINGS[3], side=side, opponent={"random": 1, Recorder(): 1}) for _ in range(2))
    first = lives(env, 4, seed=3)
    assert lives(twin, 4, seed=3) == first
    assert lives(env, 4, seed=3) == first
    assert lives(env, 4, seed=4) != first
    assert lives(env, 4) != lives(env, 4)


@both_sides
@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_identically_and_by_itself(side: str, how: Any) -> None:
    env, rng = make(SOME_SETTINGS[3], side=side), np.random.default_rng(0)
    env.reset(seed=3)
    for _ in range(4):
        if env.step(pick(env.action_masks(), rng))[2]:
            env.reset()
    before = facts(env.batch.states)
    twin = how(env)
    later = []
    for each in (twin, env):
        assert facts(each.batch.states) == before
        mine, ended = np.random.default_rng(1), False
        while not ended:
            observation, reward, ended, _, info = each.step(pick(each.action_masks(), mine))
        later.append((all_bytes(observation), reward, info, lives(each, 2)))
    assert later[0] == later[1]


# -------------------------------------------------------------------------------------------------------- given starts


def test_a_game_may_begin_at_given_stations() -> None:
    env = scotyard_env.make_solo(side="mr_x", detectives=2)
    options = {
        "stations": [45, 13, 26],
        "tickets": [[1, 2, 3, 4, 1], [5, 5, 5, 0, 0], [6, 6, 6, 0, 0]],
        "possible": [45, 7],
    }
    env.reset(options=options)
    game = Game.from_position("london", **options)
    assert facts(env.batch.states[0]) == facts(game.state)
    env.reset()
    assert facts(env.batch.states[0]) != facts(game.state)


def test_a_learner_of_detectives_is_asked_after_mr_x_has_moved_from_there() -> None:
    recorder = Recorder()
    env = scotyard_env.make_solo(opponent=recorder, detectives=2)
    env.reset(seed=2, options={"stations": [45, 13, 26]})
    game = Game.from_position("london", stations=[45, 13, 26])
    for action in recorder.actions:
        game.play(action)
    assert facts(env.batch.states[0]) == facts(game.state)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stations": [6, 1]}, "2 stations for 3 seats"),
        ({"tickets": []}, "option tickets goes with stations"),
        (
            {"stations": [6, 1, 11], "tickets": [[5, 0, 0, 0, 0], [0] * 5, [0] * 5]},
            "these options leave nothing to play: mr_x won before any move",
        ),
        (
            {"stations": [1, 2, 11], "tickets": [[0] * 5, [5, 0, 0, 0, 0], [0] * 5]},
            "these options leave nothing to play: detectives won before any move",
        ),
    ],
)
@both_sides
def test_options_that_cannot_be_played_are_refused(side: str, options: dict[str, Any], words: str) -> None:
    env = scotyard_env.make_solo(side=side, board="glasses")
    env.reset(seed=1)
    before = facts(env.batch.states)
    with pytest.raises(ValueError, match=words) as error:
        env.reset(options=options)
    assert isinstance(error.value, PositionError) or "tickets" in options
    assert facts(env.batch.states) == before


def test_an_option_that_does_not_exist_is_ignored_with_a_warning() -> None:
    env, twin = scotyard_env.make_solo(), scotyard_env.make_solo()
    with pytest.warns(UserWarning, match="no option 'station', it is ignored: there are stations, tickets, possible"):
        env.reset(seed=1, options={"station": 5})
    twin.reset(seed=1)
    assert facts(env.batch.states) == facts(twin.batch.states)


# ------------------------------------------------------------------------------------------------------------ pictures


@both_sides
def test_text_is_that_of_the_seat_that_decides(side: str) -> None:
    env, rng = make(SOME_SETTINGS[3], side=side, render_mode="ansi"), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        assert env.render() == text(View(env.batch.board, env.batch.rules, env.batch.states[0], info["seat"]))
        *_, ended, _, info = env.step(pick(env.action_masks(), rng))
    assert env.render() == text(View(env.batch.board, env.batch.rules, env.batch.states[0], info["seat"]))


def test_a_picture_is_an_array_of_pixels() -> None:
    env = scotyard_env.make_solo(render_mode="rgb_array")
    env.reset(seed=3)
    assert (env.render().shape, env.render().dtype) == ((900, 1200, 3), np.uint8)


def test_a_window_shows_the_game_at_every_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown: list[int] = []
    monkeypatch.setattr("scotyard_env.render.Window.show", lambda _, view: shown.append(view.viewer))
    env = scotyard_env.make_solo(board="glasses", render_mode="human")
    env.reset(seed=1)
    env.step(first_legal(env))
    assert shown == [1, 2]
    env.close()


# ------------------------------------------------------------------------------------------------- names and arguments


def test_the_environment_is_found_by_name() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("ScotlandYard-v0", side="mr_x", board="docklands", observation="graph")
        observation, info = env.reset(seed=1)
        observation, *_ = env.step(int(np.flatnonzero(observation["action_mask"])[0]))
    assert isinstance(env.unwrapped, ScotlandYardSoloEnv)
    assert info == {"seat": MR_X}
    assert observation in env.observation_space


def test_the_spaces_are_those_of_the_encoder() -> None:
    env = scotyard_env.make_solo(board="docklands", moves=True)
    encoder = Encoder(env.batch.board, env.batch.rules, "flat", moves=True)
    assert env.observation_space == encoder.observation_space
    assert env.action_space == encoder.action_space


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"side": "thief"}, ValueError, "there is no side 'thief': there are mr_x and detectives"),
        ({"board": "paris"}, BoardError, "choose from docklands, glasses, london"),
        ({"rules": "chess"}, RuleSetError, "there are classic"),
        ({"detectives": 0}, RuleSetError, "the game takes 1 to 5"),
        ({"detectives": 6}, RuleSetError, "the game takes 1 to 5"),
        ({"observation": "tiny"}, ValueError, "there are flat, flat_viewer_first, compact, graph"),
        ({"illegal": "ignore"}, ValueError, "choose from terminate, raise"),
        ({"render_mode": "film"}, ValueError, "there are ansi, rgb_array, human, and None"),
    ],
)
def test_wrong_arguments_say_what_is_allowed(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        scotyard_env.make_solo(**arguments)
