"""Compiled code on disk: one file for each kernel and each kind of arguments, named after all that decides its content.

Files lie in the folder named by ``NUMBA_CACHE_DIR``, else in ``__pycache__`` beside the source, else in the user's
cache folder. One that is torn is noticed by its digest and made anew. Where nothing can be written nothing is kept,
and one warning says so.
"""

import functools
import hashlib
import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import serialize
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys

from scotyard_env.files import cache_folder, write_whole

ENDING = ".kernel"
DIGEST = 32  # bytes before the content
NAME = 16  # characters of a digest in the name of a file


class DiskCache:
    """The compiled code of one kernel on disk, as Numba's dispatchers ask for it."""

    def __init__(self, function: Callable[..., Any], digest: str, kind: str = "outer") -> None:
        self._source = function.__code__.co_filename
        self._digest = digest
        self._stem = re.sub(r"[^\w.]", "_", f"{function.__module__}.{function.__qualname__}") + f".{kind}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what is kept for some types of arguments, or None."""
        rtsys.initialize(target_context)  # all that loaded code needs; Numba's implementations wait for a compiler
        name = self._file_name(sig, target_context)
        found = (content for folder in _folders(self._source) if (content := _read(folder / name)) is not None)
        content = next(found, None)
        try:
            return None if content is None else self._rebuild(serialize.loads(content), target_context)
        except Exception:  # whatever was written there is not what we write: as good as nothing
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for some types of arguments; what older source was compiled to goes."""
        folder = next(filter(_is_writable, _folders(self._source)), None)
        if folder is None:
            places = " or ".join(str(folder) for folder in _folders(self._source))
            _warn(f"nothing can be written to {places}")
            return
        content = serialize.dumps(self._reduce(data))
        file = folder / self._file_name(sig, data.target_context)
        try:
            write_whole(file, hashlib.sha256(content).digest() + content, sync=False)
            self._remove_older(file)
        except OSError as error:
            _warn(f"{error.strerror} in {folder}")

    def _file_name(self, sig: Any, context: Any) -> str:
        """Return the name of the file for some types of arguments."""
        makers = sys.version, numba.__version__, llvmlite.__version__, context.codegen().magic_tuple()
        origin, kinds = (
            hashlib.sha256(repr(part).encode()).hexdigest()[:NAME] for part in ((self._digest, makers), sig)
        )
        return f"{self._stem}.{origin}.{kinds}{ENDING}"

    def _remove_older(self, new: Path) -> None:
        """Remove the files of this kernel that were compiled from other source."""
        for file in new.parent.glob(f"{self._stem}.*{ENDING}"):
            if file.name.split(".")[-3] != new.name.split(".")[-3]:
                file.unlink(missing_ok=True)

    def _reduce(self, result: Any) -> Any:
        """Return the parts of a result that are kept."""
        return result._reduce()

    def _rebuild(self, content: Any, context: Any) -> Any:
        """Make the result again from its parts."""
        return CompileResult._rebuild(context, *content)


def _read(file: Path) -> bytes | None:
    """Return the content of a file, or None if there is none or if it is torn."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    body = content[DIGEST:]
    return body if hashlib.sha256(body).digest() == content[:DIGEST] else None


@functools.lru_cache(maxsize=256)
def _folders(source: str) -> tuple[Path, ...]:
    """Return the folders that may keep the compiled code of a source file; the first that can be written takes it."""
    home = Path(source).resolve().parent
    own = f"{home.name}_{hashlib.sha256(os.fsencode(home)).hexdigest()[:NAME]}"  # two installations do not meet
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return (Path(named) / own,)
    beside = [home / "__pycache__"] if Path(source).is_file() else []
    return *beside, cache_folder() / "kernels" / own


@functools.lru_cache(maxsize=256)
def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


@functools.lru_cache(maxsize=256)
def _warn(reason: str) -> None:
    """Say once why compiled code is not kept, and what would help."""
    warnings.warn(
        f"compiled code is not kept, so that every start compiles anew: {reason}; "
        "free some space, or name another folder in the environment variable NUMBA_CACHE_DIR",
        RuntimeWarning,
        stacklevel=2,
    )
