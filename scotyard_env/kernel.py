"""kernel: how every compiled function of the project is made.

Numba keeps compiled code on disk and compiles anew when a function's own file changes, but not when a function it calls
does: after an update of the rules, a search that has them built in would silently go on with the old ones. So the code
on disk carries a digest of all kernels that may be built into it: those of this package, those beside the function, and
those beside every kernel that its module has imported.
"""

import functools
import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function with Numba, cached on disk until any kernel that it may call changes."""
    compiled = numba.njit(cache=True)(function)
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)  # nothing when the compiler is off
    if cache_file is not None:
        called = (known.py_func for known in function.__globals__.values() if hasattr(known, "py_func"))
        folders = {Path(__file__).parent, *(Path(inspect.getfile(known)).parent for known in (function, *called))}
        cache_file._version += digest_of_kernels(frozenset(folders))
    return compiled


@functools.cache
def digest_of_kernels(folders: frozenset[Path]) -> str:
    """Digest the files with kernels in some folders."""
    digest = hashlib.sha256()
    for folder in sorted(folders):
        for file in sorted(folder.glob("*.py")):
            source = file.read_bytes()
            if b"@kernel" in source:
                digest.update(source)
    return digest.hexdigest()
