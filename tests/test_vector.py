"""Many games at once: each of them, played again by itself, says the same as the environment did."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from test_batch import all_bytes, facts
from test_solo import LazyBatch, Member, Recorder

import scotyard_env
from scotyard_env.batch import Part
from scotyard_env.encode import KINDS, Encoder
from scotyard_env.game import Game, IllegalMoveError
from scotyard_env.links import BoardError
from scotyard_env.policy import Decision, PolicyError
from scotyard_env.ruleset import RuleSetError
from scotyard_env.solo import ScotlandYardSoloEnv
from scotyard_env.state import MR_X
from scotyard_env.vector import ScotlandYardVectorEnv
from scotyard_env.view import View

Setting = tuple[str, str, int]
SETTINGS = [
    ("london", "classic", 5),
    ("london_1983", "ravensburger_2013", 2),
    ("docklands", "docklands", 3),
    ("docklands", "docklands", 1),
    ("glasses", "glasses", 2),
]
SIDES = ("mr_x", "detectives")
both_sides = pytest.mark.parametrize("side", SIDES)


def make(setting: Setting, games: int, **settings: Any) -> ScotlandYardVectorEnv:
    return ScotlandYardVectorEnv(games, board=setting[0], rules=setting[1], detectives=setting[2], **settings)


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def row_of(arrays: dict[str, np.ndarray], game: int) -> dict[str, bytes]:
    return {name: array[game].tobytes() for name, array in arrays.items()}


def other_of(side: str) -> str:
    return SIDES[1 - SIDES.index(side)]


class Tape:
    """Writes down all that happens in the batch of an environment, and plays it again in games of their own."""

    def __init__(self, envs: ScotlandYardVectorEnv) -> None:
        self.envs = envs
        self.games: list[Game] = [None] * envs.num_envs  # type: ignore[list-item]  # what each number is playing
        self.deciders = [MR_X] * envs.num_envs  # the learner's seat that moved last
        self.ended: dict[int, Game] = {}  # since the last time that somebody looked
        self._deal, self._play, self._submit = envs.batch.deal, envs.batch.play, envs.batch.submit
        envs.batch.deal, envs.batch.play, envs.batch.submit = self.deal, self.play, self.submit  # type: ignore[method-assign]

    def deal(self, games: np.ndarray, rng: np.random.Generator) -> None:
        self._deal(games, rng)
        for game in games.tolist():
            if self.games[game] is not None:
                self.ended[game] = self.games[game]
            batch = self.envs.batch
            self.games[game] = Game.from_start(batch.board, batch.rules, batch.states[game].copy())

    def play(self, games: np.ndarray, actions: np.ndarray) -> None:
        self._play(games, actions)
        self.take_down(games, actions)

    def submit(self, part: Part, actions: np.ndarray) -> str | None:
        legal = self.envs.batch.are_legal(part.games, actions)
        problem = self._submit(part, actions)
        self.take_down(part.games[legal], actions[legal])
        return problem

    def take_down(self, games: np.ndarray, actions: np.ndarray) -> None:
        for game, action in zip(games.tolist(), actions.tolist(), strict=True):
            if self.is_learners(game):
                self.deciders[game] = self.games[game].seat
            self.games[game].play(action)

    def is_learners(self, game: int) -> bool:
        return (self.games[game].seat == MR_X) == (self.envs.duel.side == "mr_x")

    def collect(self) -> dict[int, Game]:
        """Return the games that have ended since the last time."""
        ended, self.ended = self.ended, {}
        return ended


def reset_with_tape(envs: ScotlandYardVectorEnv, seed: int) -> tuple[Tape, dict[str, np.ndarray]]:
    tape = Tape(envs)
    arrays, infos = envs.reset(seed=seed)
    assert infos == {}
    tape.collect()
    return tape, arrays


def check_rows(tape: Tape, encoder: Encoder, arrays: dict[str, np.ndarray]) -> None:
    """Every row is what the seat that decides knows of its game, and the seat is the learner's."""
    for number, game in enumerate(tape.games):
        assert tape.is_learners(number)
        assert game.winner is None
        assert row_of(arrays, number) == all_bytes(encoder.observe(game.view(game.seat)))


