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

from scotyard_training.learning.alike import list_rows
from scotyard_training.learning.backprop import ActorPass, Chunk, split, take_chunk
from scotyard_training.learning.losses import add_kl_gradients, write_ppo_gradients
from scotyard_training.learning.ppo_learner import LOSSES, PpoLearner, UpdateSettings
from scotyard_training.learning.rollout import Rollout
from scotyard_training.learning.side_games import SideGames

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


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

    def learn_from(
        self, rollout: Rollout, part: Integers, advantages: Floats, returns: Floats, settings: UpdateSettings
    ) -> NDArray[np.float64]:
        """Make one step of the optimizer by some decisions, those that are alike worked out together."""
        if rollout.which is None:
            return super().learn_from(rollout, part, advantages, returns, settings)
        size, sums = len(part) * self.team.size, np.zeros(len(LOSSES))
        kinds, places = np.unique(rollout.which[part], return_inverse=True)
        for some in split(np.arange(len(kinds))):
            mine = np.flatnonzero((places >= some[0]) & (places <= some[-1]))
            chunk, numbers = take_chunk(rollout.decisions.inputs, kinds[some]), places[mine] - some[0]
            chosen = rollout.chosen[part[mine]], rollout.log_probs[part[mine]], advantages[mine]
            self.pull_actor(chunk, numbers, chosen, settings, size, sums)
            values = self.critic_pass.forward(
                chunk.facts, chunk.belief, chunk.places, *rollout.decisions.told(kinds[some])
            )
            errors = values.numpy()[numbers] - returns[mine]
            to_values = np.bincount(numbers, errors, len(some)) * (2 * settings.vf_coef / size)
            self.critic_pass.backward(torch.from_numpy(to_values.astype(np.float32)))
            sums[-1] += np.square(errors).sum()
        losses = sums / size
        loss = losses[0] - settings.ent_coef * losses[1] + settings.vf_coef * losses[-1]
        self.descend(loss, settings.max_grad_norm)
        return losses

    def pull_actor(
        self,
        chunk: Chunk,
        numbers: Integers,
        chosen: tuple[Integers, Floats, Floats],
        settings: UpdateSettings,
        size: int,
        sums: NDArray[np.float64],
    ) -> None:
        """Add the gradients of the actor by decisions that are each one of a chunk, given by its number there."""
        scores, magnet_scores = self.actor_pass.forward(chunk), self.magnet_pass.forward(chunk).numpy()
        firsts, rows = list_rows(chunk.firsts, numbers)
        theirs = scores.numpy()[rows]
        to_theirs = np.empty_like(theirs)
        write_ppo_gradients(firsts, theirs, *chosen, settings.clip_coef, settings.ent_coef, size, to_theirs, sums)
        self.divergence += add_kl_gradients(firsts, theirs, magnet_scores[rows], settings.kl_coef / size, to_theirs)
        to_scores = np.bincount(rows, to_theirs, len(scores)).astype(np.float32)
        self.actor_pass.backward(torch.from_numpy(to_scores))

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
