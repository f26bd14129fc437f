"""Plot the win rates of a run at each of its evaluations.

    scotyard train curves runs/league docs/training.svg

Reads what the scripts wrote for TensorBoard; a run with two sides gets a picture of two halves.
"""

import dataclasses
from collections import defaultdict
from pathlib import Path
from typing import Annotated

import tyro
from matplotlib import pyplot
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from scotyard_env.commands import run_module
from scotyard_training.learning.pictures import check_picture, save_picture

EVALUATION = "eval/win_rate/"  # tags of evaluations begin so
Curve = list[tuple[int, float]]  # decisions and what was measured after them


@dataclasses.dataclass(frozen=True)
class Command:
    """Plot the win rates of a run at each of its evaluations."""

    training_run: Annotated[Path, tyro.conf.Positional]  # the folder that a script was given as --out
    picture: Annotated[Path, tyro.conf.Positional]  # .svg or .png

    def run(self) -> None:
        """Draw the picture."""
        draw(self.training_run, self.picture)


def read_curves(run: Path, beginning: str = EVALUATION) -> dict[str, dict[str, Curve]]:
    """Read curves whose tags begin so by side, "" if a run has but one, and the rest of the tag, here the opponent."""
    curves: dict[str, dict[str, Curve]] = defaultdict(lambda: defaultdict(list))
    for file in sorted(run.rglob("events.out.tfevents.*")):
        events = EventAccumulator(str(file)).Reload()
        for tag in events.Tags()["scalars"]:
            if tag.startswith(beginning):
                points = [(event.step, event.value) for event in events.Scalars(tag)]
                curves["/".join(file.parent.relative_to(run).parts)][tag.removeprefix(beginning)] += points
    if not curves:
        raise ValueError(f"{run} holds no evaluations: curves named {beginning}..., which version 0.1.0 did not write")
    return curves


def draw(run: Path, picture: Path) -> None:
    """Draw a picture of the win rates of a run."""
    check_picture(picture)
    curves = read_curves(run)
    figure, halves = pyplot.subplots(1, len(curves), figsize=(5.5 * len(curves), 4), sharey=True, squeeze=False)
    for axes, (side, opponents) in zip(halves[0], sorted(curves.items()), strict=True):
        for name, curve in sorted(opponents.items()):
            decisions, rates = zip(*sorted(curve), strict=True)
            axes.plot([step / 1e6 for step in decisions], [100 * rate for rate in rates], marker=".", label=name)
        axes.set(title=side or str(run), xlabel="million decisions", ylim=(0, 102))
        axes.legend(title="against", fontsize="small", loc="lower right")
    halves[0][0].set_ylabel("games won, %")
    save_picture(figure, picture)


if __name__ == "__main__":
    run_module(Command)
