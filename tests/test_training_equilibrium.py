from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_runs import interrupt, read_tags, same

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_baselines.commands import exploitability  # noqa: E402
from scotyard_baselines.exact import public_tree  # noqa: E402
from scotyard_env.policy import SIDES  # noqa: E402
from scotyard_training import equilibrium, exploitability_curves, exploitability_table  # noqa: E402
from scotyard_training.learning.alike import Numbers, collect_alike  # noqa: E402
from scotyard_training.learning.backprop import split, take_chunk  # noqa: E402
from scotyard_training.learning.exact_evaluation import ExactGame  # noqa: E402
from scotyard_training.learning.losses import add_kl_gradients  # noqa: E402
from scotyard_training.learning.measured import FILE, Measured, Point, read_measured  # noqa: E402
from scotyard_training.learning.mmd_learner import MmdLearner  # noqa: E402
from scotyard_training.learning.rollout import collect, take  # noqa: E402

TINY = equilibrium.Command(
    num_envs=32, num_steps=8, hidden_size=8, minibatch_size=128, total_timesteps=1024, eval_interval=512
)


@pytest.fixture
def learner() -> MmdLearner:
    """Return a side whose magnet is somewhere else."""
    learner = equilibrium.make_learners(TINY)["detectives"]
    with torch.no_grad():
        for network in (learner.actor, learner.magnet):
            for weights in network.parameters():
                weights += 0.2 * torch.randn_like(weights)
    return learner


def test_the_gradients_of_the_divergence_from_the_magnet_are_those_that_torch_derives(learner: MmdLearner) -> None:
    inputs = collect(learner.games, learner.actor.weights(), 20, learner.rng).decisions.inputs
    batch = take(inputs, np.arange(size := len(inputs.facts)))
    log_probs, magnet = learner.actor(batch), learner.magnet(batch)
    excess = log_probs.masked_fill(log_probs.isneginf(), 0.0) - magnet.masked_fill(magnet.isneginf(), 0.0)
    wanted = (log_probs.exp() * excess).sum(1).mean()
    (0.3 * wanted).backward()
    gradients = learner.gradients["actor"].clone()
    learner.gradients["actor"].zero_()
    found = 0.0
    for part in split(np.arange(size)):
        chunk = take_chunk(inputs, part)
        scores = learner.actor_pass.forward(chunk)
        to_scores, magnet_scores = torch.zeros_like(scores), learner.magnet_pass.forward(chunk)
        found += add_kl_gradients(chunk.firsts, scores.numpy(), magnet_scores.numpy(), 0.3 / size, to_scores.numpy())
        learner.actor_pass.backward(to_scores)
    assert found / size == pytest.approx(wanted.item(), rel=1e-4)
    assert found / size > 0.01
    torch.testing.assert_close(learner.gradients["actor"], gradients, rtol=1e-4, atol=1e-6)


def test_a_player_at_its_magnet_is_not_moved_by_it() -> None:
    learner = equilibrium.make_learners(TINY)["mr_x"]
    chunk = take_chunk(collect(learner.games, learner.actor.weights(), 4, learner.rng).decisions.inputs, np.arange(64))
    scores = learner.actor_pass.forward(chunk)
    to_scores = torch.zeros_like(scores)
    learner.regularise(chunk, scores, 1.0, to_scores)
    assert to_scores.abs().max() < 1e-6
    assert learner.divergence == pytest.approx(0.0, abs=1e-6)


def test_the_magnet_follows_the_player_at_its_rate() -> None:
    learners = equilibrium.make_learners(TINY)
    learner = learners["mr_x"]
    before = learner.actor.trunk.detach().clone()
    equilibrium.learn(learners, dataclasses.replace(TINY, magnet_rate=0.25))
    assert not learner.actor.trunk.equal(before)
    torch.testing.assert_close(learner.magnet.trunk, before + 0.25 * (learner.actor.trunk.detach() - before))


