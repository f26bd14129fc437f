"""The benchmark: tasks that exist, results that can be checked, and rows made from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calling import refuse

from bench.benchmark_text import write_benchmark
from scotyard_baselines.benchmark.check import check_file
from scotyard_baselines.benchmark.playing import Attempt
from scotyard_baselines.benchmark.result import Bound, read_result
from scotyard_baselines.benchmark.task import Task, find_task, read_tasks
from scotyard_baselines.commands.benchmark import Command
from scotyard_env.arena import evaluate
from scotyard_env.arena.engine import Engine
from scotyard_env.arena.score_file import ScoreFileError, write_record
from scotyard_env.policy import SIDES, Side

ROOT = Path(__file__).resolve().parents[1]
SMALL = Task("small", 1, "quick", "glasses", "glasses", 0, 6, ("random", "greedy"), ("random", "greedy"))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Task:
    """Return a task that takes no time."""
    tasks = {"small": SMALL}
    for module in ("task", "check"):
        monkeypatch.setattr(f"scotyard_baselines.benchmark.{module}.read_tasks", lambda: tasks)
    monkeypatch.setattr("bench.benchmark_text.read_tasks", lambda: tasks)
    return SMALL


def achieve(path: Path, policy: str = "greedy", side: Side = "detectives") -> Attempt:
    attempt = Attempt(SMALL, policy, side, policy, path)
    attempt.play(Engine())
    return attempt


@pytest.mark.parametrize("name", read_tasks())
@pytest.mark.parametrize("side", SIDES)
def test_a_task_can_be_set_up(name: str, side: Side) -> None:
    task = find_task(name)
    setting = task.set_up("mine", "random", side)
    assert [one.name for one in setting.sides[1 - SIDES.index(side)]] == list(task.opponents(side))


def test_the_result_is_what_the_arena_says(small: Task, tmp_path: Path) -> None:
    result = achieve(tmp_path / "r.json").result
    played = evaluate("greedy", "detectives", list(small.mr_x), games=small.games, board="glasses")
    assert {pairing.mr_x: pairing.rate for pairing in played.pairings} == {one: result.rate(one) for one in small.mr_x}
    assert result.rate().games == 12
    assert result.is_whole(small)


def test_the_file_is_the_same_however_it_was_played(small: Task, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    achieve(whole)
    attempt = Attempt(SMALL, "greedy", "detectives", "greedy", parts)
    attempt.play(Engine(), deadline=0.0)  # stopped after a match
    assert not read_result(parts).is_whole(small)
    achieve(parts)
    checksums = [json.loads(file.read_text(encoding="utf-8"))["checksum"] for file in (whole, parts)]
    assert checksums[0] == checksums[1]
    assert whole.stat().st_size < 4000


@pytest.mark.usefixtures("small")
def test_a_result_that_is_right_passes_the_check(tmp_path: Path) -> None:
    achieve(tmp_path / "r.json")
    assert [one.holds for one in check_file(tmp_path / "r.json", games=6)] == [True] * 4


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("field", ["won", "first"])
def test_a_result_that_was_made_up_does_not_come_out_again(field: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    told = achieve(path).result.to_json()
    row = next(one for one in told["scores"] if one["mr_x"] == "random")
    if field == "first":
        row["first"][0] = "0" * 12
    else:
        wins = int(row["won"], 16)
        row["won"], row["caught"] = f"{63 - wins:x}", [6 - wins.bit_count()]
    write_record(path, told)  # with a checksum that fits
    findings = list(check_file(path))
    assert findings[-1].holds is False
    assert "of random v greedy goes another way" in findings[-1].why


@pytest.mark.usefixtures("small")
def test_a_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    achieve(path)
    path.write_text(path.read_text(encoding="utf-8").replace('"games":6', '"games":7', 1), encoding="utf-8")
    with pytest.raises(ScoreFileError, match="its checksum is another"):
        list(check_file(path))


@pytest.mark.usefixtures("small")
def test_a_policy_that_changed_since_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    told = achieve(path).result.to_json()
    told["detectives"][0]["fingerprint"] = "another"
    write_record(path, told)
    findings = {finding.what: finding.holds for finding in check_file(path)}
    assert findings["greedy plays as it did"] is False
    assert findings["matches are reproduced"] is None


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("fingerprint", "bounds"), [(None, 1), ("another", 0)])
def test_bounds_stay_with_the_policy_as_it_was_measured(fingerprint: str | None, bounds: int, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    attempt = achieve(path)
    attempt.result.bounds = (Bound("learned", "greedy", "own: 1 x 5", 3, 6, "abc"),)
    told = attempt.result.to_json()
    told["detectives"][0]["fingerprint"] = fingerprint or told["detectives"][0]["fingerprint"]
    write_record(path, told)
    assert len(achieve(path).result.bounds) == bounds


@pytest.mark.usefixtures("small")
def test_another_version_of_a_task_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    told = {**achieve(path).result.to_json(), "task_digest": "another"}
    write_record(path, told)
    assert [one.holds for one in check_file(path)] == [True, False]


@pytest.mark.usefixtures("small")
def test_the_file_of_another_policy_is_not_gone_on_with(tmp_path: Path) -> None:
    achieve(tmp_path / "r.json")
    with pytest.raises(ValueError, match="is the result of greedy as detectives in small v1: take another --out"):
        Attempt(SMALL, "random", "detectives", "random", tmp_path / "r.json")


@pytest.mark.usefixtures("small")
def test_rows_are_made_of_whatever_files_are_there_the_best_first(tmp_path: Path) -> None:
    for policy in ("random", "greedy"):
        achieve(tmp_path / f"{policy}.json", policy)
    strong = read_result(tmp_path / "greedy.json")
    strong.bounds = (Bound("learned", "greedy", "quick: 3 x 300,000", 50, 100, "abc"),)
    strong.save(tmp_path / "greedy.json")
    said, table, *_ = write_benchmark(tmp_path)
    assert said == "**small v1, detectives**: 2 opponents, 6 games each."
    rows = table.splitlines()[2:]
    assert [row.split(" |")[0] for row in rows] == ["| greedy", "| random"]
    assert "50.0 % [40.4, 59.6] (learned, quick: 3 x 300,000)" in rows[0]


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "benchmark").glob("*.json")), ids=lambda path: path.stem)
def test_a_published_result_is_whole_and_of_a_task_of_today(path: Path) -> None:
    result = read_result(path)
    task = find_task(result.task)
    assert (result.task_version, result.task_digest) == (task.version, task.digest)
    assert result.is_whole(task)


def test_published_rows_stand_in_the_page() -> None:
    page = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    paragraphs = write_benchmark(ROOT / "docs" / "benchmark")
    assert len(paragraphs) > 5
    assert "\n\n".join(paragraphs) in page


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("benchmark greedy --task nothing --side mr_x", "there is no task 'nothing': choose from glasses"),
        ("benchmark greedy --task glasses", "greedy plays both sides: say which by --side"),
        ("benchmark --task glasses", "give a policy"),
        ("benchmark greedy", "--task is missing"),
        ("benchmark nobody --task glasses", "there is no policy 'nobody'"),
        ("benchmark --check nowhere.json", "nowhere.json: No such file"),
        ("benchmark hider --task glasses --side detectives", "detectives"),
        ("benchmark greedy --task london-5 --side mr_x --responses nowhere", "nowhere: there is no such folder"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in refuse(monkeypatch, capsys, words)


@pytest.mark.usefixtures("small")
def test_a_damaged_file_does_not_keep_others_from_being_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged, whole = tmp_path / "damaged.json", tmp_path / "whole.json"
    achieve(whole)
    damaged.write_text("{")
    with pytest.raises(SystemExit) as ended:
        Command(check=(damaged, whole)).run()
    told = capsys.readouterr().out
    assert ended.value.code == 1
    assert "NO  the file is as it was written" in told
    assert "ok  matches are reproduced" in told
