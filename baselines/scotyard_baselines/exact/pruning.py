"""What alpha-beta found out about a tree: bounds of every value, what was cut off and why, and the path.

All of it follows from the nodes that were visited. A leaf not visited may be worth anything, so the bounds are those of
the document's argument: with a first leaf of 6, the value of a MIN node is at most 6, whatever else is below it.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

from scotyard_baselines.exact.alphabeta import minimax_alpha_beta
from scotyard_baselines.exact.branches import Branch, BranchTree


class Bounds(NamedTuple):
    """Between which numbers the value of a node is, as far as the visited leaves tell."""

    low: float
    high: float

    def __str__(self) -> str:
        """Write them as a person would: ``= 7``, ``<= 6``, ``>= 11``, ``4 to 5``, ``?``."""
        if self.low == self.high:
            return f"= {self.low:g}"
        if self.low == -inf:
            return "?" if self.high == inf else f"<= {self.high:g}"
        return f">= {self.low:g}" if self.high == inf else f"{self.low:g} to {self.high:g}"


UNKNOWN = Bounds(-inf, inf)


class Cut(NamedTuple):
    """A node whose other children were not looked at, and what made that right."""

    node: Branch
    limit: float  # alpha at a MIN node, beta at a MAX node
    skipped: tuple[Branch, ...]


@dataclass(frozen=True)
class Pruning:
    """A tree that was searched."""

    root: Branch
    value: float
    path: tuple[Branch, ...]  # of best choices, from the root's child to a leaf
    visited: frozenset[Branch]
    leaves_visited: int

    @cached_property
    def bounds(self) -> dict[Branch, Bounds]:
        """The bounds of every node that was visited."""
        found: dict[Branch, Bounds] = {}
        self._bound(self.root, found)
        return found

    def _bound(self, node: Branch, found: dict[Branch, Bounds]) -> Bounds:
        if node not in self.visited:
            return UNKNOWN
        if node.value is not None:
            found[node] = Bounds(node.value, node.value)
        else:
            below = [self._bound(child, found) for child in node.children]
            choose = max if node.is_max else min
            found[node] = Bounds(choose(one.low for one in below), choose(one.high for one in below))
        return found[node]

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """The nodes with children that were cut off, in the order of the search."""
        found: list[Cut] = []
        self._find_cuts(self.root, -inf, inf, found)
        return tuple(found)

    def _find_cuts(self, node: Branch, alpha: float, beta: float, found: list[Cut]) -> None:
        """Go through the visited nodes as the search did, with the alpha and beta that it passed down."""
        limit = beta if node.is_max else alpha
        looked_at = [child for child in node.children if child in self.visited]
        for child in looked_at:
            self._find_cuts(child, alpha, beta, found)
            if node.is_max:
                alpha = max(alpha, self.bounds[child].low)
            else:
                beta = min(beta, self.bounds[child].high)
        if len(looked_at) < len(node.children):
            found.append(Cut(node, limit, node.children[len(looked_at) :]))


def prune(root: Branch) -> Pruning:
    """Search a tree by alpha-beta and tell what it looked at."""
    tree = BranchTree()
    value, path = minimax_alpha_beta(tree, root)
    leaves = sum(not node.children for node in tree.visited)
    return Pruning(root, value, path or (), frozenset(tree.visited), leaves)