def test_each_side_plays_against_the_other_as_it_is_now() -> None:
    learners = equilibrium.make_learners(TINY)
    equilibrium.learn(learners, TINY)
    for side, other in (SIDES, SIDES[::-1]):
        (rival,) = learners[side].games.duel.pool.policies
        assert isinstance(rival, equilibrium.Rival)
        assert rival.actor is learners[other].actor


def test_a_share_of_the_moves_of_both_sides_is_drawn_from_all(learner: MmdLearner) -> None:
    views = learner.games.batch.views()
    inputs, plain = equilibrium.Rival(actor=learner.actor).probabilities(views)
    _, mixed = equilibrium.Rival(actor=learner.actor, uniform_mix=0.2).probabilities(views)
    for first, end in itertools.pairwise(inputs.firsts):
        np.testing.assert_allclose(mixed[first:end], 0.8 * plain[first:end] + 0.2 / (end - first))
    rollout = collect(learner.games, learner.actor.weights(), 1, learner.rng, uniform_mix=0.2)
    np.testing.assert_allclose(np.exp(rollout.log_probs), mixed[rollout.chosen + inputs.firsts[:-1]], rtol=1e-5)


def test_keys_are_numbered_in_the_order_in_which_they_come_up_however_many_there_are() -> None:
    numbers, seen, rng = Numbers(), {}, np.random.default_rng(0)
    for size in (1, 5, 300, 40, 2000):
        keys = rng.integers(0, 7, (size, 4)).astype(np.uint32) << np.arange(0, 32, 8, dtype=np.uint32)
        wanted = [seen.setdefault(key.tobytes(), len(seen)) for key in keys]
        assert numbers.number(keys).tolist() == wanted
        assert numbers.count == len(seen)


def make_twins() -> list[MmdLearner]:
    """Return the same learner twice, each with games of its own."""
    return [equilibrium.make_learners(TINY)["detectives"] for _ in range(2)]


def test_decisions_that_are_alike_are_played_as_if_each_were_worked_out_for_itself() -> None:
    one, other = make_twins()
    plain = collect(one.games, one.actor.weights(), 20, one.rng, uniform_mix=0.2)
    alike = collect_alike(other.games, other.actor.weights(), 20, other.rng, uniform_mix=0.2)
    assert alike.which is not None
    assert len(alike.decisions.mr_x) < len(plain.decisions.mr_x) / 2
    for name in ("chosen", "rewards", "ended"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(alike, name), name)
    np.testing.assert_allclose(alike.log_probs, plain.log_probs, rtol=1e-5)
    np.testing.assert_array_equal(alike.decisions.mr_x[alike.which], plain.decisions.mr_x)
    np.testing.assert_array_equal(alike.decisions.inputs.facts[alike.which], plain.decisions.inputs.facts)
    for some, same_ones in zip(alike.after.inputs, plain.after.inputs, strict=True):
        np.testing.assert_array_equal(some, same_ones)


