"""Take the figures, print a table and write them to bench.json, one flat object of name -> figure."""

import argparse
import importlib
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from scotyard_env.files import write_whole

PARTS = ("environment", "vector", "baselines", "search", "arena", "training")
FIGURES = Path("bench.json")


def main() -> None:
    """Measure the parts asked for, print their figures and put them beside those of the other parts."""
    parser = argparse.ArgumentParser(prog="bench", description="Measure speed; the figures go to bench.json.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all if left out")
    parts = parser.parse_args().parts or PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    figures: dict[str, float] = json.loads(FIGURES.read_text()) if FIGURES.exists() and parts != PARTS else {}
    table = Table("figure", "value")
    for part in parts:
        for name, value in importlib.import_module(f"bench.{part}").measure().items():
            figures[name] = value
            table.add_row(name, f"{value:,.4g}" if value < 1000 else f"{value:,.0f}")
    Console().print(table)
    write_whole(FIGURES, json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
