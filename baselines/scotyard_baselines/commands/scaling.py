"""A pair of players against pimbot of growing size, sides swapped: ``scotyard scaling --out results/scaling``.

Student of Games (M. Schmid et al., Science Advances 9, 2023) was measured on Scotland Yard in this way: how many of its
games it wins against PimBot, half of them as Mr. X and half as the detectives, while PimBot searches ever longer. Their
figures stand beside ours, and are of other programs: their PimBot and their engine are not public, and ours differ.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scotyard_env.arena import tournament
from scotyard_env.arena.engine import check_count
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.summary import Pairing, Summary
from scotyard_env.arena.table import SIDE_WORDS, duration, grid
from scotyard_env.commands import run_module, write_call
from scotyard_env.policy import Side, check_fit, make_policy
from scotyard_env.ruleset import resolve
from scotyard_env.terminal import progress_bar

PUBLISHED = {1_000: "83.7", 10_000: "65.7", 100_000: "57.0", 1_000_000: "54.8"}  # of Student of Games, in per cent
HEAD = ["iterations", "games a side", "pair wins", "as Mr. X", "as detectives", "a decision", "of pimbot", "published"]


class Row(NamedTuple):
    """What a pair comes to against pimbot of one size."""

    iterations: int
    as_mr_x: Summary
    as_detectives: Summary

    @property
    def rates(self) -> tuple[Rate, Rate]:
        """How often the pair wins as Mr. X, and how often as the detectives."""
        return self.as_mr_x.rate.lost, self.as_detectives.rate

    def tell(self) -> list[str]:
        """Write the cells of the row."""
        own = self.as_mr_x.seconds(0), self.as_detectives.seconds(1)
        pimbot = self.as_detectives.seconds(0), self.as_mr_x.seconds(1)
        both = Rate(sum(rate.wins for rate in self.rates), sum(rate.games for rate in self.rates))
        times = [" / ".join(duration(seconds) for seconds in side) for side in (own, pimbot)]
        games, published = f"{self.rates[0].games:,}", PUBLISHED.get(self.iterations, "-")
        return [f"{self.iterations:,}", games, str(both), *map(str, self.rates), *times, published]


@dataclass(frozen=True)
class Command:
    """Play a Mr. X and detectives against pimbot of growing size, sides swapped, and print the curve."""

    mr_x: str = "phantom"
    """Mr. X of the pair."""
    detectives: str = "bayes"
    """The detectives of the pair."""
    iterations: tuple[int, ...] = (1_000, 10_000, 100_000)
    """Sizes of pimbot's search."""
    games: tuple[int, ...] = (400, 400, 60)
    """Games per side against each size."""
    stop_early: bool = False
    """Let pimbot stop once its decision cannot change: the same games in less time; its thinking times are then not
    those of its size."""
    seed: int = 0
    """The same seed gives the same games."""
    workers: int | None = None
    """Worker processes; by default this process plays."""
    out: Path | None = None
    """Folder for the matches; the same command resumes an interrupted run."""

    def run(self) -> None:
        """Play what is missing and print a row for each size."""
        if len(self.games) != len(self.iterations) or not self.games:
            given = f"{len(self.iterations)} sizes in iterations and {len(self.games)} numbers of games"
            raise ValueError(f"there are {given}: give one number of games for each size")
        names = [self.name_pimbot(iterations) for iterations in self.iterations]
        self.check(names)
        sizes = zip(self.iterations, names, self.games, strict=True)
        rows = [self.play(*size) for size in sizes]
        print(*write_rows(rows), f"Made by `{write_call('scaling', self)}`", sep="\n\n")

    def check(self, pimbots: Sequence[str]) -> None:
        """Say at once what is wrong with anything: the last size may be played hours after the first."""
        for games in self.games:
            check_count("games", games)
        if len(set(self.iterations)) < len(self.iterations):
            raise ValueError("iterations has a size twice: give each once, with all its games")
        board, rules = resolve()
        pairs: tuple[tuple[str, Side], ...] = ((self.mr_x, "mr_x"), (self.detectives, "detectives"))
        for name, side in (*pairs, *((pimbot, "mr_x") for pimbot in pimbots)):
            check_fit(make_policy(name, side=side), board, rules, side)

    def name_pimbot(self, iterations: int) -> str:
        """Return pimbot of a size by its name."""
        return f"pimbot:iterations={iterations}" + (",stop_early=True" if self.stop_early else "")

    def play(self, iterations: int, pimbot: str, games: int) -> Row:
        """Play both sides against pimbot of one size."""
        pairs = {"mr_x": (self.mr_x, pimbot), "detectives": (pimbot, self.detectives)}
        found = [self.play_side(f"{side}-{iterations}", games, *pair) for side, pair in pairs.items()]
        return Row(iterations, *found)

    def play_side(self, folder: str, games: int, mr_x: str, detectives: str) -> Pairing:
        """Play one side against pimbot of one size; a match that is forfeited is an error."""
        out = None if self.out is None else self.out / folder
        print(f"{mr_x} against {detectives}, {games} games", file=sys.stderr, flush=True)
        with progress_bar() as progress:
            played = tournament(
                mr_x,
                detectives,
                games=games,
                seed=self.seed,
                workers=self.workers,
                out=out,
                replays=False,
                progress=progress,
            )
        (pairing,) = played.pairings
        if pairing.forfeits:
            (who, why), _ = pairing.forfeits.most_common(1)[0]
            raise ValueError(f"{pairing.forfeits.total()} of {games} matches were forfeited: {SIDE_WORDS[who]} {why}")
        return pairing


def write_rows(rows: Sequence[Row]) -> list[str]:
    """Write what was found as paragraphs of Markdown."""
    said = "Share of games won with 95 % Wilson interval; thinking times as Mr. X / as a detective."
    return [said, grid(HEAD, [row.tell() for row in rows])]


if __name__ == "__main__":
    run_module(Command)
