"""How sure we are: win rates with Wilson intervals, and Bradley-Terry ratings with bootstrap intervals.

A rating is in Elo points on one scale for both sides: Mr. X's policy with rating a beats the detectives' policy with
rating b with probability 1 / (1 + 10 ** ((b - a) / 400)). The mean of all is 0. Every pairing is given one drawn match
more than it played, so that perfect records have finite ratings.
"""

import dataclasses
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scotyard_env.policy import Side

Array = NDArray[np.float64]

ELO = 400 / np.log(10)  # points per unit of log-odds
LEVEL = 0.95
RESAMPLES = 1000
STEPS = 50  # of Newton's method; a handful suffices
TINY = 1e-6  # keeps the scale from drifting: only differences of ratings are decided by results


@dataclasses.dataclass(frozen=True)
class Rate:
    """Wins out of games, with its 95 % Wilson interval."""

    wins: int
    games: int

    @property
    def share(self) -> float:
        """The win rate; not a number if nothing was played."""
        return self.wins / self.games if self.games else float("nan")

    @property
    def lost(self) -> "Rate":
        """The rate of the opponent: the games that were not won."""
        return Rate(self.games - self.wins, self.games)

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval."""
        return self.interval_at(LEVEL)

    def interval_at(self, level: float) -> tuple[float, float]:
        """Return the Wilson interval of another level than 95 %."""
        if not self.games:
            return 0.0, 1.0
        from scipy.stats import binomtest

        found = binomtest(self.wins, self.games).proportion_ci(level, "wilson")
        return float(found.low), float(found.high)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.share:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


@dataclasses.dataclass(frozen=True)
class Rating:
    """How strong a policy is on its side, in Elo points."""

    name: str
    side: Side
    points: float
    low: float
    high: float


class Ended(Protocol):
    """A match as far as ratings go: who played which deal, and which side won."""

    @property
    def mr_x(self) -> str: ...
    @property
    def detectives(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def winner(self) -> str: ...


def rate_all(mr_x: list[str], detectives: list[str], results: Iterable[Ended], seed: int = 0) -> list[Rating]:
    """Rate the policies of both sides; the intervals come from drawing the deals anew, pairings together."""
    wins, games = _count(mr_x, detectives, results)
    if not games.any():
        return []
    points = fit(wins.sum(axis=0)[None] + 0.5, games.sum(axis=0)[None] + 1)[0]
    drawn = _resample(wins, games, np.random.default_rng(seed))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail), axis=0)
    owners: list[tuple[str, Side]] = [(name, "mr_x") for name in mr_x] + [(name, "detectives") for name in detectives]
    return [Rating(*owner, *map(float, row)) for owner, *row in zip(owners, points, low, high, strict=True)]


def fit(wins: Array, games: Array) -> Array:
    """Find the likeliest ratings for wins of Mr. X out of games, both (samples, mr_x, detectives), in Elo points.

    Gives (samples, mr_x + detectives), the mean of each row 0. Newton's method for all samples at once.
    """
    samples, rows, columns = wins.shape
    strengths = np.zeros((samples, rows + columns))
    for _ in range(STEPS):
        slope, curve = _derive(strengths, wins, games, rows)
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        strengths += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    strengths -= strengths.mean(axis=1, keepdims=True)
    return np.asarray(ELO * strengths)


def _derive(strengths: Array, wins: Array, games: Array, rows: int) -> tuple[Array, Array]:
    """Return the slope of the log-likelihood and its curvature, turned around to be positive."""
    gaps = strengths[:, :rows, None] - strengths[:, None, rows:]
    expected = 1 / (1 + np.exp(-gaps))
    surplus = wins - games * expected
    weight = games * expected * (1 - expected)
    slope = np.concatenate([surplus.sum(axis=2), -surplus.sum(axis=1)], axis=1) - TINY * strengths
    size = strengths.shape[1]
    curve = np.zeros((len(strengths), size, size))
    curve[:, :rows, rows:] = -weight
    curve[:, rows:, :rows] = -weight.transpose(0, 2, 1)
    diagonal = np.arange(size)
    curve[:, diagonal, diagonal] = np.concatenate([weight.sum(axis=2), weight.sum(axis=1)], axis=1) + TINY
    return slope, curve


def _count(mr_x: list[str], detectives: list[str], results: Iterable[Ended]) -> tuple[Array, Array]:
    """Return wins of Mr. X and games, both (deals, mr_x, detectives)."""
    kept = list(results)
    deals = {number: place for place, number in enumerate(sorted({result.number for result in kept}))}
    rows, columns = ({name: place for place, name in enumerate(names)} for names in (mr_x, detectives))
    wins, games = (np.zeros((max(1, len(deals)), len(mr_x), len(detectives))) for _ in range(2))
    for result in kept:
        place = deals[result.number], rows[result.mr_x], columns[result.detectives]
        games[place] += 1
        wins[place] += result.winner == "mr_x"
    return wins, games


def _resample(wins: Array, games: Array, rng: np.random.Generator) -> Array:
    """Rate again and again with deals drawn with replacement; the drawn match of a pairing ends by chance."""
    deals = len(wins)
    chances = np.full(deals, 1 / deals)
    won, played = (np.zeros((RESAMPLES, *wins.shape[1:])) for _ in range(2))
    for sample in range(RESAMPLES):  # one by one: all of them at once are too many for a long tournament
        times = rng.multinomial(deals, chances).astype(np.float64)
        won[sample], played[sample] = (np.tensordot(times, counts, axes=1) for counts in (wins, games))
    return fit(won + rng.random(won.shape), played + 1)
