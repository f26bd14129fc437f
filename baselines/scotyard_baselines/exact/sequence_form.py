"""Two-player zero-sum games solved exactly by linear programming in sequence form (Koller, Megiddo, von Stengel 1996).

A player's plan gives every move that he may come to make the probability that he plays it and all before it, as far as
that is up to him. At each of his information sets the moves share what comes in. What one plan earns against another is
bilinear, so that the best plan against the worst that the other can do is a linear program.

An information set may be entered by several moves, when the player need not remember by which: what comes in adds up.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack

START = 0  # the move before all others, made with probability 1


@dataclass
class Side:
    """The information sets of one player, and his moves, numbered from START on."""

    moves: int = 1
    sets: int = 1  # set 0 is the start
    entries: list[tuple[int, int, float]] = field(default_factory=lambda: [(0, START, 1.0)])  # set, move, coefficient

    def add_set(self, entered_by: Iterable[tuple[int, float]], moves: int) -> range:
        """Add an information set entered by some moves, each with a share of it, that has so many moves of its own."""
        added = range(self.moves, self.moves + moves)
        self.entries += [(self.sets, move, 1.0) for move in added]
        self.entries += [(self.sets, move, -share) for move, share in entered_by]
        self.moves += moves
        self.sets += 1
        return added

    def balance(self) -> csr_array:
        """Give the matrix, sets by moves, of what goes out of each set less what comes in."""
        return _matrix(self.entries, (self.sets, self.moves))

    def incomes(self) -> NDArray[np.float64]:
        """Give what the balance of each set must be: 1 for the start."""
        incomes = np.zeros(self.sets)
        incomes[0] = 1.0
        return incomes


@dataclass(frozen=True)
class Solution:
    """Best plans of both sides, as probabilities by move, and what the first earns with them."""

    value: float
    first: NDArray[np.float64]
    second: NDArray[np.float64]


def solve(first: Side, second: Side, payoffs: Iterable[tuple[int, int, float]]) -> Solution:
    """Find the plan with which the first side earns most against the worst the second can do.

    Payoffs are (last move of the first, last move of the second, what the first earns there, times its chance).
    """
    earned = _matrix(payoffs, (first.moves, second.moves))
    nothing = coo_array((first.sets, second.sets))
    answer = linprog(  # over the first side's plan, and what each information set of the second's is worth at least
        -np.concatenate([np.zeros(first.moves), second.incomes()]),
        A_ub=hstack([-earned.T, second.balance().T]),
        b_ub=np.zeros(second.moves),
        A_eq=hstack([first.balance(), nothing]),
        b_eq=first.incomes(),
        bounds=[(0, None)] * first.moves + [(None, None)] * second.sets,
        method="highs",
    )
    if not answer.success:
        raise ArithmeticError(f"the linear program was not solved: {answer.message}")
    return Solution(-float(answer.fun), answer.x[: first.moves], -answer.ineqlin.marginals)


def _matrix(entries: Iterable[tuple[int, int, float]], shape: tuple[int, int]) -> csr_array:
    rows, columns, values = np.array(list(entries), float).reshape(-1, 3).T
    return coo_array((values, (rows.astype(int), columns.astype(int))), shape).tocsr()
