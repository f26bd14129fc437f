"""Tables as pages show them, made from scores: the strongest first where there are many, the rest behind."""

import dataclasses
import json
import platform

import scotyard_env
from bench.table_plan import Table
from scotyard_baselines.commands.scaling import Row, write_rows
from scotyard_env.arena.config import Config
from scotyard_env.arena.rating import Rating, rate_all
from scotyard_env.arena.score import Score
from scotyard_env.arena.score_file import Pair, Scores
from scotyard_env.arena.table import (
    PAIRINGS,
    RATES,
    RATINGS,
    Names,
    count_games,
    list_details,
    list_rates,
    list_ratings,
    mark_all,
    notes,
)
from scotyard_env.policy import Side
from scotyard_env.wording import markdown

MADE = "python -m bench.tables --only"


@dataclasses.dataclass(frozen=True)
class Shown:
    """What a table shows: its policies, their pairings and ratings."""

    table: Table
    config: Config
    scores: list[Score]

    @classmethod
    def of(cls, table: Table, scores: Scores) -> "Shown":
        """Take out of the scores of a game what a table shows."""
        players = {
            "mr_x": [scores.players["mr_x"][name].description for name in table.mr_x],
            "detectives": [scores.players["detectives"][name].description for name in table.detectives],
        }
        config = Config(
            versions={"python": platform.python_version(), "scotyard-env": scotyard_env.__version__},
            board=scores.board,
            rules=scores.rules,
            mr_x=tuple(players["mr_x"]),
            detectives=tuple(players["detectives"]),
            seed=scores.seed,
            move_limit=None,
            games=max(table.wanted.values()),
        )
        return cls(table, config, [scores.pairs[pair] for pair in table.wanted])

    @property
    def names(self) -> Names:
        """The policies as they stand in tables."""
        return mark_all(self.config, self.scores)

    @property
    def ratings(self) -> list[Rating]:
        """How strong each is."""
        matches = (match for score in self.scores for match in score.matches)
        return rate_all(self.table.mr_x, self.table.detectives, matches)

    @property
    def made(self) -> str:
        """The command that makes it, and what from."""
        return f"Made by `{MADE} {self.table.name}` from `docs/scores/{self.table.ground.name}.json`"

    def rates(self, mr_x: list[str], detectives: list[str]) -> str:
        """Write the table of win rates of some of them."""
        return list_rates(self.names, mr_x, detectives, self.scores)


def write_paragraphs(shown: Shown) -> list[str]:
    """Write a table as paragraphs of Markdown: win rates, ratings, every pairing, what else to know, the command."""
    table = shown.table
    ratings = shown.ratings
    said = f"{RATES}; {count_games(shown.scores)}"
    if table.front is None:
        rates = [f"{said}.", shown.rates(table.mr_x, table.detectives)]
        behind: list[str] = []
    else:
        strongest = {side: name_strongest(ratings, side, table.front) for side in ("mr_x", "detectives")}
        rates = [
            f"{said}. The {table.front} strongest of each side by the ratings below; all others stand behind.",
            shown.rates(strongest["mr_x"], strongest["detectives"]),
        ]
        behind = fold("Win rates of all", cut_columns(shown, table.front))
    details = [PAIRINGS, list_details(shown.names, shown.scores)]
    return [
        *rates,
        RATINGS,
        list_ratings(ratings, shown.names),
        *behind,
        *(details if table.front is None else fold("Every pairing", details)),
        *map(markdown, notes(shown.config, shown.scores)),
        shown.made,
    ]


def write_curve(shown: Shown, pair: Pair) -> list[str]:
    """Write how a pair of policies does against pimbot of growing size, sides swapped."""
    mr_x, detectives = pair
    sizes = {
        side: {one.name: int(one.parameters["iterations"]) for one in players if "iterations" in one.parameters}
        for side, players in (("mr_x", shown.config.mr_x), ("detectives", shown.config.detectives))
    }
    as_mr_x = {sizes["detectives"][one.detectives]: one for one in shown.scores if one.mr_x == mr_x}
    as_detectives = {sizes["mr_x"][one.mr_x]: one for one in shown.scores if one.detectives == detectives}
    rows = [Row(size, *as_many(as_mr_x[size], as_detectives[size])) for size in sorted(as_mr_x)]
    return [f"`{mr_x}` and `{detectives}`", *write_rows(rows), shown.made]


def as_many(*scores: Score) -> list[Score]:
    """Return the first games of each, as many as the shortest has: both sides of a pair count alike."""
    games = min(score.games for score in scores)
    return [dataclasses.replace(score, games=games, won=score.won & (1 << games) - 1) for score in scores]


def name_strongest(ratings: list[Rating], side: Side, most: int) -> list[str]:
    """List the strongest policies of a side by their ratings, the strongest first."""
    own = [one for one in ratings if one.side == side]
    return [one.name for one in sorted(own, key=lambda one: -one.points)[:most]]


def cut_columns(shown: Shown, width: int) -> list[str]:
    """Write the win rates of all policies in tables of so many columns."""
    columns = shown.table.detectives
    return [shown.rates(shown.table.mr_x, columns[at : at + width]) for at in range(0, len(columns), width)]


def fold(summary: str, paragraphs: list[str]) -> list[str]:
    """Put paragraphs behind a line that a reader opens."""
    return [f'<details markdown="1">\n<summary>{summary}</summary>', *paragraphs, "</details>"]


def write_ratings(shown: Shown) -> str:
    """Write the ratings as the lobby of ``scotyard web`` reads them."""
    told = {"made_by": [f"{MADE} {shown.table.name}"], "ratings": [dataclasses.asdict(one) for one in shown.ratings]}
    return json.dumps(told, indent=1) + "\n"
