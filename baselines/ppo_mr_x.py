"""ppo_mr_x: a Mr. X who learned to stay away and unseen, in a league by PPO (docs/training.md)."""

from dataclasses import dataclass
from typing import ClassVar

from baselines.scorer_net import ShippedScorer


@dataclass(frozen=True)
class PpoMrX(ShippedScorer):
    """Draw Mr. X's action by the probabilities of a network that scores legal moves."""

    sides: ClassVar[tuple[str, ...]] = ("mr_x",)
    shipped: ClassVar[str] = "ppo_mr_x.npz"
