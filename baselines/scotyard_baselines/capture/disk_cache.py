"""A disk cache: tables of bytes that take seconds to make are kept between runs.

A file says what it was made from and what it holds, as digests: one that is torn, stale or somebody else's is noticed
and made anew. Where nothing can be written, nothing is kept, and a warning says so once.
"""

import hashlib
import multiprocessing
import warnings
from collections.abc import Callable
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scotyard_env.files import cache_folder, write_whole

Table = NDArray[np.uint8]
DIGEST = 32  # bytes of one


def load_or_make(name: str, origin: str, shape: tuple[int, ...], make: Callable[[], Table]) -> Table:
    """Return the table cached under a name if it was made from this origin; else make it and write it there."""
    try:
        table = _read(cache_folder() / name, origin, shape)
    except OSError:
        table = None
    if table is None:
        table = make()
        try:
            _write(cache_folder() / name, origin, table)
        except OSError as error:
            _warn(error)
    return table


def _read(path: Path, origin: str, shape: tuple[int, ...]) -> Table | None:
    """Return the table in a file, or None if the file is not what it should be."""
    if path.stat().st_size != 2 * DIGEST + prod(shape):
        return None
    content = path.read_bytes()
    body = content[2 * DIGEST :]
    if len(body) != prod(shape) or content[: 2 * DIGEST] != _digest(origin.encode()) + _digest(body):
        return None
    return np.frombuffer(body, np.uint8).reshape(shape)


def _write(path: Path, origin: str, table: Table) -> None:
    """Write a table with the digests of its origin and of its bytes before it."""
    body = table.tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _digest(origin.encode()) + _digest(body) + body)


def _warn(error: OSError) -> None:
    """Say that a table is not kept; only the first process of several does."""
    if multiprocessing.parent_process() is None:
        where = f"{error.filename}: {error.strerror}" if error.filename is not None else str(error)
        remedy = "set SCOTYARD_CACHE to a folder that can be written to"
        warnings.warn(f"tables of capture times cannot be kept for the next run ({where}): {remedy}", stacklevel=3)


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
