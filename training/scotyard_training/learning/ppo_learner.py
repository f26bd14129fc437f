"""Proximal policy optimization of a side: its networks, its advantages and its update.

J. Schulman et al., Proximal Policy Optimization Algorithms, 2017; advantages by J. Schulman et al., High-Dimensional
Continuous Control Using Generalized Advantage Estimation, ICLR 2016.
"""

import dataclasses
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from scotyard_training.learning.learner import Learner, check_networks
from scotyard_training.learning.rollout import Decisions, Rollout, offset_places, take
from scotyard_training.learning.scorer import Actor, Critic
from scotyard_training.learning.side_games import SideGames

Floats = NDArray[np.float32]
LOSSES = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")


@dataclasses.dataclass(frozen=True)
class UpdateSettings:
    """How to learn from a rollout, in the words of CleanRL."""

    learning_rate: float
    update_epochs: int
    minibatch_size: int
    clip_coef: float
    ent_coef: float
    vf_coef: float
    max_grad_norm: float  # of the actor and of the critic, each for itself


class Annealed(Protocol):
    """The arguments of a script that say how to learn over the whole run."""

    @property
    def total_timesteps(self) -> int: ...
    @property
    def learning_rate(self) -> float: ...
    @property
    def anneal_lr(self) -> bool: ...
    @property
    def update_epochs(self) -> int: ...
    @property
    def minibatch_size(self) -> int: ...
    @property
    def clip_coef(self) -> float: ...
    @property
    def ent_coef(self) -> float: ...
    @property
    def anneal_ent(self) -> bool: ...
    @property
    def vf_coef(self) -> float: ...
    @property
    def max_grad_norm(self) -> float: ...


def anneal(args: Annealed, steps: int) -> UpdateSettings:
    """Return how to learn after so many decisions: what is annealed falls to a tenth in a straight line."""
    left = 1.0 - 0.9 * min(1.0, steps / args.total_timesteps)
    return UpdateSettings(
        learning_rate=args.learning_rate * (left if args.anneal_lr else 1.0),
        update_epochs=args.update_epochs,
        minibatch_size=args.minibatch_size,
        clip_coef=args.clip_coef,
        ent_coef=args.ent_coef * (left if args.anneal_ent else 1.0),
        vf_coef=args.vf_coef,
        max_grad_norm=args.max_grad_norm,
    )


class PpoLearner(Learner):
    """A side that learns by PPO, with a privileged critic."""

    def __init__(
        self,
        script: str,
        games: SideGames,
        *,
        hidden_size: int,
        learning_rate: float,
        seed: int,
        linear_skip_init: bool = True,
    ) -> None:
        torch.manual_seed(seed)
        stations = games.batch.board.stations
        actor, self.critic = Actor(stations, hidden_size), Critic(stations, hidden_size)
        if linear_skip_init:
            actor.init_linear_skip(games.side)
        parameters = [*actor.parameters(), *self.critic.parameters()]
        optimizer = torch.optim.Adam(parameters, learning_rate, eps=1e-5, fused=True)
        super().__init__(script, games, actor, optimizer, seed)

    def networks(self) -> dict[str, nn.Module]:
        """Return the networks that a checkpoint holds."""
        return super().networks() | {"critic": self.critic}

    def values(self, decisions: Decisions) -> Floats:
        """Return the values of decisions, (n,)."""
        inputs, mr_x, opponent, privileged = decisions
        arrays = (offset_places(inputs), inputs.belief, inputs.facts, privileged, mr_x, opponent)
        with torch.no_grad():
            values: Floats = self.critic(*(torch.from_numpy(array) for array in arrays)).numpy()
        return values

    def update(
        self, rollout: Rollout, values: Floats, advantages: Floats, settings: UpdateSettings
    ) -> dict[str, float]:
        """Learn from a rollout, several times in minibatches; return figures by their tags."""
        self.set_learning_rate(settings.learning_rate)
        returns = advantages + values
        losses: list[list[float]] = []
        for _ in range(settings.update_epochs):
            order = self.rng.permutation(len(values))
            for first in range(0, len(order), settings.minibatch_size):
                part = order[first : first + settings.minibatch_size]
                losses.append(self._descend(rollout, part, advantages[part], returns[part], settings))
        self.steps += len(values)
        check_networks(self.networks(), self.steps)
        means = zip(LOSSES, np.mean(losses, axis=0).tolist(), strict=True)
        explained = 1 - np.var(returns - values) / (np.var(returns) + 1e-8)
        return {f"losses/{name}": mean for name, mean in means} | {
            "losses/explained_variance": float(explained),
            "charts/learning_rate": settings.learning_rate,
        }

    def _descend(
        self,
        rollout: Rollout,
        part: NDArray[np.int64],
        advantages: Floats,
        returns: Floats,
        settings: UpdateSettings,
    ) -> list[float]:
        """Make one step of the optimizer by some decisions; return the losses."""
        inputs, mr_x, opponent, privileged = rollout.decisions
        batch = take(inputs, part)
        log_probs = self.actor(batch)
        chosen, old = torch.from_numpy(rollout.chosen[part]), torch.from_numpy(rollout.log_probs[part])
        advantage = torch.from_numpy(advantages)
        if len(part) > 1:  # one has no deviation
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        log_ratio = log_probs.gather(1, chosen[:, None]).squeeze(1) - old
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - settings.clip_coef, 1 + settings.clip_coef)
        policy_loss = -torch.minimum(ratio * advantage, clipped * advantage).mean()
        entropy = -(log_probs.exp() * log_probs.masked_fill(log_probs.isneginf(), 0.0)).sum(1).mean()
        told = (torch.from_numpy(array[part]) for array in (privileged, mr_x, opponent))
        value = self.critic(batch.stations, batch.belief, batch.facts, *told)
        value_loss = (value - torch.from_numpy(returns)).square().mean()
        loss = policy_loss - settings.ent_coef * entropy + settings.vf_coef * value_loss
        self.descend(loss, settings.max_grad_norm)
        with torch.no_grad():
            approx_kl = ((ratio - 1) - log_ratio).mean()  # J. Schulman, Approximating KL Divergence, 2020: k3
            clip_fraction = ((ratio - 1).abs() > settings.clip_coef).float().mean()
        return [figure.item() for figure in (policy_loss, value_loss, entropy, approx_kl, clip_fraction)]


def estimate_advantages(
    rollout: Rollout, values: Floats, values_after: Floats, gamma: float, gae_lambda: float
) -> Floats:
    """Return the advantage of every decision, (n,), by generalized advantage estimation (2016, equation 16)."""
    now, after = values.reshape(rollout.rewards.shape), values_after
    advantages = np.empty_like(now)
    advantage = np.zeros_like(after)
    for step in reversed(range(len(now))):
        goes_on = 1.0 - rollout.ended[step]
        delta = rollout.rewards[step] + gamma * goes_on * after - now[step]
        advantage = (delta + gamma * gae_lambda * goes_on * advantage).astype(np.float32)
        advantages[step], after = advantage, now[step]
    return advantages.ravel()
