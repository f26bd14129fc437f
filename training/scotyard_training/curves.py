"""Draw how often the learners of a run won at each of their evaluations.

    python -m scotyard_training.curves runs/league docs/training.svg

Reads what the scripts wrote for TensorBoard; a run with two sides gets a picture of two halves.
"""

import dataclasses
from collections import defaultdict
from pathlib import Path
from typing import Annotated

import tyro
from matplotlib import pyplot
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


@dataclasses.dataclass(frozen=True)
class Args:
    """Draw the win rates of a run."""

    run: Annotated[Path, tyro.conf.Positional]  # the folder that a script was given as --out
    picture: Annotated[Path, tyro.conf.Positional]  # .svg or .png


Curve = list[tuple[int, float]]  # decisions and win rate


def read_curves(run: Path) -> dict[str, dict[str, Curve]]:
    """Read the win rates by side, "" if a run has but one, and opponent."""
    curves: dict[str, dict[str, Curve]] = defaultdict(lambda: defaultdict(list))
    for file in sorted(run.glob("events.out.tfevents.*")):
        events = EventAccumulator(str(file)).Reload()
        for tag in events.Tags()["scalars"]:
            *side, kind, name = tag.split("/") if "against/" in tag else ("", "")
            if kind == "against":
                curves["".join(side)][name] += [(event.step, event.value) for event in events.Scalars(tag)]
    if not curves:
        raise ValueError(f"{run} holds no evaluations yet")
    return curves


def main(args: Args) -> None:
    """Draw the picture."""
    curves = read_curves(args.run)
    figure, halves = pyplot.subplots(1, len(curves), figsize=(5.5 * len(curves), 4), sharey=True, squeeze=False)
    for axes, (side, opponents) in zip(halves[0], sorted(curves.items()), strict=True):
        for name, curve in sorted(opponents.items()):
            decisions, rates = zip(*sorted(curve), strict=True)
            axes.plot([step / 1e6 for step in decisions], [100 * rate for rate in rates], marker=".", label=name)
        axes.set(title=side or str(args.run), xlabel="million decisions", ylim=(0, 102))
        axes.legend(title="against", fontsize="small", loc="lower right")
    halves[0][0].set_ylabel("games won, %")
    figure.savefig(args.picture, bbox_inches="tight")


if __name__ == "__main__":
    main(tyro.cli(Args))
