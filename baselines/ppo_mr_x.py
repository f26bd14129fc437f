"""ppo_mr_x: a Mr. X who learned to stay away and unseen, in a league by PPO (docs/training.md)."""

from dataclasses import dataclass
from typing import ClassVar

from baselines.scorer_net import DATA, ScorerPolicy, Weights, load_weights


@dataclass(frozen=True)
class PpoMrX(ScorerPolicy):
    """Draw Mr. X's action by the probabilities of a network that scores legal moves."""

    sides: ClassVar[tuple[str, ...]] = ("mr_x",)

    @property
    def weights(self) -> Weights:
        """The numbers of the network, trained on London by the classic rules with five detectives."""
        return load_weights(str(DATA / "ppo_mr_x.npz"))
