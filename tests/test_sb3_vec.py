"""What Stable-Baselines3 is told of the batch is what happened in it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize

from scotyard_baselines.random import Random
from scotyard_env.encode import KINDS
from scotyard_env.policy import SIDES
from scotyard_env.solo import ScotlandYardSoloEnv
from scotyard_env.state import WINNERS
from scotyard_env.view import Position, View
from scotyard_training.sb3_vec import ScotlandYardVecEnv


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """Compute on one thread: for nets this small more of them are slower."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make(games: int = 8, side: str = "detectives", **settings: Any) -> ScotlandYardVecEnv:
    return ScotlandYardVecEnv(games, side=side, **{"board": "docklands", **settings})


def learner(env: VecEnv) -> MaskablePPO:
    return MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=64, n_epochs=2, seed=3, device="cpu")


def random_actions(env: VecEnv, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in get_action_masks(env)])


def play(env: VecEnv, steps: int, seed: int = 5) -> list[Any]:
    """Play at random from a seeded reset and keep all that is given, without copying it."""
    rng = np.random.default_rng(seed)
    env.seed(seed)
    given: list[Any] = [(env.reset(),)]
    for _ in range(steps):
        given.append(env.step(random_actions(env, rng)))
    return given


def observe(env: ScotlandYardVecEnv, game: int, seat: int) -> dict[str, np.ndarray]:
    """Make the observation of one seat in one game as it stands, without the batch."""
    batch, encoder = env.games.batch, env.games.encoder
    seen = encoder.observe(View(batch.board, batch.rules, batch.states[game], seat))
    return {name: seen[name] for name in env.observation_space.spaces}


