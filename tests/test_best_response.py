"""Best responses: they learn, go on where they were stopped, and are measured on deals that nothing was chosen by."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import refuse
from responses import store_response
from small_runs import fail, interrupt

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_baselines.networks.move_scorer import FileScorer, shipped_scorer  # noqa: E402
from scotyard_baselines.robustness.response import Response, find_responses, load_response  # noqa: E402
from scotyard_env.arena.engine import Engine  # noqa: E402
from scotyard_env.arena.rating import Rate  # noqa: E402
from scotyard_env.batch import Batch  # noqa: E402
from scotyard_env.cli import parse  # noqa: E402
from scotyard_env.policy import Side, make_policy  # noqa: E402
from scotyard_training import best_response, ppo  # noqa: E402
from scotyard_training.learning import evaluation  # noqa: E402
from scotyard_training.learning.budgets import BUDGETS  # noqa: E402
from scotyard_training.learning.spread import spread  # noqa: E402

SMALL = best_response.Command(
    "random",
    "detectives",
    total_timesteps=1024,
    seeds=2,
    starts=("blank",),
    games=20,
    board="glasses",
    num_envs=16,
    num_steps=16,
    hidden_size=8,
    minibatch_size=128,
    eval_games=5,
)


def answer(out: Path, **changes: Any) -> Response:
    return best_response.train(dataclasses.replace(SMALL, out=out, **changes))


def players(folder: Path) -> dict[str, bytes]:
    """Return the content of all files that decide how a response plays and what is said of it."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.npz")}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a response."""
    folder = tmp_path_factory.mktemp("finished") / "out"
    answer(folder)
    return folder


# --------------------------------------------------------------------------------------------------------- learning


LEARNING: dict[str, Any] = {
    "seeds": 1,
    "games": 1000,
    "num_envs": 64,
    "num_steps": 32,
    "hidden_size": 32,
    "minibatch_size": 512,
    "learning_rate": 3e-3,
    "eval_games": 50,
}


@pytest.mark.parametrize("side", ["mr_x", "detectives"])
def test_a_response_to_chance_is_better_than_one_that_has_not_learned(side: Side, tmp_path: Path) -> None:
    options = LEARNING | {"against_side": side}
    before = answer(tmp_path / "before", **options | {"total_timesteps": 1, "learning_rate": 0.0})
    after = answer(tmp_path / "after", **options, total_timesteps=20_000)
    assert after.rate.interval[0] > before.rate.interval[1]


def test_a_response_that_tries_everything_finds_what_an_exact_one_wins(tmp_path: Path) -> None:
    found = answer(tmp_path, **LEARNING, against="greedy", total_timesteps=80_000)
    low, high = found.rate.interval
    assert low < 0.5 < high  # what scotyard exploitability enumerates


def test_a_sharpened_network_plays_as_at_its_temperature(finished: Path) -> None:
    views = Batch(8, "glasses", seed=3).views()
    best, player = (str(finished / "blank-0" / name) for name in ("best.npz", "player.npz"))
    (_, wanted), (_, found) = (
        FileScorer(temperature, file).probabilities(views) for temperature, file in ((0.1, best), (1.0, player))
    )
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert not np.allclose(found, FileScorer(1.0, best).probabilities(views)[1])


@pytest.mark.parametrize(("against", "side"), [("hider", "mr_x"), ("coverage", "detectives")])
def test_a_policy_that_plays_one_side_is_answered_by_the_other(against: str, side: Side, tmp_path: Path) -> None:
    found = answer(tmp_path, against=against, against_side=None, seeds=1, total_timesteps=64)
    assert found.challenge.against_side == side


@pytest.mark.parametrize("against", ["odd_policies:First", "odd_policies:Loose"])
def test_anybodys_policy_is_answered_whether_it_can_be_hashed_or_decides_in_batches(
    against: str, tmp_path: Path
) -> None:
    found = answer(tmp_path, against=against, seeds=1, games=3, total_timesteps=64)
    assert found.challenge.against.path == against
    assert found.challenge.against.content is not None
    assert not hasattr(make_policy(against), "act_batch")


# ------------------------------------------------------------------------------------------------------ what is said


def test_the_response_says_what_was_answered_how_and_how_well(finished: Path) -> None:
    told = json.loads((finished / "response.json").read_text(encoding="utf-8"))
    assert told["against"]["name"] == "random"
    assert (told["against_side"], told["board"], told["rules"]["name"]) == ("detectives", "glasses", "glasses")
    assert told["budget"] == {"name": "own", "total_timesteps": 1024, "seeds": [0, 1], "starts": ["blank"]}
    assert [(run["start"], run["seed"], run["games"]) for run in told["runs"]] == [("blank", 0, 20), ("blank", 1, 20)]
    assert told["settings"]["hidden_size"] == 8
    assert parse(told["command"].split()[1:]) == dataclasses.replace(SMALL, out=finished)
    chosen = finished / f"blank-{told['chosen']}" / "player.npz"
    assert (finished / "response.npz").read_bytes() == chosen.read_bytes()
    assert load_response(finished).response.rate == Rate(told["wins"], 20)


def test_the_worst_is_chosen_on_other_deals_than_it_is_measured_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []
    wins = {"blank-0": 3, "blank-1": 9, "blank-2": 5}

    def count(job: best_response.Job, purpose: str) -> int:
        asked.append((job.name, purpose))
        return wins[job.name] if purpose == "compare" else 4

    monkeypatch.setattr(best_response, "count_player_wins", count)
    found = answer(tmp_path, seeds=3, total_timesteps=16)
    assert asked == [*((name, "compare") for name in wins), ("blank-1", "report")]
    assert found.runs[found.chosen].name == "blank-1"
    assert [run.rate for run in found.runs] == [Rate(number, 20) for number in wins.values()]
    assert found.rate == Rate(4, 20)  # and not the 9 that it was chosen by


def test_no_deal_is_used_for_two_purposes() -> None:
    fresh = [best_response.deals_seed(seed, purpose) for seed in range(5) for purpose in ("compare", "report")]
    assert len({*fresh}) == len(fresh)
    assert min(fresh) >= 2**32  # above every seed of a training, and of its evaluations


def test_all_runs_are_compared_on_the_same_deals(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(evaluation, "play_games", lambda *_, seed, **__: seeds.append(seed) or 0)
    args = dataclasses.replace(SMALL, out=finished)
    for job in best_response.list_jobs(args, best_response.make_challenge(args)):
        best_response.count_player_wins(job, "compare")
    assert len(seeds) == 2
    assert seeds[0] == seeds[1]


@pytest.mark.parametrize("side", ["mr_x", "detectives"])
def test_wins_are_those_of_the_response(side: Side, finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "play_games", lambda *_, **__: 15)  # that Mr. X is caught
    args = dataclasses.replace(SMALL, out=finished, against_side=side)
    job = best_response.list_jobs(args, best_response.make_challenge(args))[0]
    assert best_response.count_player_wins(job, "report") == (15 if side == "mr_x" else 5)


def test_a_budget_keeps_its_name_only_if_it_is_kept_to() -> None:
    plain = best_response.Command("coverage")
    for name, preset in BUDGETS.items():
        budget = best_response.make_challenge(dataclasses.replace(plain, budget=name)).budget
        assert (budget.name, budget.total_timesteps, budget.starts) == (name, preset.total_timesteps, preset.starts)
        assert budget.seeds == (*range(preset.seeds),)
    assert best_response.make_challenge(dataclasses.replace(plain, seeds=7)).budget.name == "own"


def test_where_no_shipped_network_fits_the_board_the_linear_skip_takes_its_place() -> None:
    args = best_response.Command("coverage", board="glasses")
    assert best_response.make_challenge(args).budget.starts == ("blank", "linear_skip")


def test_a_shipped_start_begins_as_the_network_that_ships(tmp_path: Path) -> None:
    args = best_response.Command("coverage", starts=("shipped",), seeds=1, total_timesteps=1, num_envs=2, out=tmp_path)
    (job,) = best_response.list_jobs(args, best_response.make_challenge(args))
    learner = ppo.make_learner(best_response.make_training(job))
    assert (learner.actor.weights().trunk == shipped_scorer("ppo_mr_x").weights.trunk).all()
    assert learner.actor.reads_own_posterior


# --------------------------------------------------------------------------------------------------------- going on


def test_stopped_and_gone_on_with_it_is_the_response_of_an_uninterrupted_run(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        interrupt(patch, ppo)
        with pytest.raises(SystemExit) as stop:
            answer(out)
    assert stop.value.code == 130
    assert "stopped; 0 of 2 runs are finished, the same command goes on" in capsys.readouterr().err
    assert not (out / "response.json").exists()
    again = answer(out)
    assert dataclasses.replace(again, command="") == dataclasses.replace(load_response(finished).response, command="")
    assert players(out) == players(finished)


def test_a_run_that_is_finished_is_not_run_again(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    monkeypatch.setattr(ppo, "train", None)
    assert answer(out).rate == load_response(finished).response.rate
    (out / "response.json").unlink()
    assert answer(out).rate == load_response(finished).response.rate


def test_two_processes_come_to_the_same_response_as_one(finished: Path, tmp_path: Path) -> None:
    found = answer(tmp_path / "out", workers=2)
    assert found.runs == load_response(finished).response.runs
    assert players(tmp_path / "out") == players(finished)
    assert (tmp_path / "out" / "blank-0" / "log.txt").stat().st_size > 0


def test_a_ray_cluster_comes_to_the_same_response(finished: Path, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed: pip install 'scotyard-env[ray]'")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, object_store_memory=80_000_000)
    try:
        found = answer(tmp_path / "out", engine="ray")
    finally:
        ray.shutdown()
    assert found.runs == load_response(finished).response.runs
    assert players(tmp_path / "out") == players(finished)


@pytest.mark.parametrize(
    ("job", "words"),
    [("raises", "raises: something is wrong"), ("dies", r"the process of dies has ended early \(exit code 9\)")],
)
def test_what_becomes_of_a_process_is_said(job: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=words):
        list(spread(fail, {job: job}, Engine(workers=1), tmp_path))


# ------------------------------------------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"against": "greedy"}, "against: class is scotyard_baselines.random:Random there, scotyard_baselines.greedy"),
        ({"against_side": "mr_x"}, "against_side is detectives there, mr_x here"),
        ({"total_timesteps": 2048}, "budget: total_timesteps is 1024 there, 2048 here"),
        ({"seeds": 3}, r"budget: seeds is \[0, 1\] there, \[0, 1, 2\] here"),
        ({"games": 21}, "games is 20 there, 21 here"),
        ({"ent_coef": 0.5}, "settings: ent_coef is 0.01 there, 0.5 here"),
        ({"board": "docklands"}, "board is glasses there, docklands here"),
    ],
)
def test_a_folder_of_other_responses_is_refused_and_stays(changes: dict[str, Any], words: str, finished: Path) -> None:
    before = {file: file.read_bytes() for file in finished.rglob("*") if file.is_file()}
    with pytest.raises(ValueError, match=f"holds other responses, nothing was changed: {words}.*take another --out"):
        answer(finished, **changes)
    assert {file: file.read_bytes() for file in finished.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("challenge.json", r"challenge\.json cannot be read: .*; take another --out"),
        ("response.json", r"response\.json is no response that can be read: .*; train it again"),
        ("response.npz", r"response\.npz is not the player that response\.json tells of"),
    ],
)
def test_a_damaged_file_is_refused(file: str, words: str, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    (out / file).write_bytes((out / file).read_bytes()[:-20])
    with pytest.raises(ValueError, match=words):
        answer(out)


@pytest.mark.parametrize("file", ["result.json", "player.npz"])
def test_a_damaged_run_is_refused(file: str, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    (out / "response.json").unlink()
    (out / "blank-1" / file).write_bytes(b"[")
    with pytest.raises(ValueError, match=r"result\.json cannot be read: .*; delete .*blank-1, and its run begins anew"):
        answer(out)


def test_a_response_without_what_was_asked_is_not_written_over(tmp_path: Path) -> None:
    store_response(tmp_path, "random", "detectives", wins=3)
    with pytest.raises(ValueError, match=r"has response\.json but no challenge\.json"):
        answer(tmp_path)
    assert len(find_responses(tmp_path)) == 1


def test_one_process_at_a_time_has_a_folder(finished: Path) -> None:
    with (
        best_response.open_alone(finished / "challenge.json"),
        pytest.raises(ValueError, match="is in use: another process writes there"),
    ):
        answer(finished)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--against nobody", "there is no policy 'nobody': there are"),
        ("--against greedy", "greedy plays both sides: say which is answered, --against-side mr_x or detectives"),
        ("--against hider --against-side detectives", "policy 'hider' plays mr_x, not detectives"),
        ("--against greedy,random", "against is 'greedy,random': give one policy, without a weight"),
        ("--against hider@2", "against is 'hider@2': give one policy, without a weight"),
        ("--against file:nowhere.npz --against-side mr_x", "nowhere.npz cannot be read: No such file"),
        ("--against hider --board glasses --starts shipped", "is for 199 stations, not 11: give other --starts"),
        ("--against hider --games 0", "games is 0: give a whole number from 1 to"),
        ("--against hider --seeds 0", "seeds is 0: give a whole number from 1 to"),
        ("--against hider --board docklands --rules classic", "leave the rules out to play by those of the board"),
        ("--against hider --address auto", "address is 'auto', which goes with the engine ray"),
    ],
)
def test_wrong_input_is_one_line_that_helps_and_nothing_is_made(
    arguments: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in refuse(monkeypatch, capsys, f"train best_response {arguments} --out out")
    assert os.listdir(tmp_path) == []


def test_a_damaged_response_says_how_it_is_made_again(finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    (out / "response.npz").write_bytes(b"")
    with pytest.raises(ValueError, match=r"delete .*response\.json, and the same command makes both files again"):
        answer(out)
    (out / "response.json").unlink()
    assert answer(out).weights == load_response(finished).response.weights
