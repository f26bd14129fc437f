"""The chart of the report "Scotland Yard Model", made again: ``scotyard bristol_versions --out versions.svg``.

Every version of bristol_mr_x decides in the same positions, the starts of some games; those without a clock look the
same number of plies ahead. The report has ten versions and a last one, of which its words tell the eight steps that are
ours; its V10 is our version 6.
"""

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scotyard_baselines.bristol.search import explain
from scotyard_baselines.bristol.whole_tree import MOST_DEPTH
from scotyard_baselines.bristol_mr_x import VERSIONS, BristolMrX
from scotyard_env.commands import run_module
from scotyard_env.files import write_whole
from scotyard_env.game import Game
from scotyard_env.render.drawing import FAINT, HEAT, INK, LINE, PAPER, block, element, words
from scotyard_env.render.images import FONT_FAMILY, check_ending
from scotyard_env.render.layout import Box
from scotyard_env.state import MR_X
from scotyard_env.view import View

STEPS = (  # what each version does
    "scores his moves, chooses the best",
    "looks ahead, detectives stay",
    "tree with detectives, built whole, minimax",
    "alpha-beta over the whole tree",
    "built one node at a time",
    "detectives do not go away from him",
    "his moves that score 0 or above",
    "to the end of the game, by the clock",
    "depth after depth, by the clock",
)
WIDTH, ROW, TOP = 860.0, 34.0, 78.0
BARS = Box(330, TOP, 420, ROW * len(STEPS))  # room for the bars


class Measure(NamedTuple):
    """What a version takes for a move on average."""

    version: int
    milliseconds: float  # of CPU time
    nodes: float
    depth: float


@dataclass(frozen=True)
class Command:
    """Measure the time that every version of bristol_mr_x takes for a move; print a table and draw the chart."""

    depth: int = 3
    """Plies that the versions without a clock look ahead, but for the first."""
    detectives: int = 2
    """With Mr. X, the report's three players."""
    starts: int = 20
    """Games whose starts are decided in, the same for all versions."""
    seconds: float = 0.05
    """To think about a move, for the versions with a clock."""
    repeats: int = 5
    """Each version without a clock decides so often; the fastest counts."""
    out: Path | None = None
    """File for the chart, versions.svg for example."""

    def run(self) -> None:
        """Measure, print and draw."""
        if self.out is not None:
            check_ending(self.out, (".svg",))
        for name in ("starts", "repeats"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: give a whole number of at least 1")
        if not 1 <= self.depth <= MOST_DEPTH:
            raise ValueError(f"depth is {self.depth}: give a whole number from 1 to {MOST_DEPTH}")
        measured = measure_versions(self)
        print(tabulate(measured))
        routes, distance = measure_spreads(place_players(self))
        told = (
            f"routes differ by {routes:.1f} and the weighed distance by {distance:.1f}, the largest less the smallest"
        )
        print(f"\nAmong the moves that he has {told}.")
        if self.out is not None:
            write_whole(self.out, draw_chart(measured, f"depth {self.depth}, Mr. X and {self.detectives} detectives"))


def place_players(command: Command) -> list[View]:
    """Return what Mr. X sees at the starts."""
    games = [Game(rules="bristol", detectives=command.detectives, seed=seed) for seed in range(command.starts)]
    return [game.view(MR_X) for game in games]


def measure_versions(command: Command) -> list[Measure]:
    """Let every version decide in the same positions; those without a clock in turns, the fastest of which counts."""
    views = place_players(command)
    versions = [BristolMrX(version=1 + number, seconds=command.seconds) for number in range(len(VERSIONS))]
    policies = [choose_depth(policy, command.depth) for policy in versions]
    for policy in policies:
        policy.think(views[0])  # compiled code is loaded
    measured = [measure(policy, views) for policy in policies]
    for _ in range(1, command.repeats):
        for number, policy in enumerate(policies):
            if not policy.is_timed:
                measured[number] = min(measured[number], measure(policy, views))
    return measured


def choose_depth(policy: BristolMrX, depth: int) -> BristolMrX:
    """Let a version look so far ahead, unless it goes by the clock or does not look ahead."""
    return policy if policy.is_timed or policy.version == 1 else replace(policy, depth=depth)


def measure(policy: BristolMrX, views: list[View]) -> Measure:
    """Let one version decide in some positions."""
    begin = time.process_time()
    found = [policy.think(view) for view in views]
    spent = time.process_time() - begin
    nodes, depth = (sum(getattr(one, name) for one in found) / len(views) for name in ("nodes", "depth"))
    return Measure(policy.version, 1000 * spent / len(views), nodes, depth)


def measure_spreads(views: list[View]) -> tuple[float, float]:
    """Return how much the terms of the score differ among his moves, on average over some positions."""
    policy, spreads = BristolMrX(version=1, doubling="never"), []
    for view in views:
        terms = [dict(explain(view, (action,), value, policy.settings)) for action, value in policy.think(view).moves]
        spreads.append([np.ptp([one[name] for one in terms if name in one]) for name in ("routes", "distance")])
    routes, distance = np.mean(spreads, axis=0)
    return float(routes), float(distance)


def tabulate(measured: list[Measure]) -> str:
    """Write a table."""
    rows = [
        f"| {one.version} | {STEPS[one.version - 1]} | {one.milliseconds:.2g} | {one.nodes:,.0f} | {one.depth:.3g} |"
        for one in measured
    ]
    return "\n".join(
        ["| version | what is new | CPU ms a move | nodes a move | depth |", "|---|---|---|---|---|", *rows]
    )


def draw_chart(measured: list[Measure], caption: str) -> str:
    """Draw the times as bars on a scale of powers of ten, as an SVG document."""
    low = math.floor(math.log10(min(one.milliseconds for one in measured)))
    high = math.ceil(math.log10(max(one.milliseconds for one in measured)))

    def place(milliseconds: float) -> float:
        return BARS.x + BARS.width * (math.log10(milliseconds) - low) / (high - low)

    height = BARS.y + BARS.height + 46
    drawn = block(Box(0, 0, WIDTH, height), 0, fill=PAPER)
    drawn += words(18, 26, "CPU time a move, by version of bristol_mr_x", 16, font_weight="bold")
    drawn += words(18, 50, f"{caption}; versions 8 and 9 take the time they are given", 12, fill=FAINT)
    for power in range(low, high + 1):
        x, bottom = place(10.0**power), BARS.y + BARS.height
        drawn += element("path", d=f"M{x:.1f} {BARS.y - 6:g}V{bottom:g}", stroke=LINE, stroke_width=1)
        drawn += words(x, bottom + 18, f"{10.0**power:g} ms", 12, fill=FAINT, text_anchor="middle")
    drawn += "".join(draw_bar(row, one, place(one.milliseconds)) for row, one in enumerate(measured))
    size = f'width="{WIDTH:g}" height="{height:g}" viewBox="0 0 {WIDTH:g} {height:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT_FAMILY}">{drawn}</svg>'


def draw_bar(row: int, one: Measure, end: float) -> str:
    """Draw the bar of a version with its words and its figure."""
    middle = BARS.y + ROW * (row + 0.5)
    bar = block(Box(BARS.x, middle - 10, max(end - BARS.x, 1), 20), 3, fill=HEAT if VERSIONS[row].depth else INK)
    told = words(18, middle, f"{one.version}  {STEPS[row]}", 13)
    return bar + told + words(end + 8, middle, f"{one.milliseconds:.2g} ms", 12)


if __name__ == "__main__":
    run_module(Command)
