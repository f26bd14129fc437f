"""How the chances of the detectives moved, what each decision gave away, and how much of the result was luck.

A decision is judged by what its side could know. The detectives' is compared with the table's chances before it: what
it was worth to them is the chance that it finds Mr. X, and for the rest the table's chances after it. Mr. X's is judged
by the true chances before and after it. A blunder is called only where the interval of the difference leaves nothing
else, at a level that allows for all decisions of a game and for looking more than once.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

from scotyard_env.analysis.rollouts import Curve
from scotyard_env.arena.rating import LEVEL, Rate
from scotyard_env.policy import Side

ERRORS = 0.05  # how often a game without any blunder may be said to have one
LOOKS = 3  # times that a decision is judged while games are added: few and few, many and few, many and many
LEAST = 0.1  # share of all games that a blunder gives away
DEVIATIONS = 1.96  # of the interval of a sum


class Chance(NamedTuple):
    """How often the detectives won from a moment; of a game that is over that is known."""

    wins: int = 0
    games: int = 0
    is_known: bool = False

    @property
    def is_there(self) -> bool:
        """Whether anything can be said."""
        return self.games > 0

    @property
    def share(self) -> float:
        """The share of games that they won."""
        return self.wins / self.games

    @property
    def variance(self) -> float:
        """How far the share may be off, squared; by a game more of each result, so that a few games are never sure."""
        smooth = (self.wins + 1) / (self.games + 2)
        return 0.0 if self.is_known else smooth * (1 - smooth) / self.games

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the Wilson interval of the share."""
        return (self.share, self.share) if self.is_known else Rate(self.wins, self.games).interval_at(level)


Chances = dict[Curve, list[Chance]]  # by moment


@dataclasses.dataclass(frozen=True)
class Decision:
    """A decision of the game that could have been another one."""

    at: int  # the moment before it
    side: Side
    hit: float = 0.0  # how likely it was for the table that it would find Mr. X
    is_capture: bool = False  # it did, which nobody calls a mistake


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a decision gave away, as a share of all games, and whether that was a blunder."""

    decision: Decision
    loss: float
    low: float
    high: float
    is_blunder: bool


def judge(decision: Decision, chances: Chances, decisions: int) -> Verdict | None:
    """Judge a decision of a game with so many; None if not enough was played yet, or if it won the game.

    The interval is Newcombe's for a difference of two proportions, from the Wilson intervals of both.
    """
    curve: Curve = "table" if decision.side == "detectives" else "truth"
    before, after = chances[curve][decision.at], chances[curve][decision.at + 1]
    if decision.is_capture or not before.is_there or not after.is_there:
        return None
    sign = 1 if decision.side == "detectives" else -1
    loss, low, high = _subtract(before, after, decision.hit, LEVEL)
    strict = _subtract(before, after, decision.hit, 1 - 2 * ERRORS / (max(1, decisions) * LOOKS))
    if sign < 0:
        loss, low, high, strict = -loss, -high, -low, (-strict[0], -strict[2], -strict[1])
    return Verdict(decision, loss, low, high, strict[1] > 0 and loss >= LEAST)


def _subtract(before: Chance, after: Chance, hit: float, level: float) -> tuple[float, float, float]:
    """Return how much less the chances are after a move that finds him so often, with the interval of that."""
    (low, high), (low_after, high_after) = before.interval(level), after.interval(level)
    share, low_after, high_after = (hit + (1 - hit) * one for one in (after.share, low_after, high_after))
    loss = before.share - share
    down = math.hypot(before.share - low, high_after - share)
    up = math.hypot(high - before.share, share - low_after)
    return loss, loss - down, loss + up


class Part(NamedTuple):
    """What some part of the way from the first chances to the last came to, with its interval."""

    value: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Account:
    """How the detectives' chances came from the first to the last: by their moves, by Mr. X's, and by luck."""

    start: float
    end: float
    detectives: Part
    mr_x: Part
    luck: Part


def settle(decisions: Sequence[Decision], chances: Chances) -> Account | None:
    """Settle a game whose moments all have been played on from; None before that.

    Estimates that several decisions share are counted once: a sum is taken apart into its moments.
    """
    truth, table = chances["truth"], chances["table"]
    if not all(one.is_there for curve in chances.values() for one in curve):
        return None
    weights: dict[Side, dict[tuple[Curve, int], float]] = {"detectives": {}, "mr_x": {}}
    found: dict[Side, float] = {"detectives": 0.0, "mr_x": 0.0}
    for one in decisions:
        if not one.is_capture:
            curve: Curve = "table" if one.side == "detectives" else "truth"
            _weigh(weights[one.side], (curve, one.at + 1), 1 - one.hit)
            _weigh(weights[one.side], (curve, one.at), -1.0)
            found[one.side] += one.hit
    rest: dict[tuple[Curve, int], float] = {}
    for weighed in weights.values():
        for key, weight in weighed.items():
            _weigh(rest, key, -weight)
    _weigh(rest, ("truth", len(truth) - 1), 1.0)
    _weigh(rest, ("table", 0), -1.0)
    parts = {side: _add_up(weights[side], chances, found[side]) for side in weights}
    luck = _add_up(rest, chances, -sum(found.values()))
    return Account(table[0].share, truth[-1].share, parts["detectives"], parts["mr_x"], luck)


def _weigh(weights: dict[tuple[Curve, int], float], key: tuple[Curve, int], weight: float) -> None:
    weights[key] = weights.get(key, 0.0) + weight


def _add_up(weights: dict[tuple[Curve, int], float], chances: Chances, more: float) -> Part:
    """Return a weighted sum of shares, which are independent of each other."""
    value = more + sum(weight * chances[curve][at].share for (curve, at), weight in weights.items())
    variance = sum(weight**2 * chances[curve][at].variance for (curve, at), weight in weights.items())
    return Part(value, value - DEVIATIONS * math.sqrt(variance), value + DEVIATIONS * math.sqrt(variance))
