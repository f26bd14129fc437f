"""What every training script does around its learning: a progress bar, curves, stopping in good order, checkpoints."""

import contextlib
import dataclasses
import io
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from torch.utils.tensorboard import SummaryWriter

from scotyard_env.files import write_whole


class Session:
    """A folder with curves, a bar, and whether somebody has asked to stop."""

    def __init__(self, out: Path, steps: int, done: int = 0) -> None:
        self.out = out
        self.is_stopped = False
        self.curves = SummaryWriter(str(out))
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, disable=not sys.stderr.isatty())
        self._task: TaskID = self.bar.add_task(str(out), total=steps, completed=done)

    def show(self, figures: dict[str, float], steps: int, text: str) -> None:
        """Draw figures at a number of steps, and say something beside the bar."""
        for name, value in figures.items():
            self.curves.add_scalar(name, value, steps)
        self.bar.update(self._task, completed=steps, description=text)
        if self.bar.disable:
            print(f"{steps:,} {text}", flush=True)

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Ask for a stop at the next good moment; a second time stops at once."""
        if self.is_stopped:
            raise KeyboardInterrupt
        self.is_stopped = True
        print("stopping after this update; the checkpoint is written first", file=sys.stderr)


@contextlib.contextmanager
def begin(out: Path, steps: int, done: int = 0) -> Iterator[Session]:
    """Open a session: Ctrl-C and a polite kill ask for a stop while it lasts."""
    session = Session(out, steps, done)
    before = {number: signal.signal(number, session.stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with session.bar:
            yield session
    finally:
        session.curves.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def check(args: Any, last: Path) -> None:
    """Refuse arguments that make no sense, and to begin anew where there is a checkpoint already."""
    for field in dataclasses.fields(args):
        value = getattr(args, field.name)
        if type(value) is int and value < 1 and field.name != "seed":
            raise ValueError(f"{field.name} is {value}: give a whole number of at least 1")
    if not args.resume and last.exists():
        raise ValueError(f"{last.parent} has a checkpoint already: --resume goes on with it, another --out begins anew")


def save_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write a checkpoint, whole or not at all."""
    file = io.BytesIO()
    torch.save(content, file)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, file.getvalue())


def load_checkpoint(path: Path, made_for: dict[str, Any]) -> dict[str, Any]:
    """Read a checkpoint; refuse what is none, or was made for something else."""
    if not path.exists():
        raise ValueError(f"there is no checkpoint {path}: leave --resume out to begin anew")
    try:
        content: dict[str, Any] = torch.load(path, weights_only=True)
        found = content["made_for"]
    except Exception as error:  # whatever torch and pickle make of a strange file
        raise ValueError(f"{path} is no checkpoint of this script: {error}") from error
    for name, value in made_for.items():
        if found.get(name) != value:
            raise ValueError(f"{path} was made for {name} {found.get(name)!r}, not {value!r}")
    return content
