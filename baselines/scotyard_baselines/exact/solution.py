"""The value of a small game and optimal strategies of both sides, by linear programming (sequence_form.py)."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.exact.public_tree import DetectiveNode, MrXNode, Outcome, Root
from scotyard_baselines.exact.sequence_form import START, Player, solve
from scotyard_env.behaviour import Probabilities

Entered = dict[int, list[tuple[int, float]]]  # by Mr. X's station: his sequences that led there, with their shares


@dataclass(frozen=True)
class GameSolution:
    """The value of the game, which is the probability that Mr. X survives, and optimal strategies of both sides."""

    value: float
    mr_x: NDArray[np.float64]  # his realization plan, by sequence
    detectives: NDArray[np.float64]
    form: "SequenceForm"

    def mr_x_strategy(self, node: MrXNode, station: int) -> Probabilities:
        """Return the probabilities of Mr. X's actions at a node if he is on this station."""
        return _normalize(node.moves[station], self.mr_x[self.form.mr_x_sequences[id(node), station]])

    def detective_strategy(self, node: DetectiveNode) -> Probabilities:
        """Return the probabilities of the detective's actions at a node."""
        return _normalize(node.answers, self.detectives[self.form.detective_sequences[id(node)]])


def _normalize(actions: Iterable[int], weights: NDArray[np.float64]) -> Probabilities:
    """Return the behaviour strategy at an information set of a realization plan; uniform where it is never reached."""
    weights = np.maximum(weights, 0.0)
    shares = weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))
    return dict(zip(actions, shares.tolist(), strict=True))


def solve_game(roots: list[Root]) -> GameSolution:
    """Solve the game below these roots, the deals as the table sees them."""
    form = SequenceForm()
    for root in roots:
        entered = {station: [(START, probability)] for station, probability in root.probabilities.items()}
        form.add_outcome(root.outcome, entered, START)
    found = solve(form.mr_x, form.detectives, form.payoffs)
    return GameSolution(found.value, found.first, found.second, form)


class SequenceForm:
    """A game in sequence form: Mr. X earns 1 where he survives; deals are shares of what enters his first moves."""

    def __init__(self) -> None:
        self.mr_x, self.detectives = Player(), Player()
        self.payoffs: list[tuple[int, int, float]] = []
        self.mr_x_sequences: dict[tuple[int, int], range] = {}  # that end here, by id of the node and station
        self.detective_sequences: dict[int, range] = {}  # by id of the node

    def add_outcome(self, outcome: Outcome, entered: Entered, answer: int) -> None:
        """Add what follows sequences of Mr. X and one of the detectives."""
        for station in outcome.survived:
            self.payoffs += [(sequence, answer, share) for sequence, share in entered[station]]
        if isinstance(outcome.node, DetectiveNode):
            self._add_detective_node(outcome.node, entered, answer)
        elif outcome.node is not None:
            self._add_mr_x_node(outcome.node, entered, answer)

    def _add_detective_node(self, node: DetectiveNode, entered: Entered, answer: int) -> None:
        answers = self.detectives.add_information_set([(answer, 1.0)], len(node.answers))
        self.detective_sequences[id(node)] = answers
        for sequence, outcome in zip(answers, node.answers.values(), strict=True):
            self.add_outcome(outcome, entered, sequence)

    def _add_mr_x_node(self, node: MrXNode, entered: Entered, answer: int) -> None:
        below: dict[int, Entered] = {id(child): {} for child in node.nodes}
        for station, moves in node.moves.items():
            sequences = self.mr_x.add_information_set(entered[station], len(moves))
            self.mr_x_sequences[id(node), station] = sequences
            for sequence, (child, to) in zip(sequences, moves.values(), strict=True):
                below[id(child)].setdefault(to, []).append((sequence, 1.0))
        for child in node.nodes:
            self.add_outcome(Outcome((), child), below[id(child)], answer)
