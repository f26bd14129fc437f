"""Training: settings, checkpoints and numbers that would spoil a run stop it in a sentence, and nothing is lost."""

from __future__ import annotations

import copy
import dataclasses
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_runs import SMALL, same

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_env.arena.folder import hold_folder  # noqa: E402
from scotyard_env.ranges import bounded_fields  # noqa: E402
from scotyard_env.state import STATE  # noqa: E402
from scotyard_training import best_response, equilibrium, evaluate, imitate, ppo, sb3, selfplay  # noqa: E402
from scotyard_training.learning.checkpoint import read_checkpoint, resume, save_checkpoint  # noqa: E402
from scotyard_training.learning.learner import DivergedError  # noqa: E402
from scotyard_training.learning.settings import check_settings  # noqa: E402

TINY: dict[str, Any] = SMALL | {"num_envs": 4, "num_steps": 4, "hidden_size": 4, "minibatch_size": 8, "eval_games": 1}
PPO = ppo.Command(**TINY, opponent="random", total_timesteps=32, eval_interval=16)
SB3 = sb3.Command(**TINY, opponent="random", total_timesteps=32, eval_interval=16)
LESSONS = imitate.Command(**TINY, teacher="random", opponent="random", total_timesteps=32, eval_interval=16)
LEAGUE = selfplay.Command(**TINY, mr_x="random", detectives="random", minutes=0.001)
EVALUATION = evaluate.Command("a.npz")
RESPONSE = best_response.Command("hider", total_timesteps=1, seeds=1)
EQUILIBRIUM = equilibrium.Command(
    **{name: value for name, value in TINY.items() if name != "eval_games"},
    measure=False,
    total_timesteps=32,
    eval_interval=16,
)
SCRIPTS: list[tuple[Any, Any]] = [
    (ppo, PPO),
    (sb3, SB3),
    (imitate, LESSONS),
    (selfplay, LEAGUE),
    (equilibrium, EQUILIBRIUM),
]
COMMANDS = [command for _, command in SCRIPTS]


# -------------------------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    "command", [*COMMANDS, evaluate.Command("a.npz"), RESPONSE], ids=lambda one: type(one).__module__
)
def test_every_number_that_can_be_set_has_a_range(command: Any) -> None:
    numbers = {
        field.name for field in dataclasses.fields(command) if type(getattr(command, field.name)) in (int, float)
    }
    assert numbers <= {field.name for field in bounded_fields(type(command))}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: type(one).__module__)
def test_a_setting_out_of_range_is_refused_before_anything_is_made(command: Any, tmp_path: Path) -> None:
    for field in bounded_fields(type(command)):
        for value in (-1, math.nan, math.inf, 10**13):
            wrong = dataclasses.replace(command, out=tmp_path / "run", **{field.name: value})
            with pytest.raises(ValueError, match=f"{field.name} is .*: give a"):
                check_settings(wrong, tmp_path / "run" / "last.pt")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("script", "command"), SCRIPTS, ids=lambda one: type(one).__module__)
def test_two_runs_do_not_write_to_one_folder(script: Any, command: Any, tmp_path: Path) -> None:
    part = (
        tmp_path / "mr_x" if script is selfplay else tmp_path
    )  # the sides of a league may be trained in two processes
    with hold_folder(part), pytest.raises(ValueError, match="is in use: another process writes there"):
        script.train(dataclasses.replace(command, out=tmp_path))
    assert not list(tmp_path.rglob("*.*"))


@pytest.mark.parametrize(("script", "command"), SCRIPTS, ids=lambda one: type(one).__module__)
def test_a_file_in_the_place_of_the_folder_is_refused(script: Any, command: Any, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    with pytest.raises(ValueError, match="cannot be a folder: there is a file of that name"):
        script.train(dataclasses.replace(command, out=tmp_path / "run"))
    assert (tmp_path / "run").read_text() == "mine"


def test_a_run_that_is_finished_says_how_it_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = dataclasses.replace(PPO, out=tmp_path / "run")
    ppo.train(args)
    assert capsys.readouterr().err == ""
    ppo.train(dataclasses.replace(args, resume=True))
    assert "run has 32 decisions already: a larger --total-timesteps goes on" in capsys.readouterr().err


def test_an_evaluation_checks_its_settings_first() -> None:
    with pytest.raises(ValueError, match="games is 0: give a whole number from 1 to"):
        evaluate.Command("none.npz", games=0).run()
    with pytest.raises(ValueError, match="leave the rules out to play by those of the board"):
        evaluate.Command("none.npz", board="docklands", rules="classic").run()


def test_more_threads_than_a_machine_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="torch_threads is 100000: give a whole number from 1 to 256"):
        ppo.train(dataclasses.replace(PPO, torch_threads=100_000, out=tmp_path / "run"))
    with pytest.raises(ValueError, match="decisions: give at most 1,048,576 between two updates"):
        ppo.train(dataclasses.replace(PPO, num_envs=2**16, num_steps=2**10, out=tmp_path / "run"))


