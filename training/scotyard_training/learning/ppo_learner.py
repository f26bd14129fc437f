"""Proximal policy optimization of a side: its networks, its advantages and its update.

J. Schulman et al., Proximal Policy Optimization Algorithms, 2017; advantages by J. Schulman et al., High-Dimensional
Continuous Control Using Generalized Advantage Estimation, ICLR 2016.
"""

import dataclasses
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from scotyard_training.learning.backprop import SIZE, ActorPass, Chunk, CriticPass, split, take_chunk
from scotyard_training.learning.learner import Learner, check_networks
from scotyard_training.learning.losses import PPO_LOSSES, write_ppo_gradients
from scotyard_training.learning.rollout import Decisions, Rollout, offset_places
from scotyard_training.learning.scorer import Actor, Critic
from scotyard_training.learning.side_games import SideGames
from scotyard_training.learning.team import ALONE, Team

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
LOSSES = (*PPO_LOSSES, "value_loss")


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
    kl_coef: float = 0.0  # weight of the divergence from the magnet, where a learner has one
    magnet_rate: float = 0.0  # share of the way to the player that the magnet goes after an update


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
        team: Team = ALONE,
    ) -> None:
        torch.manual_seed(seed)
        stations = games.batch.board.stations
        actor, self.critic = Actor(stations, hidden_size), Critic(stations, hidden_size)
        if linear_skip_init:
            actor.init_linear_skip(games.side)
        parameters = [*actor.parameters(), *self.critic.parameters()]
        optimizer = torch.optim.Adam(parameters, learning_rate, eps=1e-5, fused=True)
        super().__init__(script, games, actor, optimizer, seed, team)
        self.actor_pass, self.critic_pass = ActorPass(actor), CriticPass(self.critic)

    def networks(self) -> dict[str, nn.Module]:
        """Return the networks that a checkpoint holds."""
        return super().networks() | {"critic": self.critic}

    def values(self, decisions: Decisions) -> Floats:
        """Return the values of decisions, (n,)."""
        inputs = decisions.inputs
        places, values = offset_places(inputs), np.empty(len(inputs.facts), np.float32)
        for first in range(0, len(values), SIZE):
            part = slice(first, first + SIZE)
            facts, belief = torch.from_numpy(inputs.facts[part]), torch.from_numpy(inputs.belief[part])
            values[part] = self.critic_pass.forward(facts, belief, places[part], *decisions.told(part)).numpy()
        return values

    def update(
        self, rollout: Rollout, values: Floats, advantages: Floats, settings: UpdateSettings
    ) -> dict[str, float]:
        """Learn from a rollout, several times in minibatches; return figures by their tags."""
        self.set_learning_rate(settings.learning_rate)
        share = settings.minibatch_size // self.team.size
        returns = advantages + values
        losses = []
        for _ in range(settings.update_epochs):
            order = self.rng.permutation(len(values))
            normalised = self.normalise(advantages[order], share)
            for first in range(0, len(order), share):
                part, wanted = order[first : first + share], normalised[first : first + share]
                losses.append(self.learn_from(rollout, part, wanted, returns[part], settings))
        self.steps += len(values) * self.team.size
        check_networks(self.networks(), self.steps)
        means = np.mean(losses, axis=0)
        self.team.add_up(means)
        explained = 1 - np.var(returns - values) / (np.var(returns) + 1e-8)
        return {f"losses/{name}": mean for name, mean in zip(LOSSES, means.tolist(), strict=True)} | {
            "losses/explained_variance": float(explained),
            "charts/learning_rate": settings.learning_rate,
        }

    def learn_from(
        self,
        rollout: Rollout,
        part: Integers,
        advantages: Floats,
        returns: Floats,
        settings: UpdateSettings,
    ) -> NDArray[np.float64]:
        """Make one step of the optimizer by some decisions; return what they add to the losses of the minibatch."""
        size, sums = len(part) * self.team.size, np.zeros(len(LOSSES))
        for places in split(np.arange(len(part))):
            some = part[places]
            chunk = take_chunk(rollout.decisions.inputs, some)
            scores = self.actor_pass.forward(chunk)
            to_scores = torch.empty_like(scores)
            chosen = rollout.chosen[some], rollout.log_probs[some], advantages[places]
            weights = settings.clip_coef, settings.ent_coef, size
            write_ppo_gradients(chunk.firsts, scores.numpy(), *chosen, *weights, to_scores.numpy(), sums)
            self.regularise(chunk, scores, settings.kl_coef / size, to_scores)
            self.actor_pass.backward(to_scores)
            told = rollout.decisions.told(some)
            values = self.critic_pass.forward(chunk.facts, chunk.belief, chunk.places, *told)
            errors = values - torch.from_numpy(returns[places])
            self.critic_pass.backward(errors * (2 * settings.vf_coef / size))
            sums[-1] += errors.square().sum().item()
        losses = sums / size
        loss = losses[0] - settings.ent_coef * losses[1] + settings.vf_coef * losses[-1]
        self.descend(loss, settings.max_grad_norm)
        return losses

    def regularise(self, chunk: Chunk, scores: Tensor, weight: float, to_scores: Tensor) -> None:
        """Add the gradients of what else the scores are held to with some weight; in PPO that is nothing."""

    def normalise(self, advantages: Floats, share: int) -> Floats:
        """Return the advantages of minibatches, of which this process has a share, less their means, by deviations."""
        parts = [part.astype(np.float64) for part in np.split(advantages, range(share, len(advantages), share))]
        sums = np.array([[len(part), part.sum(), np.square(part).sum()] for part in parts])
        self.team.add_up(sums)
        normalised = []
        for part, (size, total, squares) in zip(parts, sums, strict=True):
            deviation = np.sqrt(max(squares - total**2 / size, 0.0) / max(size - 1, 1))
            normalised.append((part - total / size) / (deviation + 1e-8) if size > 1 else part)  # one has no deviation
        return np.concatenate(normalised, dtype=np.float32)


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
