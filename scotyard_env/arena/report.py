"""What tournaments come to, made from their folders: table.md and report.html."""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from scotyard_env.arena.config import Config, tell_apart
from scotyard_env.arena.contenders import Description
from scotyard_env.arena.folder import (
    RESULTS,
    TRACEBACKS,
    FolderError,
    make_folder,
    read_config,
    read_results,
    read_tracebacks,
)
from scotyard_env.arena.games import write_games
from scotyard_env.arena.page import write_page
from scotyard_env.arena.rating import rate_all
from scotyard_env.arena.result import Key, Result
from scotyard_env.arena.summary import commands_of, pair_up
from scotyard_env.arena.table import write_table
from scotyard_env.files import write_whole
from scotyard_env.policy import SIDES
from scotyard_env.wording import printable, short_name

TABLE, PAGE, RATINGS = "table.md", "report.html", "ratings.json"


def write_report(folders: Sequence[Path], out: Path | None = None) -> tuple[str, Path]:
    """Make the tables and the page of a tournament, or of several together; give the tables and where the page is.

    Several must agree in everything but their policies and the number of games. Where they go: ``out``, or the folder,
    with a page of a game of every pairing, which the report links.
    """
    if not folders:
        raise FolderError("give the folder of a tournament, or several: scotyard report results")
    if out is None and len(folders) != 1:
        raise FolderError("several folders make one report: say where it shall go with --out")
    if out is not None and out.suffix in (".html", ".md"):
        raise FolderError(f"--out is the folder for {TABLE} and {PAGE}, not a file: give {out.with_suffix('')}")
    config, results = join([read(folder) for folder in folders], folders)
    target = out or folders[0]
    make_folder(target)
    table = write_table(config, results)
    write_whole(target / TABLE, table)
    games = write_games(target, pair_up(config, results), folders)
    write_whole(target / PAGE, write_page(config, results, games))
    write_whole(target / RATINGS, write_ratings(config, results))
    return table, target / PAGE


def write_ratings(config: Config, results: Sequence[Result]) -> str:
    """Write the ratings as JSON, with the commands that make them again."""
    ratings = rate_all(config.names("mr_x"), config.names("detectives"), results)
    told = {"made_by": list(commands_of(config)), "ratings": [dataclasses.asdict(one) for one in ratings]}
    return json.dumps(told, indent=1) + "\n"


def read(folder: Path) -> tuple[Config, list[Result]]:
    """Read configuration and results of one tournament."""
    config = read_config(folder)
    results, _ = read_results(folder)
    names = {side: set(config.names(side)) for side in SIDES}
    seen: set[Key] = set()
    for line, result in enumerate(results, start=1):
        where = f"{folder / RESULTS}, line {line}"
        if result.mr_x not in names["mr_x"] or result.detectives not in names["detectives"]:
            raise FolderError(
                f"{where} is of another tournament: {short_name(result.mr_x)} v {short_name(result.detectives)}"
            )
        if result.number >= config.games or not 0 < (result.caught or 1) <= config.board.stations:
            raise FolderError(f"{where} is of another tournament: there is no such match")
        if result.key in seen:
            raise FolderError(f"{where} is there twice")
        seen.add(result.key)
    return config, results


def show_tracebacks(folders: Sequence[Path]) -> str:
    """Return the tracebacks of what policies raised, each once, with how often and where it came up."""
    told = []
    for folder in folders:
        texts, results = read_tracebacks(folder), read(folder)[1]
        seen = Counter(result.traceback for result in results if result.traceback is not None)
        for name, times in seen.most_common():
            first = next(result for result in results if result.traceback == name)
            match = f"{short_name(first.mr_x)} v {short_name(first.detectives)}, match {first.number}"
            text = texts.get(name, f"{folder / TRACEBACKS} does not have it any more").rstrip()
            often = "1 match" if times == 1 else f"{times} matches"
            told.append(f"{often}, the first {match} ({first.forfeit} raised):\n{printable(text)}")
    return "\n\n".join(told) if told else "no policy raised"


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
