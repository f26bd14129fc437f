"""Minimax over any game tree, with alpha-beta pruning and without: the value of a node and the path of best choices.

The procedures of "Min-Max". Backward induction visits the whole tree. Alpha-beta pruning is a depth-first search,
children from left to right, that passes pruning information down in two parameters. Alpha is the highest value so far
of the MAX ancestors and prunes MIN nodes; beta, its dual, is the lowest of the MIN ancestors and prunes MAX nodes.
``scotyard alphabeta`` draws what is cut off.
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


def backward_induction(tree: GameTree[Node], node: Node) -> tuple[float, tuple[Node, ...] | None]:
    """Return the same pair, from the bottom up: maximise at MAX nodes, minimise at MIN nodes, cut nothing off."""
    if tree.is_leaf(node):
        return tree.evaluate(node), None
    is_max = tree.is_max(node)
    value, best = -inf if is_max else inf, None
    for child in tree.children(node):
        score, path = backward_induction(tree, child)
        if best is None or (score > value if is_max else score < value):
            value, best = score, (child, *(path or ()))
    return value, best
