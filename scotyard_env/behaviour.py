"""The behaviour strategy of a policy: the probabilities of its actions with a view, as it says or as it plays."""

import math
from collections.abc import Mapping

import numpy as np

from scotyard_env.duel import decide
from scotyard_env.policy import Policy
from scotyard_env.view import View, Views

Probabilities = Mapping[int, float]  # of actions


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
