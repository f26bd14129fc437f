"""The exact exploitability of networks on a small board, fast enough to be measured during training.

The inputs of all decisions in the game are made once, so that a network's strategy is a single forward pass. The result
is what ``scotyard exploitability`` prints for it.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

import numpy as np

from scotyard_baselines.exact.best_response import against_detectives, against_mr_x
from scotyard_baselines.exact.public_tree import DetectiveNode, MrXNode, build_tree, list_nodes
from scotyard_baselines.exact.solution import solve_game
from scotyard_baselines.networks.inputs import make_inputs
from scotyard_baselines.networks.move_scorer import score, softmax
from scotyard_baselines.networks.weights import Weights
from scotyard_env.behaviour import Probabilities
from scotyard_env.board import Board
from scotyard_env.policy import Side
from scotyard_env.ruleset import RuleSet
from scotyard_env.view import View, Views

Name = TypeVar("Name", bound=Hashable)  # of a decision


class DecisionTable(Generic[Name]):
    """All decisions that a side can come to, as the networks read them."""

    def __init__(self, board: Board, rules: RuleSet, views: Mapping[Name, View]) -> None:
        self.places = {name: place for place, name in enumerate(views)}
        self.inputs = make_inputs(Views(board, rules, np.concatenate([view.states for view in views.values()])))

    def strategy(self, weights: Weights) -> Callable[[Name], Probabilities]:
        """Return what a network plays: the probabilities of the actions of a decision, by its name."""
        inputs = self.inputs
        actions, probabilities = inputs.ids.tolist(), softmax(inputs, score(weights, inputs)).tolist()
        firsts = inputs.firsts.tolist()

        def play(name: Name) -> Probabilities:
            rows = slice(*firsts[self.places[name] : self.places[name] + 2])
            return dict(zip(actions[rows], probabilities[rows], strict=True))

        return play


class ExactGame:
    """A small game with its value, which is the probability that Mr. X survives if both sides play their best."""

    def __init__(self, board: Board, rules: RuleSet) -> None:
        self.roots = build_tree(board, rules)
        self.value = max(0.0, solve_game(self.roots).value)
        nodes = list_nodes(self.roots)
        theirs = {id(node): node.view for node in nodes if isinstance(node, DetectiveNode)}
        his = {(id(node), at): view for node in nodes if isinstance(node, MrXNode) for at, view in node.views.items()}
        self.detectives, self.mr_x = DecisionTable(board, rules, theirs), DecisionTable(board, rules, his)

    def exploitability(self, side: Side, weights: Weights) -> float:
        """Return by how much a best response to a network that plays a side changes the probability of survival."""
        if side == "mr_x":
            his = self.mr_x.strategy(weights)
            return self.value - against_mr_x(self.roots, lambda node, station: his((id(node), station)))
        theirs = self.detectives.strategy(weights)
        return against_detectives(self.roots, lambda node: theirs(id(node))) - self.value
