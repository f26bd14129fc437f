"""Files so that nothing is lost and nothing believed: one is replaced whole or not at all, and checked when read."""

import contextlib
import glob
import io
import math
import os
import secrets
import socket
import time
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PART = ".part"  # ending of a file that is being written
OLD = 24 * 3600.0  # seconds after which nobody is writing any more, whoever it was
MOST_BYTES = 256 * 2**20  # that a file of arrays may have when it is unpacked


def cache_folder() -> Path:
    """Return the folder for what is kept between runs.

    It is named by ``SCOTYARD_CACHE``, else it is ``scotyard_env`` under ``XDG_CACHE_HOME`` or ``~/.cache``. A user
    without a home, as in some containers, gets one that can never be made.
    """
    if folder := os.environ.get("SCOTYARD_CACHE"):
        return Path(folder)
    home = os.path.expanduser("~")
    kept = os.environ.get("XDG_CACHE_HOME") or (os.devnull if home == "~" else os.path.join(home, ".cache"))
    return Path(kept) / "scotyard_env"


# Writing


def write_whole(path: str | PathLike[str], content: str | bytes, *, sync: bool = True) -> None:
    """Write a file beside its place and move it there, so that a stop half-way leaves the old one as it was.

    What killed writers of the same file have left behind is cleared. Without ``sync`` nobody waits for the disk, and
    a loss of power may leave the file torn: for what its reader checks, and can make anew.
    """
    target = Path(path)
    part = target.with_name(f".{target.name}.{_host()}.{os.getpid()}.{secrets.token_hex(4)}{PART}")
    try:
        with part.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(part, target)
    except OSError as error:
        if error.filename is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(target)) from error  # not of the file beside it
    finally:
        part.unlink(missing_ok=True)
    clear_leftovers(target)


def clear_leftovers(target: Path) -> None:
    """Delete what writers of a file have left behind that were killed: here, or anywhere long ago."""
    with contextlib.suppress(OSError):  # a folder that cannot be read, a file that another process has cleared
        for part in target.parent.glob(f".{glob.escape(target.name)}.*{PART}"):
            host, process = part.name.removesuffix(PART).split(".")[-3:-1]
            is_dead = host == _host() and process.isdecimal() and not _is_running(int(process))
            if is_dead or time.time() - part.stat().st_mtime > OLD:
                part.unlink(missing_ok=True)


def _host() -> str:
    """Return the name of this machine without dots: processes have numbers on every machine of a shared folder."""
    return socket.gethostname().replace(".", "-").replace("/", "-")


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True


# Reading


def read_arrays(path: str | PathLike[str], most_bytes: int = MOST_BYTES) -> dict[str, NDArray[Any]]:
    """Read the arrays of numbers in an .npz file by their names; ValueError says what is wrong with it.

    Nothing is unpickled, and nothing is allocated before it is known to be no larger than allowed.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > most_bytes:
                raise ValueError(f"it unpacks to more than {most_bytes // 2**20} MB")
            return {member.filename.removesuffix(".npy"): _read_array(archive, member) for member in members}
    except OSError:
        raise
    except Exception as error:  # whatever zipfile, zlib and the header's parser make of strange bytes
        told = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"it is no .npz file, or a damaged one ({told})") from error


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """Read one array, if its bytes are as many as its header says."""
    with archive.open(member) as file:
        content = io.BytesIO(file.read(member.file_size + 1))
    version = np.lib.format.read_magic(content)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, is_fortran, dtype = read_header(content)
    body = content.read()
    if dtype.kind not in "biuf" or dtype.itemsize * math.prod(shape) != len(body):
        raise ValueError(f"{member.filename} holds no numbers, or not as many as it says")
    return np.frombuffer(body, dtype).reshape(shape, order="F" if is_fortran else "C")
