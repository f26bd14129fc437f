"""Alpha-beta finds what plain minimax finds, and looks at exactly the leaves that the document says it must."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from math import inf

import numpy as np
import pytest

from scotyard_baselines.exact.alphabeta import backward_induction, minimax_alpha_beta
from scotyard_baselines.exact.branches import Branch, grow
from scotyard_baselines.exact.pruning import prune

Nested = list["Nested"] | float  # a tree as a test writes it: a list of subtrees, or the value of a leaf


class NamedTree:
    """A tree of named nodes that keeps a note of the leaves that were evaluated."""

    def __init__(self, links: Mapping[str, str], values: Mapping[str, float], max_nodes: str) -> None:
        self.links = links
        self.values = values
        self.max_nodes = max_nodes
        self.evaluated: list[str] = []

    def is_leaf(self, node: str) -> bool:
        return node not in self.links

    def is_max(self, node: str) -> bool:
        return node in self.max_nodes.split()

    def children(self, node: str) -> Iterator[str]:
        yield from self.links[node].split()

    def evaluate(self, node: str) -> float:
        self.evaluated.append(node)
        return self.values[node]


class NestedTree:
    """Nested lists as a tree: a node is its path of child numbers from the root; MAX and MIN take turns."""

    def __init__(self, root: Nested) -> None:
        self.root = root
        self.evaluations = 0

    def at(self, node: tuple[int, ...]) -> Nested:
        here = self.root
        for number in node:
            assert isinstance(here, list)
            here = here[number]
        return here

    def is_leaf(self, node: tuple[int, ...]) -> bool:
        return not isinstance(self.at(node), list)

    def is_max(self, node: tuple[int, ...]) -> bool:
        return len(node) % 2 == 0

    def children(self, node: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        here = self.at(node)
        assert isinstance(here, list)
        return ((*node, number) for number in range(len(here)))

    def evaluate(self, node: tuple[int, ...]) -> float:
        value = self.at(node)
        assert isinstance(value, float)
        self.evaluations += 1
        return value


def plain_minimax(tree: Nested, is_max: bool = True) -> float:
    """Walk the whole tree, in a line."""
    if not isinstance(tree, list):
        return tree
    return (max if is_max else min)(plain_minimax(child, not is_max) for child in tree)


def count_leaves(tree: Nested) -> int:
    return sum(map(count_leaves, tree)) if isinstance(tree, list) else 1


def random_tree(rng: np.random.Generator, depth: int, values: int) -> Nested:
    """Make a tree of at most this depth whose leaves have few or many different values."""
    if depth == 0 or rng.random() < 0.1:
        return float(rng.integers(values))
    return [random_tree(rng, depth - 1, values) for _ in range(rng.integers(1, 5))]


# The example of the document. MAX moves at a, then at d..g; MIN at b and c, then at h..o; leaves are below h..o. The
# unnumbered leaves do not matter, and have no value here: to evaluate one is an error.
#
#                          a
#              b                       c
#         d         e             f         g
#       h   i     j   k         l   m     n   o
#      7 9 6 .  11 12 . .      5 . 4 .   . . . .
LINKS = {"a": "b c", "b": "d e", "c": "f g", "d": "h i", "e": "j k", "f": "l m", "g": "n o"}
LINKS |= {node: f"{node}1 {node}2" for node in "hijklmno"}
VALUES = {"h1": 7.0, "h2": 9.0, "i1": 6.0, "j1": 11.0, "j2": 12.0, "l1": 5.0, "m1": 4.0}


@pytest.fixture
def example() -> NamedTree:
    return NamedTree(LINKS, VALUES, max_nodes="a d e f g")


def test_the_example_is_worth_7_to_the_maximising_agent_who_goes_left(example: NamedTree) -> None:
    assert minimax_alpha_beta(example, "a") == (7, ("b", "d", "h", "h1"))


def test_in_the_example_exactly_the_numbered_leaves_are_evaluated_from_left_to_right(example: NamedTree) -> None:
    minimax_alpha_beta(example, "a", -inf, inf)
    assert example.evaluated == ["h1", "h2", "i1", "j1", "j2", "l1", "m1"]


def test_the_value_of_h_is_the_minimum_of_its_leaves(example: NamedTree) -> None:
    assert minimax_alpha_beta(example, "h") == (7, ("h1",))


def test_at_d_the_maximising_agent_goes_left_without_the_other_leaf_of_i(example: NamedTree) -> None:
    assert minimax_alpha_beta(example, "d") == (7, ("h", "h1"))
    assert "i2" not in example.evaluated


def test_a_min_node_stops_at_its_first_value_up_to_alpha_and_has_no_path(example: NamedTree) -> None:
    assert minimax_alpha_beta(example, "i", alpha=6) == (6, None)
    assert example.evaluated == ["i1"]


def test_a_max_node_stops_at_its_first_value_from_beta_on_and_has_no_path(example: NamedTree) -> None:
    assert minimax_alpha_beta(example, "e", beta=7) == (7, None)
    assert example.evaluated == ["j1", "j2"]


def test_a_leaf_is_worth_what_it_is_and_has_no_path(example: NamedTree) -> None:
    assert minimax_alpha_beta(example, "h2") == (9, None)


def test_among_equals_the_path_goes_left() -> None:
    assert minimax_alpha_beta(NestedTree([[1.0], [1.0]]), ()) == (1, ((0,), (0, 0)))


@pytest.mark.parametrize("values", [2, 5, 1000])
def test_it_agrees_with_plain_minimax_and_the_path_leads_to_the_value(values: int) -> None:
    rng = np.random.default_rng(values)
    evaluated = total = 0
    for _ in range(500):
        root = [random_tree(rng, 5, values) for _ in range(3)]
        tree = NestedTree(root)
        value, path = minimax_alpha_beta(tree, ())
        assert value == plain_minimax(root)
        assert (value, path) == backward_induction(NestedTree(root), ())
        assert path is not None
        assert [len(node) for node in path] == list(range(1, len(path) + 1))
        assert all(child[:-1] == parent for parent, child in itertools.pairwise(path))
        assert tree.at(path[-1]) == value
        evaluated += tree.evaluations
        total += count_leaves(root)
    assert evaluated < 0.8 * total


def test_backward_induction_looks_at_every_leaf() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        root = [random_tree(rng, 5, 20) for _ in range(3)]
        tree = NestedTree(root)
        backward_induction(tree, ())
        assert tree.evaluations == count_leaves(root)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_what_is_looked_at_does_not_depend_on_the_size_of_what_is_cut_off(size: int) -> None:
    links, values = dict(LINKS), dict(VALUES)
    for node in ("i2", "k", "l2", "m2", "g"):  # in the place of each stands a tree of its own, without a value in it
        links[node] = " ".join(f"{node}.{number}" for number in range(size))
        links |= {f"{node}.{number}": f"{node}.{number}.1 {node}.{number}.2" for number in range(size)}
    tree = NamedTree(links, values, max_nodes="a d e f g")
    assert minimax_alpha_beta(tree, "a") == (7, ("b", "d", "h", "h1"))
    assert tree.evaluated == list(VALUES)


def test_what_a_random_tree_is_cut_off_may_grow_and_nothing_changes() -> None:
    rng = np.random.default_rng(4)
    grown = 0
    for _ in range(100):
        root = grow([random_tree(rng, 4, 20) for _ in range(3)])
        found = prune(root)
        larger = enlarge(root, found.visited, rng)
        again = prune(larger)
        assert (again.value, again.leaves_visited) == (found.value, found.leaves_visited)
        assert [node.value for node in again.path] == [node.value for node in found.path]
        grown += larger.leaves - root.leaves
    assert grown > 5000


def enlarge(node: Branch, visited: frozenset[Branch], rng: np.random.Generator) -> Branch:
    """Put a larger tree with other values in the place of everything that was not visited."""
    if node not in visited:
        return grow([random_tree(rng, 2, 50) for _ in range(5)], node.is_max)
    return dataclasses.replace(node, children=tuple(enlarge(child, visited, rng) for child in node.children))


def test_every_choice_on_the_path_keeps_the_value() -> None:
    rng = np.random.default_rng(1)
    for _ in range(500):
        root = [random_tree(rng, 4, 50) for _ in range(3)]
        tree = NestedTree(root)
        value, path = minimax_alpha_beta(tree, ())
        assert path is not None
        assert all(plain_minimax(tree.at(node), tree.is_max(node)) == value for node in path)


def test_with_a_window_it_gives_the_value_inside_and_a_bound_outside() -> None:
    rng = np.random.default_rng(2)
    for _ in range(2000):
        root = [random_tree(rng, 4, 20) for _ in range(3)]
        alpha, beta = sorted(rng.choice(20, 2, replace=False).tolist())
        true = plain_minimax(root)
        value, path = minimax_alpha_beta(NestedTree(root), (), alpha, beta)
        if alpha < true < beta:
            assert value == true
            assert path is not None
        else:
            assert path is None
            assert true <= value <= alpha if true <= alpha else beta <= value <= true
