"""Files are replaced whole or not at all, and what killed writers have left behind is cleared."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from scotyard_env.files import OLD, read_arrays, write_whole

KILLED = (
    "import os, sys; from scotyard_env import files; os.replace = lambda *_: os._exit(9); files.write_whole({!r}, 'x')"
)


def parts(folder: Path) -> list[str]:
    return [file.name for file in folder.glob(".*.part")]


def test_an_error_names_the_file_that_was_to_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=f"'{tmp_path}/missing/file'$"):
        write_whole(tmp_path / "missing" / "file", "new")
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError, match=f"'{tmp_path}/folder'$"):
        write_whole(tmp_path / "folder", "new")


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_whole(tmp_path / "file", "old")

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="no space left"):
        write_whole(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_what_a_killed_writer_left_is_cleared_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "a[1].npz"
    call = [sys.executable, "-c", KILLED.format(str(target))]
    assert subprocess.run(call, check=False).returncode == 9
    assert len(parts(tmp_path)) == 1
    write_whole(target, "whole")
    assert parts(tmp_path) == []
    assert target.read_text() == "whole"


def test_what_somebody_is_still_writing_is_left_alone(tmp_path: Path) -> None:
    running, elsewhere, other = (
        f".file.{host}.1.ab.part" for host in (os.uname().nodename.replace(".", "-"), "elsewhere", "x")
    )
    for name in (running, elsewhere, other.replace(".file", ".other")):
        (tmp_path / name).touch()
    write_whole(tmp_path / "file", "whole")
    assert len(parts(tmp_path)) == 3
    old = (tmp_path / elsewhere).stat().st_mtime - 2 * OLD
    os.utime(tmp_path / elsewhere, (old, old))
    write_whole(tmp_path / "file", "whole")
    assert len(parts(tmp_path)) == 2


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def write_zip(path: Path, content: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", content)
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a damaged one"),
        (npy(np.zeros(3))[:-1], "not as many as it says"),
        (npy(np.zeros(3)).replace(b"(3,)", b"(9**9,)"), "a damaged one"),
        (npy(np.zeros(3)).replace(b"(3,), }", b"(99999999999,), }"), "not as many as it says"),
        (npy(np.array(["text"])), "holds no numbers"),
        (npy(np.array([{}], dtype=object)), "holds no numbers"),
        (bytes(2 * 2**20), "unpacks to more than 1 MB"),
    ],
)
def test_an_archive_that_is_not_what_it_says_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = write_zip(tmp_path / "a.npz", content)
    with pytest.raises(ValueError, match=message):
        read_arrays(file, most_bytes=2**20)


def test_arrays_are_read_as_they_were_written(tmp_path: Path) -> None:
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.asfortranarray(np.ones((2, 2), np.int8)), "c": np.float32(2)}
    np.savez(tmp_path / "a.npz", **arrays)
    found = read_arrays(tmp_path / "a.npz")
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert not found[name].flags.writeable
