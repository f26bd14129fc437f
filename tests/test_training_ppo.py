from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_runs import SMALL, as_version_0_1_0, interrupt, read_tags, same

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_baselines.networks.move_scorer import FileScorer  # noqa: E402
from scotyard_env.duel import play_games  # noqa: E402
from scotyard_env.policy import PolicyError, make_policy  # noqa: E402
from scotyard_env.state import DETECTIVES_WIN, MR_X_WINS  # noqa: E402
from scotyard_training import curves, export, imitate, ppo  # noqa: E402
from scotyard_training.learning.checkpoint import read_checkpoint, save_checkpoint  # noqa: E402
from scotyard_training.learning.evaluation import ActorPolicy  # noqa: E402
from scotyard_training.learning.opponents import names_of, read_opponents  # noqa: E402
from scotyard_training.learning.ppo_learner import PpoLearner, anneal, estimate_advantages  # noqa: E402
from scotyard_training.learning.rollout import Rollout, collect, take  # noqa: E402
from scotyard_training.learning.scorer import Actor  # noqa: E402
from scotyard_training.learning.team import Team, lead  # noqa: E402

ARGS = ppo.Command(**SMALL, opponent="random,greedy", eval_interval=1024, total_timesteps=2048)
LESSONS = imitate.Command(**SMALL, teacher="greedy", opponent="greedy", eval_interval=1024, total_timesteps=1536)


def learn(learner: PpoLearner, updates: int, args: ppo.Command = ARGS) -> PpoLearner:
    for _ in range(updates):
        ppo.learn(learner, args)
    return learner


def play(learner: PpoLearner, steps: int = 16) -> Rollout:
    return collect(learner.games, learner.actor.weights(), steps, learner.rng)


