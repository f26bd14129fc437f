"""A tournament's folder: nothing lost, nothing twice, nothing mixed, wherever it was stopped."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import odd_policies
import pytest

from scotyard_env.arena import Tournament, tournament
from scotyard_env.arena.config import Config
from scotyard_env.arena.contenders import Entry
from scotyard_env.arena.folder import CONFIG, RESULTS, Folder, FolderError, hold_folder, make_folder, read_results
from scotyard_env.arena.replays import file_name, replay_path
from scotyard_env.arena.report import write_report
from scotyard_env.arena.result import Key, Result
from scotyard_env.arena.tournament import make_setting
from scotyard_env.replay import Replay
from scotyard_env.ruleset import RuleSet


def play(out: Path, *, mr_x: Entry = "random", games: int = 4, **options: Any) -> Tournament:
    return tournament(mr_x, ["random", "greedy"], games=games, out=out, **{"board": "docklands", "seed": 2, **options})


def same(results: Any) -> list[dict[str, Any]]:
    return [result.same for result in sorted(results, key=lambda result: result.key)]


def test_a_folder_has_a_line_and_a_replay_for_every_match(tmp_path: Path) -> None:
    played = play(tmp_path)
    lines = (tmp_path / RESULTS).read_text().splitlines()
    assert [Result.from_line(line) for line in lines] == list(played.results)
    for result in played.results:
        assert Replay.load(tmp_path / replay_path(result.key)).winner == result.winner


def test_a_line_comes_back_as_the_result_it_was(tmp_path: Path) -> None:
    result = dataclasses.replace(play(tmp_path).results[0], forfeit="mr_x", reason='it "raised"\n', mean_possible=None)
    assert Result.from_line(result.to_line()) == result


def test_the_configuration_says_what_is_needed_to_run_it_again(tmp_path: Path) -> None:
    play(tmp_path, mr_x={"shy": "hider:exits=2", "timed": odd_policies.Timed()}, move_limit=30)
    config = json.loads((tmp_path / CONFIG).read_text())
    assert config["mr_x"][0] == {
        "name": "shy",
        "spec": "hider:exits=2",
        "class": "scotyard_baselines.hider:Hider",
        "parameters": {"exits": 2, "distance": 4.0},
        "is_timed": False,
    }
    assert config["mr_x"][1]["is_timed"] is True
    assert config["detectives"][1]["name"] == "greedy"
    assert (config["seed"], config["games"], config["move_limit"], config["board"]) == (2, 4, 30, "docklands")
    assert RuleSet.from_dict(config["rules"]) == RuleSet.named("docklands")
    assert {"numpy", "numba", "scotyard-env", "python"} <= config["versions"].keys()
    assert config["board_signature"]
    assert config["rules_signature"]


def test_a_finished_tournament_is_not_played_again(tmp_path: Path) -> None:
    first = play(tmp_path)
    before = (tmp_path / RESULTS).read_bytes()
    assert play(tmp_path).results == first.results  # to the time that was taken
    assert (tmp_path / RESULTS).read_bytes() == before


def test_more_games_go_on_in_the_same_folder_and_fewer_are_refused(tmp_path: Path) -> None:
    play(tmp_path, games=2)
    assert same(play(tmp_path, games=4).results) == same(play(tmp_path / "other", games=4).results)
    with pytest.raises(FolderError, match="with 4 games a pairing, not 3: ask for as many or more"):
        play(tmp_path, games=3)


def test_cut_at_any_byte_the_results_are_completed_to_what_they_were(tmp_path: Path) -> None:
    whole = same(play(tmp_path).results)
    content = (tmp_path / RESULTS).read_bytes()
    last = content.rstrip(b"\n").rindex(b"\n")
    for cut in [0, 1, last - 5, *range(last, len(content) + 1, 7), len(content) - 1]:
        (tmp_path / RESULTS).write_bytes(content[:cut])
        assert same(play(tmp_path).results) == whole
        found, length = read_results(tmp_path)
        assert same(found) == whole
        assert length == (tmp_path / RESULTS).stat().st_size


@pytest.mark.parametrize("tail", [b'{"mr_x":"ran', b"\0\0\0\0\0", b"\xff\xfe", b"{}\n", b"17\n", b'{"mr_x":"random"\n'])
def test_a_torn_last_line_is_dropped_with_a_word(tail: bytes, tmp_path: Path) -> None:
    whole = same(play(tmp_path).results)
    with (tmp_path / RESULTS).open("ab") as file:
        file.write(tail)
    setting = make_setting("random", ["random", "greedy"], games=4, board="docklands", seed=2)
    with Folder(tmp_path, setting, games=4) as folder:
        assert "the last line was torn and is dropped" in folder.words[-1]
        assert same(folder.results) == whole
    assert same(read_results(tmp_path)[0]) == whole


def test_a_match_that_lost_its_replay_is_played_again(tmp_path: Path) -> None:
    first = play(tmp_path)
    gone, emptied = (tmp_path / replay_path(result.key) for result in first.results[1:3])
    gone.unlink()
    emptied.write_text("")
    assert same(play(tmp_path).results) == same(first.results)
    assert Replay.load(gone).winner == first.results[1].winner
    assert Replay.load(emptied).winner == first.results[2].winner
    assert len((tmp_path / RESULTS).read_text().splitlines()) == 8


def test_without_replays_none_are_kept_or_missed(tmp_path: Path) -> None:
    play(tmp_path, games=2, replays=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == [CONFIG, RESULTS]
    assert len(play(tmp_path, games=3, replays=False).results) == 6


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 3}, "seed is 2 there, 3 here; take another folder"),
        ({"board": "london"}, "board is docklands there, london here"),
        (
            {"rules": dataclasses.replace(RuleSet.named("docklands"), log_entries=11)},
            "rules: log_entries is 12 there, 11 here",
        ),
        ({"mr_x": "hider"}, "mr_x is random() there, hider(exits=4.0, distance=4.0) here"),
        ({"mr_x": {"random": "hider"}}, "mr_x is random() there, random(exits=4.0, distance=4.0) here"),
        ({"move_limit": 1}, "move_limit is None there, 1.0 here"),
    ],
)
def test_results_of_another_tournament_are_refused(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    play(tmp_path, games=2)
    before = {path.name: path.read_bytes() for path in (tmp_path / CONFIG, tmp_path / RESULTS)}
    with pytest.raises(FolderError) as error:
        play(tmp_path, **{"games": 2, **changes})
    assert words in str(error.value)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / CONFIG, tmp_path / RESULTS)}


def test_a_policy_that_has_learned_more_is_another_policy(tmp_path: Path) -> None:
    first, second = odd_policies.Network([1.0, 2.0]), odd_policies.Network([1.0, 3.0])
    play(tmp_path, mr_x={"mine": first}, games=1)
    assert len(play(tmp_path, mr_x={"mine": odd_policies.Network([1.0, 2.0])}, games=2).results) == 4
    with pytest.raises(FolderError, match=r"mr_x is mine\(state=\w+\) there, mine\(state=\w+\) here"):
        play(tmp_path, mr_x={"mine": second}, games=2)


def test_who_thinks_by_the_clock_is_marked(tmp_path: Path) -> None:
    mr_x = ["bristol_mr_x:seconds=0.001", "bristol_mr_x:depth=1"]
    played = play(tmp_path, mr_x=mr_x, games=1)
    assert [policy.is_timed for policy in played.config.mr_x] == [True, False]
    assert "* bristol_mr_x:seconds=0.001: thinks by the clock" in str(played)


def test_another_version_is_another_tournament(tmp_path: Path) -> None:
    play(tmp_path, games=1)
    config = json.loads((tmp_path / CONFIG).read_text())
    config["versions"]["numpy"] = "1.0"
    (tmp_path / CONFIG).write_text(json.dumps(config))
    with pytest.raises(FolderError, match=r"versions: numpy is 1\.0 there, \d.* here"):
        play(tmp_path, games=1)


# Folders of earlier versions

OLD = Path(__file__).with_name("data") / "tournament_0_1_0"  # greedy against hunters and greedy, as 0.1.0 left it


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OLD, tmp_path / "old"))


def test_the_configuration_is_written_as_it_was_read() -> None:
    stored = json.loads((OLD / CONFIG).read_text())
    assert Config.from_json(stored).to_json() == stored


def test_a_folder_of_0_1_0_is_reported(old: Path) -> None:
    table, page = write_report([old])
    assert "scotyard-env 0.1.0" in table
    assert "hunters" in table
    assert "baselines.hunters:Hunters, particles=64" in page.read_text()


def test_a_folder_of_0_1_0_whose_policies_have_other_parameters_today_is_refused_with_what_to_do(old: Path) -> None:
    with pytest.raises(FolderError) as error:
        tournament("greedy", ["hunters", "greedy"], games=4, board="docklands", out=old)
    said = str(error.value)
    assert "old was played by an earlier scotyard-env (0.1.0) and cannot go on, nothing was changed" in said
    assert said.endswith(f"scotyard report {old} still reads it, take another folder to play")


def test_a_baseline_of_0_1_0_is_the_same_policy_under_its_new_path() -> None:
    then = Config.from_json(json.loads((OLD / CONFIG).read_text())).mr_x[0]
    now = make_setting("greedy", "greedy").mr_x[0].describe()
    assert (then.path, now.path) == ("baselines.greedy:Greedy", "scotyard_baselines.greedy:Greedy")
    assert then.essence == now.essence
    assert dataclasses.replace(then, spec="baselines.greedy:Greedy").essence != now.essence  # a user's own


# Lines of others


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [lines[0].replace('"random"', '"nobody"', 1), *lines[1:]], "line 1 is of another tournament"),
        (lambda lines: [*lines, lines[0]], "line 9 is there twice"),
        (lambda lines: [lines[0].replace('"number":0', '"number":4'), *lines[1:]], "line 1 is of another tournament"),
        (lambda lines: [lines[0].replace('"number":0', '"number":1'), *lines[1:]], "line 1 is of another tournament"),
        (lambda lines: ["rubbish", *lines], "line 1 is not a result"),
    ],
)
def test_lines_that_do_not_belong_are_refused(change: Any, words: str, tmp_path: Path) -> None:
    play(tmp_path)
    lines = (tmp_path / RESULTS).read_text().splitlines()
    (tmp_path / RESULTS).write_text("".join(line + "\n" for line in change(lines)))
    with pytest.raises(FolderError) as error:
        play(tmp_path)
    assert words in str(error.value)


def test_results_without_a_configuration_are_refused(tmp_path: Path) -> None:
    play(tmp_path, games=1)
    (tmp_path / CONFIG).unlink()
    with pytest.raises(FolderError, match="whose they are cannot be told"):
        play(tmp_path, games=1)


def test_a_folder_is_written_by_one_tournament_at_a_time(tmp_path: Path) -> None:
    setting = make_setting("random", "random", games=1, board="docklands")
    with (
        Folder(tmp_path, setting, games=1),
        pytest.raises(FolderError, match="is in use: another process writes there"),
    ):
        Folder(tmp_path, setting, games=1)
    Folder(tmp_path, setting, games=1).close()


def test_a_folder_that_nothing_can_be_written_to_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, _: Path(path) != tmp_path)
    with pytest.raises(FolderError, match="may not be written to: take another folder"):
        make_folder(tmp_path)
    make_folder(tmp_path / "other")


def test_a_folder_is_held_by_one_at_a_time_and_free_afterwards(tmp_path: Path) -> None:
    with hold_folder(tmp_path / "run"), pytest.raises(FolderError, match="is in use"), hold_folder(tmp_path / "run"):
        pass
    with hold_folder(tmp_path / "run"):
        assert not list((tmp_path / "run").iterdir())


def test_other_names_are_other_files() -> None:
    names = ["hider", "hider:exits=2", "hider_exits=2", "First(since=3)", "a/b", "../x", "x" * 90, "x" * 91]
    files = {file_name(name) for name in names}
    assert len(files) == len(names)
    assert all("/" not in file and len(file) < 80 for file in files)
    assert replay_path(Key("a", "b", 7)) == Path("replays/a-v-b/00007.jsonl")


KILLED = """
import os, signal, sys, time
import numpy as np
from scotyard_env.arena import tournament

