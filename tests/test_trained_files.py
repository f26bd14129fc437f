"""A trained file is a name wherever a policy is named: models of Stable-Baselines3, our own weights and checkpoints."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")

from sb3_contrib import MaskablePPO, RecurrentPPO
from small_runs import SMALL
from stable_baselines3 import A2C, DQN, PPO, SAC

import scotyard_env
from scotyard_baselines.networks.move_scorer import FileScorer
from scotyard_env import cli, make_policy, make_solo, make_vec
from scotyard_env.arena import evaluate, play_match, tournament
from scotyard_env.game import Game
from scotyard_env.policy import BatchPolicy, Policy, PolicyError, files_of, sides_of
from scotyard_env.state import MR_X
from scotyard_training import ppo
from scotyard_training.learning.checkpoint import save_checkpoint
from scotyard_training.learning.opponents import names_of, read_opponents
from scotyard_training.learning.sb3_policy import ScorerActorCritic, ScorerVecEnv
from scotyard_training.sb3_vec import ScotlandYardVecEnv

DOCKLANDS: dict[str, Any] = {"board": "docklands", "side": "detectives"}
NET: dict[str, Any] = {"policy_kwargs": {"net_arch": [8]}, "seed": 3, "device": "cpu"}


def flattened(**settings: Any) -> Any:
    return gymnasium.wrappers.FlattenObservation(make_solo(**settings))


class Alone(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Shows the vector without the mask."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.observation_space = env.observation_space["observation"]

    def observation(self, observation: Any) -> Any:
        return observation["observation"]


MODELS: dict[str, Callable[[], Any]] = {
    "ppo_made": lambda: PPO(
        "MultiInputPolicy", gymnasium.make(scotyard_env.SOLO_ID, **DOCKLANDS), n_steps=8, batch_size=8, **NET
    ),
    "maskable_solo": lambda: MaskablePPO("MultiInputPolicy", make_solo(**DOCKLANDS), n_steps=8, batch_size=8, **NET),
    "maskable_belief": lambda: MaskablePPO("MultiInputPolicy", make_solo(belief=True, **DOCKLANDS), **NET),
    "maskable_compact": lambda: MaskablePPO("MultiInputPolicy", make_solo(observation="compact", **DOCKLANDS), **NET),
    "maskable_graph": lambda: MaskablePPO("MultiInputPolicy", make_solo(observation="graph", **DOCKLANDS), **NET),
    "maskable_moves": lambda: MaskablePPO("MultiInputPolicy", make_solo(moves=True, **DOCKLANDS), **NET),
    "maskable_vec": lambda: MaskablePPO("MultiInputPolicy", ScotlandYardVecEnv(2, **DOCKLANDS), n_steps=8, **NET),
    "scorer_vec": lambda: MaskablePPO(
        ScorerActorCritic,
        ScorerVecEnv(2, **DOCKLANDS),
        n_steps=8,
        policy_kwargs={"hidden_size": 8},
        seed=3,
        device="cpu",
    ),
    "a2c_flattened": lambda: A2C("MlpPolicy", flattened(**DOCKLANDS), **NET),
    "dqn_alone": lambda: DQN("MlpPolicy", Alone(make_solo(**DOCKLANDS)), buffer_size=10, **NET),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a model of every kind, and checkpoints of one side and of both."""
    made = tmp_path_factory.mktemp("models")
    for name, make in MODELS.items():
        make().save(made / f"{name}.zip")
    sides = {
        side: ppo.make_learner(ppo.Command(**SMALL, side=side, opponent="random")) for side in ("mr_x", "detectives")
    }  # type: ignore[arg-type]
    sides["mr_x"].save(made)
    sides["mr_x"].actor.weights().save(made / "last.npz")
    states = {side: learner.state() for side, learner in sides.items()}
    save_checkpoint(made / "league.pt", {"made_for": {s: one["made_for"] for s, one in states.items()}} | states)
    return made


def positions() -> list[Game]:
    """Some moments of a game at which a detective is to move."""
    game, rng, found = Game("docklands", seed=5), np.random.default_rng(5), []
    while game.winner is None:
        if game.seat != MR_X:
            found.append(game.clone())
        game.play(int(rng.choice(game.legal)))
    return found


