"""A folder of analyses, one file each by the digest of its game; the oldest go when there are too many."""

import contextlib
from pathlib import Path

from scotyard_env.analysis.review import ENDING


def tidy(folder: Path, most: int) -> None:
    """Delete the files that were written longest ago, so that no more than so many are left."""
    with contextlib.suppress(OSError):
        found = sorted(folder.glob(f"*{ENDING}"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in found[most:]:
            file.unlink(missing_ok=True)