def play(games, **options):
    return tournament(["random", "greedy"], ["random", "greedy"], games=games, board="docklands", seed=9, **options)

out, games, kills, rng = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), np.random.default_rng(0)
play(1)  # compiles
for _ in range(kills):
    child = os.fork()
    if child == 0:
        play(games, out=out)
        os._exit(0)
    time.sleep(rng.uniform(0.0, 0.1))
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL, "it was finished before it could be killed"
play(games, out=out)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_killed_20_times_a_tournament_has_the_results_of_an_undisturbed_one(tmp_path: Path) -> None:
    policies, games = ["random", "greedy"], 400
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "out"), str(games), "20"], check=True)
    undisturbed = tournament(policies, policies, games=games, board="docklands", seed=9)
    lines = (tmp_path / "out" / RESULTS).read_text().splitlines()
    assert len(lines) == 4 * games
    assert same(map(Result.from_line, lines)) == same(undisturbed.results)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_killed_with_its_workers_at_play_a_tournament_goes_on_and_leaves_no_process_behind(tmp_path: Path) -> None:
    out, rng = tmp_path / "out", np.random.default_rng(1)
    command = [
        sys.executable,
        "-m",
        "scotyard_env.cli",
        "tournament",
        "--out",
        str(out),
        "--games",
        "150",
        "--workers",
        "2",
    ]
    command += ["--board", "docklands", "--mr-x", "random,greedy", "--detectives", "greedy"]
    for _ in range(3):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        before = lines_in(out)
        while process.poll() is None and lines_in(out) < before + 3:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.1))
        process.kill()
        process.wait()
    wait_until_gone(process.pid)
    subprocess.run(command, check=True, capture_output=True)
    undisturbed = tournament(["random", "greedy"], "greedy", games=150, board="docklands")
    assert same(read_results(out)[0]) == same(undisturbed.results)


def lines_in(out: Path) -> int:
    return (out / RESULTS).read_bytes().count(b"\n") if (out / RESULTS).exists() else 0


def wait_until_gone(session: int) -> None:
    """Wait until no process of a session is left; fail if some stay."""
    for _ in range(400):
        if not any(is_of(session, int(entry.name)) for entry in Path("/proc").glob("[0-9]*")):
            return
        time.sleep(0.05)
    raise AssertionError("workers outlive the process that started them")


def is_of(session: int, process: int) -> bool:
    try:
        return os.getsid(process) == session
    except ProcessLookupError:
        return False
