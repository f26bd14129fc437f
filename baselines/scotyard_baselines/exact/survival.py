"""How often Mr. X survives where one side keeps to a policy, asked at every node, and the other plays its best."""

import math

import numpy as np

from scotyard_baselines.exact.best_response import Probabilities, against_detectives, against_mr_x
from scotyard_baselines.exact.public_tree import Root
from scotyard_env.duel import decide
from scotyard_env.policy import Policy, Side
from scotyard_env.view import View, Views


class Sampler:
    """Find the behaviour strategy of a policy: as it says itself, or by asking it several times."""

    def __init__(self, policy: Policy, draws: int, seed: int) -> None:
        self.policy, self.draws = policy, draws
        self.rng = np.random.default_rng(seed)

    def probabilities(self, view: View) -> Probabilities:
        """Return the probability of each action; one draw tells all if the policy leaves the rng alone."""
        before = self.rng.bit_generator.state
        decision = self.policy.act(view, self.rng)
        if decision.probabilities:
            told = dict(decision.probabilities)
            if not set(told) <= set(view.legal) or not math.isclose(sum(told.values()), 1.0, rel_tol=1e-6):
                raise ValueError(f"{self.policy!r} tells probabilities that are none: {decision.probabilities}")
            return told
        if self.rng.bit_generator.state == before or self.draws == 1:
            return {decision.action: 1.0}
        many = Views(view.board, view.rules, np.repeat(view.states, self.draws))
        actions, counts = np.unique(decide(self.policy, many, self.rng), return_counts=True)
        return dict(zip(actions.tolist(), (counts / self.draws).tolist(), strict=True))


def survival(roots: list[Root], side: Side, policy: Policy, draws: int, seed: int) -> float:
    """Return the probability that Mr. X survives when a policy plays one side, and a best response to it the other."""
    sampler = Sampler(policy, draws, seed)
    if side == "mr_x":
        return against_mr_x(roots, lambda node, station: sampler.probabilities(node.views[station]))
    return against_detectives(roots, lambda node: sampler.probabilities(node.view))
