"""Detectives who know the Mr. X that is learning: their belief is the posterior under his current network."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray

from scotyard_baselines.beliefs.posterior import Answers, Posterior
from scotyard_baselines.networks.move_scorer import answer
from scotyard_baselines.networks.own_posterior import UNIFORM_MIX, OwnPosterior
from scotyard_baselines.networks.weights import Weights
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.pursuit import Pursuit
from scotyard_env.history import play_again
from scotyard_env.policy import PolicyLike, Side
from scotyard_env.ranges import Count, Discount, Price, Range, Share
from scotyard_env.view import Views
from scotyard_training.learning.checkpoint import Content, check_like


class LiveNetwork:
    """The current network of a learner as a model: its weights change as it learns."""

    weights: Weights  # the memory of its actor, not a copy

    def __call__(self, views: Views, beliefs: NDArray[np.float64] | None = None) -> Answers:
        """Return the probability that the network gives to every legal action of many views."""
        return answer(self.weights, views, beliefs)


@dataclass(frozen=True)
class KnowingDetectives(Pursuit):
    """Plan like bayes, by the posterior of the network that is learning against them."""

    particles: Annotated[int, Range(1, MAX_PARTICLES)] = 32  # fewer plans than bayes tries: there are many games
    starts: Count = 2
    hedge_rounds: Annotated[int, Range(0, 100)] = 0
    posterior: Posterior = field(kw_only=True)

    def believe(self, views: Views, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the posterior of the learner's station under its current network."""
        return self.posterior.weigh(views)


@dataclass(frozen=True)
class KnowingHunters(KnowingDetectives):
    """Believe the same, and plan as the hunters of version 0.1.0: by the soonest pair, as if tickets never ran out."""

    discount: Discount = 0.8
    all_pairs_weight: Share = 0.0
    worst_case_weight: Share = 0.0
    ticket_cost: Price = 0.0
    counts_tickets: bool = False


def live_posterior(network: LiveNetwork, side: Side, reads_own_posterior: bool) -> Posterior:
    """Return the posterior under a learner's network, which may read that posterior itself."""
    if not reads_own_posterior:
        return Posterior(network, models=1, uniform_mix=UNIFORM_MIX)
    if side != "mr_x":
        raise ValueError("own_posterior is for a Mr. X: detectives are not to read what they believe themselves")
    return OwnPosterior(network)


def add_knowing(
    pool: dict[PolicyLike, float], side: Side, share: float, posterior: Posterior, plain: float = 0.0
) -> None:
    """Give detectives who know the learner a share of the games of a pool, some of them with a plain plan."""
    if share > 0.0:
        if side != "mr_x":
            raise ValueError(f"knowing_share is {share}: only a Mr. X can learn against detectives who know him")
        total = sum(pool.values())
        for policy in pool:
            pool[policy] *= (1.0 - share) / total
        pool[KnowingDetectives(posterior=posterior)] = share * (1.0 - plain)
        if plain > 0.0:
            pool[KnowingHunters(posterior=posterior)] = share * plain


def pack_inferred(posterior: Posterior, views: Views) -> Content:
    """Return the posteriors of games in progress, under the networks of their time, for a checkpoint."""
    decisions, joint = posterior.recall(views)
    return {"decisions": torch.from_numpy(decisions), "weights": torch.from_numpy(joint)}


def unpack_inferred(posterior: Posterior, views: Views, kept: Any) -> None:
    """Take over the posteriors of games from a checkpoint; refuse what cannot be any."""
    check_like(kept, pack_inferred(posterior, views), "it: inferred")
    decisions, joint = kept["decisions"].numpy(), kept["weights"].numpy()
    if (decisions < 0).any() or (decisions > play_again(views).counts).any():
        raise ValueError("it: inferred goes beyond the games")
    if (joint < 0.0).any():
        raise ValueError("it: inferred has weights below 0")
    posterior.remember(views, decisions, joint)
