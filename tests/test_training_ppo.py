from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from small_runs import SMALL, interrupt, same

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_baselines.networks.move_scorer import FileScorer  # noqa: E402
from scotyard_env.duel import play_games  # noqa: E402
from scotyard_env.policy import PolicyError, make_policy  # noqa: E402
from scotyard_env.state import DETECTIVES_WIN, MR_X_WINS  # noqa: E402
from scotyard_training import export, imitate, ppo  # noqa: E402
from scotyard_training.opponents import read_opponents  # noqa: E402
from scotyard_training.session import load_checkpoint, save_checkpoint  # noqa: E402

ARGS = ppo.Args(**SMALL, opponent="random,greedy", evaluate=1024, steps=2048)
LESSONS = imitate.Args(**SMALL, teacher="greedy", opponent="greedy", evaluate=1024, steps=1536)


def new_learner(args: ppo.Args) -> ppo.Learner:
    return ppo.Learner(args, read_opponents(args.opponent, "mr_x" if args.side == "detectives" else "detectives"))


def learn(learner: ppo.Learner, updates: int) -> ppo.Learner:
    for _ in range(updates):
        learner.update(learner.collect())
    return learner


@pytest.mark.parametrize("side", ["mr_x", "detectives"])
def test_the_learner_sees_the_results_of_its_games_as_rewards(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = new_learner(dataclasses.replace(ARGS, side=side, horizon=64))
    wanted = np.zeros((64, 32))
    settle = learner.settle

    def note(games: np.ndarray) -> None:
        won = learner.batch.winners[games] == (MR_X_WINS if side == "mr_x" else DETECTIVES_WIN)
        wanted[learner.moment, games] = np.where(won, 1, -1)
        settle(games)

    monkeypatch.setattr(learner, "settle", note)
    rollout = learner.collect()
    assert rollout.ended.sum() > 10
    np.testing.assert_array_equal(rollout.rewards, wanted)
    np.testing.assert_array_equal(rollout.ended, wanted != 0)


def test_advantages_are_what_the_definition_says() -> None:
    learner = new_learner(ARGS)
    rollout = learner.collect()
    values = np.random.default_rng(0).normal(size=rollout.rewards.shape).astype(np.float32)
    advantages, returns = learner.estimate(rollout, values.ravel())
    after = np.concatenate([values[1:], learner._value_of_now()[None]])
    for game in range(4):
        for moment in range(16):
            total, weight = 0.0, 1.0
            for later in range(moment, 16):
                goes_on = 0.0 if rollout.ended[later, game] else 1.0
                total += weight * (
                    rollout.rewards[later, game] + ARGS.gamma * goes_on * after[later, game] - values[later, game]
                )
                weight *= ARGS.gamma * ARGS.trace * goes_on
            assert advantages.reshape(16, 32)[moment, game] == pytest.approx(total, abs=1e-4)
    np.testing.assert_allclose(returns, advantages + values.ravel(), atol=1e-6)


def test_the_probabilities_of_play_are_those_that_are_learned_from() -> None:
    learner = new_learner(ARGS)
    rollout = learner.collect()
    logs = learner.actor(ppo.take(rollout.inputs, np.arange(len(rollout.picked)))).detach().numpy()
    np.testing.assert_allclose(logs[np.arange(len(logs)), rollout.picked], rollout.logs, atol=1e-5)


@pytest.mark.parametrize("side", ["mr_x", "detectives"])
def test_resumed_training_equals_uninterrupted_training(side: str, tmp_path: Path) -> None:
    args = dataclasses.replace(ARGS, side=side)
    whole = learn(new_learner(args), 4)
    first = learn(new_learner(args), 2)
    save_checkpoint(tmp_path / "last.pt", first.state())
    second = new_learner(args)
    second.restore(load_checkpoint(tmp_path / "last.pt", second.describe()))
    learn(second, 2)
    assert same(whole.actor, second.actor)
    assert whole.batch.states.tobytes() == second.batch.states.tobytes()
    assert whole.steps == second.steps


def test_two_runs_with_one_seed_agree_and_another_seed_differs() -> None:
    assert same(learn(new_learner(ARGS), 2).actor, learn(new_learner(ARGS), 2).actor)
    assert not same(learn(new_learner(ARGS), 1).actor, learn(new_learner(dataclasses.replace(ARGS, seed=1)), 1).actor)


def test_learning_is_learning(tmp_path: Path) -> None:
    args = dataclasses.replace(
        ARGS, instinct=False, opponent="random", games=128, horizon=32, units=32, minibatch=512, rate=3e-3
    )
    learner, greedy = new_learner(args), make_policy("greedy")
    file = tmp_path / "before.npz"
    learner.actor.weights().save(file)
    learn(learner, 14)
    before, after = FileScorer(file=str(file)), ppo.Frozen(actor=learner.actor)
    caught = [play_games(greedy, player, 300, 1, "docklands", "docklands") for player in (before, after)]
    assert caught[1] > caught[0] + 45  # three standard deviations of the difference and more


def test_the_script_leaves_checkpoints_and_goes_on_from_them(tmp_path: Path) -> None:
    args = dataclasses.replace(ARGS, out=tmp_path / "run")
    ppo.main(args)
    assert {"best.npz", "last.npz", "last.pt"} <= {file.name for file in args.out.iterdir()}
    with pytest.raises(ValueError, match="--resume goes on with it"):
        ppo.main(args)
    assert ppo.main(dataclasses.replace(args, steps=3072, resume=True)).steps == 3072
    export.main(export.Args(args.out / "last.pt", tmp_path / "player.npz"))
    assert read_opponents(f"random,{tmp_path / 'player.npz'}@2", "detectives").keys() == {
        make_policy("random"),
        FileScorer(file=str(tmp_path / "player.npz")),
    }


def test_control_c_saves_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(monkeypatch, ppo.Learner)
    args = dataclasses.replace(ARGS, out=tmp_path / "run")
    assert ppo.main(args).steps == 512
    assert (args.out / "last.pt").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"units": 32}, "units"),
        ({"side": "mr_x"}, "side"),
        ({"board": "london", "rules": "classic"}, "board"),
        ({"rules": "glasses", "board": "glasses"}, "board"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "last.pt", new_learner(ARGS).state())
    args = dataclasses.replace(ARGS, out=tmp_path, resume=True, **change)  # type: ignore[arg-type]
    if args.side == "mr_x":
        args = dataclasses.replace(args, opponent="greedy")
    with pytest.raises(ValueError, match=f"was made for {message}"):
        ppo.main(args)


