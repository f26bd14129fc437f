"""Game trees as data, to be searched and drawn: read from nested lists, or written out from any other game tree.

In nested lists a list holds the subtrees of a node, and a number is the value of a leaf. ``None``, in JSON ``null``, is
a leaf whose value is not known, which is fine as long as the search cuts it off.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from scotyard_baselines.exact.alphabeta import GameTree

Node = TypeVar("Node")
Nested = Sequence["Nested"] | float | None

DEEPEST = 50  # levels below the root
MOST_NODES = 1000  # of a tree that is written out

# The example of the document "Min-Max": MAX moves first, and leaves without a number are irrelevant.
EXAMPLE: Nested = [
    [[[7, 9], [6, None]], [[11, 12], [None, None]]],
    [[[5, None], [4, None]], [[None, None], [None, None]]],
]


@dataclass(frozen=True, eq=False)  # two branches that look alike are two nodes
class Branch:
    """A node of a tree with all that is below it."""

    is_max: bool
    children: tuple["Branch", ...] = ()  # none = a leaf
    value: float | None = None  # of a leaf; None = not known
    move: str = ""  # what leads here

    @property
    def leaves(self) -> int:
        """How many leaves there are from here on."""
        return sum(child.leaves for child in self.children) if self.children else 1


class BranchTree:
    """Branches as a game tree that keeps the nodes that a search looked at, in its order."""

    def __init__(self) -> None:
        self.visited: list[Branch] = []

    def is_leaf(self, node: Branch) -> bool:
        """Tell whether a node has no children; every search asks this first of a node."""
        self.visited.append(node)
        return not node.children

    def is_max(self, node: Branch) -> bool:
        """Tell whether MAX chooses at a node."""
        return node.is_max

    def children(self, node: Branch) -> tuple[Branch, ...]:
        """Return the children of a node from left to right."""
        return node.children

    def evaluate(self, node: Branch) -> float:
        """Return the value of a leaf, or refuse one that has none."""
        if node.value is None:
            number = sum(not one.children for one in self.visited)
            raise ValueError(f"leaf {number} that the search comes to has no value: give a number in place of null")
        return node.value


def grow(nested: Any, is_max: bool = True) -> Branch:
    """Return the tree that nested lists stand for, MAX and MIN in turns; an error says which node is wrong."""
    if not isinstance(nested, list):
        raise ValueError("a tree is a list of subtrees, such as [[7, 9], [6, null]]")
    return _grow(nested, is_max, ())


def _grow(nested: Any, is_max: bool, path: tuple[int, ...]) -> Branch:
    where = f"node {'.'.join(map(str, path))}" if path else "the root"
    if isinstance(nested, list):
        if not nested:
            raise ValueError(f"{where} is an empty list: give it children, or a number in its place")
        if len(path) == DEEPEST:
            raise ValueError(f"{where} has children: a tree has at most {DEEPEST} levels below its root")
        children = tuple(_grow(child, not is_max, (*path, number)) for number, child in enumerate(nested, 1))
        return Branch(is_max, children)
    is_number = isinstance(nested, int | float) and not isinstance(nested, bool) and math.isfinite(nested)
    if not is_number and nested is not None:
        raise ValueError(f"{where} is {nested!r}: give a list of children, a number, or null for a value not known")
    return Branch(is_max, value=None if nested is None else float(nested))


def write_out(tree: GameTree[Node], node: Node, name: Callable[[Node], str]) -> Branch:
    """Return a whole game tree from a node on, with the move that leads to each node; one too large is refused."""
    count = 0

    def write(here: Node) -> Branch:
        nonlocal count
        count += 1
        if count > MOST_NODES:
            raise ValueError(f"the tree has more than {MOST_NODES:,} nodes: give a smaller depth or board")
        if tree.is_leaf(here):
            return Branch(tree.is_max(here), (), tree.evaluate(here), name(here))
        return Branch(tree.is_max(here), tuple(map(write, tree.children(here))), None, name(here))

    return write(node)
