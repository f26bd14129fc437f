"""How often Mr. X survives if one side plays a policy, asked at every node, and the other a best response to it."""

from scotyard_baselines.exact.best_response import against_detectives, against_mr_x
from scotyard_baselines.exact.public_tree import Root
from scotyard_env.behaviour import Sampler
from scotyard_env.policy import Policy, Side


def survival(roots: list[Root], side: Side, policy: Policy, draws: int, seed: int) -> float:
    """Return the probability that Mr. X survives when a policy plays one side, and a best response to it the other."""
    sampler = Sampler(policy, draws, seed)
    if side == "mr_x":
        return against_mr_x(roots, lambda node, station: sampler.probabilities(node.views[station]))
    return against_detectives(roots, lambda node: sampler.probabilities(node.view))
