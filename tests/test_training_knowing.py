"""Training against detectives who know the learner, and the population that grows by it."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from small_runs import SMALL, same

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_baselines.bayes import Bayes  # noqa: E402
from scotyard_baselines.networks.move_scorer import FileScorer  # noqa: E402
from scotyard_baselines.networks.population import shipped_files  # noqa: E402
from scotyard_baselines.networks.weights import Weights  # noqa: E402
from scotyard_baselines.tracker import Tracker  # noqa: E402
from scotyard_env.arena.folder import hold_folder  # noqa: E402
from scotyard_training import population, ppo  # noqa: E402
from scotyard_training.export import read_player  # noqa: E402
from scotyard_training.learning import knowing  # noqa: E402
from scotyard_training.learning.evaluation import ActorPolicy  # noqa: E402
from scotyard_training.learning.knowing import KnowingDetectives, KnowingHunters  # noqa: E402

KNOWN = ppo.Command(**SMALL, side="mr_x", opponent="greedy", knowing_share=0.5, eval_interval=512, total_timesteps=1024)


def test_who_knows_the_learner_believes_by_its_network_as_it_is() -> None:
    learner = ppo.make_learner(KNOWN)
    who_knows = next(one for one in learner.games.duel.pool.policies if isinstance(one, KnowingDetectives))
    ppo.learn(learner, KNOWN)
    who_knows.posterior.forget()
    batch = learner.games.batch
    views = batch.views(viewers=np.ones(len(batch), np.int64))
    rng = np.random.default_rng(0)
    player = ActorPolicy(actor=learner.actor)
    tracked = Tracker(against=player, model_mix=who_knows.posterior.shares.uniform_mix).believe(views, rng)
    np.testing.assert_allclose(who_knows.believe(views, rng), tracked, rtol=1e-4, atol=1e-9)


def test_they_have_their_share_of_the_games() -> None:
    pool: dict[Any, float] = {"greedy": 3.0, "coverage": 1.0}
    posterior = knowing.live_posterior(knowing.LiveNetwork(), "mr_x", reads_own_posterior=False)
    knowing.add_knowing(pool, "mr_x", 0.5, posterior, plain=0.2)
    assert [*pool.values()] == pytest.approx([0.375, 0.125, 0.4, 0.1])
    *_, harder, plainer = pool
    assert harder == KnowingDetectives(posterior=posterior)
    assert plainer == KnowingHunters(posterior=posterior)


def test_detectives_cannot_learn_against_them() -> None:
    with pytest.raises(ValueError, match=r"only a Mr\. X can learn against detectives who know him"):
        ppo.make_learner(dataclasses.replace(KNOWN, side="detectives", opponent="hider"))


@pytest.mark.parametrize("own_posterior", [False, True])
def test_a_run_against_them_goes_on_exactly(tmp_path: Path, own_posterior: bool) -> None:
    args = dataclasses.replace(KNOWN, own_posterior=own_posterior)
    whole = ppo.train(dataclasses.replace(args, out=tmp_path / "whole"))
    parts = dataclasses.replace(args, out=tmp_path / "parts")
    first = ppo.make_learner(parts)
    ppo.learn(first, parts)
    first.evaluate(parts.eval_games, parts.out / "best.npz")
    first.save(parts.out)
    resumed = ppo.train(dataclasses.replace(parts, resume=True))
    assert same(whole.actor, resumed.actor)


def test_what_was_inferred_of_running_games_outlives_an_update_and_an_evaluation() -> None:
    learner = ppo.make_learner(dataclasses.replace(KNOWN, knowing_share=1.0))
    posterior = learner.posterior
    assert posterior is not None
    ppo.learn(learner, KNOWN)
    views = learner.games.batch.views()
    decisions, joint = posterior.recall(views)
    assert decisions.any()
    with learner.infer_afresh():
        assert not posterior.recall(views)[0].any()
    again = posterior.recall(views)
    np.testing.assert_array_equal(again[0], decisions)
    np.testing.assert_array_equal(again[1], joint)


def test_what_cannot_have_been_inferred_is_refused() -> None:
    learner = ppo.make_learner(KNOWN)
    ppo.learn(learner, KNOWN)
    kept = learner.state()
    kept["inferred"]["decisions"] += 50
    with pytest.raises(ValueError, match="inferred goes beyond the games"):
        learner.restore(kept)


def test_detectives_cannot_read_what_they_believe_of_themselves() -> None:
    with pytest.raises(ValueError, match=r"own_posterior is for a Mr\. X"):
        ppo.make_learner(
            dataclasses.replace(KNOWN, side="detectives", opponent="hider", knowing_share=0.0, own_posterior=True)
        )


def test_a_player_that_reads_its_posterior_is_exported_as_such(tmp_path: Path) -> None:
    learner = ppo.make_learner(dataclasses.replace(KNOWN, own_posterior=True))
    learner.save(tmp_path)
    assert read_player(tmp_path / "last.pt").reads_own_posterior
    assert read_player(tmp_path / "last.npz").reads_own_posterior


def test_a_network_that_reads_its_posterior_goes_on_only_as_such(tmp_path: Path) -> None:
    ppo.make_learner(dataclasses.replace(KNOWN, own_posterior=True)).save(tmp_path)
    begun = dataclasses.replace(KNOWN, init_weights=str(tmp_path / "last.npz"))
    assert ppo.make_learner(dataclasses.replace(begun, own_posterior=True)).actor.reads_own_posterior
    with pytest.raises(ValueError, match="train it with --own-posterior"):
        ppo.make_learner(begun)


# ------------------------------------------------------------------------------------------------------- population
ARGS = population.Command(rounds=3, games=6, total_timesteps=1000)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[ppo.Command]:
    """Let responses be what ships, and note what they would have learned against."""
    commands: list[ppo.Command] = []

    def train(command: ppo.Command) -> SimpleNamespace:
        commands.append(command)
        command.out.mkdir(parents=True)
        shutil.copyfile(shipped_files()[0], command.out / "best.npz")
        return SimpleNamespace(steps=command.total_timesteps)

    monkeypatch.setattr(population.ppo, "train", train)
    return commands


def test_every_response_answers_all_members_before_it(
    trained: list[ppo.Command], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def escape_who_know_him_not(mr_x: FileScorer, _: str, detectives: Bayes, games: int, __: int) -> int:
        return 0 if mr_x.file in detectives.files else games

    monkeypatch.setattr(population, "count_wins", escape_who_know_him_not)
    population.grow(dataclasses.replace(ARGS, out=tmp_path, least_gain=0.0))
    files = [*shipped_files(), *(str(tmp_path / f"member_{number}.npz") for number in (1, 2, 3))]
    for number, command in enumerate(trained):
        known = files[: len(shipped_files()) + number]
        assert command.opponent.startswith(f"bayes:population={'+'.join(known)},")
        assert command.init_weights == known[-1]
        assert command.own_posterior == Weights.load(known[-1]).reads_own_posterior
    assert json.loads((tmp_path / "population.json").read_text())["members"] == files


def test_growth_ends_when_a_member_hardly_helps(trained: list[ppo.Command], tmp_path: Path) -> None:
    assert len(population.grow(dataclasses.replace(ARGS, out=tmp_path, least_gain=0.5))) == len(trained) == 1


def test_members_that_are_there_are_not_trained_again(trained: list[ppo.Command], tmp_path: Path) -> None:
    population.grow(dataclasses.replace(ARGS, out=tmp_path, rounds=1, least_gain=0.0))
    population.grow(dataclasses.replace(ARGS, out=tmp_path, rounds=2, least_gain=0.0))
    assert len(trained) == 2


def test_a_response_that_was_stopped_is_no_member(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(population.ppo, "train", lambda _: SimpleNamespace(steps=10))
    with pytest.raises(SystemExit):
        population.grow(dataclasses.replace(ARGS, out=tmp_path))
    assert not list(tmp_path.glob("member_*"))


def test_a_population_that_is_not_there_is_refused_at_once(trained: list[ppo.Command], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nowhere\.npz cannot be read"):
        population.grow(dataclasses.replace(ARGS, out=tmp_path / "new", members="nowhere.npz"))
    assert not trained
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        ({"seed": 1}, "seed is 0 there, 1 here"),
        ({"planning": "starts=2,particles=16"}, "planning is starts=1,particles=16 there, starts=2,particles=16 here"),
        ({"members": shipped_files()[0]}, r"members is \['mr_x_league\.npz .* there"),
    ],
)
def test_a_population_grows_only_with_the_settings_that_it_began_with(
    other: dict[str, Any], problem: str, trained: list[ppo.Command], tmp_path: Path
) -> None:
    population.grow(dataclasses.replace(ARGS, out=tmp_path, rounds=1))
    before = (tmp_path / "population.json").read_bytes()
    with pytest.raises(ValueError, match=f"holds another population, nothing was changed: {problem}"):
        population.grow(dataclasses.replace(ARGS, out=tmp_path, **other))
    assert (tmp_path / "population.json").read_bytes() == before
    assert len(trained) == 1


def test_members_of_which_nothing_is_told_are_none_of_a_population(trained: list[ppo.Command], tmp_path: Path) -> None:
    (tmp_path / "member_1.npz").write_bytes(b"")
    with pytest.raises(ValueError, match=r"has members but no population\.json"):
        population.grow(dataclasses.replace(ARGS, out=tmp_path))
    (tmp_path / "population.json").write_text('{"members": []}')
    with pytest.raises(ValueError, match="cannot be read: it lacks 'settings'; take another --out"):
        population.grow(dataclasses.replace(ARGS, out=tmp_path))
    assert not trained


def test_a_population_grows_in_one_process_at_a_time(trained: list[ppo.Command], tmp_path: Path) -> None:
    with hold_folder(tmp_path), pytest.raises(ValueError, match="in use: another process writes there"):
        population.grow(dataclasses.replace(ARGS, out=tmp_path))
    assert not trained