@pytest.mark.parametrize("name", MODELS)
def test_a_model_plays_whatever_it_was_shown(name: str, folder: Path) -> None:
    policy = make_policy(f"sb3:{folder / name}.zip", side="detectives")
    match = play_match("random", policy, board="docklands", seed=1)
    assert match.game.winner is not None
    again = play_match("random", f"sb3:{folder / name}.zip", board="docklands", seed=1)
    assert again.game.moves == match.game.moves
    assert files_of(policy) == (folder / f"{name}.zip",)


@pytest.mark.parametrize(
    "name", ["maskable_solo", "maskable_belief", "maskable_compact", "maskable_moves", "maskable_vec"]
)
def test_a_model_decides_as_it_does_in_its_own_library(name: str, folder: Path) -> None:
    model = MaskablePPO.load(folder / f"{name}.zip", device="cpu")
    policy = make_policy(f"sb3:{folder / name}.zip:deterministic=True")
    settings = {"maskable_belief": {"belief": True}, "maskable_compact": {"observation": "compact"}}
    encoder = make_solo(**DOCKLANDS, moves=name == "maskable_moves", **settings.get(name, {})).encoder
    for game in positions():
        view = game.view(game.seat)
        shown = encoder.observe(view)
        mask = shown["action_mask"].astype(bool)
        seen = {key: shown[key] for key in model.observation_space.spaces}  # type: ignore[attr-defined]
        expected, _ = model.predict(seen, action_masks=mask, deterministic=True)
        assert policy.act(view, np.random.default_rng(0)).action == expected


def test_actions_are_drawn_by_the_probabilities_of_the_model(folder: Path) -> None:
    policy, game = make_policy(f"sb3:{folder / 'maskable_vec'}.zip"), positions()[0]
    assert isinstance(policy, BatchPolicy)
    view = game.view(game.seat)
    many = scotyard_env.Views(view.board, view.rules, np.repeat(view.states, 4000))
    drawn = policy.act_batch(many, np.random.default_rng(1))
    model = MaskablePPO.load(folder / "maskable_vec.zip", device="cpu")
    shown = make_solo(**DOCKLANDS).encoder.observe(view)
    tensors = model.policy.obs_to_tensor({"observation": shown["observation"]})[0]
    distribution = model.policy.get_distribution(tensors, shown["action_mask"][None].astype(bool))
    wanted = distribution.distribution.probs.detach().numpy()[0]
    for action in game.legal:
        assert (drawn == action).mean() == pytest.approx(wanted[action], abs=0.05)
    assert set(drawn) <= set(game.legal)


@pytest.mark.parametrize("name", ["maskable_vec", "scorer_vec"])
def test_a_model_of_another_board_is_refused_before_the_first_game(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = f"sb3:{folder / name}.zip"
    for ask in (
        lambda: play_match("random", policy, board="glasses"),
        lambda: tournament("random", policy, games=1, board="glasses"),
        lambda: make_vec(2, side="mr_x", opponent=policy, board="glasses"),
    ):
        with pytest.raises(PolicyError, match="does not fit glasses by glasses with 2 detectives: it was trained on"):
            ask()
    monkeypatch.setattr(sys, "argv", ["scotyard", "match", "--board", "glasses", "--detectives", policy])
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert "it fits docklands by" in capsys.readouterr().err
    three = dataclasses.replace(scotyard_env.RuleSet.named("docklands"), detectives=3)
    if name != "scorer_vec":  # which reads any number of them
        with pytest.raises(PolicyError, match="with 3 detectives"):
            play_match("random", policy, board="docklands", rules=three)


def recurrent() -> Any:
    return RecurrentPPO("MultiInputLstmPolicy", make_solo(**DOCKLANDS), n_steps=8, batch_size=8, seed=1, device="cpu")


def continuous() -> Any:
    return SAC("MlpPolicy", "Pendulum-v1", buffer_size=10, **NET)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (recurrent, "remembers what it was shown before"),
        (continuous, "give a model of PPO, MaskablePPO, A2C or DQN"),
        (b"PK\x03\x04 and nothing else", "holds no model of Stable-Baselines3"),
        (b"", "holds no model of Stable-Baselines3"),
        (None, "No such file or directory"),
    ],
)
def test_what_is_no_model_for_us_is_refused_with_a_sentence(make: Any, words: str, tmp_path: Path) -> None:
    file = tmp_path / "model.zip"
    if isinstance(make, bytes):
        file.write_bytes(make)
    elif make is not None:
        make().save(file)
    with pytest.raises(PolicyError) as error:
        make_policy(f"sb3:{file}")
    assert words in str(error.value)
    assert str(file) in str(error.value)


