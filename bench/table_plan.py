"""The plan of the published tables: which pairings each shows, and which commands measure the others (tables.toml)."""

import dataclasses
import shlex
import tomllib
from pathlib import Path
from typing import Any

from scotyard_env.arena.score_file import Pair
from scotyard_env.policy import Side

PLAN = Path(__file__).with_name("tables.toml")


class PlanError(ValueError):
    """A plan that cannot be followed."""


@dataclasses.dataclass(frozen=True)
class Ground:
    """A game that pairings are played in: a board, rules and the seed that deals."""

    name: str
    board: str
    rules: str
    seed: int


@dataclasses.dataclass(frozen=True)
class Block:
    """Every one of some Mr. X against every one of some detectives, so many games each."""

    mr_x: tuple[str, ...]
    detectives: tuple[str, ...]
    games: int


@dataclasses.dataclass(frozen=True)
class Table:
    """A table of pairings that a page keeps a place for."""

    name: str
    ground: Ground
    blocks: tuple[Block, ...]
    front: int | None = None  # so many of the strongest of each side first, the others behind
    ratings: Path | None = None  # where its ratings go as a file, too
    curve: Pair | None = None  # a pair that is shown against pimbot of growing size, sides swapped

    @property
    def wanted(self) -> dict[Pair, int]:
        """Games that each pairing shall have."""
        found: dict[Pair, int] = {}
        for block in self.blocks:
            for pair in ((mr_x, detectives) for mr_x in block.mr_x for detectives in block.detectives):
                found[pair] = max(block.games, found.get(pair, 0))
        return found

    @property
    def mr_x(self) -> list[str]:
        """Who plays Mr. X, in the order of the blocks."""
        return list(dict.fromkeys(name for block in self.blocks for name in block.mr_x))

    @property
    def detectives(self) -> list[str]:
        """Who plays the detectives, in the order of the blocks."""
        return list(dict.fromkeys(name for block in self.blocks for name in block.detectives))


@dataclasses.dataclass(frozen=True)
class Measure:
    """A table that a command of its own measures."""

    name: str
    command: tuple[str, ...]
    policies: tuple[str, ...]  # on whom its figures depend


@dataclasses.dataclass(frozen=True)
class Rows:
    """Our rows of a task of the benchmark, by side."""

    task: str
    mr_x: tuple[str, ...]
    detectives: tuple[str, ...]

    @property
    def attempts(self) -> list[tuple[str, Side]]:
        """Who plays it on which side."""
        return [(name, "mr_x") for name in self.mr_x] + [(name, "detectives") for name in self.detectives]


@dataclasses.dataclass(frozen=True)
class Plan:
    """All tables, and the policies behind names that are not their own."""

    tables: tuple[Table, ...]
    measures: tuple[Measure, ...]
    rows: tuple[Rows, ...]
    names: dict[str, str]

    def choose(self, only: tuple[str, ...]) -> "Plan":
        """Return the plan of some tables by name; of all of them for none."""
        exist = [*(one.name for one in (*self.tables, *self.measures)), *(one.task for one in self.rows)]
        for name in only:
            if name not in exist:
                raise PlanError(f"there is no table {name!r}: choose from {', '.join(exist)}")
        tables = tuple(one for one in self.tables if not only or one.name in only)
        measures = tuple(one for one in self.measures if not only or one.name in only)
        rows = tuple(one for one in self.rows if not only or one.task in only)
        return dataclasses.replace(self, tables=tables, measures=measures, rows=rows)

    def wanted(self, ground: Ground) -> dict[Pair, int]:
        """Games that each pairing of a game shall have for all the tables that show it."""
        found: dict[Pair, int] = {}
        for table in self.tables:
            for pair, games in table.wanted.items() if table.ground == ground else ():
                found[pair] = max(games, found.get(pair, 0))
        return found

    @property
    def grounds(self) -> list[Ground]:
        """The games that are played."""
        return list(dict.fromkeys(table.ground for table in self.tables))


def read_plan(path: Path = PLAN) -> Plan:
    """Read a plan; ``PlanError`` says what is wrong with it."""
    try:
        stored = tomllib.loads(path.read_text(encoding="utf-8"))
        grounds = {name: Ground(name=name, **one) for name, one in stored.get("game", {}).items()}
        tables = tuple(_read_table(one, grounds) for one in stored.get("table", []))
        measures = tuple(
            Measure(one["name"], tuple(shlex.split(one["command"])), tuple(one["policies"]))
            for one in stored.get("measure", [])
        )
        rows = tuple(
            Rows(one["task"], tuple(one["mr_x"]), tuple(one["detectives"])) for one in stored.get("benchmark", [])
        )
        return Plan(tables, measures, rows, dict(stored.get("names", {})))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise PlanError(f"{path} is no plan of tables: {type(error).__name__} {error}") from error


def _read_table(stored: dict[str, Any], grounds: dict[str, Ground]) -> Table:
    blocks = tuple(Block(tuple(one["mr_x"]), tuple(one["detectives"]), int(one["games"])) for one in stored["block"])
    ratings = Path(stored["ratings"]) if "ratings" in stored else None
    curve = (str(stored["curve"][0]), str(stored["curve"][1])) if "curve" in stored else None
    return Table(stored["name"], grounds[stored["game"]], blocks, stored.get("front"), ratings, curve)