def note_endings(env: ScotlandYardVecEnv, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Fill a list with how each game ended, taken from its state before it is dealt anew."""
    endings: list[dict[str, Any]] = []
    batch, deal = env.games.batch, env.games.batch.deal

    def note_and_deal(numbers: np.ndarray, rng: np.random.Generator) -> None:
        for game in numbers:
            last = observe(env, game, int(env.games.duel.deciders[game]))
            endings.append({"game": game, "winner": WINNERS[batch.winners[game]], "last": last})
        deal(numbers, rng)

    monkeypatch.setattr(batch, "deal", note_and_deal)
    return endings


def weights(model: MaskablePPO) -> np.ndarray:
    return torch.nn.utils.parameters_to_vector(model.policy.parameters()).detach().numpy().copy()


# ------------------------------------------------------------------------------------------------------- what is told


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_one_game_is_played_as_by_a_vectorised_solo_environment(side: str, kind: str, moves: bool) -> None:
    settings: dict[str, Any] = {"side": side, "board": "docklands", "observation": kind, "moves": moves}
    native = ScotlandYardVecEnv(1, leave_out=(), **settings)
    solo = DummyVecEnv([lambda: ScotlandYardSoloEnv(**settings)])
    assert native.observation_space == solo.observation_space
    assert native.action_space == solo.action_space
    endings = 0
    for ours, theirs in zip(play(native, 120), play(solo, 120), strict=True):
        np.testing.assert_equal(ours[:3], tuple(dict(part) if isinstance(part, dict) else part for part in theirs[:3]))
        if len(ours) > 1 and ours[2][0]:
            endings += 1
            assert ours[3][0]["winner"] == theirs[3][0]["winner"]
            np.testing.assert_equal(ours[3][0]["terminal_observation"], theirs[3][0]["terminal_observation"])
    assert endings > 2


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_observations_are_in_their_space_and_without_the_mask(kind: str, moves: bool) -> None:
    env = make(4, observation=kind, moves=moves)
    assert "action_mask" not in env.observation_space.spaces
    for observations, *rest in play(env, 40):
        rows = [{name: array[game] for name, array in observations.items()} for game in range(4)]
        rows += [info["terminal_observation"] for info in rest[2] if info] if rest else []
        assert all(env.observation_space.contains(row) for row in rows)


def test_what_is_left_out_is_a_choice() -> None:
    assert [*make(observation="graph", leave_out=("action_mask", "links")).reset()] == ["game", "observation"]
    assert [*make(leave_out=()).reset()] == ["action_mask", "observation"]
    for wrong in ("action_mask", ("mask",), ("observation", "action_mask")):
        with pytest.raises(ValueError, match="give some of action_mask, observation, but not all"):
            make(leave_out=wrong)


@pytest.mark.parametrize("side", SIDES)
def test_masks_are_the_legal_actions(side: str) -> None:
    env, rng = VecMonitor(make(16, side)), np.random.default_rng(0)
    batch = env.unwrapped.games.batch
    assert is_masking_supported(env)
    env.reset()
    for _ in range(60):
        masks = get_action_masks(env)
        assert masks.shape == (16, env.action_space.n)
        assert masks.dtype == np.bool_
        for state, mask in zip(batch.states, masks, strict=True):
            assert np.flatnonzero(mask).tolist() == Position(batch.board, batch.rules, state).legal
        env.step(random_actions(env, rng))


def test_masks_of_some_games_are_rows_of_all() -> None:
    env = make(6)
    env.reset()
    masks = env.action_masks()
    np.testing.assert_array_equal(env.env_method("action_masks", indices=2), masks[[2]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=iter((4, 1))), masks[[4, 1]])


@pytest.mark.parametrize("side", SIDES)
def test_rewards_add_up_to_the_results(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = make(16, side)
    endings = note_endings(env, monkeypatch)
    told = play(VecMonitor(env), 200)[1:]
    results = [1 if ending["winner"] == side else -1 for ending in endings[16:]]  # the reset dealt sixteen games
    infos = [info for _, _, _, infos in told for info in infos if info]
    assert len(results) == len(infos) == sum(ended.sum() for _, _, ended, _ in told) > 50
    assert sum(rewards.sum() for _, rewards, _, _ in told) == sum(results)
    assert sum(info["episode"]["r"] for info in infos) == sum(results)
    assert sum(info["is_success"] for info in infos) == results.count(1)
    assert all(rewards.dtype == np.float32 for _, rewards, _, _ in told)
    assert all(((rewards != 0) == ended).all() for _, rewards, ended, _ in told)


@pytest.mark.parametrize("side", SIDES)
def test_the_terminal_observation_is_the_last_of_the_old_game_and_the_other_the_first_of_the_new(
    side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, rng = make(16, side), np.random.default_rng(1)
    env.seed(1)
    env.reset()
    endings = note_endings(env, monkeypatch)
    for _ in range(100):
        observations, _, ended, infos = env.step(random_actions(env, rng))
        assert [game for game, info in enumerate(infos) if info] == np.flatnonzero(ended).tolist()
        assert sorted(ending["game"] for ending in endings) == np.flatnonzero(ended).tolist()
        for ending in endings:
            info = infos[ending["game"]]
            assert info["winner"] == ending["winner"]
            assert info["is_success"] is (ending["winner"] == side)
            np.testing.assert_equal(info["terminal_observation"], ending["last"])
            assert env.games.batch.states[ending["game"]].rounds <= 1
        for game, state in enumerate(env.games.batch.states):
            row = {name: array[game] for name, array in observations.items()}
            np.testing.assert_equal(row, observe(env, game, int(state.seat)))
        endings.clear()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_given_is_overwritten_later(kind: str) -> None:
    env, rng = make(8, observation=kind, moves=True, leave_out=()), np.random.default_rng(2)
    given: list[Any] = [(env.reset(), env.action_masks())]
    copies = copy.deepcopy(given)
    for _ in range(60):
        given.append((*env.step(random_actions(env, rng)), env.action_masks()))
        copies.append(copy.deepcopy(given[-1]))
    np.testing.assert_equal(given, copies)
    arrays = [array for observations, *_ in given for array in observations.values()]
    assert all(array.flags.owndata and array.flags.writeable for array in arrays)


def test_the_rollout_buffer_holds_what_was_observed() -> None:
    class Witness(BaseCallback):
        def _on_rollout_start(self) -> None:
            self.seen = [copy.deepcopy(self.model._last_obs)]

        def _on_step(self) -> bool:
            self.seen.append(copy.deepcopy(self.locals["new_obs"]))
            return True

        def _on_rollout_end(self) -> None:
            stored = self.model.rollout_buffer.observations
            for step, observations in enumerate(self.seen[:-1]):
                np.testing.assert_equal({name: array[step] for name, array in stored.items()}, observations)
            np.testing.assert_equal(self.model._last_obs, self.seen[-1])

    learner(make()).learn(256, callback=Witness())


def test_infos_of_ended_games_are_their_own() -> None:
    env, rng = make(8), np.random.default_rng(3)
    env.reset()
    for _ in range(60):
        _, _, ended, infos = env.step(random_actions(env, rng))
        assert all("mark" not in info for info in infos)
        for game in np.flatnonzero(ended):
            infos[game]["mark"] = True
        infos[:] = [{"mark": True}] * 8  # as a wrapper may that puts infos of its own in


def test_an_illegal_action_forfeits_its_game() -> None:
    env = make(4, "mr_x")
    env.reset()
    actions = random_actions(env, np.random.default_rng(4))
    actions[2] = np.flatnonzero(~env.action_masks()[2])[0]
    with pytest.warns(UserWarning, match="game 2: .*; the game is forfeited"):
        _, rewards, ended, infos = env.step(actions)
    assert (rewards[2], ended[2], infos[2]["winner"], infos[2]["is_success"]) == (-1, True, "detectives", False)
    assert infos[2]["illegal_actions"] == 1


# --------------------------------------------------------------------------------------------------------------- seeds


@pytest.mark.parametrize("side", SIDES)
def test_the_same_seed_plays_the_same_games(side: str) -> None:
    first, second = (make(side=side, opponent=[Random(), "random"]) for _ in range(2))  # a pool of two
    np.testing.assert_equal(play(first, 80, seed=7), play(second, 80, seed=7))
    np.testing.assert_equal(play(first, 20, seed=7), play(second, 20, seed=7))  # and again
    with pytest.raises(AssertionError):
        np.testing.assert_equal(play(first, 20, seed=7), play(second, 20, seed=8))


def test_a_seed_holds_for_one_reset_and_what_follows_still_depends_on_it() -> None:
    deals = []
    for _ in range(2):
        env = make(leave_out=())
        env.seed(9)
        deals.append([env.reset()["observation"] for _ in range(3)])
    np.testing.assert_array_equal(deals[0], deals[1])
    assert (deals[0][0] != deals[0][1]).any()
    assert (deals[0][1] != deals[0][2]).any()


def test_every_game_has_a_seed_of_its_own_to_tell() -> None:
    env = make(3)
    assert env.seed(40) == [40, 41, 42]
    assert len({*env.seed()}) == 3


def test_options_are_refused() -> None:
    env = make(2)
    env.set_options([{}, {"stations": (1, 2)}])
    with pytest.raises(ValueError, match="a reset of many games takes none"):
        env.reset()


# ---------------------------------------------------------------------------------------------------------- attributes


def test_attributes_are_shared_by_all_games() -> None:
    env = VecMonitor(make(3))
    assert env.get_attr("side") == ["detectives"] * 3
    assert env.get_attr("render_mode", indices=[0, 2]) == [None, None]
    assert env.has_attr("action_masks")
    assert not env.has_attr("speed")
    with pytest.raises(AttributeError, match="speed"):
        env.get_attr("speed")
    env.set_attr("speed", 3)
    assert env.get_attr("speed", indices=1) == [3]
    with pytest.raises(ValueError, match="set it for all of them"):
        env.set_attr("speed", 4, indices=[0, 1])
    with pytest.raises(AttributeError, match="it has action_masks"):
        env.env_method("fly")
    assert env.env_is_wrapped(Monitor) == [False] * 3
    assert env.env_is_wrapped(Monitor, indices=1) == [False]
    env.close()


# ------------------------------------------------------------------------------------------------------------ learning


@pytest.mark.parametrize("side", SIDES)
def test_maskable_ppo_learns_from_it(side: str) -> None:
    model = learner(VecMonitor(make(16, side)))
    before = weights(model)
    model.learn(1024)
    assert model.num_timesteps == 1024
    assert (weights(model) != before).any()
    results = [episode["r"] for episode in model.ep_info_buffer]
    assert {*results} <= {-1.0, 1.0}
    assert len(results) > 20
    assert [result > 0 for result in results] == [*model.ep_success_buffer]


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_observation_can_be_learned_from(kind: str, moves: bool) -> None:
    learner(make(8, observation=kind, moves=moves)).learn(128)


def test_learning_is_reproducible() -> None:
    first, second = (learner(make()).learn(384) for _ in range(2))
    np.testing.assert_array_equal(weights(first), weights(second))


def test_a_model_is_measured_saved_loaded_and_goes_on(tmp_path: Path) -> None:
    measure = MaskableEvalCallback(
        VecMonitor(make(4)), n_eval_episodes=12, eval_freq=16, log_path=str(tmp_path), use_masking=True, verbose=0
    )
    model = learner(VecMonitor(make()))
    model.learn(512, callback=measure)
    measured = np.load(tmp_path / "evaluations.npz")
    assert measured["results"].shape == (4, 12)
    np.testing.assert_array_equal(measured["successes"], measured["results"] > 0)

    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model", env=VecMonitor(make()), device="cpu")
    np.testing.assert_array_equal(weights(loaded), weights(model))
    loaded.learn(256, reset_num_timesteps=False)
    assert loaded.num_timesteps == 768
    assert (weights(loaded) != weights(model)).any()


def test_a_model_is_evaluated_on_so_many_games() -> None:
    env = VecMonitor(make(4, "mr_x"))
    results, lengths = evaluate_policy(learner(env), env, n_eval_episodes=20, return_episode_rewards=True)
    assert len(results) == len(lengths) == 20
    assert {*results} <= {-1.0, 1.0}


def test_what_wrappers_write_into_infos_stays_there(tmp_path: Path) -> None:
    env = make(8, leave_out=())
    wrapped = VecNormalize(
        VecMonitor(env, str(tmp_path / "games"), info_keywords=("winner",)), norm_obs_keys=["observation"]
    )
    infos = [info for *_, infos in play(wrapped, 60)[1:] for info in infos]
    assert all(info.keys() == {"terminal_observation", "winner", "is_success", "episode"} for info in infos if info)
    assert any(infos)
    assert not any(env._nothing)
    wrapped.close()
    assert len((tmp_path / "games.monitor.csv").read_text().splitlines()) == 2 + sum(map(bool, infos))