@pytest.mark.parametrize(("script", "command"), SCRIPTS, ids=lambda one: getattr(one, "__name__", ""))
def test_rules_that_do_not_fit_the_board_say_what_to_give(script: Any, command: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="leave the rules out to play by those of the board"):
        script.train(dataclasses.replace(command, rules="classic", out=tmp_path / "run"))
    assert os.listdir(tmp_path) == []


def test_without_rules_those_of_the_board_are_played() -> None:
    learner = ppo.make_learner(dataclasses.replace(PPO, rules=None))
    assert learner.games.batch.rules.name == "docklands"
    assert ppo.Command().rules is None


# ------------------------------------------------------------------------------------------------------ checkpoints


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    """What a checkpoint holds after an update."""
    learner = ppo.make_learner(PPO)
    ppo.learn(learner, PPO)
    kept: dict[str, Any] = copy.deepcopy(learner.state())
    return kept


def go_on(path: Path) -> None:
    learner = ppo.make_learner(PPO)
    resume(path, learner.made_for(), learner.restore)
    ppo.learn(learner, PPO)


def refuses(path: Path) -> bool:
    """Go on from a checkpoint; tell whether it was refused, and then in one sentence that names it."""
    try:
        go_on(path)
    except ValueError as error:
        told = str(error)
    else:
        return False
    assert str(path) in told
    assert "\n" not in told
    return True


def test_a_checkpoint_with_any_bytes_changed_is_refused_or_continued(tmp_path: Path, content: dict[str, Any]) -> None:
    file, rng = tmp_path / "last.pt", np.random.default_rng(1)
    save_checkpoint(file, content)
    whole, refused = file.read_bytes(), 0
    for number in range(60):
        changed = bytearray(whole)
        place = int(rng.integers(len(whole)))
        if number % 3:
            changed[place : place + 8] = rng.bytes(8)
        else:
            changed = changed[:place]
        file.write_bytes(changed)
        refused += refuses(file)
    assert refused > 50


def test_random_bytes_in_the_games_are_refused_or_played_on(tmp_path: Path, content: dict[str, Any]) -> None:
    file, rng, refused = tmp_path / "last.pt", np.random.default_rng(2), 0
    for place in range(0, STATE.itemsize, 32):
        changed = copy.deepcopy(content)
        changed["games"]["states"][place : place + 16] = torch.from_numpy(rng.integers(0, 256, 16, np.uint8))
        save_checkpoint(file, changed)
        refused += refuses(file)
    assert refused > STATE.itemsize // 32 - 3


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("format", value=9), "is a checkpoint of format 9"),
        (put("made_for", value="x"), "checkpoint of format"),
        (put("actor", "trunk", value=torch.zeros(3)), "actor: trunk is no tensor of"),
        (put("actor", "trunk", value=torch.full((4, 4), torch.nan)), "actor: trunk has numbers that are not finite"),
        (put("actor", value=None), "actor does not hold"),
        (put("critic", value={}), "critic does not hold"),
        (put("optimizer", "state", 0, "exp_avg", value=torch.zeros(1)), "exp_avg is no tensor of"),
        (put("optimizer", "state", 0, "step", value=3), "step is no tensor of"),
        (put("optimizer", value=7), "optimizer does not hold its state"),
        (put("counters", value=[1]), "counters is no list of 2"),
        (put("counters", value=[-5, 0.0]), "counters and results are below 0"),
        (put("rng", "state", "state", value=-1), "cannot be continued"),
        (put("rng", "bit_generator", value="MT19937"), "cannot be continued"),
        (put("rng", value={}), "rng does not hold"),
        (put("games", "states", value=torch.zeros(5, dtype=torch.uint8)), "states is no tensor of"),
        (put("games", "states", value=torch.zeros(1, dtype=torch.uint8).expand(10**9)), "states is no tensor of"),
        (put("games", "playing", value=torch.full((4,), 7)), "an opponent that is not among 1"),
        (put("games", "deciders", value=torch.full((4,), 9)), "decided by nobody"),
        (put("results", value=torch.zeros(3)), "results is no tensor of"),
    ],
)
def test_what_was_tampered_with_is_refused(
    change: Callable[[dict[str, Any]], None], message: str, tmp_path: Path, content: dict[str, Any]
) -> None:
    changed = copy.deepcopy(content)
    change(changed)
    torch.save({"format": 2} | changed, tmp_path / "last.pt")
    with pytest.raises(ValueError, match=message):
        go_on(tmp_path / "last.pt")


