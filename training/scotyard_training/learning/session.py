"""What every training script does around its learning: show progress, log curves, stop in good order."""

import contextlib
import signal
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from types import FrameType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from torch.utils.tensorboard import SummaryWriter

from scotyard_env.arena.folder import hold_folder


class Session:
    """A folder with curves, a bar, and whether somebody has asked to stop."""

    def __init__(self, out: Path, steps: int, done: int = 0) -> None:
        self.out = out
        self.steps, self.begun = steps, done  # decisions that are wanted, and those that were there before
        self.is_stopped = False
        self._curves: dict[str, SummaryWriter] = {}
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, disable=not sys.stderr.isatty())
        self._task: TaskID = self.bar.add_task(str(out), total=steps, completed=done)

    def goes_on(self, done: int) -> bool:
        """Tell whether more is to be learned after so many decisions; say so if nothing was from the beginning."""
        if self.steps <= done == self.begun:
            print(f"{self.out} has {done:,} decisions already: a larger --total-timesteps goes on", file=sys.stderr)
        return done < self.steps and not self.is_stopped

    def show(self, figures: dict[str, float], steps: int, run: str = "") -> None:
        """Draw figures by their tags at a number of steps, of a run within this one if named, and tell them."""
        if figures and run not in self._curves:
            self._curves[run] = SummaryWriter(str(self.out / run))
        for tag, value in figures.items():
            self._curves[run].add_scalar(tag, value, steps)
        self.tell(f"{run} {summarise(figures)}".strip(), steps)

    def tell(self, text: str, steps: int) -> None:
        """Say something beside the bar, or on a line of its own where there is none."""
        self.bar.update(self._task, completed=steps, description=text)
        if self.bar.disable:
            print(f"{steps:,} {text}", flush=True)

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Ask for a stop at the next good moment; a second time stops at once."""
        if self.is_stopped:
            raise KeyboardInterrupt
        self.is_stopped = True
        print("stopping after this update; the checkpoint is written first", file=sys.stderr)

    def close(self) -> None:
        """Close the files of the curves."""
        for curves in self._curves.values():
            curves.close()


@contextlib.contextmanager
def begin(out: Path, steps: int, done: int = 0, parts: Iterable[str] = ("",)) -> Iterator[Session]:
    """Open a session: Ctrl-C and a polite kill ask for a stop while it lasts, and nobody else writes to the parts."""
    with contextlib.ExitStack() as held:
        for part in parts:
            held.enter_context(hold_folder(out / part))
        yield from _open(Session(out, steps, done))


def _open(session: Session) -> Iterator[Session]:
    before = {number: signal.signal(number, session.stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with session.bar:
            yield session
    finally:
        session.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def summarise(figures: dict[str, float]) -> str:
    """Return figures as one line, the tags of a group such as ``losses/`` together."""
    groups = groupby(figures.items(), key=lambda figure: figure[0].partition("/")[0])
    return " | ".join(f"{group} " + " ".join(_phrase(*figure) for figure in members) for group, members in groups)


def _phrase(tag: str, value: float) -> str:
    return f"{tag.rpartition('/')[2]} " + (f"{value:.0%}" if "win_rate" in tag else f"{value:.3g}")
