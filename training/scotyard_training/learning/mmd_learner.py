"""Magnetic mirror descent of a side: PPO that is drawn to a magnet, a slowly moving copy of the player.

S. Sokota et al., A Unified Approach to Reinforcement Learning, Quantal Response Equilibria, and Two-Player Zero-Sum
Games, ICLR 2023; with PPO's update, as M. Rudolph et al., Reevaluating Policy Gradient Methods for
Imperfect-Information Games, 2025, recommend. Advantages stay in units of the reward, as do the weights of entropy and
divergence, so that these say how much reward is given up for staying undecided and for staying near the magnet.
"""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scotyard_training.learning.backprop import ActorPass, Chunk
from scotyard_training.learning.losses import add_kl_gradients
from scotyard_training.learning.ppo_learner import PpoLearner, UpdateSettings
from scotyard_training.learning.rollout import Rollout
from scotyard_training.learning.side_games import SideGames

Floats = NDArray[np.float32]


class MmdLearner(PpoLearner):
    """A side that learns by PPO and is drawn to its magnet."""

    def __init__(self, script: str, games: SideGames, *, hidden_size: int, learning_rate: float, seed: int) -> None:
        super().__init__(
            script, games, hidden_size=hidden_size, learning_rate=learning_rate, seed=seed, linear_skip_init=False
        )
        self.magnet = copy.deepcopy(self.actor).requires_grad_(False)
        self.magnet_pass = ActorPass(self.magnet)
        self.divergence = 0.0  # from the magnet, of all decisions that an update has learned from so far

    def update(
        self, rollout: Rollout, values: Floats, advantages: Floats, settings: UpdateSettings
    ) -> dict[str, float]:
        """Learn from a rollout and let the magnet follow; return figures by their tags."""
        self.divergence = 0.0
        figures = super().update(rollout, values, advantages, settings)
        self.move_magnet(settings.magnet_rate)
        return figures | {"losses/magnet_kl": self.divergence / (len(values) * settings.update_epochs)}

    def regularise(self, chunk: Chunk, scores: Tensor, weight: float, to_scores: Tensor) -> None:
        """Add the gradients of the divergence from the magnet, KL(player, magnet)."""
        given = chunk.firsts, scores.numpy(), self.magnet_pass.forward(chunk).numpy()
        self.divergence += add_kl_gradients(*given, weight, to_scores.numpy())

    def normalise(self, advantages: Floats, share: int) -> Floats:
        """Return the advantages as they are."""
        return advantages

    def move_magnet(self, rate: float) -> None:
        """Move the magnet a share of the way to the player."""
        with torch.no_grad():
            for weights, goal in zip(self.magnet.parameters(), self.actor.parameters(), strict=True):
                weights.lerp_(goal, rate)

    def state(self) -> dict[str, Any]:
        """Return all that decides how learning goes on."""
        return super().state() | {"magnet": self.magnet.state_dict()}

    def restore(self, kept: dict[str, Any]) -> None:
        """Become what was saved; refuse what cannot be continued."""
        super().restore(kept)  # which has checked the magnet too
        self.magnet.load_state_dict(kept["magnet"])