def check_end(tape: Tape, number: int, game: Game, encoder: Encoder, infos: dict[str, Any], decider: int) -> None:
    """What is told of a game that has ended is what its last decider knows of it."""
    assert infos["final_info"]["winner"][number] == game.winner
    assert all_bytes(infos["final_obs"][number]) == all_bytes(encoder.observe(game.view(decider)))
    assert tape.games[number].round <= 1


def play_and_check(envs: ScotlandYardVectorEnv, steps: int, seed: int = 0) -> Counter[str]:
    """Play at random, compare everything with the games on the tape, and count what the learner was paid."""
    encoder = Encoder(
        envs.batch.board, envs.batch.rules, envs.encoder.observation, envs.encoder.belief, envs.encoder.moves
    )
    tape, arrays = reset_with_tape(envs, seed)
    rng, paid = np.random.default_rng(seed), Counter[str]()
    check_rows(tape, encoder, arrays)
    for _ in range(steps):
        deciders = [game.seat for game in tape.games]
        assert envs.action_masks().tolist() == arrays["action_mask"].astype(bool).tolist()
        arrays, rewards, terminated, truncated, infos = envs.step(choose(arrays["action_mask"], rng))
        check_rows(tape, encoder, arrays)
        ended = tape.collect()
        assert np.flatnonzero(terminated).tolist() == sorted(ended)
        assert not truncated.any()
        results = {number: 1.0 if game.winner == envs.duel.side else -1.0 for number, game in ended.items()}
        assert rewards.tolist() == [results.get(number, 0.0) for number in range(envs.num_envs)]
        assert (not infos) == (not ended)
        for number, game in ended.items():
            paid[str(game.winner)] += 1
            check_end(tape, number, game, encoder, infos, deciders[number])
    return paid


# ------------------------------------------------------------------------------------------------- every game, exactly


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
@both_sides
def test_every_game_played_again_by_itself_says_what_the_environment_said(setting: Setting, side: str) -> None:
    paid = play_and_check(make(setting, 16, side=side), steps=120)
    assert sum(paid.values()) >= 16


@pytest.mark.parametrize(
    ("kind", "belief", "moves"), [("flat", True, True), ("compact", False, True), ("graph", True, True)]
)
@pytest.mark.parametrize("is_copied", [True, False], ids=["copied", "shared"])
@both_sides
def test_so_it_does_with_every_kind_of_observation(
    side: str, kind: str, belief: bool, moves: bool, is_copied: bool
) -> None:
    envs = make(SETTINGS[2], 8, side=side, observation=kind, belief=belief, moves=moves, copy=is_copied)
    paid = play_and_check(envs, steps=80)
    assert min(paid["mr_x"], paid["detectives"]) > 0


@both_sides
def test_so_it_does_against_a_pool_and_policies_that_play_one_game_at_a_time(side: str) -> None:
    opponents = {"random": 1, Recorder(): 1}
    paid = play_and_check(make(SETTINGS[2], 12, side=side, opponent=opponents), steps=60)
    assert sum(paid.values()) >= 12


@both_sides
def test_the_returns_of_thousands_of_games_are_wins_minus_losses(side: str) -> None:
    envs, rng, results = make(("glasses", "glasses", 2), 256, side=side), np.random.default_rng(0), Counter[str]()
    tape, arrays = reset_with_tape(envs, 1)
    total = 0.0
    for _ in range(60):
        arrays, rewards, *_ = envs.step(choose(arrays["action_mask"], rng))
        total += rewards.sum()
        results.update(str(game.winner) for game in tape.collect().values())
    assert total == results[side] - results[other_of(side)]
    assert sum(results.values()) > 1500


class Script:
    """Plays the actions it was given, one after the other."""

    def __init__(self) -> None:
        self.actions: list[int] = []

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        del view, rng
        return Decision(self.actions.pop(0))


