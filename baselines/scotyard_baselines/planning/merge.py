"""Merge Mr. X's answers to a plan: the values of what the table may see, mixed particle by particle."""

import math

import numpy as np
from numpy.typing import NDArray

SLACK = 1e-9  # how much bounds give way, so that rounding never cuts off a plan as good as the best


class Merge:
    """The value of a plan by Mr. X's answers: from every particle his best one and the average, each in its share.

    Answers that are not known yet count as the ceiling, the most they can be, so that ``value`` is an upper bound at
    any time.
    """

    def __init__(
        self,
        weight: NDArray[np.float64],  # of each particle that the plan leaves free
        share: NDArray[np.float64],  # (answers, particles): of a particle's moves that look so; all 0 = stuck
        *,
        caught: float,  # weight of the particles that the plan catches
        worst_case_weight: float,
        discount: float,
        ceiling: float,
    ) -> None:
        self.weight, self.share, self.caught = weight, share, caught
        self.worst_case_weight, self.discount, self.ceiling = worst_case_weight, discount, ceiling
        self.can_move = share.any(axis=0)
        self.best = np.full(len(weight), ceiling)
        self.average = np.full(len(weight), ceiling)

    @property
    def value(self) -> float:
        """What the plan is worth at most: a Mr. X who cannot move is caught."""
        mixed = self.discount * (self.worst_case_weight * self.best + (1.0 - self.worst_case_weight) * self.average)
        return float(self.caught + self.weight @ np.where(self.can_move, mixed, 1.0))

    def take(self, number: int, value: float) -> None:
        """Take in the value of an answer."""
        self.average -= self.share[number] * (self.ceiling - value)
        self.best = np.where(self.share[number] > 0, np.minimum(self.best, value), self.best)

    def bounds_of(self, number: int, alpha: float) -> tuple[float, float]:
        """Tell between which values an answer matters: below, the plan stays under alpha; above, nobody picks it."""
        share, worst = self.share[number], self.worst_case_weight
        slope = self.discount * self.weight @ np.where(share > 0, worst + (1.0 - worst) * share, 0.0)
        best = np.where(share > 0, self.best, 0.0)
        rest = self.value - self.discount * self.weight @ (worst * best + (1.0 - worst) * share * self.ceiling)
        highest = float(best.max()) + SLACK if worst == 1.0 else math.inf
        return float((alpha - rest) / slope) - SLACK, highest
