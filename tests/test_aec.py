"""The PettingZoo environment keeps its contract, plays the game that ``Game`` plays, and pays who won it."""

from __future__ import annotations

import copy
import inspect
import itertools
import pickle
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
    state_test,
)
from playing import all_settings, random_actions
from test_batch import all_bytes, facts

import scotyard_env
from scotyard_env import aec, scotland_yard_v0
from scotyard_env.aec import ScotlandYardEnv
from scotyard_env.encode import KINDS, Encoder
from scotyard_env.game import Game, IllegalMoveError, PositionError
from scotyard_env.links import BoardError
from scotyard_env.notation import parse_action
from scotyard_env.render import RenderError, text
from scotyard_env.ruleset import RuleSet, RuleSetError
from scotyard_env.state import MR_X, NOWHERE, SEATS, SPECTATOR
from scotyard_env.view import View

Setting = tuple[str, str, int]
SETTINGS = list(all_settings())
SOME_SETTINGS = [
    ("london", "classic", 5),
    ("london", "ravensburger_2013", 4),
    ("london_1983", "ravensburger_2000", 3),
    ("london_milton_bradley_1985", "milton_bradley_1985", 2),
    ("docklands", "docklands", 1),
    ("docklands", "docklands", 5),
    ("glasses", "glasses", 2),
]
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
some_settings = pytest.mark.parametrize("setting", SOME_SETTINGS, ids=lambda setting: "-".join(map(str, setting)))

only_harmless_warnings = pytest.mark.filterwarnings(
    "error",
    "ignore:We recommend agents to be named in the format <descriptor>_<number>",  # mr_x is Mr. X
    "ignore:Observation is not a NumPy array",  # it is a dict: it holds the mask
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box",
    "ignore:Action mask numpy array is all zeros",  # of an agent that is done
    "ignore:reset takes no option 'options', it is ignored",  # the test passes it to see whether that is borne
    "ignore:.*the game is forfeited$",  # some tests sample without the mask
)


def make(setting: Setting, **settings: Any) -> ScotlandYardEnv:
    return scotland_yard_v0.env(board=setting[0], rules=setting[1], detectives=setting[2], **settings)


def game_of(setting: Setting, seed: int) -> Game:
    return Game(setting[0], setting[1], detectives=setting[2], seed=seed)


def legal_of(env: ScotlandYardEnv) -> list[int]:
    """List the actions that the agent to move finds in its mask."""
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()


def is_over(env: ScotlandYardEnv) -> bool:
    return env.terminations[env.agent_selection]


def play_on(env: ScotlandYardEnv, seed: int, actions: int | None = None) -> list[int]:
    """Play at random until every agent is done, or for so many actions; list them."""
    rng, played = np.random.default_rng(seed), []
    while not is_over(env) and len(played) != actions:
        legal = legal_of(env)
        played.append(legal[rng.integers(len(legal))])
        env.step(played[-1])
    return played


def truth_of(env: ScotlandYardEnv) -> bytes:
    """Return the whole state, which Mr. X may know."""
    return facts(env.view("mr_x").state)


def table_of(env: ScotlandYardEnv) -> list[object]:
    """Take down all that the agents get."""
    shown = [all_bytes(env.observe(agent)) for agent in env.possible_agents]
    dicts = (env.rewards, env._cumulative_rewards, env.terminations, env.truncations, env.infos)
    return [truth_of(env), shown, env.agent_selection, list(env.agents), *map(dict, dicts)]


# --------------------------------------------------------------------------------------------------- PettingZoo's tests


@every_setting
@only_harmless_warnings
def test_it_passes_pettingzoos_tests_with_every_board_edition_and_number_of_detectives(setting: Setting) -> None:
    for seed in range(3):
        env = make(setting)
        env.action_space("mr_x").seed(seed)
        api_test(env, num_cycles=40)
    board, rules, detectives = setting
    parallel = scotland_yard_v0.parallel_env(board=board, rules=rules, detectives=detectives)
    parallel.action_space("mr_x").seed(0)
    parallel_api_test(parallel, num_cycles=250)
    seed_test(lambda: make(setting), num_cycles=40)
    state_test(make(setting), parallel)


