"""Two-player zero-sum games solved exactly by linear programming in sequence form.

After D. Koller, N. Megiddo and B. von Stengel, "Efficient Computation of Equilibria for Extensive Two-Person Games"
(Games and Economic Behavior 14, 1996). A realization plan x gives every sequence of a player's own moves the
probability that he plays all of them, as far as that is up to him: E x = e, x >= 0, with one row of E for each of his
information sets, at which the moves share what comes in. What one plan earns against another is bilinear, x' A y, so
the plan that is best against the worst the other can do is a linear program:

    max  e2' v   such that   E1 x = e1,   E2' v <= A' x,   x >= 0

An information set may be entered by several sequences, when the player need not remember by which: what comes in adds
up. So a sequence is known by its last move.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack

START = 0  # the empty sequence, which has probability 1


@dataclass
class Player:
    """The information sets of one player, and his sequences, numbered from START on."""

    sequences: int = 1
    sets: int = 1  # set 0 is the start
    entries: list[tuple[int, int, float]] = field(default_factory=lambda: [(0, START, 1.0)])  # of E: set, sequence, ..

    def add_information_set(self, entered_by: Iterable[tuple[int, float]], moves: int) -> range:
        """Add an information set of so many moves, entered by some sequences, each by a share; return the new ones."""
        added = range(self.sequences, self.sequences + moves)
        self.entries += [(self.sets, sequence, 1.0) for sequence in added]
        self.entries += [(self.sets, sequence, -share) for sequence, share in entered_by]
        self.sequences += moves
        self.sets += 1
        return added

    def constraint_matrix(self) -> csr_array:
        """Return E, (sets, sequences): what goes out of each information set less what comes in."""
        return _matrix(self.entries, (self.sets, self.sequences))

    def constraint_vector(self) -> NDArray[np.float64]:
        """Return e, (sets,): 1 for the start, 0 for all others."""
        vector = np.zeros(self.sets)
        vector[0] = 1.0
        return vector


@dataclass(frozen=True)
class Solution:
    """Optimal realization plans of both players, by sequence, and what the first earns with them."""

    value: float
    first: NDArray[np.float64]
    second: NDArray[np.float64]


def solve(first: Player, second: Player, payoffs: Iterable[tuple[int, int, float]]) -> Solution:
    """Return the plan with which the first player earns most against the worst the second can do, and the second's.

    Payoffs are the entries of A: (sequence of the first, of the second, what the first earns there by its probability).
    """
    payoff_matrix = _matrix(payoffs, (first.sequences, second.sequences))
    zeros = coo_array((first.sets, second.sets))
    answer = linprog(  # over x, the first's plan, and v, what each information set of the second's is worth at least
        -np.concatenate([np.zeros(first.sequences), second.constraint_vector()]),
        A_ub=hstack([-payoff_matrix.T, second.constraint_matrix().T]),
        b_ub=np.zeros(second.sequences),
        A_eq=hstack([first.constraint_matrix(), zeros]),
        b_eq=first.constraint_vector(),
        bounds=[(0, None)] * first.sequences + [(None, None)] * second.sets,
        method="highs",
    )
    if not answer.success:
        raise ArithmeticError(f"the linear program was not solved: {answer.message}")
    # the second's plan is dual to E2' v <= A' x
    return Solution(-float(answer.fun), answer.x[: first.sequences], -answer.ineqlin.marginals)


def _matrix(entries: Iterable[tuple[int, int, float]], shape: tuple[int, int]) -> csr_array:
    rows, columns, values = np.array(list(entries), float).reshape(-1, 3).T
    return coo_array((values, (rows.astype(int), columns.astype(int))), shape).tocsr()
