"""Whatever a detective can get hold of is the same, byte for byte, wherever Mr. X hides: in every environment."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from test_aec import legal_of, play_on
from test_batch import all_bytes
from test_vector import choose

from scotyard_env import scotland_yard_v0
from scotyard_env.aec import ScotlandYardEnv
from scotyard_env.batch import Batch
from scotyard_env.encode import KINDS
from scotyard_env.game import IllegalMoveError
from scotyard_env.rules import destination
from scotyard_env.solo import ScotlandYardSoloEnv
from scotyard_env.state import MR_X, NOWHERE, SEATS, SPECTATOR, station_list
from scotyard_env.vector import ScotlandYardVectorEnv

BOARDS = ["london", "docklands"]
KINDS_AND_MORE = [
    (kind, kind != "compact", moves) for kind in KINDS for moves in (False, True)
]  # with belief if it can
DETECTIVES = 3
every_board = pytest.mark.parametrize("board", BOARDS)
every_kind = pytest.mark.parametrize(("kind", "belief", "moves"), KINDS_AND_MORE)


def another_station(state: Any) -> int:
    """Choose a station where Mr. X does not stand, but may for all the table knows; NOWHERE if there is none."""
    others = [station for station in station_list(state.possible) if station != state.station[MR_X]]
    return others[len(others) // 2] if others else NOWHERE


def hide_elsewhere(state: Any) -> None:
    """Move Mr. X without anybody's knowing."""
    station = another_station(state)
    assert station != NOWHERE
    state.station[MR_X] = station


def innocent(legal: list[int], *states: Any) -> list[int]:
    """Choose the actions that do not find Mr. X in any of these states."""
    hideouts = {int(state.station[MR_X]) for state in states}
    return [action for action in legal if destination(action) not in hideouts]


# ------------------------------------------------------------------------------------------------------------------ AEC


def make_aec(board: str, **settings: Any) -> ScotlandYardEnv:
    return scotland_yard_v0.env(board=board, detectives=DETECTIVES, **settings)


