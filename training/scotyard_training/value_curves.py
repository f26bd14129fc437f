"""Draw how both estimates of the value of the game moved while players learned.

    scotyard train value_curves docs/value.svg docs/value_curves.json --mr-x runs/mr_x --responses runs/bayes/blank-*
    scotyard train value_curves docs/value.svg docs/value_curves.json

L is from runs of ``scotyard train ppo --side mr_x --knowing-share``: how often Mr. X got away, at each evaluation, from
those who know his network as it was then, whichever caught him more often. U is from the runs of ``scotyard train
best_response`` against detectives: how often each response got away from them. What the runs wrote for TensorBoard is
put into a small file first, from which the picture can be drawn again without them; a bound of which no runs are
given stays in it as it was.
"""

import dataclasses
import json
from pathlib import Path
from typing import Annotated, NamedTuple

import tyro
from matplotlib import pyplot

from scotyard_env.commands import run_module
from scotyard_env.files import write_whole
from scotyard_env.json_files import read_json
from scotyard_env.wording import brief
from scotyard_training.curves import Curve, read_curves
from scotyard_training.learning.pictures import check_picture, save_picture

FORMAT = "scotyard-value-curves-1"
KNOWING = "knowing"  # names of detectives who know the learner begin so


class Bounds(NamedTuple):
    """Curves of L and of U by the names of their runs: decisions, and the share of games that Mr. X survived."""

    low: dict[str, Curve]
    high: dict[str, Curve]


@dataclasses.dataclass(frozen=True)
class Command:
    """Plot L and U, between which the value of the game is estimated to lie, over what players have learned."""

    picture: Annotated[Path, tyro.conf.Positional]  # .svg or .png
    kept: Annotated[Path, tyro.conf.Positional]  # .json: what the picture is drawn from
    mr_x: tuple[Path, ...] = ()  # runs of a Mr. X against detectives who know him; then kept is written
    responses: tuple[Path, ...] = ()  # runs of responses to detectives

    def run(self) -> None:
        """Keep the curves of runs, if there are any, and draw what is kept."""
        check_picture(self.picture)
        if self.mr_x or self.responses:
            found = read_runs(self.mr_x, self.responses)
            if not all(found) and self.kept.exists():
                there = read_kept(self.kept)
                found = Bounds(found.low or there.low, found.high or there.high)
            keep(self.kept, found)
        draw(read_kept(self.kept), self.picture)


def read_runs(mr_x: tuple[Path, ...], responses: tuple[Path, ...]) -> Bounds:
    """Read both bounds from runs."""
    low, high = name_runs(mr_x), name_runs(responses)
    return Bounds(
        {name: read_low(run) for name, run in low.items()}, {name: read_high(run) for name, run in high.items()}
    )


def name_runs(runs: tuple[Path, ...]) -> dict[str, Path]:
    """Name runs as their folders are; several folders of one name go by their whole paths."""
    names = [run.resolve().name for run in runs]
    return {name if names.count(name) == 1 else str(run): run for name, run in zip(names, runs, strict=True)}


def read_low(run: Path) -> Curve:
    """Return how often a Mr. X got away from those who know him, by the ones who caught him most."""
    least: dict[int, float] = {}
    for name, curve in read_opponents(run).items():
        if name.startswith(KNOWING):
            for decisions, rate in curve:
                least[decisions] = min(rate, least.get(decisions, rate))
    if not least:
        raise ValueError(f"{run} was never evaluated against those who know it: train it with --knowing-share")
    return sorted(least.items())


def read_high(run: Path) -> Curve:
    """Return how often a response got away from the detectives that it answers."""
    curves = list(read_opponents(run).values())
    if len(curves) != 1:
        raise ValueError(
            f"{run} has {len(curves)} opponents: give a run of scotyard train best_response, which has one"
        )
    return sorted(curves[0])


def read_opponents(run: Path) -> dict[str, Curve]:
    """Return the curves of a run by its opponents."""
    sides = read_curves(run)
    if len(sides) != 1:
        raise ValueError(f"{run} holds several runs: {', '.join(sorted(sides))}; name each of them")
    return next(iter(sides.values()))


def keep(path: Path, bounds: Bounds) -> None:
    """Write the file of both bounds."""
    curves = {
        bound: {run: [[decisions, round(rate, 4)] for decisions, rate in curve] for run, curve in runs.items()}
        for bound, runs in bounds._asdict().items()
    }
    write_whole(path, json.dumps({"format": FORMAT, **curves}) + "\n")


def read_kept(path: Path) -> Bounds:
    """Read the file of both bounds; refuse one that is no such file."""
    try:
        stored = read_json(path)
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise ValueError(f'it lacks "format": "{FORMAT}"')
        low, high = (
            {str(run): [(int(decisions), float(rate)) for decisions, rate in curve] for run, curve in runs.items()}
            for runs in (stored["low"], stored["high"])
        )
        if not all((*low.values(), *high.values())):
            raise ValueError("a curve of it has no points")
        return Bounds(low, high)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} cannot be read: {brief(error)}; --mr-x and --responses write it from runs") from error


def draw(bounds: Bounds, picture: Path) -> None:
    """Draw both bounds over decisions, side by side."""
    figure, halves = pyplot.subplots(1, 2, figsize=(11, 4), sharey=True)
    titles = ("L: Mr. X against those who know him", "U: responses against given detectives")
    for axes, title, runs in zip(halves, titles, bounds, strict=True):
        for name, curve in runs.items():
            decisions, rates = zip(*curve, strict=True)
            axes.plot([step / 1e6 for step in decisions], [100 * rate for rate in rates], marker=".", label=name)
        axes.set(title=title, xlabel="million decisions of the learner", xlim=(0, None))
        if runs:
            axes.legend(fontsize="small")
    halves[0].set_ylabel("games survived, %")
    halves[0].set_ylim(bottom=0)
    save_picture(figure, picture)


if __name__ == "__main__":
    run_module(Command)
