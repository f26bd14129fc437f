"""Compiled code on disk is never older than any kernel that is built into it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scotyard_env.kernel import digest_of_kernels, record_type

INNER = "from scotyard_env.kernel import kernel\n\n@kernel\ndef answer():\n    return {answer}\n"
OUTER = "from scotyard_env.kernel import kernel\nfrom inner import answer\n\n@kernel\ndef ask():\n    return answer()\n"


def ask(folder: Path, module: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "a"), str(folder / "b")])}
    code = f"from {module} import ask; print(ask())"
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return answer.stdout.strip()


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled")
@pytest.mark.parametrize("home", ["a", "b"])
def test_a_kernel_is_compiled_anew_when_one_that_it_calls_changes(home: str, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    (tmp_path / home / "outer.py").write_text(OUTER)
    for answer in ("1", "22"):
        (tmp_path / "a" / "inner.py").write_text(INNER.format(answer=answer))
        assert ask(tmp_path, "outer") == answer


def test_only_files_with_kernels_count(tmp_path: Path) -> None:
    folders = frozenset({tmp_path})
    digests = []
    for name, text in (("a.py", "x = 1"), ("a.py", "x = 2"), ("b.py", "@kernel")):
        (tmp_path / name).write_text(text)
        digest_of_kernels.cache_clear()
        digests.append(digest_of_kernels(folders))
    assert digests[0] == digests[1] != digests[2]


def test_a_record_is_read_by_attribute_and_laid_out_as_compiled_code_does() -> None:
    kind = record_type([("small", "u1"), ("large", "f8"), ("row", "i2", (3,))])
    record = np.zeros(1, kind)[0]
    record.large = 2.5
    record.row[1] = 7
    assert (record["large"], record["row"].tolist()) == (2.5, [0, 7, 0])
    assert kind.isalignedstruct
    assert kind.itemsize == 24