def two_states(board: str, actions: int, seed: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play on, then take down the state twice: as it is, and with Mr. X somewhere else that he may be."""
    env = make_aec(board)
    env.reset(seed=seed)
    play_on(env, seed, actions)
    here, there = env.get_state(), env.get_state()
    hide_elsewhere(there["_states"][0])
    return here, there


def moments_of_hiding(board: str, seed: int = 0) -> list[tuple[int, int]]:
    """List after how many actions Mr. X may be in more than one place, each with the seat to move."""
    env, found = make_aec(board), []
    env.reset(seed=seed)
    for actions in range(1 + len(play_on(env, seed))):
        env.reset(seed=seed)
        play_on(env, seed, actions)
        if len(env.view("mr_x").possible) > 1:
            found.append((actions, env.view("mr_x").seat))
    return found


MOMENTS = {board: moments_of_hiding(board) for board in BOARDS}
ALL_MOMENTS = [(board, actions) for board in BOARDS for actions, _ in MOMENTS[board]]
BETWEEN_DETECTIVES = [
    (board, actions) for board in BOARDS for actions, seat in MOMENTS[board] if MR_X < seat < DETECTIVES
]


def later_moment(board: str) -> int:
    """Choose a moment in the middle of a game at which a detective moves, and another after it."""
    moments = [actions for at, actions in BETWEEN_DETECTIVES if at == board]
    return moments[len(moments) // 2]


def restore(state: dict[str, Any], board: str, **settings: Any) -> ScotlandYardEnv:
    env = make_aec(board, **settings)
    env.set_state(state)
    return env


def told_to(env: ScotlandYardEnv, agent: str) -> list[object]:
    """Collect what the environment hands to an agent, and to whoever may look over its shoulder."""
    view = env.view(agent)
    dicts = (env.rewards, env.terminations, env.truncations, env.infos, env._cumulative_rewards)
    return [
        all_bytes(env.observe(agent)),
        pickle.dumps(view),
        (repr(view), view.stations, view.tickets, view.log, view.round, view.possible, view.winner),
        view.legal_moves if agent == env.agent_selection else [],
        [each[agent] for each in dicts],
        (env.agent_selection, list(env.agents)),
        all_bytes(env.last()[0]) if agent == env.agent_selection else None,
    ]


def test_there_are_moments_of_all_kinds_to_look_at() -> None:
    for moments in MOMENTS.values():
        assert {seat for _, seat in moments} == {0, 1, 2, 3}
        assert len(moments) > 15


@pytest.mark.parametrize(("board", "actions"), ALL_MOMENTS)
def test_a_detective_is_told_the_same_wherever_mr_x_hides(board: str, actions: int) -> None:
    here, there = two_states(board, actions)
    for kind, belief, moves in KINDS_AND_MORE:
        envs = [restore(state, board, observation=kind, belief=belief, moves=moves) for state in (here, there)]
        for agent in envs[0].possible_agents[1:]:
            assert told_to(envs[0], agent) == told_to(envs[1], agent)
        assert all_bytes(envs[0].observe("mr_x")) != all_bytes(envs[1].observe("mr_x"))
        assert envs[0].state().tobytes() != envs[1].state().tobytes()


@pytest.mark.parametrize(("board", "actions"), BETWEEN_DETECTIVES)
def test_and_so_it_is_after_every_move_of_theirs_that_does_not_find_him(board: str, actions: int) -> None:
    states = two_states(board, actions)
    envs = [restore(state, board, belief=True, moves=True, illegal="raise") for state in states]
    for action in innocent(legal_of(envs[0]), *(state["_states"][0] for state in states)):
        after = [env.clone() for env in envs]
        for env in after:
            env.step(action)
        for agent in envs[0].possible_agents[1:]:
            assert told_to(after[0], agent) == told_to(after[1], agent)


@pytest.mark.parametrize(("board", "actions"), ALL_MOMENTS[::3])
def test_texts_do_not_depend_on_where_he_hides(board: str, actions: int) -> None:
    states = two_states(board, actions)
    is_over = all(states[0]["terminations"].values())
    for render_as in (*SEATS[: 1 + DETECTIVES], "spectator"):
        texts = {restore(state, board, render_mode="ansi", render_as=render_as).render() for state in states}
        knows = render_as == "mr_x" or (render_as == "spectator" and is_over)
        assert len(texts) == (2 if knows else 1)


@every_board
@pytest.mark.parametrize("render_as", ["mr_x", "detective_2", "spectator"])
def test_nor_do_pictures(board: str, render_as: str) -> None:
    states = two_states(board, later_moment(board))
    pictures = {
        restore(state, board, render_mode="rgb_array", render_as=render_as).render().tobytes() for state in states
    }
    assert len(pictures) == (2 if render_as == "mr_x" else 1)


@pytest.mark.parametrize("illegal", ["terminate", "raise"])
@every_board
def test_nor_does_what_is_said_about_an_illegal_action(board: str, illegal: str) -> None:
    said = []
    for state in two_states(board, later_moment(board)):
        env = restore(state, board, illegal=illegal)
        if illegal == "raise":
            with pytest.raises(IllegalMoveError) as error:
                env.step(-1)
            said.append([str(error.value)])
        else:
            with pytest.warns(UserWarning, match="forfeited") as caught:
                env.step(-1)
            said.append([str(caught[0].message), *(told_to(env, agent) for agent in env.possible_agents[1:])])
    assert said[0] == said[1]


@every_board
def test_not_even_the_end_tells_the_detectives_where_he_was(board: str) -> None:
    env = make_aec(board, observation="graph", belief=True, moves=True)
    for seed in range(30):
        env.reset(seed=seed)
        play_on(env, seed)
        if env.rewards["mr_x"] > 0 and len(env.view("mr_x").possible) > 1:
            break
    else:
        raise AssertionError("no game ended with Mr. X free and hidden")
    state = env.get_state()
    hide_elsewhere(state["_states"][0])
    twin = restore(state, board, observation="graph", belief=True, moves=True)
    for agent in env.possible_agents[1:]:
        assert told_to(env, agent) == told_to(twin, agent)
    assert told_to(env, "mr_x") != told_to(twin, "mr_x")


@every_board
@every_kind
def test_in_parallel_it_is_the_same(board: str, kind: str, belief: bool, moves: bool) -> None:
    settings = {"detectives": DETECTIVES, "observation": kind, "belief": belief, "moves": moves}
    states, got = two_states(board, later_moment(board)), []
    envs = [scotland_yard_v0.parallel_env(board=board, **settings) for _ in states]
    for env, state in zip(envs, states, strict=True):
        env.reset(seed=0)
        env.aec_env.set_state(state)
    action = innocent(legal_of(envs[0].aec_env), *(state["_states"][0] for state in states))[0]
    for env in envs:
        observations, *dicts = env.step(dict.fromkeys(env.agents, action))
        got.append({agent: [all_bytes(observations[agent]), *(each[agent] for each in dicts)] for agent in env.agents})
    assert got[0].pop("mr_x") != got[1].pop("mr_x")
    assert got[0] == got[1]


# ----------------------------------------------------------------------------------------------------------------- solo


@every_board
@every_kind
def test_a_learner_of_detectives_is_told_the_same_wherever_mr_x_hides(
    board: str, kind: str, belief: bool, moves: bool
) -> None:
    settings: dict[str, Any] = {"board": board, "detectives": DETECTIVES, "render_mode": "ansi"}
    here, there = (
        ScotlandYardSoloEnv("detectives", observation=kind, belief=belief, moves=moves, **settings) for _ in range(2)
    )
    rng, compared, seeds = np.random.default_rng(0), 0, iter(range(200))
    while compared < 12:
        seed = next(seeds)
        here.reset(seed=seed)
        ended = False
        for _ in range(3 * int(rng.integers(1, 4))):
            ended = ended or here.step(int(rng.choice(np.flatnonzero(here.action_masks()))))[2]
        if ended or another_station(here.batch.states[0]) == NOWHERE:
            continue
        there.reset(seed=seed)
        there.batch.states[0] = here.batch.states[0]
        hide_elsewhere(there.batch.states[0])
        for _ in range(DETECTIVES - 1):
            legal = np.flatnonzero(here.action_masks()).tolist()
            actions = innocent(legal, here.batch.states[0], there.batch.states[0])
            if not actions:
                break
            told = [learn_from(env, int(actions[0])) for env in (here, there)]
            assert told[0] == told[1]
            compared += 1
        assert forfeit(here) == forfeit(there)


def learn_from(env: ScotlandYardSoloEnv, action: int) -> list[object]:
    """Take a step and collect all that the learner gets."""
    observation, *rest = env.step(action)
    return [all_bytes(observation), *rest, env.action_masks().tobytes(), env.render(), env._viewer]


def forfeit(env: ScotlandYardSoloEnv) -> list[object]:
    """Play what is not legal and collect all that the learner gets, the warning too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        told = learn_from(env, -1)
    return [*told, *(str(warning.message) for warning in caught)]


def test_a_learner_of_mr_x_is_told_where_he_is() -> None:
    told = []
    for station in (45, 170):
        env = ScotlandYardSoloEnv("mr_x", detectives=2, render_mode="ansi")
        observation, _ = env.reset(seed=0, options={"stations": [station, 13, 26]})
        told.append([all_bytes(observation), env.render()])
    assert told[0][0] != told[1][0]
    assert told[0][1] != told[1][1]


# -------------------------------------------------------------------------------------------------------- batch, vector


@every_board
@every_kind
def test_a_learner_of_many_games_is_told_the_same_wherever_mr_x_hides(
    board: str, kind: str, belief: bool, moves: bool
) -> None:
    settings: dict[str, Any] = {"observation": kind, "belief": belief, "moves": moves}
    here, there = (
        ScotlandYardVectorEnv(24, "detectives", board=board, detectives=DETECTIVES, **settings) for _ in range(2)
    )
    for envs in (here, there):
        rng = np.random.default_rng(0)
        arrays, _ = envs.reset(seed=2)
        for _ in range(3 * DETECTIVES):
            arrays, *_ = envs.step(choose(arrays["action_mask"], rng))
    for _ in range(60):  # in most games the first detective decides now; go on until Mr. X hides in many of them
        hidden = [game for game in range(24) if is_hidden(there, game)]
        if len(hidden) > 8:
            break
        actions = choose(here.action_masks(), rng)
        here.step(actions)
        there.step(actions)
    assert len(hidden) > 8
    for game in hidden:
        hide_elsewhere(there.batch.states[game])
    assert here.batch.states["station"][hidden, MR_X].tolist() != there.batch.states["station"][hidden, MR_X].tolist()
    actions = np.full(24, -1)  # an illegal action ends a game: what is told of its end is compared too
    for game in hidden[::2]:
        legal = np.flatnonzero(here.action_masks()[game]).tolist()
        found = innocent(legal, here.batch.states[game], there.batch.states[game])
        actions[game] = found[0] if found else -1
    told = [collect(envs, actions, hidden) for envs in (here, there)]
    assert told[0] == told[1]


def is_hidden(envs: ScotlandYardVectorEnv, game: int) -> bool:
    """Mr. X may be elsewhere, and is not to move after this decision."""
    state = envs.batch.states[game]
    return another_station(state) != NOWHERE and int(state.seat) < DETECTIVES


def collect(envs: ScotlandYardVectorEnv, actions: np.ndarray, games: list[int]) -> list[object]:
    """Take a step and collect all that the learner gets of some games."""
    arrays, rewards, terminated, truncated, infos = envs.step(actions)
    told: list[object] = [rewards[games].tolist(), terminated[games].tolist(), truncated[games].tolist()]
    for game in games:
        final = infos["final_obs"][game]
        told += [None if final is None else all_bytes(final), infos["final_info"]["winner"][game]]
        if final is None:  # a game dealt anew has another Mr. X, who moves by chance
            told += [
                {name: array[game].tobytes() for name, array in arrays.items()},
                envs.action_masks()[game].tolist(),
            ]
    return told


@every_board
def test_the_views_of_a_batch_do_not_depend_on_where_he_hides(board: str) -> None:
    batch = Batch(30, board, detectives=DETECTIVES, seed=1)
    games = np.arange(30)
    for viewer, are_same in ((1, True), (2, True), (3, True), (SPECTATOR, True), (MR_X, False)):
        before = batch.views(viewers=np.full(30, viewer)).states.copy()
        kept = batch.states["station"][:, MR_X].copy()
        for game in games:
            hide_elsewhere(batch.states[game])
        after = batch.views(viewers=np.full(30, viewer)).states
        assert (before == after).all() == are_same
        batch.states["station"][:, MR_X] = kept