@both_sides
def test_a_learner_alone_would_have_got_the_same_in_every_one_of_the_games(side: str) -> None:
    envs, script = make(SETTINGS[2], 8, side=side), Script()
    alone = ScotlandYardSoloEnv(side, script, *SETTINGS[2])
    tape, arrays = reset_with_tape(envs, 4)
    rng, compared = np.random.default_rng(4), 0
    lives: list[list[Any]] = [[] for _ in range(8)]
    for _ in range(60):
        actions = choose(arrays["action_mask"], rng)
        for number, life in enumerate(lives):
            life += [row_of(arrays, number), int(actions[number])]
        arrays, rewards, terminated, _, infos = envs.step(actions)
        for number, game in tape.collect().items():
            last = all_bytes(infos["final_obs"][number]), float(rewards[number]), bool(terminated[number])
            assert live_again(alone, script, game) == [*lives[number], *last]
            lives[number] = []
            compared += 1
    assert compared >= 8


def live_again(env: ScotlandYardSoloEnv, script: Script, game: Game) -> list[Any]:
    """Play a game again in a solo environment; take down observations and actions, then how it ended."""
    again = Game.from_start(game.board, game.rules, game.start)
    mine: list[int] = []
    script.actions = []
    for action in game._actions:
        ours = (again.seat == MR_X) == (env.duel.side == "mr_x")
        (mine if ours else script.actions).append(action)
        again.play(action)
    start = Game.from_start(game.board, game.rules, game.start)
    observation, _ = env.reset(
        options={"stations": start.stations, "tickets": start.tickets, "possible": start.possible}
    )
    life: list[Any] = []
    for action in mine:
        life += [all_bytes(observation), action]
        observation, reward, terminated, _, _ = env.step(action)
    return [*life, all_bytes(observation), reward, terminated]


# ---------------------------------------------------------------------------------------------------- same-step resets


def test_a_game_that_ends_is_dealt_anew_in_the_same_step() -> None:
    envs = make(("glasses", "glasses", 2), 4, side="mr_x")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    tape, arrays = reset_with_tape(envs, 0)
    illegal = choose(arrays["action_mask"], np.random.default_rng(0))
    illegal[[1, 3]] = 45
    arrays, rewards, terminated, _, infos = envs.step(illegal)
    assert terminated.tolist() == [False, True, False, True]
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == terminated.tolist()
    assert infos["final_info"]["_winner"].tolist() == terminated.tolist()
    assert infos["final_info"]["winner"].tolist() == [None, "detectives", None, "detectives"]
    assert [final is None for final in infos["final_obs"]] == [True, False, True, False]
    assert [tape.games[number].round for number in range(4)] == [1, 0, 1, 0]
    for number in (1, 3):
        assert not infos["final_obs"][number]["action_mask"].any()
        assert arrays["action_mask"][number].any()
        assert infos["final_obs"][number] in envs.single_observation_space
    assert rewards.tolist() == [0.0, -1.0, 0.0, -1.0]


def test_a_step_in_which_no_game_ends_has_no_infos() -> None:
    envs = make(SETTINGS[0], 4, side="mr_x")
    arrays, _ = envs.reset(seed=0)
    assert envs.step(choose(arrays["action_mask"], np.random.default_rng(0)))[4] == {}


@both_sides
def test_an_illegal_action_forfeits_its_game_and_no_other(side: str) -> None:
    envs, twins = (make(SETTINGS[0], 6, side=side) for _ in range(2))
    arrays, _ = envs.reset(seed=3)
    twins.reset(seed=3)
    actions = choose(arrays["action_mask"], np.random.default_rng(1))
    wrong = actions.copy()
    wrong[[0, 5]] = -1, 10**6
    with pytest.warns(UserWarning, match=r"game 0: -1 is not an action.*; the game is forfeited") as caught:
        _, rewards, terminated, _, infos = envs.step(wrong)
    assert (len(caught), caught[0].filename) == (1, __file__)
    assert infos["illegal_actions"].tolist() == [1, 0, 0, 0, 0, 1]
    assert infos["_illegal_actions"].tolist() == terminated.tolist()
    assert terminated.tolist() == [True, False, False, False, False, True]
    assert rewards.tolist() == [-1.0, 0.0, 0.0, 0.0, 0.0, -1.0]
    assert set(infos["final_info"]["winner"][[0, 5]]) == {other_of(side)}
    before = row_of(arrays, 5)
    final = all_bytes(infos["final_obs"][5])
    assert final.pop("action_mask") != before.pop("action_mask")
    assert final == before  # nothing was played
    if side == "detectives":  # their second seat: nobody has drawn from the rng yet
        twins.step(actions)
        assert facts(envs.batch.states[1:5]) == facts(twins.batch.states[1:5])


