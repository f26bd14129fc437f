"""The exploitability of both sides over the course of a run, as a small file that tables and pictures are made from."""

import json
import time
from pathlib import Path
from typing import Any, NamedTuple

from scotyard_env.files import write_whole
from scotyard_env.json_files import read_json
from scotyard_env.policy import Side
from scotyard_env.wording import brief

FILE = "exploitability.json"  # in the folder of a run


class Point(NamedTuple):
    """What was measured after so many decisions of each side."""

    decisions: int
    cpu_seconds: float  # that the run has computed for by then, and measured
    seconds: float  # that it has taken by the clock
    mr_x: float  # exploitability of his network
    detectives: float
    mr_x_magnet: float  # exploitability of his magnet, a moving average of his network
    detectives_magnet: float


class Measured(NamedTuple):
    """A run: its settings by name, and what was measured."""

    settings: dict[str, Any]
    points: list[Point]

    def curve(self, side: Side) -> list[tuple[int, float]]:
        """Return decisions and how exploitable a side was after them."""
        return [(point.decisions, point[Point._fields.index(side)]) for point in self.points]

    def write(self, path: Path) -> None:
        """Write the file, a line for each point."""
        points = ",\n  ".join(json.dumps([round(number, 5) for number in point]) for point in self.points)
        fields = f'"columns": {json.dumps(Point._fields)},\n "points": [\n  {points}]'
        write_whole(path, f'{{"settings": {json.dumps(self.settings)},\n {fields}}}\n')


def read_measured(path: Path) -> Measured:
    """Read what was measured of a run from a file, or from the one in the folder of the run."""
    file = path / FILE if path.is_dir() else path
    try:
        stored = read_json(file)
        if not isinstance(stored, dict) or stored.get("columns") != list(Point._fields) or not stored["points"]:
            raise ValueError(f"its columns are not {', '.join(Point._fields)}, or it has no points")
        points = [Point(int(decisions), *map(float, rest)) for decisions, *rest in stored["points"]]
        settings = stored["settings"]
        if not isinstance(settings, dict) or type(settings.get("seed")) is not int:
            raise ValueError("its settings lack the seed")
        return Measured(settings, points)
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"{file} cannot be read: {brief(error)}"
        raise ValueError(f"{problem}; give what scotyard train equilibrium wrote, its --out or {FILE} in it") from error


class Stopwatch:
    """The time that a run has taken, with what it took before it was resumed."""

    def __init__(self, points: list[Point]) -> None:
        before = (points[-1].cpu_seconds, points[-1].seconds) if points else (0.0, 0.0)
        self.starts = time.process_time() - before[0], time.perf_counter() - before[1]

    def read(self) -> tuple[float, float]:
        """Return the seconds of the processor and of the clock."""
        return time.process_time() - self.starts[0], time.perf_counter() - self.starts[1]