def test_without_the_library_the_sentence_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "stable_baselines3"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    file = folder / "copy.zip"
    file.write_bytes((folder / "maskable_vec.zip").read_bytes())
    with pytest.raises(PolicyError, match=r"it needs stable_baselines3: pip install 'scotyard-env\[train\]'"):
        make_policy(f"sb3:{file}")


# Our own networks


def test_a_file_of_weights_is_a_policy_for_both_sides(folder: Path) -> None:
    policy = make_policy(f"file:{folder / 'last.npz'}:temperature=0.5")
    assert policy == FileScorer(file=str(folder / "last.npz"), temperature=0.5)
    assert sides_of(policy) == ("mr_x", "detectives")
    assert files_of(policy) == (folder / "last.npz",)


def test_a_checkpoint_plays_the_sides_that_learned(folder: Path) -> None:
    one, both = (make_policy(f"file:{folder / name}.pt") for name in ("last", "league"))
    assert sides_of(one) == ("mr_x",)
    assert sides_of(both) == ("mr_x", "detectives")
    with pytest.raises(PolicyError, match="plays mr_x, not detectives"):
        make_policy(f"file:{folder / 'last'}.pt", side="detectives")
    npz = make_policy(f"file:{folder / 'last.npz'}")
    games = [
        play_match(policy, f"file:{folder / 'league'}.pt", board="docklands", seed=2).game.moves
        for policy in (one, both, npz)
    ]
    assert games[0] == games[1] == games[2]


def test_both_sides_of_a_league_are_asked_in_one_batch_by_their_own_networks(folder: Path) -> None:
    policy, game = make_policy(f"file:{folder / 'league'}.pt:temperature=0.01"), Game("docklands", seed=3)
    assert isinstance(policy, BatchPolicy)
    his = game.view(0)
    game.play(game.legal[0])
    theirs = game.view(game.seat)
    views = scotyard_env.Views(game.board, game.rules, np.concatenate([his.states, theirs.states]))
    drawn = policy.act_batch(views, np.random.default_rng(0))
    alone = [policy.act(view, np.random.default_rng(0)).action for view in (his, theirs)]
    assert drawn.tolist() == alone


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("nowhere.npz", "nowhere.npz"),
        ("nowhere.pt", "there is no checkpoint nowhere.pt"),
        ("model.zip", "neither a file of weights (.npz) nor a checkpoint (.pt)"),
        ("a.npz:heat=2", "has no parameter 'heat': it has file, temperature"),
    ],
)
def test_what_is_no_file_of_ours_is_refused_with_a_sentence(rest: str, words: str) -> None:
    with pytest.raises(PolicyError) as error:
        make_policy(f"file:{rest}")
    assert words in str(error.value)


# Everywhere


@pytest.mark.parametrize("name", ["sb3:{}/maskable_vec.zip", "file:{}/league.pt"])
def test_a_file_is_named_wherever_a_policy_is(name: str, folder: Path) -> None:
    policy = name.format(folder)
    played = tournament("random", [policy, "greedy"], games=2, board="docklands", workers=1)
    assert [result.forfeit for result in played.results] == [None] * 4
    assert len(evaluate(policy, "detectives", ["random"], games=1, board="docklands").results) == 1
    for env in (
        make_solo(side="mr_x", opponent=policy, board="docklands"),
        make_vec(2, "mr_x", policy, board="docklands"),
    ):
        env.reset(seed=1)
    pool = read_opponents(f"{policy}@2,random", "detectives")
    assert [*pool.values()] == [2.0, 1.0]
    assert names_of(pool) == [Path(policy).stem, "random"]
    nested: Policy = make_policy(f"exploiter:against={policy},samples=1,rounds=1")
    view = Game("docklands", seed=1).view(0)
    assert nested.act(view, np.random.default_rng(0)).action in view.legal