# ------------------------------------------------------------------------------------------- stopped while it writes


class Killed(BaseException):
    """Stands for the end of the process."""


def kill_at(write: int, call: str, patch: pytest.MonkeyPatch) -> None:
    """Let the process end at a write point, counted from 1."""
    real, calls = getattr(os, call), 0

    def counted(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == write:
            raise Killed
        return real(*given)

    patch.setattr(os, call, counted)


@pytest.mark.parametrize("call", ["replace", "fsync"])
@pytest.mark.parametrize(("script", "command", "files"), [(sb3, SB3, 3), (ppo, PPO, 2)], ids=["sb3", "ppo"])
def test_killed_at_any_write_it_can_be_resumed(
    script: Any, command: Any, files: int, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = dataclasses.replace(command, out=tmp_path, total_timesteps=16)
    script.train(args)
    for write in range(1, 2 * files + 1):  # of the best player so far and of the last
        with monkeypatch.context() as patch:
            kill_at(write, call, patch)
            with pytest.raises(Killed):
                script.train(dataclasses.replace(args, total_timesteps=10**6, resume=True))
        assert read_checkpoint(tmp_path / "last.pt")["format"] == 2
        assert all(file.stat().st_size > 0 for file in tmp_path.iterdir() if file.is_file())
    steps = read_checkpoint(tmp_path / "last.pt")["counters"][0]
    script.train(dataclasses.replace(args, total_timesteps=steps + 16, resume=True))
    assert read_checkpoint(tmp_path / "last.pt")["counters"][0] == steps + 16


def test_the_checkpoint_of_maskable_ppo_is_one_file(tmp_path: Path) -> None:
    args = dataclasses.replace(SB3, out=tmp_path / "run")
    whole = sb3.train(args)
    for file in args.out.iterdir():
        if file.name != "last.pt":
            file.unlink()
    resumed = sb3.train(dataclasses.replace(args, resume=True))
    assert same(whole.policy, resumed.policy)
    changed = read_checkpoint(args.out / "last.pt")
    changed["shuffling"][2] = 10**6
    save_checkpoint(args.out / "last.pt", {name: part for name, part in changed.items() if name != "format"})
    with pytest.raises(ValueError, match="shuffling or counters are out of range"):
        sb3.train(dataclasses.replace(args, resume=True))


# -------------------------------------------------------------------------------------------- numbers that are none


def test_a_minibatch_of_one_decision_is_learned_from() -> None:
    args = dataclasses.replace(PPO, minibatch_size=5)  # sixteen decisions: the last is alone
    learner = ppo.make_learner(args)
    assert all(math.isfinite(figure) for figure in ppo.learn(learner, args).values())
    with pytest.raises(ValueError, match=r"leave one of a single decision, .*: give another minibatch_size"):
        sb3.train(dataclasses.replace(SB3, minibatch_size=5))


@pytest.mark.parametrize(("script", "command"), SCRIPTS, ids=lambda one: getattr(one, "__name__", ""))
def test_training_that_diverges_stops_and_leaves_what_was_good(
    script: Any, command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = dataclasses.replace(command, out=tmp_path)
    script.train(args)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.suffix in (".pt", ".npz", ".zip")}
    assert "last.pt" in before
    step = torch.optim.Adam.step

    def spoil(self: Any, *given: Any, **named: Any) -> Any:
        with torch.no_grad():
            self.param_groups[0]["params"][-1].fill_(torch.nan)
        return step(self, *given, **named)

    monkeypatch.setattr(torch.optim.Adam, "step", spoil)
    longer = {"minutes": 1.0} if script is selfplay else {"total_timesteps": 64}
    with pytest.raises(
        DivergedError, match=r"learning diverged after [\d,]+ decisions, .*; give a lower --learning-rate"
    ):
        script.train(dataclasses.replace(args, resume=True, **longer))
    after = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.name in before}
    assert after == before
