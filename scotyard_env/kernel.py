"""kernel: how every compiled function of the project is made, and every record that one reads.

Numba keeps compiled code on disk and compiles anew when a function's own file changes, but not when a function it calls
does, or a number that it has imported: after an update of the rules, a search that has them built in would silently go
on with the old ones. So the code on disk carries a digest of all that may be built into it: the kernels of the whole
package of the function and of this package, the constants of its module, and the digests of the kernels that its
module has imported, which cover theirs.
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
    """Compile a function with Numba, cached on disk until anything changes that may be built into it."""
    compiled: Any = numba.njit(cache=True)(function)
    if compiled is not function:  # as it is where the compiler is off
        own = homes_of(function.__module__, function.__code__.co_filename)
        constants = [f"{name}={value!r}" for name, value in function.__globals__.items() if _is_constant(value)]
        known = {inner.digest for inner in _kernels_in(function.__globals__)}
        digests = digest_of_files(homes_of(__name__, __file__)), digest_of_files(own), *constants, *sorted(known)
        compiled.digest = hashlib.sha256("\n".join(digests).encode()).hexdigest()
        compiled._cache._cache_file._version += compiled.digest
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
            if isinstance(found, CPUDispatcher) and hasattr(found, "digest"):  # not one that somebody else compiled
                yield found


def _is_constant(value: object) -> bool:
    """Return whether a value is a number, or a tuple of numbers and texts: what kernels have built in."""
    if isinstance(value, tuple):
        return all(isinstance(part, int | float | str | np.number) for part in value)
    return isinstance(value, int | float | np.number)


def homes_of(module: str, file: str) -> tuple[Path, ...]:
    """Return the folders of the package that a module belongs to; the file itself for one outside of packages."""
    package = sys.modules.get(module.partition(".")[0])
    folders = getattr(package, "__path__", None) or [file]
    return tuple(Path(folder).resolve() for folder in folders)


@functools.cache
def digest_of_files(homes: tuple[Path, ...]) -> str:
    """Digest the files with kernels in some folders, however deep, and some single files."""
    digest = hashlib.sha256()
    for home in homes:
        for file in sorted(home.rglob("*.py")) if home.is_dir() else [home]:
            source = file.read_bytes() if file.is_file() else b""  # a cell of a notebook is no file
            if b"@kernel" in source:
                digest.update(source)
    return digest.hexdigest()