@some_settings
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moves", [False, True], ids=["", "moves"])
@only_harmless_warnings
def test_it_passes_them_with_every_kind_of_observation(setting: Setting, kind: str, moves: bool) -> None:
    settings: dict[str, Any] = {"observation": kind, "moves": moves, "belief": kind != "compact"}
    env = make(setting, **settings)
    env.action_space("mr_x").seed(1)
    api_test(env, num_cycles=40)
    board, rules, detectives = setting
    parallel_api_test(
        scotland_yard_v0.parallel_env(board=board, rules=rules, detectives=detectives, **settings), num_cycles=60
    )
    seed_test(lambda: make(setting, **settings), num_cycles=40)
    state_test(env, scotyard_env.parallel_env(board=board, rules=rules, detectives=detectives, **settings))


@only_harmless_warnings
def test_the_parallel_environment_takes_the_same_settings() -> None:
    makers = ScotlandYardEnv, scotyard_env.parallel_env
    own, parallel = (inspect.signature(maker).parameters for maker in makers)
    assert list(parallel.values()) == list(own.values())
    settings = {"board": "docklands", "detectives": 2, "observation": "graph", "belief": True, "moves": True}
    env = scotyard_env.parallel_env(**settings, illegal="raise", render_mode="ansi", render_as="mr_x").aec_env
    assert (env.board.name, env.rules.detectives, env.illegal, env.render_mode) == ("docklands", 2, "raise", "ansi")
    assert (env.encoder.observation, env.encoder.belief, env.encoder.moves) == ("graph", True, True)


def test_it_passes_the_parallel_seed_test() -> None:
    parallel_seed_test(lambda: scotland_yard_v0.parallel_env(board="docklands"), num_cycles=20)


@pytest.mark.parametrize("board", ["glasses", "london"])
@only_harmless_warnings
def test_it_passes_the_render_test(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(lambda render_mode: scotland_yard_v0.env(board=board, detectives=1, render_mode=render_mode))


# ------------------------------------------------------------------------------------------------------- the same game


@every_setting
def test_it_deals_and_plays_the_game_of_that_seed(setting: Setting) -> None:
    env = make(setting)
    for seed in range(4):
        game = game_of(setting, seed)
        env.reset(seed=seed)
        assert truth_of(env) == facts(game.state)
        for action in random_actions(game, seed):
            assert env.agent_selection == SEATS[game.seat]
            assert legal_of(env) == game.legal
            env.step(action)
        assert truth_of(env) == facts(game.state)
        assert is_over(env)


@some_settings
def test_only_the_agent_to_move_finds_anything_in_its_mask(setting: Setting) -> None:
    env = make(setting)
    env.reset(seed=3)
    while not is_over(env):
        open_to = {agent: int(env.observe(agent)["action_mask"].sum()) for agent in env.agents}
        assert open_to.pop(env.agent_selection) > 0
        assert not any(open_to.values())
        play_on(env, len(open_to), actions=1)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)


def test_the_agents_move_in_turn_and_mr_x_three_times_in_a_row_in_a_double_move() -> None:
    env = scotland_yard_v0.env(detectives=2)
    env.reset(options={"stations": [74, 1, 199]})
    movers = []
    for move in ("T73", "T8", "T171", "2x", "T74", "T58", "T19", "T173", "T75"):
        movers.append(env.agent_selection)
        env.step(parse_action(env.board, move))
    rotation = ["detective_1", "detective_2"]
    assert movers == ["mr_x", *rotation, "mr_x", "mr_x", "mr_x", *rotation, "mr_x"]
    assert env.view("mr_x").log == ["T", "T", "T@58", "T"]