@pytest.mark.parametrize("survival_reward", [0.0, 0.5])
@pytest.mark.parametrize("side", ["mr_x", "detectives"])
def test_the_learner_sees_the_results_of_its_games_as_rewards(
    side: str, survival_reward: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = dataclasses.replace(ARGS, side=side, survival_reward=survival_reward)  # type: ignore[arg-type]
    learner = ppo.make_learner(args)
    batch, step = learner.games.batch, learner.games.step
    deal, won = batch.deal, MR_X_WINS if side == "mr_x" else DETECTIVES_WIN
    endings: list[dict[int, float]] = []

    def note_step(actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        endings.append({})
        return step(actions)

    def note_endings(games: np.ndarray, rng: np.random.Generator) -> None:
        for game in games.tolist():
            endings[-1][game] = 1.0 if batch.winners[game] == won else -1.0
            if batch.winners[game] == DETECTIVES_WIN:  # caught, and how much of the log was full by then
                sign, full = 1 if side == "mr_x" else -1, batch.rules.log_entries
                endings[-1][game] += sign * survival_reward * batch.states["entries"][game] / full
        deal(games, rng)

    monkeypatch.setattr(learner.games, "step", note_step)
    monkeypatch.setattr(batch, "deal", note_endings)
    rollout = play(learner, 64)
    wanted = np.array([[ended.get(game, 0) for game in range(32)] for ended in endings])
    assert rollout.ended.sum() > 10
    np.testing.assert_allclose(rollout.rewards, wanted, rtol=1e-6)
    np.testing.assert_array_equal(rollout.ended, wanted != 0)


def test_advantages_are_what_the_definition_says() -> None:
    learner = ppo.make_learner(ARGS)
    rollout = play(learner)
    values = np.random.default_rng(0).normal(size=rollout.rewards.shape).astype(np.float32)
    last = learner.values(rollout.after)
    advantages = estimate_advantages(rollout, values.ravel(), last, ARGS.gamma, ARGS.gae_lambda)
    after = np.concatenate([values[1:], last[None]])
    for game in range(4):
        for moment in range(16):
            total, weight = 0.0, 1.0
            for later in range(moment, 16):
                goes_on = 0.0 if rollout.ended[later, game] else 1.0
                total += weight * (
                    rollout.rewards[later, game] + ARGS.gamma * goes_on * after[later, game] - values[later, game]
                )
                weight *= ARGS.gamma * ARGS.gae_lambda * goes_on
            assert advantages.reshape(16, 32)[moment, game] == pytest.approx(total, abs=1e-4)


def test_the_probabilities_of_play_are_those_that_are_learned_from() -> None:
    learner = ppo.make_learner(ARGS)
    rollout = play(learner)
    found = learner.actor(take(rollout.decisions.inputs, np.arange(len(rollout.chosen)))).detach().numpy()
    np.testing.assert_allclose(found[np.arange(len(found)), rollout.chosen], rollout.log_probs, atol=1e-5)


@pytest.mark.parametrize("side", ["mr_x", "detectives"])
def test_resumed_training_equals_uninterrupted_training(side: str, tmp_path: Path) -> None:
    args = dataclasses.replace(ARGS, side=side)  # type: ignore[arg-type]
    whole = learn(ppo.make_learner(args), 4)
    first = learn(ppo.make_learner(args), 2)
    save_checkpoint(tmp_path / "last.pt", first.state())
    second = learn(ppo.make_learner(dataclasses.replace(args, out=tmp_path, resume=True)), 2)
    assert same(whole.actor, second.actor)
    assert whole.games.batch.states.tobytes() == second.games.batch.states.tobytes()
    assert whole.steps == second.steps


def test_a_checkpoint_of_version_0_1_0_is_continued_as_one_of_today(tmp_path: Path) -> None:
    learner = learn(ppo.make_learner(ARGS), 2)
    torch.save(as_version_0_1_0(learner.state()), tmp_path / "last.pt")
    export.Command(tmp_path / "last.pt", tmp_path / "player.npz").run()
    assert (FileScorer(file=str(tmp_path / "player.npz")).weights.trunk == learner.actor.weights().trunk).all()
    again = ppo.make_learner(dataclasses.replace(ARGS, out=tmp_path, resume=True))
    for rng, known in zip(again.games.batch.rngs, learner.games.batch.rngs, strict=True):
        rng.bit_generator.state = known.bit_generator.state  # opponents had none of their own then
    assert same(learn(learner, 1).actor, learn(again, 1).actor)


def test_two_runs_with_one_seed_agree_and_another_seed_differs() -> None:
    assert same(learn(ppo.make_learner(ARGS), 2).actor, learn(ppo.make_learner(ARGS), 2).actor)
    assert not same(
        learn(ppo.make_learner(ARGS), 1).actor, learn(ppo.make_learner(dataclasses.replace(ARGS, seed=1)), 1).actor
    )


def test_a_critic_that_is_not_central_is_told_nothing_but_what_the_actor_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    args = dataclasses.replace(ARGS, central_critic=False)
    learner = ppo.make_learner(args)
    told = []
    monkeypatch.setattr(learner.critic_pass, "forward", spy(learner.critic_pass.forward, told))
    ppo.learn(learner, args)
    assert len(told) > 2
    assert not any(np.any(array) for call in told for array in call[3:6])  # mr_x, opponent, privileged
    central = play(ppo.make_learner(ARGS))
    assert central.decisions.mr_x.all()
    assert central.decisions.privileged.any()


def spy(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> Callable[..., Any]:
    """Return the function, keeping what it is called with."""

    def call(*given: Any) -> Any:
        calls.append(given)
        return function(*given)

    return call


def test_learning_is_learning(tmp_path: Path) -> None:
    args = dataclasses.replace(
        ARGS,
        linear_skip_init=False,
        opponent="random",
        num_envs=128,
        num_steps=32,
        hidden_size=32,
        minibatch_size=512,
        learning_rate=3e-3,
    )
    learner, greedy = ppo.make_learner(args), make_policy("greedy")
    file = tmp_path / "before.npz"
    learner.actor.weights().save(file)
    learn(learner, 14, args)
    before, after = FileScorer(file=str(file)), ActorPolicy(actor=learner.actor)
    caught = [play_games(greedy, player, 300, 1, "docklands", "docklands") for player in (before, after)]
    assert caught[1] > caught[0] + 45  # three standard deviations of the difference and more


def test_the_script_leaves_checkpoints_and_goes_on_from_them(tmp_path: Path) -> None:
    args = dataclasses.replace(ARGS, out=tmp_path / "run")
    ppo.train(args)
    assert {"best.npz", "last.npz", "last.pt"} <= {file.name for file in args.out.iterdir()}
    assert read_tags(args.out) == {
        *(f"losses/{name}" for name in ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")),
        *("losses/explained_variance", "charts/SPS", "charts/learning_rate"),
        *(f"{group}/win_rate/{name}" for group in ("rollout", "eval") for name in ("random", "greedy")),
    }
    curves.Command(args.out, tmp_path / "curves.svg").run()
    assert (tmp_path / "curves.svg").stat().st_size > 1000
    with pytest.raises(ValueError, match="--resume goes on with it"):
        ppo.train(args)
    assert ppo.train(dataclasses.replace(args, total_timesteps=3072, resume=True)).steps == 3072
    export.Command(args.out / "last.pt", tmp_path / "player.npz").run()
    assert read_opponents(f"random,{tmp_path / 'player.npz'}@2", "detectives").keys() == {
        make_policy("random"),
        FileScorer(file=str(tmp_path / "player.npz")),
    }


def test_policies_of_one_name_have_curves_of_their_own() -> None:
    pool = read_opponents("hunters,hunters:particles=8,greedy,hunters:starts=1", "detectives")
    assert names_of(pool) == ["hunters", "hunters_2", "greedy", "hunters_3"]
    args = ppo.Command(opponent="greedy,random,decoy,decoy:w_r=0.1", num_envs=2)
    assert list(ppo.make_learner(args).eval_opponents) == ["greedy", "random", "decoy", "decoy_2"]


def test_control_c_saves_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(monkeypatch, ppo)
    args = dataclasses.replace(ARGS, out=tmp_path / "run")
    assert ppo.train(args).steps == 512
    assert (args.out / "last.pt").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden_size": 32}, "hidden_size"),
        ({"side": "mr_x"}, "side"),
        ({"board": "london", "rules": "classic"}, "another board: give the --board that it began with"),
        ({"rules": "glasses", "board": "glasses"}, "another board"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "last.pt", ppo.make_learner(ARGS).state())
    args = dataclasses.replace(ARGS, out=tmp_path, resume=True, **change)  # type: ignore[arg-type]
    if args.side == "mr_x":
        args = dataclasses.replace(args, opponent="greedy")
    with pytest.raises(ValueError, match=f"was made for {message}"):
        ppo.train(args)


def test_bad_arguments_say_what_is_right(tmp_path: Path) -> None:
    args = dataclasses.replace(ARGS, out=tmp_path)
    with pytest.raises(ValueError, match="num_envs is 0: give a whole number"):
        ppo.train(dataclasses.replace(args, num_envs=0))
    with pytest.raises(ValueError, match="there is no side 'cops'"):
        ppo.train(dataclasses.replace(args, side="cops"))
    with pytest.raises(PolicyError, match="there is no policy 'greddy'"):
        ppo.train(dataclasses.replace(args, opponent="greddy"))
    with pytest.raises(ValueError, match="there is no checkpoint"):
        ppo.train(dataclasses.replace(args, resume=True))
    (tmp_path / "last.pt").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="is no checkpoint"):
        ppo.train(dataclasses.replace(args, resume=True))


@pytest.mark.parametrize("wrong", [["--hidden-size", "0"], ["--opponent", "nobody"], ["--init-weights", "none.npz"]])
def test_what_a_user_gets_wrong_is_one_sentence_and_leaves_nothing(wrong: list[str], tmp_path: Path) -> None:
    call = [sys.executable, "-m", "scotyard_training.ppo", "--out", str(tmp_path / "run"), *wrong]
    ended = subprocess.run(call, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


# -------------------------------------------------------------------------------------------------- several processes


def test_two_processes_go_on_exactly_from_where_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    args = dataclasses.replace(
        ARGS, total_timesteps=1024, eval_interval=512, eval_games=1, processes=2, out=tmp_path / "whole"
    )
    parts, save = dataclasses.replace(args, out=tmp_path / "parts", resume=True), PpoLearner.save
    parts.out.mkdir()

    def save_and_keep_the_first(learner: PpoLearner, out: Path) -> None:
        save(learner, out)
        if learner.steps == 512:
            shutil.copy(out / "last.pt", parts.out)

    with monkeypatch.context() as patch:
        patch.setattr(PpoLearner, "save", save_and_keep_the_first)
        whole = ppo.train(args)
    resumed = ppo.train(parts)
    assert whole.steps == resumed.steps == 1024
    assert same(whole.actor, resumed.actor)
    assert whole.games.batch.states.tobytes() == resumed.games.batch.states.tobytes()
    mine, others = (read_checkpoint(args.out / "last.pt")[name] for name in ("games", "others"))
    assert len(mine["playing"]) == len(others[0]["games"]["playing"]) == 16
    assert not mine["states"].equal(others[0]["games"]["states"])
    with pytest.raises(ValueError, match="was made for processes 2, not 1"):
        ppo.train(dataclasses.replace(parts, processes=1))


class Unwelcome:
    """What no other process can make again."""

    def __reduce__(self) -> tuple[object, ...]:
        return int, ("no number",)


def test_a_process_that_cannot_begin_is_told_of(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="a process of the team could not begin"), lead(2, print, Unwelcome()):
        pytest.fail("there is nobody to lead")
    assert "invalid literal for int()" in capfd.readouterr().err


def test_games_that_processes_cannot_share_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="num_envs is 32: give a multiple of the 3 processes"):
        ppo.train(dataclasses.replace(ARGS, processes=3, out=tmp_path))
    with pytest.raises(ValueError, match="minibatch_size is 127: give a multiple of the 2 processes"):
        ppo.train(dataclasses.replace(ARGS, processes=2, minibatch_size=127, out=tmp_path))


def test_shares_of_a_minibatch_add_up_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = ppo.make_learner(ARGS)
    rollout = play(learner)
    rng = np.random.default_rng(0)
    advantages, returns = (rng.normal(size=len(rollout.chosen)).astype(np.float32) for _ in range(2))
    monkeypatch.setattr(learner, "descend", lambda *_: None)

    def gradients(part: np.ndarray) -> torch.Tensor:
        for flat in learner.gradients.values():
            flat.zero_()
        learner.learn_from(rollout, part, advantages[part], returns[part], anneal(ARGS, 0))
        return torch.cat([*learner.gradients.values()])

    whole = gradients(np.arange(512))
    learner.team = Team(size=2)
    shares = gradients(np.arange(256)) + gradients(np.arange(256, 512))
    torch.testing.assert_close(shares, whole, rtol=1e-4, atol=1e-6)


def test_advantages_are_normalised_by_minibatch() -> None:
    advantages = np.random.default_rng(0).normal(3.0, 2.0, 300).astype(np.float32)
    found = ppo.make_learner(ARGS).normalise(advantages, 128)
    for part in (slice(0, 128), slice(128, 256), slice(256, 300)):
        wanted = (advantages[part] - advantages[part].mean()) / advantages[part].std(ddof=1)
        np.testing.assert_allclose(found[part], wanted, atol=1e-5)


# ------------------------------------------------------------------------------------------------------- imitation


def test_the_learner_comes_to_agree_with_its_teacher(tmp_path: Path) -> None:
    settings = {"num_envs": 64, "num_steps": 8, "minibatch_size": 64, "total_timesteps": 6144}
    learner = imitate.train(dataclasses.replace(LESSONS, **settings, out=tmp_path))  # type: ignore[arg-type]
    inputs, labels = learner.collect(8, share=0.0)
    log_probs = learner.actor(take(inputs, np.arange(len(labels)))).detach().numpy()
    assert np.mean(log_probs.argmax(axis=1) == labels) > 0.7


def test_resumed_imitation_equals_uninterrupted_imitation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = imitate.train(dataclasses.replace(LESSONS, out=tmp_path / "whole"))
    parts = dataclasses.replace(LESSONS, out=tmp_path / "parts")
    with monkeypatch.context() as patch:
        interrupt(patch, imitate)
        assert imitate.train(parts).steps == 512
    with pytest.raises(ValueError, match="--resume goes on with it"):
        imitate.train(parts)
    resumed = imitate.train(dataclasses.replace(parts, resume=True))
    assert whole.steps == resumed.steps == 1536
    assert same(whole.actor, resumed.actor)
    with pytest.raises(ValueError, match="was made for script 'imitate'"):
        ppo.train(dataclasses.replace(ARGS, out=parts.out, resume=True))


@pytest.mark.parametrize("script", [ppo, imitate])
def test_weights_of_another_network_say_what_to_give(script: Any, tmp_path: Path) -> None:
    Actor(32, 4).weights().save(tmp_path / "narrow.npz")
    args: Any = LESSONS if script is imitate else ARGS
    with pytest.raises(ValueError, match="for 32 stations, 4 wide, not 32 stations, 16 wide: give their --board and"):
        script.train(dataclasses.replace(args, out=tmp_path / "run", init_weights=str(tmp_path / "narrow.npz")))
    assert not (tmp_path / "run").exists()


def test_a_player_is_exported_to_a_file_of_weights_only(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "last.pt", ppo.make_learner(ARGS).state())
    (tmp_path / "mine.py").write_text("mine")
    with pytest.raises(ValueError, match=r"mine\.py: the endings that can be written are \.npz"):
        export.Command(tmp_path / "last.pt", tmp_path / "mine.py").run()
    assert (tmp_path / "mine.py").read_text() == "mine"
    export.Command(tmp_path / "last.pt", tmp_path / "player.npz").run()
    with pytest.raises(ValueError, match="holds one player: leave --side out"):
        export.Command(tmp_path / "player.npz", tmp_path / "other.npz", "mr_x").run()
