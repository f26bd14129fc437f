"""kernel: how every compiled function of the project is made, and every record that one reads.

Numba keeps compiled code on disk and compiles anew when a function's own file changes, but not when a function it calls
does: after an update of the rules, a search that has them built in would silently go on with the old ones. So the code
on disk carries a digest of all kernels that may be built into it: those of the whole package of the function, of this
package, and of the packages of every kernel that its module has imported, and so on from there.
"""

import functools
import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.registry import CPUDispatcher


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function with Numba, cached on disk until any kernel that it may call changes."""
    compiled: Any = numba.njit(cache=True)(function)
    if compiled is not function:  # as it is where the compiler is off
        homes = {*homes_of(__name__, __file__), *homes_of(function.__module__, function.__code__.co_filename)}
        for known in _kernels_in(function.__globals__):
            homes |= known.homes
        compiled.homes = frozenset(homes)
        compiled._cache._cache_file._version += digest_of_kernels(compiled.homes)
    return compiled


def record_type(fields: Sequence[tuple[Any, ...]]) -> np.dtype[np.void]:
    """Return the type of a record with these fields, (name, type) or (name, type, shape) as ``np.dtype`` takes them.

    A record is read by attribute, in kernels and in Python alike, and aligned as compiled code wants it.
    """
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


def _kernels_in(names: dict[str, Any]) -> Iterator[Any]:
    """Return the kernels among some names, and those of modules among them."""
    for known in names.values():
        for found in vars(known).values() if isinstance(known, ModuleType) else (known,):
            if isinstance(found, CPUDispatcher) and hasattr(found, "homes"):  # not one that somebody else compiled
                yield found


def homes_of(module: str, file: str) -> tuple[Path, ...]:
    """Return the folders of the package that a module belongs to; the file itself for one outside of packages."""
    package = sys.modules.get(module.partition(".")[0])
    folders = getattr(package, "__path__", None) or [file]
    return tuple(Path(folder).resolve() for folder in folders)


@functools.cache
def digest_of_kernels(homes: frozenset[Path]) -> str:
    """Digest the files with kernels, or records of theirs, in some folders, however deep, and some single files."""
    digest = hashlib.sha256()
    for home in sorted(homes):
        for file in sorted(home.rglob("*.py")) if home.is_dir() else [home]:
            source = file.read_bytes() if file.is_file() else b""  # a cell of a notebook is no file
            if b"@kernel" in source or b"scotyard_env.kernel" in source:
                digest.update(source)
    return digest.hexdigest()