def test_decisions_that_are_alike_are_learned_from_as_if_each_were_worked_out_for_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for learner, gather in zip(make_twins(), (collect, collect_alike), strict=True):
        rollout = gather(learner.games, learner.actor.weights(), 20, learner.rng, 0.2)
        with torch.no_grad():  # away from what has played, and from the magnet
            for weights in learner.actor.parameters():
                weights += 0.1 * torch.randn(weights.shape, generator=torch.Generator().manual_seed(1))
        part = np.arange(0, rollout.rewards.size, 3)
        advantages, returns = np.random.default_rng(0).normal(size=(2, len(part))).astype(np.float32)
        monkeypatch.setattr(learner, "descend", lambda *_: None)
        losses = learner.learn_from(rollout, part, advantages, returns, equilibrium.anneal(TINY, 0))
        found.append((losses, learner.divergence, learner.all_gradients))
    (losses, divergence, gradients), (alike_losses, alike_divergence, alike_gradients) = found
    np.testing.assert_allclose(alike_losses, losses, rtol=1e-4)
    assert alike_divergence == pytest.approx(divergence, rel=1e-4)
    assert gradients.abs().max() > 0.01
    torch.testing.assert_close(alike_gradients, gradients, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("reveals", [None, (3,)])
def test_what_is_measured_while_learning_is_what_the_command_prints_for_the_saved_players(
    reveals: tuple[int, ...] | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = dataclasses.replace(TINY, out=tmp_path, reveals=reveals)
    learners, game = equilibrium.train(args), ExactGame(*args.game())
    files = tuple(f"file:{tmp_path / side}.npz" for side in SIDES)
    capsys.readouterr()
    exploitability.Command(reveals=reveals, policy=files).run()
    printed = capsys.readouterr().out
    for side, file in zip(SIDES, files, strict=True):
        (row,) = re.findall(rf"\| {re.escape(file)} \| {side} \| \S+ \| (\S+) \|", printed)
        assert float(row) == pytest.approx(
            equilibrium.measure(game, side, learners[side])["eval/exploitability"], abs=6e-5
        )


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    args = dataclasses.replace(TINY, measure=False)
    whole = equilibrium.train(dataclasses.replace(args, out=tmp_path / "whole"))
    parts = dataclasses.replace(args, out=tmp_path / "parts")
    with monkeypatch.context() as patch:
        interrupt(patch, equilibrium)
        assert equilibrium.train(parts)["mr_x"].steps == 256
    with pytest.raises(ValueError, match="--resume goes on with it"):
        equilibrium.train(parts)
    resumed = equilibrium.train(dataclasses.replace(parts, resume=True))
    for side in SIDES:
        assert whole[side].steps == resumed[side].steps == 1024
        for name in ("actor", "critic", "magnet"):
            assert same(getattr(whole[side], name), getattr(resumed[side], name)), name
    with pytest.raises(ValueError, match="was made for"):
        equilibrium.train(dataclasses.replace(parts, resume=True, reveals=(3,)))


def test_a_damaged_magnet_is_refused(tmp_path: Path) -> None:
    learners = equilibrium.make_learners(TINY)
    learners["mr_x"].magnet.trunk[0, 0] = torch.nan
    equilibrium.save_checkpoint(tmp_path / "last.pt", equilibrium.content_of(learners))
    with pytest.raises(ValueError, match="magnet: trunk has numbers that are not finite"):
        equilibrium.make_learners(dataclasses.replace(TINY, out=tmp_path, resume=True))


def test_a_short_run_ends_less_exploitable_than_it_began(tmp_path: Path) -> None:
    args = dataclasses.replace(
        TINY,
        num_envs=128,
        num_steps=16,
        hidden_size=32,
        minibatch_size=512,
        total_timesteps=80_000,
        eval_interval=40_000,
        out=tmp_path,
    )
    game, blank = ExactGame(*args.game()), equilibrium.make_learners(args)["detectives"]
    before = game.exploitability("detectives", blank.actor.weights())
    trained = equilibrium.train(args)["detectives"]
    assert game.exploitability("detectives", trained.actor.weights()) < before / 2
    assert {"eval/exploitability", "losses/magnet_kl", "losses/entropy"} <= read_tags(tmp_path / "mr_x")
    exploitability_curves.Command(tmp_path / "curves.svg", (tmp_path,)).run()
    assert (tmp_path / "curves.svg").stat().st_size > 1000


def test_what_was_measured_is_kept_over_a_resumed_run_and_tabulated_by_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "never_revealed"
    args = dataclasses.replace(TINY, out=folder / "resumed", seed=1)
    equilibrium.train(dataclasses.replace(args, total_timesteps=512))
    half = read_measured(args.out)
    equilibrium.train(dataclasses.replace(args, resume=True))
    whole = read_measured(args.out / FILE)
    assert [point.decisions for point in whole.points] == [512, 1024]
    assert whole.points[:1] == half.points
    assert whole.points[1].cpu_seconds > half.points[0].cpu_seconds
    end = whole.points[1]
    for name, changes in {"again": {"seed": 0}, "other": {"kl_coef": 0.0}}.items():
        (folder / name).mkdir()
        whole._replace(settings=whole.settings | changes).write(folder / name / FILE)
    capsys.readouterr()
    exploitability_table.Command((folder / "resumed", folder / "again", folder / "other" / FILE)).run()
    *_, first, second = capsys.readouterr().out.splitlines()
    assert f"| 0, 1 | 0.0 M | {end.detectives:.3f}, {end.detectives:.3f} |" in first
    assert "--num-envs 32" in first
    assert "--kl-coef 0.0" in second
    assert f"| 1 | 0.0 M | {end.detectives:.3f} | {end.mr_x:.3f} |" in second


def test_the_table_of_the_page_is_what_the_command_makes_of_the_kept_runs() -> None:
    docs = Path(__file__).parents[1] / "docs"
    kept = tuple(sorted((docs / "equilibrium").glob("*/*.json")))
    assert kept
    assert "\n".join(exploitability_table.tabulate(kept)) in (docs / "equilibrium.md").read_text(encoding="utf-8")


def test_a_damaged_measurement_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"settings": {}, "columns": [], "points": []}')
    with pytest.raises(
        ValueError, match="its columns are not decisions, cpu_seconds, seconds, mr_x, detectives, mr_x_magnet"
    ):
        exploitability_table.Command((tmp_path,)).run()
    with pytest.raises(ValueError, match="name the folders that scotyard train equilibrium was given as --out"):
        exploitability_table.Command(()).run()
    Measured({"kl_coef": 0.5}, [Point(*[0] * 7)]).write(tmp_path / FILE)
    with pytest.raises(ValueError, match="its settings lack the seed"):
        exploitability_table.Command((tmp_path,)).run()
    (tmp_path / FILE).unlink()
    with pytest.raises(ValueError, match=r"exploitability\.json cannot be read: No such file or directory; give what"):
        exploitability_table.Command((tmp_path,)).run()


def test_a_picture_of_no_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="name the folders that scotyard train equilibrium was given as --out"):
        exploitability_curves.Command(tmp_path / "curves.svg", ()).run()
    with pytest.raises(ValueError, match=r"exploitability\.json cannot be read: .*give what scotyard train eq"):
        exploitability_curves.Command(tmp_path / "curves.svg", (tmp_path,)).run()
    with pytest.raises(ValueError, match=r"the endings that can be written are \.svg, \.png"):
        exploitability_curves.Command(tmp_path, (tmp_path,)).run()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kl_coef": -1.0}, r"kl_coef is -1\.0: give a number from 0 to 1_000"),
        ({"magnet_rate": 2.0}, r"magnet_rate is 2\.0: give a number from 0 to 1"),
        ({"ent_coef_end": 0.0}, r"ent_coef_end is 0\.0: give a number"),
        ({"reveals": (9,)}, "reveals"),
        ({"rules": "classic"}, "leave the rules out to play by those of the board"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_made(wrong: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=words):
        equilibrium.train(dataclasses.replace(TINY, out=tmp_path / "run", **wrong))
    assert not (tmp_path / "run").exists()


def test_a_game_too_large_to_be_measured_is_refused_but_can_be_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_tree, "MOST_POSITIONS", 100)
    args = dataclasses.replace(TINY, total_timesteps=256, out=tmp_path / "run")
    with pytest.raises(ValueError, match="glasses has more than 100 positions: give a smaller game"):
        equilibrium.train(args)
    assert not args.out.exists()
    assert equilibrium.train(dataclasses.replace(args, measure=False))["mr_x"].steps == 256
