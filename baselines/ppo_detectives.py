"""ppo_detectives: detectives who learned to hunt, by imitation first and then in a league by PPO (docs/training.md)."""

from dataclasses import dataclass
from typing import ClassVar

from baselines.scorer_net import DATA, ScorerPolicy, Weights, load_weights


@dataclass(frozen=True)
class PpoDetectives(ScorerPolicy):
    """Draw each detective's move by the probabilities of a network that scores legal moves."""

    sides: ClassVar[tuple[str, ...]] = ("detectives",)

    @property
    def weights(self) -> Weights:
        """The numbers of the network, trained on London by the classic rules with five detectives."""
        return load_weights(str(DATA / "ppo_detectives.npz"))
