"""What is kept on disk is given back, and only if it is whole and made from the same origin."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from scotyard_baselines.capture.disk_cache import load_or_make
from scotyard_env.files import cache_folder

TABLE = np.arange(12, dtype=np.uint8).reshape(3, 4)
OTHER = TABLE + 1


def load(origin: str, make: Callable[[], np.ndarray]) -> np.ndarray:
    return load_or_make("t", origin, TABLE.shape, make)


def refuse() -> np.ndarray:
    raise AssertionError("made anew")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCOTYARD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_table_is_made_once(folder: Path) -> None:
    assert np.array_equal(load("origin", lambda: TABLE), TABLE)
    kept = load("origin", refuse)
    assert np.array_equal(kept, TABLE)
    assert kept.dtype == TABLE.dtype
    assert [file.name for file in folder.iterdir()] == ["t"]


@pytest.mark.usefixtures("folder")
def test_a_table_of_another_origin_is_made_anew() -> None:
    load("origin", lambda: TABLE)
    assert np.array_equal(load("another", lambda: OTHER), OTHER)
    assert np.array_equal(load("another", refuse), OTHER)


@pytest.mark.parametrize("length", [0, 10, 64, 80, -1])
def test_a_torn_file_is_noticed_and_remade(folder: Path, length: int) -> None:
    load("origin", lambda: TABLE)
    whole = (folder / "t").read_bytes()
    (folder / "t").write_bytes(whole[:length])
    assert np.array_equal(load("origin", lambda: TABLE), TABLE)
    assert (folder / "t").read_bytes() == whole


def test_every_changed_byte_is_noticed(folder: Path) -> None:
    load("origin", lambda: TABLE)
    whole = bytearray((folder / "t").read_bytes())
    for place in range(0, len(whole), 3):
        changed = whole.copy()
        changed[place] ^= 1
        (folder / "t").write_bytes(changed)
        assert np.array_equal(load("origin", lambda: OTHER), OTHER)


def test_a_foreign_file_is_noticed_and_replaced(folder: Path) -> None:
    folder.mkdir()
    np.save((folder / "t").open("wb"), OTHER)
    assert np.array_equal(load("origin", lambda: TABLE), TABLE)
    assert np.array_equal(load("origin", refuse), TABLE)


def test_where_nothing_can_be_written_nothing_is_kept_and_one_warning_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("SCOTYARD_CACHE", str(tmp_path / "file"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        for _ in range(3):
            assert np.array_equal(load("origin", lambda: TABLE), TABLE)
    assert os.listdir(tmp_path) == ["file"]
    (warning,) = said
    assert "cannot be kept for the next run" in str(warning.message)
    assert "set SCOTYARD_CACHE to a folder that can be written to" in str(warning.message)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_what_was_there_and_nothing_half_written(
    call: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load("origin", lambda: TABLE)
    whole = (folder / "t").read_bytes()

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))

    monkeypatch.setattr(os, call, fail)
    with pytest.warns(UserWarning, match="No space left on device"):
        assert np.array_equal(load("another", lambda: OTHER), OTHER)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == {"t": whole}


def test_a_user_without_a_home_works_without_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCOTYARD_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as it is without an entry for the user
    with pytest.warns(UserWarning, match="cannot be kept for the next run"):
        assert np.array_equal(load("origin", lambda: TABLE), TABLE)


def test_a_folder_in_place_of_the_file_does_no_harm(folder: Path) -> None:
    (folder / "t").mkdir(parents=True)
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert np.array_equal(load("origin", lambda: TABLE), TABLE)


def test_the_folder_is_the_user_s_cache_unless_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCOTYARD_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert cache_folder() == Path("/elsewhere/scotyard_env")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/x")
    assert cache_folder() == Path("/home/x/.cache/scotyard_env")
    monkeypatch.setenv("SCOTYARD_CACHE", "/named")
    assert cache_folder() == Path("/named")
