"""kernel: how every compiled function of the project is made.

Numba keeps compiled code on disk and compiles anew when a function's own file changes, but not when a function it calls
does: after an update of the rules, a search that has them built in would silently go on with the old ones. So the code
on disk carries a digest of all kernels that may be built into it: those of the whole package of the function, of this
package, and of the packages of every kernel that its module has imported, and so on from there.
"""

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numba


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function with Numba, cached on disk until any kernel that it may call changes."""
    compiled = numba.njit(cache=True)(function)
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)  # nothing when the compiler is off
    if cache_file is not None:
        homes = {*homes_of(__name__, __file__), *homes_of(function.__module__, inspect.getfile(function))}
        for known in _kernels_in(function.__globals__):
            homes |= known.homes
        compiled.homes = frozenset(homes)
        cache_file._version += digest_of_kernels(compiled.homes)
    return compiled


def _kernels_in(names: dict[str, Any]) -> Iterator[Any]:
    """List the kernels among some names, and those of modules among them."""
    for known in names.values():
        if hasattr(known, "homes"):
            yield known
        elif isinstance(known, ModuleType) and "kernel" in vars(known):
            yield from (inner for inner in vars(known).values() if hasattr(inner, "homes"))


def homes_of(module: str, file: str) -> tuple[Path, ...]:
    """Give the folders of the package that a module belongs to; the file itself for one outside of packages."""
    package = sys.modules.get(module.partition(".")[0])
    if hasattr(package, "__path__"):
        return tuple(Path(folder).resolve() for folder in package.__path__)
    return (Path(file).resolve(),)


@functools.cache
def digest_of_kernels(homes: frozenset[Path]) -> str:
    """Digest the files with kernels in some folders, however deep, and some single files."""
    digest = hashlib.sha256()
    for home in sorted(homes):
        for file in sorted(home.rglob("*.py")) if home.is_dir() else [home]:
            source = file.read_bytes()
            if b"@kernel" in source:
                digest.update(source)
    return digest.hexdigest()