@pytest.mark.parametrize("setting", SOME_SETTINGS[:4])
def test_the_movers_of_random_games_follow_from_their_moves(setting: Setting) -> None:
    env = make(setting)
    doubles = 0
    for seed in range(10):
        env.reset(seed=seed)
        game, movers = game_of(setting, seed), []
        for action in play_on(env, seed):
            movers.append(game.seat)
            game.play(action)
        moves = iter(game.moves)
        expected: list[int] = []
        for move in moves:  # each begins a turn of Mr. X
            doubles += move == "2x"
            turn = [MR_X] * (3 if move == "2x" else 1) + list(range(1, len(game.stations)))
            expected += turn
            for _ in itertools.islice(moves, len(turn) - 1):
                pass
        assert movers == expected[: len(movers)]
        assert 0 <= len(expected) - len(movers) < len(game.stations)
    assert doubles > 0


def test_the_same_seed_gives_the_same_game_and_later_ones_follow_from_it() -> None:
    one, other = scotland_yard_v0.env(), scotland_yard_v0.env()
    deals = []
    for env in (one, other):
        deals.append([])
        env.reset(seed=7)
        for number in range(5):
            play_on(env, number)
            deals[-1].append(table_of(env))
            env.reset()
    assert deals[0] == deals[1]
    assert len({deal[0] for deal in deals[0]}) == 5
    one.reset(seed=7)
    play_on(one, 0)
    assert table_of(one) == deals[0][0]


def test_without_a_seed_games_differ() -> None:
    starts = set()
    for _ in range(5):
        env = scotland_yard_v0.env()
        env.reset()
        starts.add(truth_of(env))
    assert len(starts) > 1


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True])
def test_what_is_no_seed_is_refused(seed: object) -> None:
    with pytest.raises(ValueError, match=f"seed is {seed!r}"):
        scotland_yard_v0.env().reset(seed=seed)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------- rewards and the end


def games_at_random(setting: Setting, games: int) -> Iterator[tuple[ScotlandYardEnv, Game]]:
    """Play games in an environment, action by action, and each of them in a game of its own; give both at the end."""
    env = make(setting)
    for seed in range(games):
        env.reset(seed=seed)
        game = game_of(setting, seed)
        for action in random_actions(game, seed):
            assert set(env.rewards.values()) == {0.0}
            assert not any(env.terminations.values())
            env.step(action)
        yield env, game


@pytest.mark.parametrize(
    ("setting", "games"), [(SOME_SETTINGS[0], 60), (SOME_SETTINGS[5], 150), (SOME_SETTINGS[6], 150)]
)
def test_the_side_that_won_gets_1_and_the_other_minus_1_and_all_detectives_the_same(
    setting: Setting, games: int
) -> None:
    winners: Counter[str] = Counter()
    for env, game in games_at_random(setting, games):
        mr_x = {"mr_x": 1.0, "detectives": -1.0}[str(game.winner)]
        assert env.rewards == {agent: mr_x if agent == "mr_x" else -mr_x for agent in env.possible_agents}
        assert env.terminations == dict.fromkeys(env.possible_agents, True)
        assert env.truncations == dict.fromkeys(env.possible_agents, False)
        winners[str(game.winner)] += 1
    assert min(winners["mr_x"], winners["detectives"]) > 0


@some_settings
def test_agents_collect_their_rewards_from_last(setting: Setting) -> None:
    env, rng = make(setting), np.random.default_rng(5)
    for seed in range(8):
        env.reset(seed=seed)
        total, game = Counter[str](), game_of(setting, seed)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            assert (truncated, info) == (False, {})
            assert terminated == (game.winner is not None)
            total[agent] += reward
            action = None
            if not terminated:
                action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
                game.play(action)
            env.step(action)
        mr_x = 1 if game.winner == "mr_x" else -1
        assert total == {agent: mr_x if agent == "mr_x" else -mr_x for agent in env.possible_agents}


@pytest.mark.parametrize("setting", SOME_SETTINGS[4:])
def test_every_agent_gets_its_dead_step_and_is_gone(setting: Setting) -> None:
    env = make(setting)
    env.reset(seed=2)
    play_on(env, 2)
    for number, agent in enumerate(env.possible_agents):
        assert env.agent_selection == agent
        assert env.agents == env.possible_agents[number:]
        assert env.last()[2]
        with pytest.raises(ValueError, match="the only valid action is None"):
            env.step(0)
        env.step(None)
    assert env.agents == []
    assert env.rewards == env.terminations == env.truncations == env.infos == {}
    with pytest.raises(ValueError, match=r"the game is over: call reset\(\) for the next one"):
        env.step(None)
    env.reset()
    assert env.agents == env.possible_agents


