"""What tournaments come to, made from their folders: table.md and report.html."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scotyard_env.arena.folder import FolderError, essence, read_config, read_results, tell_apart
from scotyard_env.arena.page import write_page
from scotyard_env.arena.result import Key, Result
from scotyard_env.arena.summary import commands_of, names_of
from scotyard_env.arena.table import write_table
from scotyard_env.board import Board
from scotyard_env.files import write_whole
from scotyard_env.policy import SIDES

TABLE, PAGE = "table.md", "report.html"


def write_report(folders: Sequence[Path], out: Path | None = None) -> tuple[str, Path]:
    """Make the tables and the page of a tournament, or of several together; give the tables and where the page is.

    Several must agree in everything but their policies and the number of games. Where they go: ``out``, or the folder.
    """
    if out is None and len(folders) != 1:
        raise FolderError("several folders make one report: say where it shall go with --out")
    config, results = join([read(folder) for folder in folders], folders)
    target = out or folders[0]
    target.mkdir(parents=True, exist_ok=True)
    table = write_table(config, results)
    write_whole(target / TABLE, table)
    write_whole(target / PAGE, write_page(config, results, board_of(config)))
    return table, target / PAGE


def read(folder: Path) -> tuple[dict[str, Any], list[Result]]:
    """Read configuration and results of one tournament."""
    config = read_config(folder)
    results, _ = read_results(folder)
    names = {side: names_of(config, side) for side in SIDES}
    for line, result in enumerate(results, start=1):
        if result.mr_x not in names["mr_x"] or result.detectives not in names["detectives"]:
            raise FolderError(f"{folder}, result {line} is of another tournament: {result.mr_x} v {result.detectives}")
    return config, results


def join(
    tournaments: list[tuple[dict[str, Any], list[Result]]], folders: Sequence[Path]
) -> tuple[dict[str, Any], list[Result]]:
    """Take several tournaments for one; a match that two of them played counts once."""
    joint, _ = tournaments[0]
    joint = {**joint, "commands": [command for config, _ in tournaments for command in commands_of(config)]}
    by_key: dict[Key, Result] = {}
    for (config, results), folder in zip(tournaments, folders, strict=True):
        if other := tell_apart(essence(config, policies=False), essence(joint, policies=False)):
            raise FolderError(f"{folder} cannot be reported together with {folders[0]}: {other}")
        for side in SIDES:
            joint[side] = _unite(joint[side], config[side], folder)
        by_key |= {result.key: by_key.get(result.key, result) for result in results}
    return joint, list(by_key.values())


def _unite(policies: list[dict[str, Any]], more: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """Put the policies of a side together; the same name must mean the same policy."""
    united = {policy["name"]: policy for policy in policies}
    for policy in more:
        known = united.setdefault(policy["name"], policy)
        if (known["class"], known["parameters"]) != (policy["class"], policy["parameters"]):
            raise FolderError(f"{folder} has another policy by the name of {policy['name']!r}")
    return list(united.values())


def board_of(config: dict[str, Any]) -> Board:
    """Give the board on which a tournament was played."""
    stored = config["board"]
    board = Board.named(stored) if isinstance(stored, str) else Board.from_dict(stored)
    if board.signature != config["board_signature"]:
        raise FolderError(f"the tournament was played on another board that is also called {board.name!r}")
    return board
