"""All pairings of some policies, as many matches of each as asked for."""

import dataclasses
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from scotyard_env.arena.config import Config
from scotyard_env.arena.contenders import Entry, read_contenders
from scotyard_env.arena.engine import Engine, EngineName, check_count
from scotyard_env.arena.folder import Folder
from scotyard_env.arena.rating import Rating, rate_all
from scotyard_env.arena.referee import Setting
from scotyard_env.arena.result import Result
from scotyard_env.arena.summary import Pairing, pair_up
from scotyard_env.arena.table import write_table
from scotyard_env.board import Board
from scotyard_env.game import check_seed
from scotyard_env.policy import SIDES, Side, check_fit
from scotyard_env.ruleset import RuleSet, resolve

Progress = Callable[[int, int], None]  # told how many matches are there, of how many


@dataclasses.dataclass(frozen=True)
class Tournament:
    """A finished tournament: what was played and how every match ended, in order."""

    config: Config
    results: tuple[Result, ...]

    @property
    def pairings(self) -> list[Pairing]:
        """The matches by pairing, with what they come to."""
        return pair_up(self.config, self.results)

    @property
    def ratings(self) -> list[Rating]:
        """How strong every policy is on its side, in Elo points."""
        return rate_all(self.config.names("mr_x"), self.config.names("detectives"), self.results)

    def __str__(self) -> str:
        return write_table(self.config, self.results)


def tournament(
    mr_x: Entry,
    detectives: Entry,
    *,
    games: int = 100,
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
    seed: int = 0,
    workers: int | None = None,
    engine: EngineName = "processes",
    address: str | None = None,
    move_limit: float | None = None,
    out: str | PathLike[str] | None = None,
    replays: bool = True,
    progress: Progress | None = None,
) -> Tournament:
    """Play every policy for Mr. X against every policy for the detectives, so many games a pairing.

    Policies are names, objects, or a dict of them by name. The same seed gives the same results, whatever the number
    of workers: processes of their own, or none at all (this process plays); the engine ``"ray"`` plays on the Ray
    cluster at an address, or on one it makes. With a folder ``out`` every match is kept there at once, and calling
    again goes on where it was. ``move_limit`` is in seconds; who exceeds it forfeits.
    """
    setting = make_setting(mr_x, detectives, games=games, board=board, rules=rules, seed=seed, move_limit=move_limit)
    where = Engine(engine, workers=workers, address=address)
    if out is None:
        results = [outcome.result for outcome in where.play(setting, setting.keys(games))]
    else:
        with Folder(Path(out), setting, games=games, keep_replays=replays) as folder:
            results = complete(folder, setting, games, where, progress)
    return Tournament(Config.of(setting, games), arrange(setting, games, results))


def complete(
    folder: Folder, setting: Setting, games: int, engine: Engine, progress: Progress | None = None
) -> list[Result]:
    """Play the matches that a folder lacks, and keep each as it ends."""
    there = {result.key for result in folder.results}
    total = games * len(setting.mr_x) * len(setting.detectives)
    if progress is not None:
        progress(len(folder.results), total)
    missing = [key for key in setting.keys(games) if key not in there]
    for outcome in engine.play(setting, missing, folder.path if folder.keeps_replays else None):
        folder.add(outcome)
        if progress is not None:
            progress(len(folder.results), total)
    return folder.results


def evaluate(policy: Entry, side: Side, opponents: Entry, **options: Any) -> Tournament:
    """Play one policy on one side against some opponents; the options are those of ``tournament``."""
    if side not in SIDES:
        raise ValueError(f"side is {side!r}: choose from {', '.join(SIDES)}")
    return tournament(policy, opponents, **options) if side == "mr_x" else tournament(opponents, policy, **options)


def make_setting(
    mr_x: Entry,
    detectives: Entry,
    *,
    games: int = 1,
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
    seed: int = 0,
    move_limit: float | None = None,
) -> Setting:
    """Check what a tournament is asked to be, and put it together."""
    check_count("games", games)
    if move_limit is not None and not move_limit > 0:
        raise ValueError(f"move_limit is {move_limit}: give a number of seconds above 0")
    if seed is None:
        raise ValueError("seed is None: a tournament is played from a seed, give a whole number of at least 0")
    check_seed(seed)
    found, edition = resolve(board, rules)
    sides = read_contenders(mr_x, "mr_x"), read_contenders(detectives, "detectives")
    for contender in (*sides[0], *sides[1]):
        check_fit(contender.make(), found, edition, contender.side)
    return Setting(
        board=found,
        rules=edition,
        mr_x=sides[0],
        detectives=sides[1],
        seed=int(seed),
        move_limit=None if move_limit is None else float(move_limit),
    )


def arrange(setting: Setting, games: int, results: Iterable[Result]) -> tuple[Result, ...]:
    """Put results in the order of the matches, whoever was finished first."""
    by_key = {result.key: result for result in results}
    return tuple(by_key[key] for key in setting.keys(games))
