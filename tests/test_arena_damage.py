"""Folders that were damaged or tampered with: a report, or one sentence that names the file; nothing runs away."""

from __future__ import annotations

import json
import os
import re
import shutil
from itertools import islice
from pathlib import Path
from typing import Any

import odd_policies
import pytest
from damage import damage_bytes, damage_values

from scotyard_env.arena import tournament
from scotyard_env.arena.browsing import find_replay
from scotyard_env.arena.folder import CONFIG, RESULTS, TRACEBACKS, FolderError
from scotyard_env.arena.replays import REPLAYS
from scotyard_env.arena.report import show_tracebacks, write_report
from scotyard_env.replay import Replay, ReplayError

EVERY = 37  # of the damaged files is tried; a number that hits every place and every wrong thing in time


def play(out: Path) -> Any:
    odd = {"random": "random", "odd": odd_policies.Raises(since=0)}
    return tournament(odd, ["random"], games=2, board="docklands", seed=1, out=out)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole")
    play(out)
    return out


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "out"))


def look(folder: Path) -> None:
    """Use a folder in every way; what is wrong with it is said in one sentence that can be printed."""
    for use in (write_report, show_tracebacks, lambda folders: find_replay(folders[0], None, None)):
        try:
            use([folder])
        except (ValueError, OSError) as error:
            said = str(error)
            assert str(folder) in said
            assert len(said) < 1000
            assert said.isprintable()
            said.encode()


def test_wrong_things_in_the_configuration(folder: Path) -> None:
    stored = json.loads((folder / CONFIG).read_text())
    for damaged in islice(damage_values(stored), 0, None, EVERY):
        (folder / CONFIG).write_text(json.dumps(damaged))
        look(folder)


def test_wrong_things_in_a_result(folder: Path) -> None:
    first, second, *rest = (folder / RESULTS).read_text().splitlines()
    for damaged in islice(damage_values(json.loads(second)), 0, None, EVERY):
        (folder / RESULTS).write_text("\n".join([first, json.dumps(damaged), *rest, ""]))
        look(folder)


@pytest.mark.parametrize("name", [CONFIG, RESULTS, TRACEBACKS])
def test_cut_and_garbled_files(name: str, folder: Path) -> None:
    for damaged in damage_bytes((folder / name).read_bytes(), times=3, seed=4):
        (folder / name).write_bytes(damaged)
        look(folder)


@pytest.mark.parametrize("name", [CONFIG, RESULTS, TRACEBACKS, REPLAYS])
@pytest.mark.parametrize("target", ["/dev/zero", "itself", "nowhere", "folder", "pipe"])
def test_links_and_other_things_in_the_place_of_files(name: str, target: str, folder: Path) -> None:
    path = folder / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    if target == "folder":
        path.mkdir()
    elif target == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path if target == "itself" else target)
    look(folder)
    if name != TRACEBACKS and target not in ("nowhere", "folder"):
        with pytest.raises((FolderError, OSError), match=re.escape(str(folder))):
            play(folder)


def test_a_result_that_was_swollen_is_refused_by_its_line(folder: Path) -> None:
    first, second, *rest = (folder / RESULTS).read_text().splitlines()
    swollen = {**json.loads(second), "number": 1_999_999_999}
    (folder / RESULTS).write_text("\n".join([first, json.dumps(swollen), *rest, ""]))
    with pytest.raises(FolderError, match="line 2 is of another tournament: there is no such match"):
        write_report([folder])


def test_damaged_replays_are_refused_by_file_and_line(folder: Path) -> None:
    file = next((folder / REPLAYS).rglob("*.jsonl"))
    content = file.read_bytes()
    values = (json.dumps(one).encode() + b"\n" for one in damage_values(json.loads(content)))
    for damaged in (*islice(values, 0, None, EVERY), *damage_bytes(content, times=20, seed=5)):
        file.write_bytes(damaged)
        try:
            Replay.load(file)
        except ReplayError as error:
            said = str(error)
            assert str(file) in said
            assert len(said) < 1000
            assert said.isprintable()


def test_what_killed_writers_left_is_cleared(folder: Path) -> None:
    left = folder / ".table.md.here.999999999.0badcafe.part"
    left.write_text("half a tab")
    os.utime(left, (0, 0))
    write_report([folder])
    assert not left.exists()


# Names

NAMES = ["a|b", "`code`", "new\nline", "<script>alert(1)</script>", "\udcff", "\u202eleft", "x" * 3000, "\x1b[31m", ""]


def test_no_name_breaks_a_table_or_the_page(tmp_path: Path) -> None:
    tournament({name: odd_policies.First() for name in NAMES}, "random", games=1, board="docklands", out=tmp_path)
    table, page = write_report([tmp_path])
    lines = table.splitlines()
    for start in (index for index, line in enumerate(lines) if line.startswith("|--")):
        columns = lines[start].count("|")
        for line in lines[start - 1 : start + 2]:
            assert line.replace("\\|", "").count("|") == columns
    assert sum(line.startswith("|") for line in lines) == (1 + 1 + 9) + (1 + 1 + 10) + (1 + 1 + 9)
    assert table.isprintable() or set(filter(lambda one: not one.isprintable(), table)) == {"\n"}
    assert max(map(len, lines)) < 400
    content = page.read_text()
    assert "<script>" not in content
    assert "\u202e" not in content
    assert "x" * 100 not in content.split("To run it again")[0]
