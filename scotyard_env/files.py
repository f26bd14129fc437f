"""Writing files so that nothing is lost: a file is replaced whole or not at all."""

import os
from os import PathLike
from pathlib import Path


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Write a file beside its place and move it there, so that a stop half-way leaves the old one as it was."""
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
