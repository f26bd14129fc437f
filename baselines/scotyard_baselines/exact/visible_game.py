"""A game in which all see Mr. X, as a tree for alpha-beta and backward induction (exact/alphabeta.py).

What a leaf is worth is the caller's, and so is which actions are looked at: the tree says nothing of good play.
"""

from collections.abc import Callable, Iterable

from scotyard_env.board import Board
from scotyard_env.policy import SIDES, Side
from scotyard_env.rules import apply
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, NOWHERE, State, station_set
from scotyard_env.view import Position, imagine


class VisibleNode(Position):
    """A position in the tree, in which the detectives know where Mr. X is."""

    def __init__(self, board: Board, rules: RuleSet, state: State, turns: int, action: int | None) -> None:
        super().__init__(board, rules, state)
        self.state.possible[:] = station_set([int(state.station[MR_X])])
        self.turns = turns  # yet to look ahead from here
        self.action = action  # that led here; None at the root


class VisibleGame:
    """The tree below a position: so many turns deep, each turn of a seat a choice of its side.

    A double move is one turn, whose three actions are three nodes of Mr. X; a tree never ends in the middle of one.
    """

    def __init__(
        self,
        position: Position,
        turns: int,
        value: Callable[[VisibleNode], float],
        *,
        actions: Callable[[VisibleNode], Iterable[int]] = lambda node: node.legal,
        maximiser: Side = "mr_x",
    ) -> None:
        if turns < 1:
            raise ValueError(f"turns is {turns}: give a whole number of at least 1")
        if maximiser not in SIDES:
            raise ValueError(f"maximiser is {maximiser!r}: give one of {', '.join(SIDES)}")
        self.root = VisibleNode(position.board, position.rules, _show(position), turns, None)
        self.value, self.actions, self.maximiser = value, actions, maximiser

    def is_leaf(self, node: VisibleNode) -> bool:
        """Tell whether the game is over, or all turns were looked at."""
        return node.turns == 0 or node.winner is not None

    def is_max(self, node: VisibleNode) -> bool:
        """Tell whether the side that maximises is to move."""
        return (node.seat == MR_X) == (self.maximiser == "mr_x")

    def children(self, node: VisibleNode) -> Iterable[VisibleNode]:
        """Play the actions of a node one at a time."""
        return (self.play(node, action) for action in self.actions(node))

    def evaluate(self, node: VisibleNode) -> float:
        """Return what a leaf is worth to the side that maximises."""
        return self.value(node)

    def play(self, node: VisibleNode, action: int) -> VisibleNode:
        """Return the node that a legal action leads to."""
        state = node.state.copy()
        apply(node.board.arrays, node.rule_arrays, state, action)
        turns = node.turns if state.owed > 0 else node.turns - 1
        return VisibleNode(node.board, node.rules, state, turns, action)


def _show(position: Position) -> State:
    """Return the state of a position, with Mr. X's station filled in where the table can tell it."""
    if position.stations[MR_X] != NOWHERE:
        return position.state
    possible = position.possible
    if len(possible) != 1:
        told = f"Mr. X may be on {len(possible)} stations"
        raise ValueError(f"{told}: give a game, his own view, or a view in which one is left")
    return imagine(position.state, possible[0])
