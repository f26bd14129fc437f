"""Minimax with alpha-beta pruning over any game tree: the value of a node and the path of best choices from it.

The procedure of "Min-Max": a depth-first search, children from left to right, that passes pruning information down in
two parameters. Alpha is the highest value so far of the MAX ancestors and prunes MIN nodes; beta, its dual, is the
lowest of the MIN ancestors and prunes MAX nodes.
"""

from collections.abc import Iterable
from math import inf
from typing import Protocol, TypeVar

Node = TypeVar("Node")


class GameTree(Protocol[Node]):
    """What the search asks of a zero-sum game; a node without children is a leaf."""

    def is_leaf(self, node: Node) -> bool:
        """Tell whether the game ends, or is to be judged, here."""
        ...

    def is_max(self, node: Node) -> bool:
        """Tell whether the agent that maximises the value chooses here."""
        ...

    def children(self, node: Node) -> Iterable[Node]:
        """Return the nodes that the choices here lead to, one at a time."""
        ...

    def evaluate(self, node: Node) -> float:
        """Return the value of a leaf."""
        ...


def minimax_alpha_beta(
    tree: GameTree[Node], node: Node, alpha: float = -inf, beta: float = inf
) -> tuple[float, tuple[Node, ...] | None]:
    """Return the value of a node and the path of best choices of both agents that has this value.

    A value outside of (alpha, beta) is only a bound: then, and at a leaf, there is no path.
    """
    best = None
    if tree.is_leaf(node):
        return tree.evaluate(node), None
    elif tree.is_max(node):
        for child in tree.children(node):
            score, path = minimax_alpha_beta(tree, child, alpha, beta)
            if score >= beta:
                return score, None
            elif score > alpha:
                alpha = score
                best = (child, *(path or ()))
        return alpha, best
    else:
        for child in tree.children(node):
            score, path = minimax_alpha_beta(tree, child, alpha, beta)
            if score <= alpha:
                return score, None
            elif score < beta:
                beta = score
                best = (child, *(path or ()))
        return beta, best
