"""Merge the values of Mr. X's answers to a plan, of which some are known and the others lie between two bounds."""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_env.kernel import kernel, record_type

SLACK = 1e-9  # how much bounds give way, so that rounding never cuts off a plan as good as the best


class Merge(Protocol):
    """The value of a plan while answers come in: it lies between ``least`` and ``value``, and is both at the end."""

    @property
    def value(self) -> float:
        """What the plan is worth at most."""
        ...

    @property
    def least(self) -> float:
        """What it is worth at least."""
        ...

    def take(self, number: int, value: float) -> None:
        """Take in the value of an answer."""
        ...

    def bounds_of(self, number: int, alpha: float, beta: float) -> tuple[float, float]:
        """Tell between which values an answer matters to a search between alpha and beta."""
        ...


class Minimum:
    """MIN of the document: the least of all answers; the value of a capture if there are none."""

    def __init__(self, answers: int, captured: float) -> None:
        self.unknown = answers
        self.value = math.inf if answers else captured

    @property
    def least(self) -> float:
        """What the plan is worth at least."""
        return -math.inf if self.unknown else self.value

    def take(self, number: int, value: float) -> None:
        """Take in the value of an answer."""
        self.unknown -= 1
        self.value = min(self.value, value)

    def bounds_of(self, number: int, alpha: float, beta: float) -> tuple[float, float]:
        """Tell between which values an answer matters: above the least so far Mr. X does not pick it."""
        return alpha, min(beta, self.value)


class Mixture:
    """From every particle Mr. X's best answer and the average one, each in its share; particles by their weight.

    Answers that are not known yet count as the ceiling for ``value``, and as the floor for ``least``: the bounds of
    Star1 (Ballard 1983), which let alpha-beta cut through an average.
    """

    def __init__(
        self,
        nodes: NDArray[np.void],  # of one node: what a plan led to, with the particles that it leaves free
        answers: NDArray[np.void],  # of one record: his answers to it
        *,
        caught: float,  # weight of the particles that the plan catches
        captured: float,  # value of a capture
        worst_case_weight: float,
        discount: float,
        bounds: tuple[float, float],  # floor and ceiling: no answer is worth less, or more
    ) -> None:
        self.answers, self.mixtures = answers, np.zeros(1, MIXTURE)
        begin_mixture(nodes, answers, self.mixtures, caught, captured, worst_case_weight, discount, *bounds)
        self._value, self._least = self.mixtures["value"], self.mixtures["least"]
        self._lowest, self._highest = self.mixtures["lowest"], self.mixtures["highest"]

    @property
    def value(self) -> float:
        """What the plan is worth at most: a Mr. X who cannot move is caught."""
        return float(self._value[0])

    @property
    def least(self) -> float:
        """What it is worth at least."""
        return float(self._least[0])

    def take(self, number: int, value: float) -> None:
        """Take in the value of an answer."""
        take_answer(self.answers, self.mixtures, number, value)

    def bounds_of(self, number: int, alpha: float, beta: float) -> tuple[float, float]:
        """Tell between which values an answer matters: below, the plan stays under alpha; above, it reaches beta."""
        bound_answer(self.answers, self.mixtures, number, alpha, beta)
        return float(self._lowest[0]), float(self._highest[0])


MIXTURE = record_type(
    [
        ("weight", "f8", (MAX_PARTICLES,)),  # of each particle, times the discount; 0 = Mr. X cannot move from there
        ("best", "f8", (MAX_PARTICLES,)),  # his best answer from there, as far as it is known
        ("average", "f8", (MAX_PARTICLES,)),  # of all answers; those that are not known count as the ceiling
        ("hidden", "f8", (MAX_PARTICLES,)),  # share of the answers that are not known
        ("unknown", "i8", (MAX_PARTICLES,)),  # how many these are
        ("particles", "i8"),
        ("settled", "f8"),  # what particles add that are caught or cannot move
        ("worst", "f8"),
        ("floor", "f8"),
        ("ceiling", "f8"),
        ("value", "f8"),  # at most
        ("least", "f8"),  # at least
        ("lowest", "f8"),  # value of an answer below which the plan stays under alpha,
        ("highest", "f8"),  # and above which it reaches beta
    ]
)


@kernel
def begin_mixture(nodes, answers, mixtures, caught, captured, worst, discount, floor, ceiling):
    """Set up the merging of answers of which no value is known yet."""
    node, mixture, share = nodes[0], mixtures[0], answers[0].share
    mixture.particles, mixture.worst, mixture.floor, mixture.ceiling = node.particles, worst, floor, ceiling
    stuck = caught
    for particle in range(node.particles):
        for number in range(answers[0].count):
            if share[number, particle] > 0.0:
                mixture.unknown[particle] += 1
                mixture.hidden[particle] += share[number, particle]
        if mixture.unknown[particle] > 0:
            mixture.weight[particle] = discount * node.weight[particle]
        else:
            stuck += node.weight[particle]
        mixture.best[particle] = mixture.average[particle] = ceiling
    mixture.settled = captured * stuck
    add_up_mixture(mixture)


@kernel
def take_answer(answers, mixtures, number, value):
    """Take in the value of an answer."""
    mixture, share = mixtures[0], answers[0].share[number]
    for particle in range(mixture.particles):
        if share[particle] > 0.0:
            mixture.average[particle] -= share[particle] * (mixture.ceiling - value)
            mixture.best[particle] = min(mixture.best[particle], value)
            mixture.hidden[particle] -= share[particle]
            mixture.unknown[particle] -= 1
    add_up_mixture(mixture)


@kernel
def add_up_mixture(mixture):
    """Add up what the plan is worth at most and at least."""
    value = least = mixture.settled
    for particle in range(mixture.particles):
        weight, best, average = mixture.weight[particle], mixture.best[particle], mixture.average[particle]
        value += weight * (mixture.worst * best + (1.0 - mixture.worst) * average)
        if mixture.unknown[particle] > 0:
            best = mixture.floor
            average -= mixture.hidden[particle] * (mixture.ceiling - mixture.floor)
        least += weight * (mixture.worst * best + (1.0 - mixture.worst) * average)
    mixture.value, mixture.least = value, least


@kernel
def bound_answer(answers, mixtures, number, alpha, beta):
    """Write between which values an answer matters to a search between alpha and beta."""
    mixture, share = mixtures[0], answers[0].share[number]
    at_best = on_average = counted = at_last = 0.0
    highest_known, last_known = -np.inf, np.inf
    for particle in range(mixture.particles):
        if share[particle] > 0.0:
            by_best = mixture.weight[particle] * mixture.worst
            at_best += by_best
            counted += by_best * mixture.best[particle]
            on_average += mixture.weight[particle] * (1.0 - mixture.worst) * share[particle]
            highest_known = max(highest_known, mixture.best[particle])
            if mixture.unknown[particle] == 1:  # the others from there are known: this one settles his best
                at_last += by_best
                last_known = min(last_known, mixture.best[particle])
    rest = mixture.value - counted - on_average * mixture.ceiling
    mixture.lowest = (alpha - rest) / (at_best + on_average) - SLACK
    if mixture.worst == 1.0:
        mixture.highest = highest_known + SLACK  # nobody picks it above
        return
    rest = mixture.least - mixture.floor * (on_average + at_last)
    highest = (beta - rest) / (on_average + at_last)
    if highest > last_known:  # beyond what is known to be better for him, it adds to the average alone
        highest = max(last_known, (beta - rest - at_last * last_known) / on_average)
    mixture.highest = highest + SLACK