def test_bad_arguments_say_what_is_right(tmp_path: Path) -> None:
    args = dataclasses.replace(ARGS, out=tmp_path)
    with pytest.raises(ValueError, match="games is 0: give a whole number"):
        ppo.main(dataclasses.replace(args, games=0))
    with pytest.raises(ValueError, match="there is no side 'cops'"):
        ppo.main(dataclasses.replace(args, side="cops"))
    with pytest.raises(PolicyError, match="there is no policy 'greddy'"):
        ppo.main(dataclasses.replace(args, opponent="greddy"))
    with pytest.raises(ValueError, match="there is no checkpoint"):
        ppo.main(dataclasses.replace(args, resume=True))
    (tmp_path / "last.pt").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="is no checkpoint"):
        ppo.main(dataclasses.replace(args, resume=True))


# ------------------------------------------------------------------------------------------------------- imitation


def test_the_learner_comes_to_agree_with_its_teacher(tmp_path: Path) -> None:
    pupil = imitate.main(dataclasses.replace(LESSONS, games=64, horizon=8, minibatch=64, steps=6144, out=tmp_path))
    inputs, taught = pupil.attend(alone=0.0)
    logs = pupil.actor(ppo.take(inputs, np.arange(len(taught)))).detach().numpy()
    assert np.mean(logs.argmax(axis=1) == taught) > 0.7


def test_resumed_imitation_equals_uninterrupted_imitation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = imitate.main(dataclasses.replace(LESSONS, out=tmp_path / "whole"))
    parts = dataclasses.replace(LESSONS, out=tmp_path / "parts")
    with monkeypatch.context() as patch:
        interrupt(patch, imitate.Pupil)
        assert imitate.main(parts).steps == 512
    with pytest.raises(ValueError, match="--resume goes on with it"):
        imitate.main(parts)
    resumed = imitate.main(dataclasses.replace(parts, resume=True))
    assert whole.steps == resumed.steps == 1536
    assert same(whole.actor, resumed.actor)
    with pytest.raises(ValueError, match="was made for script 'imitate'"):
        ppo.main(dataclasses.replace(ARGS, out=parts.out, resume=True))
