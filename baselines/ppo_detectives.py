"""ppo_detectives: detectives who learned to hunt, by imitation first and then in a league by PPO (docs/training.md)."""

from dataclasses import dataclass
from typing import ClassVar

from baselines.scorer_net import ShippedScorer


@dataclass(frozen=True)
class PpoDetectives(ShippedScorer):
    """Draw each detective's move by the probabilities of a network that scores legal moves."""

    sides: ClassVar[tuple[str, ...]] = ("detectives",)
    shipped: ClassVar[str] = "ppo_detectives.npz"
