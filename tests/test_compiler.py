"""Kernels are compiled once, as a whole, into what Numba itself would make of them; torn files do no harm."""

from __future__ import annotations

import errno
import gc
import logging
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from scotyard_env import kernel as kernel_module
from scotyard_env.compiler import disk_cache, progress
from scotyard_env.compiler.dispatchers import Kernel, widen
from scotyard_env.compiler.pipeline import is_plain
from scotyard_env.kernel import compiles_quickly, kernel, record_type

compiled_only = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled")
pytestmark = compiled_only

SOURCE = """
import numpy as np
from scotyard_env.kernel import kernel

@kernel
def fill(values, start):
    values[:] = 0  # NumPy's own code is linked in
    for place in range(len(values)):
        values[place] = add(start, np.int16(place))
    return values.sum()

@kernel
def add(one, other):
    return factorial(one) + other

@kernel
def factorial(number):
    return 1 if number < 2 else number * factorial(number - 1)

print(fill(np.zeros(4, np.int64), 3), add(5, 1), sep=",")
"""


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the source above in a process of its own, with a cache in the folder unless told otherwise."""
    script = folder / "script.py"
    script.write_text(SOURCE)
    told = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **environment}
    return subprocess.run([sys.executable, script], env=told, capture_output=True, text=True, check=False)


def test_the_installed_numba_is_one_whose_inside_the_quick_compiler_knows() -> None:
    assert compiles_quickly(), f"try KNOWN_NUMBA up to {numba.__version__}, and the tests of this file"


@pytest.mark.parametrize("plain", ["0", "1"])
def test_kernels_answer_the_same_fresh_and_from_disk_quick_and_plain(plain: str, tmp_path: Path) -> None:
    for _ in ("fresh", "from disk"):
        done = run(tmp_path, SCOTYARD_PLAIN_NUMBA=plain)
        assert (done.stdout, done.stderr) == ("30,121\n", "")
    kinds = {file.name.split(".")[-4] for file in (tmp_path / "cache").glob("*/*")}
    assert kinds == ({"plain"} if plain == "1" else {"inner", "outer"})


@pytest.mark.parametrize("damage", [b"", b"\x80", None])
def test_a_torn_file_of_compiled_code_is_made_anew(damage: bytes | None, tmp_path: Path) -> None:
    run(tmp_path)
    whole = {file: file.read_bytes() for file in (tmp_path / "cache").glob("*/*")}
    for file, content in whole.items():
        file.write_bytes(content[: len(content) // 2] if damage is None else damage)
    done = run(tmp_path)
    assert (done.stdout, done.stderr) == ("30,121\n", "")
    assert {file for file in whole if len(file.read_bytes()) > 1000} == set(whole)


def test_a_kernel_that_takes_a_tuple_is_compiled_though_all_that_it_is_made_of_is_on_disk(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""
from scotyard_env.kernel import kernel

@kernel
def weigh(weights):
    first, is_second, third = weights
    return first + third if is_second else first

print(weigh((0.5, True, 2)))
""")
    told = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        answer = subprocess.run([sys.executable, script], env=told, capture_output=True, text=True, check=False)
        assert answer.stdout == "2.5\n"
        outer = [file for file in (tmp_path / "cache").rglob("*.kernel") if ".outer." in file.name]
        assert len(outer) == 1
        outer[0].unlink()


def test_code_of_older_source_is_removed(tmp_path: Path) -> None:
    run(tmp_path)
    files = len(list((tmp_path / "cache").glob("*/*")))
    script = tmp_path / "script.py"
    script.write_text(SOURCE.replace("+ other", "- other"))
    told = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert subprocess.run([sys.executable, script], env=told, capture_output=True, text=True).stdout == "18,119\n"
    assert len(list((tmp_path / "cache").glob("*/*"))) == files


def test_where_nothing_can_be_written_kernels_work_and_one_warning_says_what_would_help(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")
    done = run(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "taken"))
    assert done.stdout == "30,121\n"
    assert done.stderr.count("compiled code is not kept") == 1
    assert "name another folder in the environment variable NUMBA_CACHE_DIR" in done.stderr


def test_code_beside_a_source_that_cannot_be_written_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside, users = tmp_path / "beside", tmp_path / "users"
    users.mkdir()
    monkeypatch.setattr(disk_cache, "_folders", lambda _: (beside, users))

    def one(number):
        return number + 1

    assert kernel(one)(1) == 2
    monkeypatch.setattr(disk_cache, "_is_writable", lambda folder: folder == users)
    again = kernel(one)
    assert again(1) == 2
    assert sum(again._cache_hits.values()) == 1
    assert again(1.0) == 2.0
    assert (len(list(beside.iterdir())), len(list(users.iterdir()))) == (2, 2)  # inner and outer code of each