# -------------------------------------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize("kind", KINDS)
def test_observations_are_the_callers_own_unless_they_are_lent(kind: str) -> None:
    kept: dict[bool, list[dict[str, np.ndarray]]] = {}
    for is_copied in (True, False):
        envs, rng = make(SETTINGS[2], 4, observation=kind, moves=True, copy=is_copied), np.random.default_rng(0)
        arrays, _ = envs.reset(seed=1)
        kept[is_copied] = [arrays]
        for _ in range(10):
            kept[is_copied].append(envs.step(choose(envs.action_masks(), rng))[0])
    for name in kept[True][0]:
        assert len({id(each[name]) for each in kept[True]}) == 11
        assert not any(np.shares_memory(kept[True][0][name], each[name]) for each in kept[True][1:])
        assert all(np.shares_memory(kept[False][0][name], each[name]) for each in kept[False])
        assert not any(each[name].flags.writeable for each in kept[False])
        assert kept[False][0][name].tobytes() == kept[True][-1][name].tobytes()  # the first shows the last
        if name != "links":
            assert kept[True][0][name].tobytes() != kept[True][-1][name].tobytes()


def test_whoever_changes_a_copied_observation_changes_nothing_else() -> None:
    envs, twins = (make(SETTINGS[2], 4, observation="graph", moves=True) for _ in range(2))
    arrays, _ = envs.reset(seed=1)
    expected, _ = twins.reset(seed=1)
    actions = choose(expected["action_mask"], np.random.default_rng(0))
    for array in arrays.values():
        array[:] = 0
    assert all_bytes(envs.step(actions)[0]) == all_bytes(twins.step(actions)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_observations_lie_in_the_spaces(kind: str) -> None:
    envs, rng = make(SETTINGS[2], 4, observation=kind, belief=kind != "compact", moves=True), np.random.default_rng(0)
    arrays, _ = envs.reset(seed=1)
    for _ in range(30):
        assert arrays in envs.observation_space
        arrays, _, terminated, _, infos = envs.step(choose(arrays["action_mask"], rng))
        for game in np.flatnonzero(terminated):
            assert infos["final_obs"][game] in envs.single_observation_space
    assert envs.action_space.sample().shape == (4,)
    assert envs.single_action_space.n == 4 * envs.batch.board.stations + 2


def test_gymnasiums_statistics_count_the_same_returns() -> None:
    envs, rng = make(("glasses", "glasses", 2), 8), np.random.default_rng(0)
    watched = RecordEpisodeStatistics(envs)
    arrays, _ = watched.reset(seed=1)
    games = 0
    for _ in range(60):
        arrays, rewards, terminated, _, infos = watched.step(choose(arrays["action_mask"], rng))
        if terminated.any():
            assert infos["episode"]["r"][terminated].tolist() == rewards[terminated].tolist()
            games += int(terminated.sum())
    assert games > 20


# --------------------------------------------------------------------------------------------------------------- seeds


def lives(envs: ScotlandYardVectorEnv, steps: int = 25, **reset: Any) -> list[object]:
    """Play at random and take down all that the learner gets."""
    rng, got = np.random.default_rng(0), []
    arrays, _ = envs.reset(**reset)
    for _ in range(steps):
        got.append(all_bytes(arrays))
        arrays, rewards, terminated, _, infos = envs.step(choose(arrays["action_mask"], rng))
        got += [rewards.tolist(), terminated.tolist(), infos.get("final_info", {}).get("winner", np.array(0)).tolist()]
    return got


@both_sides
def test_a_seed_decides_all_games_and_later_resets_follow_from_it(side: str) -> None:
    envs, twins = (make(SETTINGS[2], 6, side=side, opponent={"random": 1, Recorder(): 1}) for _ in range(2))
    first, second = lives(envs, seed=3), lives(envs)
    assert first != second
    assert [lives(twins, seed=3), lives(twins)] == [first, second]
    assert lives(envs, seed=3) == first
    assert lives(envs, seed=4) != first


def test_games_may_be_given_a_seed_each() -> None:
    envs = make(SETTINGS[2], 3)
    first = lives(envs, seed=[1, 2, 3])
    for same in ([1, 2, 3], (1, 2, 3), np.array([1, 2, 3])):
        assert lives(envs, seed=same) == first
    assert lives(envs, seed=[1, 2, 4]) != first
    for none in ([None] * 3, [1, None, 3]):  # one without a seed is left to chance, and so are all
        assert lives(envs, seed=none) != lives(envs, seed=none)


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        (-1, "seed is -1"),
        ("one", "seed is 'o'"),
        (1.5, "seed is 1.5"),
        ([1, -2, 3], "seed is -2"),
        ([1, 2], "2 seeds for 3 games: give one for each, or one for all"),
        ([1, 2, 3, 4], "4 seeds for 3 games"),
    ],
)
def test_what_is_no_seed_is_refused(seed: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(SETTINGS[2], 3).reset(seed=seed)


def test_the_games_of_one_seed_differ_from_each_other() -> None:
    envs = make(SETTINGS[0], 64)
    envs.reset(seed=1)
    assert len({facts(state) for state in envs.batch.states}) == 64


@both_sides
@pytest.mark.parametrize("how", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))], ids=["copy", "pickle"])
def test_a_copy_goes_on_identically_and_by_itself(side: str, how: Any) -> None:
    envs, rng = make(SETTINGS[2], 5, side=side), np.random.default_rng(0)
    arrays, _ = envs.reset(seed=3)
    for _ in range(12):
        arrays, *_ = envs.step(choose(arrays["action_mask"], rng))
    before, later = facts(envs.batch.states), []
    twins = how(envs)
    for each in (twins, envs):
        assert facts(each.batch.states) == before
        mine, got = np.random.default_rng(1), []
        for _ in range(30):
            got.append(all_bytes(each.step(choose(each.action_masks(), mine))[0]))
        later.append([got, lives(each)])
    assert later[0] == later[1]


