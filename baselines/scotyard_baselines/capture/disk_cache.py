"""A disk cache: tables that take seconds to make are kept between runs.

A file says what it was made from and what it holds, as digests: one that is torn, stale or somebody else's is noticed
and made anew. Where nothing can be written, nothing is kept.
"""

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.files import cache_folder, write_whole

Table = NDArray[Any]
DIGEST = 32  # bytes of one


def load_or_make(name: str, origin: str, make: Callable[[], Table]) -> Table:
    """Return the table cached under a name if it was made from this origin; else make it and write it there."""
    path = cache_folder() / name
    table = _read(path, origin)
    if table is None:
        table = make()
        _write(path, origin, table)
    return table


def _read(path: Path, origin: str) -> Table | None:
    """Return the table in a file, or None if the file is not what it should be."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    body = content[2 * DIGEST :]
    if content[: 2 * DIGEST] != _digest(origin.encode()) + _digest(body):
        return None
    table: Table = np.load(io.BytesIO(body), allow_pickle=False)
    return table


def _write(path: Path, origin: str, table: Table) -> None:
    """Write a table with the digests of its origin and of its bytes before it, if the folder lets us."""
    body = io.BytesIO()
    np.save(body, table, allow_pickle=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, _digest(origin.encode()) + _digest(body.getvalue()) + body.getvalue())
    except OSError:
        return


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