def test_a_full_disk_is_said_once_and_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(disk_cache, "write_whole", write)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    disk_cache._folders.cache_clear()

    def one(number):
        return number + 1

    def two(number):
        return number + 2

    with pytest.warns(RuntimeWarning, match="No space left on device") as said:
        assert kernel(one)(1) + kernel(two)(1) == 5
    disk_cache._folders.cache_clear()
    assert (len(said), list(tmp_path.glob("*/*"))) == (1, [])


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep compiled code in a folder of the test's own."""
    monkeypatch.setattr(disk_cache, "_folders", lambda _: (tmp_path,))


@pytest.mark.usefixtures("empty_cache")
def test_calls_between_kernels_with_constants_and_numbers_of_any_width_compile_once() -> None:
    @kernel
    def inner(number):
        return number + 1

    @kernel
    def outer(small, numbers):
        return inner(0) + inner(-1) + inner(small) + inner(numbers[0])

    assert outer(np.int8(3), np.array([4], np.int16)) == 10
    assert [str(kinds) for kinds in inner.inner.signatures] == ["(int64,)"]
    assert inner.signatures == []


@pytest.mark.parametrize(
    ("kind", "wide"),
    [
        (numba.int8, numba.int64),
        (numba.types.literal(3), numba.int64),
        (numba.uint8, numba.uint8),  # unsigned and signed numbers would meet as floats
        (numba.boolean, numba.boolean),
        (numba.float32, numba.float32),
    ],
)
def test_only_whole_numbers_with_a_sign_are_widened(kind: numba.types.Type, wide: numba.types.Type) -> None:
    assert widen(kind) == wide


@pytest.mark.usefixtures("empty_cache")
def test_arrays_in_records_are_passed_as_any_other_whatever_their_length() -> None:
    @kernel
    def total(numbers):
        numbers[0] += 1
        return numbers.sum()

    @kernel
    def outer(record, more):
        return total(record.short) + total(record.long) + total(more)

    records = np.zeros(1, record_type([("short", "i8", (2,)), ("long", "i8", (3,))]))
    assert outer(records[0], np.ones(1, np.int64)) == 4
    assert (records["short"].tolist(), records["long"].tolist()) == ([[1, 0]], [[1, 0, 0]])
    assert len(total.inner.signatures) == 1


@pytest.mark.usefixtures("empty_cache")
def test_kernels_that_make_arrays_raise_or_hold_functions_are_compiled_as_numba_compiles_them() -> None:
    @kernel
    def make(length):
        return np.arange(length)

    @kernel
    def pick(numbers, places):
        return numbers[1:][places] * 2 + 1

    @kernel
    def check(numbers):
        twice = [2 * number for number in numbers]
        if twice[0] < 0:
            raise ValueError("below 0")
        return twice[-1]

    @kernel
    def outer(length):
        numbers = make(length)
        picked = pick(numbers, numbers[:2])
        return picked, check(picked)

    for _ in range(100):  # who counted references wrongly would give away memory that is in use
        picked, last = outer(5)
        assert (picked.tolist(), last) == ([3, 5], 10)
    with pytest.raises(ValueError, match="below 0"):
        check(np.array([-1]))
    assert not is_plain(check.py_func)
    assert is_plain(outer.py_func)


@pytest.mark.usefixtures("empty_cache")
def test_numba_and_python_are_as_they_were_after_compiling() -> None:
    assert kernel(lambda number: number + 1)(1) == 2
    assert gc.isenabled()
    assert "get_call_type" not in vars(numba.types.Function)


@pytest.mark.usefixtures("empty_cache")
def test_listeners_and_the_log_are_told_what_is_compiled_and_how_far_it_is(caplog: pytest.LogCaptureFixture) -> None:
    @kernel
    def call(number):
        return number + 1

    told: list[tuple[str, int, int]] = []
    with progress.listening(lambda *words: told.append(words)), caplog.at_level(logging.INFO, "scotyard_env"):
        call(1)
        call(2)
    name = call.py_func.__qualname__
    assert told == [(name, 0, 2), (name, 1, 2), (name, 2, 2)]
    assert f"compiling {name} with 1 kernels" in caplog.text


def test_an_unknown_numba_falls_back_to_its_own_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_module.numba, "__version__", "99.1.0")
    compiles_quickly.cache_clear()
    try:
        made = kernel(lambda number: number + 1)
        assert not isinstance(made, Kernel)
        assert made(1) == 2
    finally:
        monkeypatch.undo()
        compiles_quickly.cache_clear()
