"""What tournaments come to, made from their folders: table.md and report.html."""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

from scotyard_env.arena.config import Config, tell_apart
from scotyard_env.arena.contenders import Description
from scotyard_env.arena.folder import FolderError, read_config, read_results
from scotyard_env.arena.page import write_page
from scotyard_env.arena.result import Key, Result
from scotyard_env.arena.summary import commands_of
from scotyard_env.arena.table import write_table
from scotyard_env.files import write_whole

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
    write_whole(target / PAGE, write_page(config, results))
    return table, target / PAGE


def read(folder: Path) -> tuple[Config, list[Result]]:
    """Read configuration and results of one tournament."""
    config = read_config(folder)
    results, _ = read_results(folder)
    for line, result in enumerate(results, start=1):
        if result.mr_x not in config.names("mr_x") or result.detectives not in config.names("detectives"):
            raise FolderError(f"{folder}, result {line} is of another tournament: {result.mr_x} v {result.detectives}")
    return config, results


def join(tournaments: list[tuple[Config, list[Result]]], folders: Sequence[Path]) -> tuple[Config, list[Result]]:
    """Take several tournaments for one; a match that two of them played counts once."""
    first, _ = tournaments[0]
    mr_x: dict[str, Description] = {}
    detectives: dict[str, Description] = {}
    by_key: dict[Key, Result] = {}
    for (config, results), folder in zip(tournaments, folders, strict=True):
        if other := tell_apart(config, first, policies=False):
            raise FolderError(f"{folder} cannot be reported together with {folders[0]}: {other}")
        _unite(mr_x, config.mr_x, folder)
        _unite(detectives, config.detectives, folder)
        by_key |= {result.key: by_key.get(result.key, result) for result in results}
    commands = tuple(command for config, _ in tournaments for command in commands_of(config))
    joint = dataclasses.replace(
        first, commands=commands, mr_x=tuple(mr_x.values()), detectives=tuple(detectives.values())
    )
    return joint, list(by_key.values())


def _unite(united: dict[str, Description], more: Iterable[Description], folder: Path) -> None:
    """Add policies of a side to those that are there by name; the same name must mean the same policy."""
    for policy in more:
        if united.setdefault(policy.name, policy).essence != policy.essence:
            raise FolderError(f"{folder} has another policy by the name of {policy.name!r}")