# ----------------------------------------------------------------------------------------------------------- opponents


@both_sides
def test_each_game_draws_its_opponent_by_the_weights_and_keeps_it(side: str) -> None:
    met: list[str] = []
    pool = {Member("one", met): 1, Member("two", met): 3, Member("never", met): 0}
    envs, rng = make(("glasses", "glasses", 2), 64, side=side, opponent=pool), np.random.default_rng(0)
    arrays, _ = envs.reset(seed=1)
    drawn = Counter(envs.duel.playing.tolist())
    for _ in range(60):
        before = envs.duel.playing.copy()
        arrays, _, terminated, _, _ = envs.step(choose(arrays["action_mask"], rng))
        assert (before == envs.duel.playing)[~terminated].all()
        drawn.update(envs.duel.playing[terminated].tolist())
    games = sum(drawn.values())
    assert games > 400
    assert set(drawn) == {0, 1}
    assert abs(drawn[1] - 0.75 * games) < 4 * np.sqrt(games * 0.75 * 0.25)
    assert set(met) == {"one", "two"}


def test_an_opponent_that_plays_an_illegal_action_is_named() -> None:
    envs = scotyard_env.make_vec(2, side="mr_x", opponent=LazyBatch())
    arrays, _ = envs.reset(seed=1)
    words = "opponent LazyBatch(action=792) played an illegal action: actions are int64 of shape (3,): give 2 integers"
    with pytest.raises(IllegalMoveError, match=re.escape(words)):
        envs.step(arrays["action_mask"].argmax(axis=1))


# ---------------------------------------------------------------------------------------------------------- arguments


