"""tracker: detectives who know the policy of Mr. X exactly and ask it where he must have gone.

The counterpart of ``exploiter``, and as unfair a player: what is left of a Mr. X against detectives who have read his
code. They believe by the posterior of his own policy (beliefs/posterior.py): at each of his decisions it says what it
would have done from every station where he may have been, and what does not fit the tickets that he showed loses its
weight. With this belief they plan as hunters do (planning/pursuit.py), but for hedging: they need not fear that he
knows them.
"""

import functools
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.policy_model import GivesProbabilities, ask_policy
from scotyard_baselines.beliefs.posterior import Posterior
from scotyard_baselines.planning.pursuit import Pursuit
from scotyard_env.policy import Policy, check_nested, make_nested
from scotyard_env.ranges import Count, Range
from scotyard_env.view import Views


@dataclass(frozen=True)
class Tracker(Pursuit):
    """Weigh every station by how likely this very Mr. X is to have gone there, and plan like the hunters.

    The policy to track is an object or a name; in a name, + stands for the commas between its own parameters.
    """

    against: str | Policy = "hider"
    samples: Count = (
        4  # times that he is asked if he tells no probabilities; 1 is enough if he leaves nothing to chance
    )
    model_mix: Annotated[float, Range(1e-6, 1)] = 0.02  # share of his moves that are taken to be any legal one
    hedge_rounds: Annotated[int, Range(0, 100)] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_nested("against", self.against, "mr_x")

    def believe(self, views: Views, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return how likely this very Mr. X is at each station."""
        policy = make_nested(self.against, side="mr_x")
        if isinstance(self.against, str) and isinstance(policy, GivesProbabilities):
            return _posterior_of(self.against, self.model_mix).weigh(views)
        return _infer(policy, self.samples, self.model_mix, rng).weigh(views)


@functools.lru_cache(maxsize=4)
def _posterior_of(name: str, model_mix: float) -> Posterior:
    """Return the posterior of a policy that leaves nothing to the rng, so that what it inferred can stay."""
    return _infer(make_nested(name, side="mr_x"), 1, model_mix, np.random.default_rng(0))


def _infer(policy: Policy, samples: int, model_mix: float, rng: np.random.Generator) -> Posterior:
    """Return the posterior of a policy that is asked so many times."""
    return Posterior(lambda asked: ask_policy(policy, asked, samples, rng), models=1, uniform_mix=model_mix)
