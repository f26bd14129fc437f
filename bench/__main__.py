"""Take the figures, print a table and write them to bench.json, one flat object of name -> figure.

Beside each figure stands that of the previous release, from bench/baseline.json, and how far it has moved; times and
rates of another machine say little, ratios and CPU seconds more. ``--keep`` makes today's figures the baseline.
"""

import argparse
import importlib
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from scotyard_env.files import write_whole

PARTS = ("environment", "vector", "baselines", "search", "arena", "training", "start", "web")
FIGURES = Path("bench.json")
BASELINE = Path(__file__).with_name("baseline.json")


def main() -> None:
    """Measure the parts asked for, print their figures and put them beside those of the other parts."""
    parser = argparse.ArgumentParser(prog="bench", description="Measure speed; the figures go to bench.json.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all if left out")
    parser.add_argument("--keep", action="store_true", help="make these figures the baseline of later runs")
    asked = parser.parse_args()
    parts = asked.parts or PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    figures: dict[str, float] = json.loads(FIGURES.read_text()) if FIGURES.exists() and parts != PARTS else {}
    baseline: dict[str, float] = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    table = Table("figure", "value", "previous release", "change")
    for part in parts:
        for name, value in importlib.import_module(f"bench.{part}").measure().items():
            figures[name] = value
            table.add_row(name, show(value), *compare(value, baseline.get(name)))
    Console().print(table)
    write_whole(FIGURES, json.dumps(figures, indent=2) + "\n")
    if asked.keep:
        write_whole(BASELINE, json.dumps({**baseline, **figures}, indent=2) + "\n")


def show(value: float) -> str:
    """Return a figure as text."""
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"


def compare(value: float, before: float | None) -> tuple[str, str]:
    """Return what a figure was in the previous release, and by how much it has changed."""
    if before is None:
        return "", ""
    return show(before), f"{value / before - 1:+.0%}" if before else ""


if __name__ == "__main__":
    main()
