"""What a tournament comes to, made from its folder: table.md and report.html."""

from pathlib import Path
from typing import Any

from scotyard_env.arena.folder import FolderError, read_config, read_results
from scotyard_env.arena.page import write_page
from scotyard_env.arena.summary import names_of
from scotyard_env.arena.table import write_table
from scotyard_env.board import Board
from scotyard_env.files import write_whole

TABLE, PAGE = "table.md", "report.html"


def write_report(folder: Path) -> str:
    """Make the tables and the page of a tournament from its results; give the tables."""
    config = read_config(folder)
    results, _ = read_results(folder)
    for line, result in enumerate(results, start=1):
        if result.mr_x not in names_of(config, "mr_x") or result.detectives not in names_of(config, "detectives"):
            raise FolderError(f"{folder}, result {line} is of another tournament: {result.mr_x} v {result.detectives}")
    table = write_table(config, results)
    write_whole(folder / TABLE, table)
    write_whole(folder / PAGE, write_page(config, results, board_of(config)))
    return table


def board_of(config: dict[str, Any]) -> Board:
    """Give the board on which a tournament was played."""
    stored = config["board"]
    board = Board.named(stored) if isinstance(stored, str) else Board.from_dict(stored)
    if board.signature != config["board_signature"]:
        raise FolderError(f"the tournament was played on another board that is also called {board.name!r}")
    return board
