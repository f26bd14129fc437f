"""Compiled code on disk is never older than any kernel that is built into it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scotyard_env.kernel import digest_of_files, homes_of, record_type

ROOT = Path(__file__).resolve().parents[1]

compiled_only = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled")


def write(file: Path, imported: str, returned: str, name: str) -> None:
    """Write a module with one kernel."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        "from scotyard_env.kernel import kernel",
        imported,
        "",
        "@kernel",
        f"def {name}():",
        f"    return {returned}",
    )
    file.write_text("\n".join([*lines, ""]))


def ask(folder: Path, module: str, *paths: str) -> str:
    """Call ``ask`` of a module in a process of its own, which keeps its compiled code."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(folder / path) for path in paths)}
    code = f"from {module} import ask; print(ask())"
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return answer.stdout.strip()


@compiled_only
@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("outer", "inner"),  # files that are no package
        ("own", "own.deep.down.inner"),  # a subfolder of the same package
        ("own.rooms.outer", "plugin.deep.inner"),  # a subfolder of another package
        ("own", "space.deep.inner"),  # of a namespace package, which has no __init__.py
    ],
)
@pytest.mark.parametrize("how", ["name", "module"])
def test_a_kernel_is_compiled_anew_when_one_that_it_calls_changes(
    outer: str, inner: str, how: str, tmp_path: Path
) -> None:
    imported = f"from {inner} import answer" if how == "name" else f"import {inner} as other"
    write(file_of(tmp_path, outer), imported, "answer()" if how == "name" else "other.answer()", "ask")
    for answer in ("1", "22"):
        write(file_of(tmp_path, inner), "", answer, "answer")
        assert ask(tmp_path, outer, "") == answer


def file_of(folder: Path, module: str) -> Path:
    """Name the file of a module; the folders of packages get an __init__.py."""
    *packages, name = module.split(".")
    file = folder.joinpath(*packages, f"{name}.py") if name in ("inner", "outer") else folder / module / "__init__.py"
    for depth in range(len(packages)):
        home = folder.joinpath(*packages[: depth + 1])
        home.mkdir(parents=True, exist_ok=True)
        if packages[0] != "space":
            (home / "__init__.py").touch()
    return file


@compiled_only
def test_a_change_reaches_through_a_chain_of_packages(tmp_path: Path) -> None:
    write(tmp_path / "one" / "a" / "__init__.py", "from b.middle import pass_on", "pass_on()", "ask")
    write(tmp_path / "two" / "b" / "middle.py", "from c.deep.inner import answer", "answer()", "pass_on")
    for answer in ("1", "22"):
        write(tmp_path / "three" / "c" / "deep" / "inner.py", "", answer, "answer")
        assert ask(tmp_path, "a", "one", "two", "three") == answer


@compiled_only
@pytest.mark.parametrize("constant", ["SIZE = {}", "import numpy as np\nSIZE = np.int64({})", "SIZE, OTHER = {}, ()"])
def test_a_constant_from_a_file_without_kernels_is_built_in_anew(constant: str, tmp_path: Path) -> None:
    write(tmp_path / "outer.py", "from own.inner import answer", "answer()", "ask")
    write(tmp_path / "own" / "inner.py", "from own.sizes import SIZE", "SIZE", "answer")
    for answer in ("1", "22"):
        (tmp_path / "own" / "sizes.py").write_text(constant.format(answer))
        assert ask(tmp_path, "outer", "") == answer


@compiled_only
def test_a_script_is_compiled_anew_too(tmp_path: Path) -> None:
    write(tmp_path / "script.py", "from inner import answer", "answer()", "ask")
    with (tmp_path / "script.py").open("a") as script:
        script.write("\nprint(ask())\n")
    for answer in ("1", "22"):
        write(tmp_path / "inner.py", "", answer, "answer")
        run = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=True)
        assert run.stdout.strip() == answer


def test_objects_that_answer_to_anything_are_no_kernels(tmp_path: Path) -> None:
    lines = (
        "from unittest.mock import MagicMock",
        "from scotyard_env.kernel import kernel",
        "mock = MagicMock()",
        "@kernel",
        "def ask():",
        "    return 1",
    )
    (tmp_path / "odd.py").write_text("\n".join([*lines, ""]))
    assert ask(tmp_path, "odd", "") == "1"


def test_only_files_with_kernels_count(tmp_path: Path) -> None:
    digests = []
    for name, text in (("a.py", "x = 1"), ("a.py", "x = 2"), ("b.py", "@kernel")):
        (tmp_path / name).write_text(text)
        digest_of_files.cache_clear()
        digests.append(digest_of_files((tmp_path,)))
    assert digests[0] == digests[1] != digests[2]


def test_the_home_of_a_kernel_is_its_whole_package_or_else_its_file(tmp_path: Path) -> None:
    assert homes_of("scotyard_env.encode.features", "ignored.py") == (ROOT / "scotyard_env",)
    assert homes_of("__main__", str(tmp_path / "cell.py")) == ((tmp_path / "cell.py").resolve(),)


def test_a_record_is_read_by_attribute_and_laid_out_as_compiled_code_does() -> None:
    kind = record_type([("small", "u1"), ("large", "f8"), ("row", "i2", (3,))])
    record = np.zeros(1, kind)[0]
    record.large = 2.5
    record.row[1] = 7
    assert (record["large"], record["row"].tolist()) == (2.5, [0, 7, 0])
    assert kind.isalignedstruct
    assert kind.itemsize == 24