# -------------------------------------------------------------------------------------------------- actions at the door

NO_ACTIONS = [
    (None, "None is neither text nor an integer"),
    (3.0, "3.0 is neither text nor an integer"),
    ("T199", "T199 is not open to"),
    ("46", "'46' is not an action: write T45"),
    (np.array([3, 4]), r"array([3, 4]) is neither text nor an integer"),
    (-1, "-1 is not an action: board 'london' has 0 to 797"),
    (798, "798 is not an action: board 'london' has 0 to 797"),
    (2**70, f"{2**70} is not an action: board 'london' has 0 to 797"),
    (-(2**70), f"-{2**70} is not an action: board 'london' has 0 to 797"),
    (np.uint64(2**64 - 1), f"{2**64 - 1} is not an action"),
    (4 * 198, "T199 is not open to"),
    (797, "-- is not open to"),
]


def at_turn_of(agent: str, **settings: Any) -> ScotlandYardEnv:
    """Play until it is an agent's turn for the second time."""
    env = scotland_yard_v0.env(**settings)
    env.reset(seed=7)
    play_on(env, 2, actions=9)
    while env.agent_selection != agent:
        play_on(env, 2, actions=1)
    return env


@pytest.mark.parametrize("agent", ["mr_x", "detective_3"])
@pytest.mark.parametrize(("action", "words"), NO_ACTIONS, ids=[words for _, words in NO_ACTIONS])
def test_an_illegal_action_forfeits_the_game_with_a_warning_that_names_the_legal_ones(
    agent: str, action: object, words: str
) -> None:
    env = at_turn_of(agent)
    legal = env.view(agent).legal_moves
    with pytest.warns(UserWarning, match="the game is forfeited") as caught:
        env.step(action)  # type: ignore[arg-type]
    assert len(caught) == 1
    assert words in str(caught[0].message)
    known = "only mr_x may know what is" if agent == "mr_x" else f"legal for {agent} are {', '.join(legal)}"
    assert f": {known}; the game is forfeited" in str(caught[0].message)
    assert caught[0].filename == __file__
    mr_x = -1.0 if agent == "mr_x" else 1.0
    assert env.rewards == {each: mr_x if each == "mr_x" else -mr_x for each in env.possible_agents}
    assert all(env.terminations.values())
    assert env.view("mr_x").winner == ("detectives" if agent == "mr_x" else "mr_x")
    assert [env.last()[1], env.step(None)] == [mr_x, None]


@pytest.mark.parametrize("agent", ["mr_x", "detective_3"])
@pytest.mark.parametrize(("action", "words"), NO_ACTIONS, ids=[words for _, words in NO_ACTIONS])
def test_or_it_raises_and_the_game_goes_on_as_if_nothing_had_happened(agent: str, action: object, words: str) -> None:
    env, twin = (at_turn_of(agent, illegal="raise") for _ in range(2))
    before, legal = table_of(env), env.view(agent).legal_moves
    with pytest.raises(IllegalMoveError) as error:
        env.step(action)  # type: ignore[arg-type]
    assert words in str(error.value)
    known = "only mr_x may know what is" if agent == "mr_x" else f"legal for {agent} are {', '.join(legal)}"
    assert str(error.value).endswith(f": {known}")
    assert table_of(env) == before
    assert play_on(env, 5) == play_on(twin, 5)
    assert table_of(env) == table_of(twin)


@pytest.mark.parametrize(
    "kind", [int, np.int16, np.int32, np.int64, np.uint16, np.uint32, np.array], ids=lambda kind: kind.__name__
)
def test_every_kind_of_integer_is_an_action(kind: Callable[[int], Any]) -> None:
    env, game = scotland_yard_v0.env(illegal="raise"), Game(seed=4)
    env.reset(seed=4)
    assert kind(game.legal[-2]) in env.action_space("mr_x")
    env.step(kind(game.legal[-2]))
    game.play(game.legal[-2])
    assert truth_of(env) == facts(game.state)


