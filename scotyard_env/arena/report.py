"""What a tournament comes to, made from its folder: table.md and report.html."""

from pathlib import Path

from scotyard_env.arena.folder import read_config, read_results
from scotyard_env.arena.table import write_table
from scotyard_env.files import write_whole


def write_report(folder: Path) -> str:
    """Make the tables and the page of a tournament from its results; give the tables."""
    config = read_config(folder)
    results, _ = read_results(folder)
    table = write_table(config, results)
    write_whole(folder / "table.md", table)
    return table
