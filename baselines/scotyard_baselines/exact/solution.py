"""The value of a small game and the best plans of both sides, by linear programming (sequence_form.py)."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.exact.best_response import Chances
from scotyard_baselines.exact.public_tree import DetectiveNode, MrXNode, Outcome, Root
from scotyard_baselines.exact.sequence_form import START, Side, solve

Entered = dict[int, list[tuple[int, float]]]  # by Mr. X's station: the moves of his that led there, with their shares


@dataclass(frozen=True)
class GameSolution:
    """The probability that Mr. X survives, and plans with which either side sees to it that it is no worse."""

    value: float
    mr_x: NDArray[np.float64]  # probability of each of his moves and all of his before it
    detectives: NDArray[np.float64]
    program: "Program"

    def mr_x_plan(self, node: MrXNode, station: int) -> Chances:
        """Give the chances of Mr. X's actions at a node if he is on this station."""
        return _chances(node.moves[station], self.mr_x[self.program.mr_x_moves[id(node), station]])

    def detective_plan(self, node: DetectiveNode) -> Chances:
        """Give the chances of the detective's actions at a node."""
        return _chances(node.answers, self.detectives[self.program.detective_moves[id(node)]])


def _chances(actions: Iterable[int], weights: NDArray[np.float64]) -> Chances:
    """Share out what comes in; where nothing does, all actions alike."""
    weights = np.maximum(weights, 0.0)
    shares = weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))
    return dict(zip(actions, shares.tolist(), strict=True))


def solve_game(roots: list[Root]) -> GameSolution:
    """Solve the game that these trees are."""
    program = Program()
    for root in roots:
        entered = {station: [(START, chance)] for station, chance in root.chances.items()}
        program.add_outcome(root.outcome, entered, START)
    found = solve(program.mr_x, program.detectives, program.payoffs)
    return GameSolution(found.value, found.first, found.second, program)


class Program:
    """A game in sequence form: Mr. X earns 1 where he survives; deals are shares of what enters his first moves."""

    def __init__(self) -> None:
        self.mr_x, self.detectives = Side(), Side()
        self.payoffs: list[tuple[int, int, float]] = []
        self.mr_x_moves: dict[tuple[int, int], range] = {}  # numbers of his moves, by id of the node and station
        self.detective_moves: dict[int, range] = {}  # by id of the node

    def add_outcome(self, outcome: Outcome, entered: Entered, answer: int) -> None:
        """Add what follows moves of Mr. X and the detectives' last answer."""
        for station in outcome.survived:
            self.payoffs += [(move, answer, share) for move, share in entered[station]]
        if isinstance(outcome.node, DetectiveNode):
            self._add_detective_node(outcome.node, entered, answer)
        elif outcome.node is not None:
            self._add_mr_x_node(outcome.node, entered, answer)

    def _add_detective_node(self, node: DetectiveNode, entered: Entered, answer: int) -> None:
        answers = self.detectives.add_set([(answer, 1.0)], len(node.answers))
        self.detective_moves[id(node)] = answers
        for number, outcome in zip(answers, node.answers.values(), strict=True):
            self.add_outcome(outcome, entered, number)

    def _add_mr_x_node(self, node: MrXNode, entered: Entered, answer: int) -> None:
        below: dict[int, Entered] = {id(child): {} for child in node.nodes}
        for station, moves in node.moves.items():
            numbers = self.mr_x.add_set(entered[station], len(moves))
            self.mr_x_moves[id(node), station] = numbers
            for number, (child, to) in zip(numbers, moves.values(), strict=True):
                below[id(child)].setdefault(to, []).append((number, 1.0))
        for child in node.nodes:
            self.add_outcome(Outcome((), child), below[id(child)], answer)
