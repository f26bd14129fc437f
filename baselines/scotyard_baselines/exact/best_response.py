"""Best responses by enumeration: how often Mr. X survives if one side keeps to a plan and the other knows it.

A plan gives chances of actions. Mr. X knows where everybody is, so his best response is the best move at every node and
station. The detectives do not know where he is, but they know his plan and hence how likely he is to be on each
station: weights that go down the tree with them.
"""

from collections.abc import Callable, Mapping

from scotyard_baselines.exact.public_tree import DetectiveNode, MrXNode, Node, Outcome, Root

Chances = Mapping[int, float]  # of actions; or weights, by station
MrXPlan = Callable[[MrXNode, int], Chances]  # what he plays at a node if he is on this station
DetectivePlan = Callable[[DetectiveNode], Chances]


def against_mr_x(roots: list[Root], plan: MrXPlan) -> float:
    """Give the probability that Mr. X survives with a plan when the detectives play their best against it."""
    return sum(_held_to(root.outcome, root.chances, plan) for root in roots)


def _held_to(outcome: Outcome, weights: Chances, plan: MrXPlan) -> float:
    """Give how much of his weight, by station, survives after an outcome."""
    survived = sum(weights.get(station, 0.0) for station in outcome.survived)
    return survived + (_least(outcome.node, weights, plan) if outcome.node is not None else 0.0)


def _least(node: Node, weights: Chances, plan: MrXPlan) -> float:
    """Give how much of his weight survives below a node."""
    if isinstance(node, DetectiveNode):
        return min(_held_to(outcome, weights, plan) for outcome in node.answers.values())
    after: list[dict[int, float]] = [{} for _ in node.nodes]
    places = {id(below): place for place, below in enumerate(node.nodes)}
    for station in node.moves.keys() & {station for station, weight in weights.items() if weight > 0}:
        for action, chance in plan(node, station).items():
            below, to = node.moves[station][action]
            coming = after[places[id(below)]]
            coming[to] = coming.get(to, 0.0) + weights[station] * chance
    return sum(_least(below, coming, plan) for below, coming in zip(node.nodes, after, strict=True) if coming)


def against_detectives(roots: list[Root], plan: DetectivePlan) -> float:
    """Give the probability that Mr. X survives when he plays his best against a plan of the detectives."""
    total = 0.0
    for root in roots:
        hopes = _hopes_after(root.outcome, plan)
        total += sum(chance * hopes.get(station, 0.0) for station, chance in root.chances.items())
    return total


def _hopes_after(outcome: Outcome, plan: DetectivePlan) -> dict[int, float]:
    """Give by station the probability that he survives; caught where there is none."""
    hopes = _hopes(outcome.node, plan) if outcome.node is not None else {}
    return hopes | dict.fromkeys(outcome.survived, 1.0)


def _hopes(node: Node, plan: DetectivePlan) -> dict[int, float]:
    """Give by station the probability that he survives from a node on."""
    hopes: dict[int, float] = {}
    if isinstance(node, DetectiveNode):
        for action, chance in plan(node).items():
            for station, hope in _hopes_after(node.answers[action], plan).items():
                hopes[station] = hopes.get(station, 0.0) + chance * hope
        return hopes
    below = {id(child): _hopes(child, plan) for child in node.nodes}
    for station, moves in node.moves.items():
        hopes[station] = max(below[id(child)].get(to, 0.0) for child, to in moves.values())
    return hopes
