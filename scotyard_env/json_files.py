"""Reading JSON that others may have written, cut or changed: a ValueError says what is wrong, and nothing runs away."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

LONGEST = 16 * 2**20  # bytes of a line, or of a file that holds one thing


def parse_json(text: str | bytes) -> Any:
    """Return what a JSON text says; numbers are finite, and texts can be encoded."""
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        return json.loads(decoded, parse_constant=_refuse, parse_float=_read_float)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_json(path: Path) -> Any:
    """Return what a JSON file says."""
    check_regular(path)
    if path.stat().st_size > LONGEST:
        raise ValueError(f"it has more than {LONGEST // 2**20} MB")
    return parse_json(path.read_bytes())


def read_lines(path: Path) -> Iterator[bytes]:
    """Give every line of a file with its end, without reading on where there is none."""
    check_regular(path)
    with path.open("rb") as file:
        while line := file.readline(LONGEST + 1):
            if len(line) > LONGEST:
                raise ValueError(f"a line has more than {LONGEST // 2**20} MB")
            yield line


def check_regular(path: Path) -> None:
    """Refuse a folder, a device or a pipe in the place of a file."""
    if path.exists() and not path.is_file():
        raise ValueError("it is no file")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _read_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        _refuse(text)
    return value
