"""kernel: how every compiled function of the project is made, and every record that one reads.

Compiled code is kept on disk, and compiled anew when anything changes that may be built into it: after an update of the
rules, a search that has them built in must not go on with the old ones. So it carries a digest of the kernels of the
whole package of the function and of this package, of the constants of its module, and of the digests of the kernels
that its module has imported, which cover theirs.
"""

import functools
import hashlib
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.registry import CPUDispatcher

KNOWN_NUMBA = ((0, 63), (0, 68))  # the versions, first and last, whose inside the quick compiler is known to fit
WITHOUT_KERNELS = {"numpy", "numba", *sys.stdlib_module_names}  # large modules that nearly everybody imports
PLAIN = "SCOTYARD_PLAIN_NUMBA"  # environment variable: set to 1, kernels are compiled as Numba does by itself


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called; cached on disk until anything changes that may be built into it."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    if compiles_quickly():
        from scotyard_env.compiler.dispatchers import Kernel

        return Kernel(function, _digest(function))
    from scotyard_env.compiler.disk_cache import DiskCache

    compiled: Any = numba.njit(nogil=True)(function)
    compiled.digest = _digest(function)
    compiled._cache = DiskCache(function, compiled.digest, "plain")
    return compiled


@functools.cache
def compiles_quickly() -> bool:
    """Return whether kernels are compiled by ``scotyard_env.compiler``, which knows the inside of some Numba versions.

    Else Numba compiles them by itself, which takes several times as long.
    """
    if os.environ.get(PLAIN, "0") not in ("", "0"):
        return False
    version = tuple(int(part) for part in numba.__version__.split(".")[:2])
    if is_known := KNOWN_NUMBA[0] <= version <= KNOWN_NUMBA[1]:
        return is_known
    first, last = (".".join(map(str, known)) for known in KNOWN_NUMBA)
    logging.getLogger(__name__).info("numba %s is not among %s to %s: it compiles slowly", version, first, last)
    return False


def _digest(function: Callable[..., Any]) -> str:
    """Digest all that may be built into a function."""
    own = homes_of(function.__module__, function.__code__.co_filename)
    constants = [f"{name}={value!r}" for name, value in function.__globals__.items() if _is_constant(value)]
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    known = sorted(set(_digests_in(function.__globals__)))
    packages = digest_of_files(homes_of(__name__, __file__)), digest_of_files(own)
    around = [getattr(value, "digest", None) or repr(value) for value in enclosed]
    return hashlib.sha256(
        "\n".join([*packages, _content_of(function.__code__), *constants, *around, *known]).encode()
    ).hexdigest()


def _content_of(code: CodeType) -> str:
    """Return what Python made of a function, whether it is in a file or was typed in."""
    constants = [_content_of(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts]
    return "\n".join([code.co_code.hex(), *code.co_names, *constants])


def record_type(fields: Sequence[tuple[Any, ...]]) -> np.dtype[np.void]:
    """Return the type of a record with these fields, (name, type) or (name, type, shape) as ``np.dtype`` takes them.

    A record is read by attribute, in kernels and in Python alike, and aligned as compiled code wants it.
    """
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


def _digests_in(names: dict[str, Any]) -> Iterator[str]:
    """Return the digests of the kernels among some names, and of those in modules among them."""
    for known in names.values():
        is_searched = isinstance(known, ModuleType) and known.__name__.partition(".")[0] not in WITHOUT_KERNELS
        for found in vars(known).values() if is_searched else (known,):
            if isinstance(found, CPUDispatcher) and hasattr(found, "digest"):  # not one that somebody else compiled
                yield found.digest


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