@pytest.mark.parametrize(
    "ask",
    [
        lambda env: env.step(0),
        lambda env: env.last(),
        lambda env: env.observe("mr_x"),
        lambda env: env.state(),
        lambda env: env.view("detective_1"),
        lambda env: env.render(),
    ],
)
def test_there_is_no_game_before_the_first_reset(ask: Callable[[ScotlandYardEnv], object]) -> None:
    with pytest.raises(ValueError, match=r"no game has begun: call reset\(\) first"):
        ask(scotland_yard_v0.env(render_mode="ansi"))


# -------------------------------------------------------------------------------------------------------- given starts


def test_a_reset_may_begin_at_given_stations_with_given_tickets() -> None:
    env = scotland_yard_v0.env(detectives=2)
    tickets = [["unlimited", 3, 3, 1, 1], [2, 1, 0, 0, 0], [9, 9, 9, 0, 0]]
    env.reset(seed=1, options={"stations": [45, 13, 26], "tickets": tickets, "possible": [45, 46]})
    view = env.view("mr_x")
    assert (view.stations, view.possible) == ([45, 13, 26], [45, 46])
    assert view.tickets == [[-1, 3, 3, 1, 1], *tickets[1:]]
    twin = Game.from_position("london", stations=[45, 13, 26], tickets=tickets, possible=[45, 46])
    assert truth_of(env) == facts(twin.state)
    for action in random_actions(twin, 3):
        env.step(action)
    assert truth_of(env) == facts(twin.state)
    env.reset()
    assert env.view("mr_x").stations != [45, 13, 26]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"stations": [45, 13]}, PositionError, "2 stations for 3 seats"),
        ({"stations": [45, 13, 13]}, PositionError, "both stand on station 13"),
        ({"stations": [45, 13, 200]}, PositionError, "200 is not a station of board 'london'"),
        ({"stations": [45, 13, 26], "tickets": [[1] * 5]}, PositionError, "tickets for 1 seats"),
        ({"stations": [45, 13, 26], "possible": [46]}, PositionError, "possible leaves out station 45"),
        ({"tickets": [[1] * 5] * 3}, ValueError, "option tickets goes with stations: give them too"),
        ({"possible": [45]}, ValueError, "option possible goes with stations: give them too"),
    ],
)
def test_options_that_cannot_be_played_are_refused_and_leave_the_game_as_it_was(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    env = scotland_yard_v0.env(detectives=2)
    env.reset(seed=1)
    play_on(env, 1, actions=5)
    before = table_of(env)
    with pytest.raises(error, match=words):
        env.reset(options=options)
    assert table_of(env) == before


def test_an_option_that_does_not_exist_is_ignored_with_a_warning() -> None:
    env = scotland_yard_v0.env()
    with pytest.warns(UserWarning, match="no option 'station', it is ignored: there are stations, tickets, possible"):
        env.reset(seed=1, options={"station": 5})
    assert truth_of(env) == facts(Game(seed=1).state)


def test_a_given_start_that_is_over_pays_at_once() -> None:
    env = scotland_yard_v0.env(board="glasses", detectives=1)
    env.reset(options={"stations": [6, 1], "tickets": [[5, 0, 0, 0, 0], [0, 0, 0, 0, 0]]})
    seen = {}
    for agent in env.agent_iter():
        seen[agent] = env.last()[1:3]
        env.step(None)
    assert seen == {"mr_x": (1.0, True), "detective_1": (-1.0, True)}


# -------------------------------------------------------------------------------------------------------------- copies


def by_state(env: ScotlandYardEnv) -> ScotlandYardEnv:
    twin = ScotlandYardEnv(env.board, env.rules)
    twin.set_state(pickle.loads(pickle.dumps(env.get_state())))
    return twin


COPIES: dict[str, Callable[[ScotlandYardEnv], ScotlandYardEnv]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "state": by_state,
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("actions", [0, 1, 8, 40, 200])
@pytest.mark.parametrize("setting", [SOME_SETTINGS[0], SOME_SETTINGS[5]])
def test_a_copy_goes_on_identically_and_by_itself(how: str, actions: int, setting: Setting) -> None:
    env = make(setting)
    env.reset(seed=actions)
    play_on(env, 1, actions)
    if is_over(env):
        env.step(None)  # Mr. X is gone, the others are not yet
    before = table_of(env)
    twin = COPIES[how](env)
    assert table_of(twin) == before
    played = play_on(twin, 2)
    if played:
        assert table_of(twin) != before
    assert table_of(env) == before
    assert play_on(env, 2) == played
    assert table_of(env) == table_of(twin)
    for each in (env, twin):
        while each.agents:
            each.step(None)
    assert table_of(env) == table_of(twin)
    for each in (env, twin):  # the chance of the next deals is the same too
        each.reset()
        play_on(each, 3, actions=4)
    assert table_of(env) == table_of(twin)


@pytest.mark.parametrize("how", COPIES)
def test_an_environment_can_be_copied_before_its_first_game(how: str) -> None:
    env = COPIES[how](scotland_yard_v0.env())
    with pytest.raises(ValueError, match="no game has begun"):
        env.last()
    env.reset(seed=3)
    assert truth_of(env) == facts(Game(seed=3).state)


def test_one_can_go_back_to_a_state_again_and_again() -> None:
    env = scotland_yard_v0.env(board="docklands")
    env.reset(seed=1)
    play_on(env, 1, actions=5)
    state, before = env.get_state(), table_of(env)
    for seed in range(3):
        play_on(env, seed)
        env.reset()
        env.set_state(state)
        assert table_of(env) == before


def test_a_state_of_other_settings_is_refused_and_changes_nothing() -> None:
    env = scotland_yard_v0.env(board="docklands", detectives=5)
    env.reset(seed=1)
    before = table_of(env)
    rules = RuleSet(log_entries=9, reveals=(), detective_starts=None, mr_x_starts=None)
    for others in ({"board": "london"}, {"detectives": 4}, {"rules": rules}):
        other = scotland_yard_v0.env(**{"board": "docklands", "detectives": 5, **others})
        other.reset(seed=1)
        with pytest.raises(ValueError, match="on another board, or with other rules or detectives"):
            env.set_state(other.get_state())
    with pytest.raises(ValueError, match=r"this is no state of a game, it lacks .*: give what get_state\(\) gave"):
        env.set_state({"_states": 5})
    assert table_of(env) == before


def test_a_clone_of_an_environment_with_a_window_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = scotland_yard_v0.env(board="glasses", render_mode="human")
    env.reset(seed=1)
    shown: list[object] = []
    monkeypatch.setattr("scotyard_env.render.Window.show", lambda _, view: shown.append(view))
    clone = env.clone()
    play_on(clone, 1)
    assert (clone.render_mode, shown) == (None, [])
    play_on(env, 1, actions=1)
    assert len(shown) == 1
    env.close()


# --------------------------------------------------------------------------------------------------- what agents get


@pytest.mark.parametrize("kind", KINDS)
def test_all_agents_share_one_observation_and_one_action_space(kind: str) -> None:
    env = scotland_yard_v0.env(observation=kind)
    assert len({id(env.observation_space(agent)) for agent in env.possible_agents * 2}) == 1
    assert len({id(env.action_space(agent)) for agent in env.possible_agents * 2}) == 1
    assert env.action_space("mr_x").n == 4 * env.board.stations + 2


def test_the_numbers_in_the_documentation_are_those_of_the_spaces() -> None:
    env = scotland_yard_v0.env()
    assert f"London: {env.action_space('mr_x').n} " in str(aec.__doc__)
    assert f"Box(0, 10, {env.observation_space('mr_x')['observation'].shape}, float32)" in str(aec.__doc__)
    assert env.observation_space("mr_x")["observation"].high.max() == 10


@pytest.mark.parametrize(
    ("kind", "belief", "moves"), [("flat", True, True), ("compact", False, True), ("graph", True, False)]
)
def test_an_agent_observes_its_own_view(kind: str, belief: bool, moves: bool) -> None:
    env = scotland_yard_v0.env(board="docklands", observation=kind, belief=belief, moves=moves)
    encoder = Encoder(env.board, env.rules, kind, belief, moves)
    env.reset(seed=2)
    while not is_over(env):
        for seat, agent in enumerate(env.possible_agents):
            assert all_bytes(env.observe(agent)) == all_bytes(encoder.observe(env.view(agent)))
            assert env.view(agent).viewer == seat
            assert env.observe(agent) in env.observation_space(agent)
        play_on(env, 2, actions=1)


def test_an_observation_once_given_does_not_change() -> None:
    env = scotland_yard_v0.env(board="docklands", observation="graph", belief=True, moves=True)
    env.reset(seed=2)
    given = env.observe("mr_x")
    before = all_bytes(given)
    play_on(env, 2)
    assert all_bytes(given) == before
    for array in given.values():
        array[:] = 0  # nobody else's
    assert all_bytes(env.observe("mr_x"))["links"] == before["links"]


@some_settings
def test_the_state_is_what_mr_x_observes(setting: Setting) -> None:
    env = make(setting, observation="compact")
    env.reset(seed=4)
    encoder = Encoder(env.board, env.rules, "flat")
    while not is_over(env):
        state = env.state()
        assert state in env.state_space
        assert state.tobytes() == encoder.observe(env.view("mr_x"))["observation"].tobytes()
        play_on(env, 4, actions=3)


def test_a_view_hides_mr_x_from_everybody_else() -> None:
    env = scotland_yard_v0.env()
    env.reset(seed=1)
    play_on(env, 1, actions=20)
    truth = env.view("mr_x").stations
    assert truth[MR_X] != NOWHERE
    for agent in env.possible_agents[1:]:
        assert env.view(agent).stations == [NOWHERE, *truth[1:]]


# ------------------------------------------------------------------------------------------------------------ parallel


@pytest.mark.parametrize("moves", [False, True])
def test_in_parallel_nobody_has_an_empty_mask_and_who_waits_may_only_pass(moves: bool) -> None:
    env = scotland_yard_v0.parallel_env(board="docklands", detectives=2, moves=moves)
    observations, _ = env.reset(seed=3)
    idle = env.action_space("mr_x").n - 1
    while env.agents:
        mover = env.aec_env.agent_selection
        for agent in env.agents:
            if agent != mover:
                assert np.flatnonzero(observations[agent]["action_mask"]).tolist() == [idle]
                assert not moves or observations[agent]["move_ids"][0] == idle
        actions = {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}
        observations, *_ = env.step(actions)
        assert all(observation["action_mask"].any() for observation in observations.values())


def test_in_parallel_only_the_action_of_the_agent_to_move_counts() -> None:
    env = scotland_yard_v0.parallel_env(board="docklands", detectives=3, illegal="raise")
    game = Game("docklands", detectives=3, seed=6)
    observations, _ = env.reset(seed=6)
    for action in random_actions(game, 6):
        mover = SEATS[game.seat]
        assert np.flatnonzero(observations[mover]["action_mask"]).tolist() == game.legal
        actions = {agent: action if agent == mover else -5 for agent in env.agents}
        observations, rewards, terminations, _, infos = env.step(actions)
        if env.agents:
            assert {info["active_agent"] for info in infos.values()} == {env.aec_env.agent_selection}
    mr_x = 1.0 if game.winner == "mr_x" else -1.0
    assert rewards == {agent: mr_x if agent == "mr_x" else -mr_x for agent in env.possible_agents}
    assert set(terminations.values()) == {True}
    assert env.agents == []


# ------------------------------------------------------------------------------------------------------------ pictures


def test_without_a_render_mode_there_is_nothing_to_see_but_a_warning() -> None:
    env = scotland_yard_v0.env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="no render_mode was given, one of ansi, rgb_array, human"):
        assert env.render() is None


def test_text_is_that_of_the_view() -> None:
    for render_as, viewer in (("mr_x", MR_X), ("detective_2", 2), ("spectator", SPECTATOR)):
        env = scotland_yard_v0.env(render_mode="ansi", render_as=render_as)
        env.reset(seed=3)
        play_on(env, 3, actions=7)
        assert env.render() == text(View(env.board, env.rules, env.view("mr_x").state, viewer))


def test_a_picture_is_an_array_of_pixels() -> None:
    env = scotland_yard_v0.env(render_mode="rgb_array")
    env.reset(seed=3)
    picture = env.render()
    assert (picture.shape, picture.dtype) == ((900, 1200, 3), np.uint8)
    assert len(np.unique(picture)) > 50
    play_on(env, 3, actions=1)
    assert (env.render() != picture).any()


def test_a_window_shows_every_move_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown: list[bytes] = []
    monkeypatch.setattr("scotyard_env.render.Window.show", lambda _, view: shown.append(facts(view.state)))
    env = scotland_yard_v0.env(board="glasses", render_mode="human", render_as="detective_1")
    env.reset(seed=1)
    moments = [facts(env.view("detective_1").state)]
    while not is_over(env):
        play_on(env, len(moments), actions=1)
        moments.append(facts(env.view("detective_1").state))
    assert shown == moments
    env.close()
    env.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a screen")
def test_without_a_screen_a_window_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(variable, raising=False)
    env = scotland_yard_v0.env(render_mode="human")
    with pytest.raises(RenderError, match=r'there is no screen .*use render_mode="rgb_array"'):
        env.reset(seed=1)


# ------------------------------------------------------------------------------------------------- names and arguments


def test_the_environment_is_found_by_name() -> None:
    env = pettingzoo.make("aec", "scotyard_env/scotland_yard-v0", board="docklands", detectives=3)
    assert isinstance(env.unwrapped, ScotlandYardEnv)
    assert len(env.possible_agents) == 4
    parallel = pettingzoo.make("parallel", "scotyard_env/scotland_yard-v0", detectives=1)
    assert set(parallel.reset(seed=1)[0]) == {"mr_x", "detective_1"}
    assert str(env) == "scotland_yard_v0"


def test_the_module_has_the_names_that_pettingzoo_modules_have() -> None:
    for module in (scotland_yard_v0, scotyard_env):
        assert module.env is scotyard_env.make
        assert module.raw_env is ScotlandYardEnv
        assert module.parallel_env is scotyard_env.parallel_env


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"board": "paris"}, BoardError, "no board named 'paris': choose from docklands, glasses, london"),
        ({"rules": "chess"}, RuleSetError, "there is no rule set 'chess': there are classic"),
        ({"board": "glasses", "rules": "classic"}, RuleSetError, "board 'glasses' ends at 11"),
        ({"detectives": 0}, RuleSetError, "detectives is 0: the game takes 1 to 5"),
        ({"detectives": 6}, RuleSetError, "detectives is 6: the game takes 1 to 5"),
        (
            {"observation": "tiny"},
            ValueError,
            "no observation 'tiny': there are flat, flat_viewer_first, compact, graph",
        ),
        ({"observation": "compact", "belief": True}, ValueError, "choose flat or graph, or belief=False"),
        ({"illegal": "ignore"}, ValueError, "illegal is 'ignore': choose from terminate, raise"),
        ({"render_mode": "film"}, ValueError, "no render_mode 'film': there are ansi, rgb_array, human, and None"),
        (
            {"detectives": 2, "render_as": "detective_3"},
            ValueError,
            "there are mr_x, detective_1, detective_2, spectator",
        ),
    ],
)
def test_wrong_arguments_say_what_is_allowed(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        scotland_yard_v0.env(**arguments)


@pytest.mark.parametrize("agent", ["detective_3", "spectator", "Mr. X", 0, None])
def test_an_agent_that_is_not_there_is_refused(agent: object) -> None:
    env = scotland_yard_v0.env(detectives=2)
    env.reset(seed=1)
    for ask in (env.observation_space, env.action_space, env.observe, env.view):
        with pytest.raises(ValueError, match=f"no agent {agent!r}: there are mr_x, detective_1, detective_2$"):
            ask(agent)  # type: ignore[operator]


def test_nothing_warns_in_an_ordinary_game() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = scotland_yard_v0.env(render_mode="ansi")
        env.reset(seed=1)
        play_on(env, 1)
        env.render()
        env.close()
