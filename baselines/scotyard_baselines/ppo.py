"""ppo_mr_x and ppo_detectives: players who learned the game by PPO (docs/training.md)."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from scotyard_baselines.networks.move_scorer import ShippedScorer
from scotyard_baselines.networks.weights import DATA
from scotyard_env.policy import Side


@dataclass(frozen=True)
class PpoMrX(ShippedScorer):
    """Draw Mr. X's action by the probabilities of a network that scores legal moves."""

    sides: ClassVar[tuple[Side, ...]] = ("mr_x",)
    shipped: ClassVar[str] = "ppo_mr_x.npz"
    card: ClassVar[Path] = DATA / "ppo_mr_x.json"


@dataclass(frozen=True)
class PpoDetectives(ShippedScorer):
    """Draw each detective's move by the probabilities of a network that scores legal moves."""

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)
    shipped: ClassVar[str] = "ppo_detectives.npz"
    card: ClassVar[Path] = DATA / "ppo_detectives.json"