def test_there_is_no_game_before_the_first_reset() -> None:
    envs = make(SETTINGS[2], 2)
    for ask in (lambda: envs.step(np.zeros(2, int)), envs.action_masks):
        with pytest.raises(ValueError, match=r"no game has begun: call reset\(\) first"):
            ask()


@pytest.mark.parametrize("actions", [np.zeros(3), np.zeros(2, int), np.zeros((3, 1), int), 0, None], ids=repr)
def test_actions_of_a_wrong_shape_or_kind_are_refused_and_change_nothing(actions: Any) -> None:
    envs = make(SETTINGS[2], 3)
    envs.reset(seed=1)
    before = facts(envs.batch.states)
    with pytest.raises(ValueError, match="give 3 integers"):
        envs.step(actions)
    assert facts(envs.batch.states) == before


def test_options_are_refused() -> None:
    envs = make(SETTINGS[2], 3)
    with pytest.raises(ValueError, match="a reset of many games takes none"):
        envs.reset(seed=1, options={"stations": [1, 2, 3, 4]})
    envs.reset(seed=1, options={})


@pytest.mark.parametrize("games", [0, -1, 2.0, "3", True, None])
def test_a_number_of_games_that_is_none_is_refused(games: Any) -> None:
    with pytest.raises(ValueError, match=f"num_envs is {games!r}: give a whole number of at least 1"):
        scotyard_env.make_vec(games)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"side": "thief"}, ValueError, "there are mr_x and detectives"),
        ({"opponent": "nobody"}, PolicyError, "there is no policy 'nobody'"),
        ({"board": "paris"}, BoardError, "choose from docklands"),
        ({"rules": "chess"}, RuleSetError, "there are classic"),
        ({"detectives": 6}, RuleSetError, "the game takes 1 to 5"),
        ({"observation": "tiny"}, ValueError, "there are flat, flat_viewer_first, compact, graph"),
    ],
)
def test_wrong_arguments_say_what_is_allowed(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        scotyard_env.make_vec(2, **arguments)


def test_the_environment_is_found_by_name() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = gymnasium.make_vec("ScotlandYard-v0", num_envs=3, side="mr_x", board="docklands")
        arrays, _ = envs.reset(seed=1)
        envs.step(choose(arrays["action_mask"], np.random.default_rng(0)))
        envs.close()
    assert isinstance(envs.unwrapped, ScotlandYardVectorEnv)
    assert envs.num_envs == 3


def test_the_spaces_of_all_games_are_made_when_they_are_asked_for() -> None:
    envs = make(SETTINGS[2], 3, moves=True)
    arrays, _ = envs.reset(seed=1)
    assert not {"action_space", "observation_space"} & vars(envs).keys()
    assert arrays in envs.observation_space
    assert envs.action_space == gymnasium.vector.utils.batch_space(envs.single_action_space, 3)
    assert pickle.loads(pickle.dumps(envs)).observation_space == envs.observation_space


def test_gymnasium_can_make_many_single_environments_of_it_too() -> None:
    envs, rng = (
        gymnasium.make_vec("ScotlandYard-v0", 2, "sync", side="detectives", board="glasses"),
        np.random.default_rng(0),
    )
    arrays, infos = envs.reset(seed=1)
    assert infos["seat"].tolist() == [1, 1]
    arrays, *_ = envs.step(choose(arrays["action_mask"], rng))
    assert arrays in envs.observation_space


@pytest.mark.parametrize("kind", KINDS)
def test_observations_follow_games_that_were_changed_from_outside(kind: str) -> None:
    envs = scotyard_env.make_vec(4, side="mr_x", board="docklands", observation=kind)  # type: ignore[arg-type]
    other = scotyard_env.make_vec(4, side="mr_x", board="docklands", observation=kind)  # type: ignore[arg-type]
    envs.reset(seed=1)
    wanted, _ = other.reset(seed=2)
    envs.batch.states[:] = other.batch.states
    found = envs.observe_all()
    assert [row_of(found, game) for game in range(4)] == [row_of(wanted, game) for game in range(4)]
    assert (envs.action_masks() == other.action_masks()).all()
