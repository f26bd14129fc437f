"""Best responses by enumeration: how often Mr. X survives if one side plays a strategy and the other best responds.

Strategies are behaviour strategies: probabilities of actions at every information set. Mr. X knows where everybody is,
so his best response is the best move at every node and station. The detectives do not know where he is, but they know
his strategy and hence his reach probability of each station: weights that go down the tree with them. A best response
to a fixed strategy is pure, found in one pass over the public tree (M. Johanson et al., "Accelerating Best Response
Calculation in Large Extensive Games", IJCAI 2011).
"""

from collections.abc import Callable, Mapping

from scotyard_baselines.exact.public_tree import DetectiveNode, MrXNode, Node, Outcome, Root
from scotyard_env.behaviour import Probabilities

Reach = Mapping[int, float]  # probability, by station, that Mr. X is there, as far as deal and his strategy go
MrXStrategy = Callable[[MrXNode, int], Probabilities]  # what he plays at a node if he is on this station
DetectiveStrategy = Callable[[DetectiveNode], Probabilities]


def against_mr_x(roots: list[Root], strategy: MrXStrategy) -> float:
    """Return the probability that Mr. X survives with a strategy when the detectives play a best response to it."""
    return sum(_least_after(root.outcome, root.probabilities, strategy) for root in roots)


def _least_after(outcome: Outcome, reach: Reach, strategy: MrXStrategy) -> float:
    """Return how much of his reach probability survives after an outcome."""
    survived = sum(reach.get(station, 0.0) for station in outcome.survived)
    return survived + (_least(outcome.node, reach, strategy) if outcome.node is not None else 0.0)


def _least(node: Node, reach: Reach, strategy: MrXStrategy) -> float:
    """Return how much of his reach probability survives below a node."""
    if isinstance(node, DetectiveNode):
        return min(_least_after(outcome, reach, strategy) for outcome in node.answers.values())
    after: list[dict[int, float]] = [{} for _ in node.nodes]
    places = {id(below): place for place, below in enumerate(node.nodes)}
    for station in node.moves.keys() & {station for station, weight in reach.items() if weight > 0}:
        for action, probability in strategy(node, station).items():
            below, to = node.moves[station][action]
            coming = after[places[id(below)]]
            coming[to] = coming.get(to, 0.0) + reach[station] * probability
    return sum(_least(below, coming, strategy) for below, coming in zip(node.nodes, after, strict=True) if coming)


def against_detectives(roots: list[Root], strategy: DetectiveStrategy) -> float:
    """Return the probability that Mr. X survives when he plays a best response to a strategy of the detectives."""
    total = 0.0
    for root in roots:
        values = _values_after(root.outcome, strategy)
        total += sum(share * values.get(station, 0.0) for station, share in root.probabilities.items())
    return total


def _values_after(outcome: Outcome, strategy: DetectiveStrategy) -> dict[int, float]:
    """Return by station the probability that he survives; caught where there is none."""
    values = _values(outcome.node, strategy) if outcome.node is not None else {}
    return values | dict.fromkeys(outcome.survived, 1.0)


def _values(node: Node, strategy: DetectiveStrategy) -> dict[int, float]:
    """Return by station the probability that he survives from a node on."""
    values: dict[int, float] = {}
    if isinstance(node, DetectiveNode):
        for action, probability in strategy(node).items():
            for station, value in _values_after(node.answers[action], strategy).items():
                values[station] = values.get(station, 0.0) + probability * value
        return values
    below = {id(child): _values(child, strategy) for child in node.nodes}
    for station, moves in node.moves.items():
        values[station] = max(below[id(child)].get(to, 0.0) for child, to in moves.values())
    return values
