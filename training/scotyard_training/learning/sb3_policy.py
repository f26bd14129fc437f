"""The move scorer for Stable-Baselines3: games that show what it reads, and a policy class for MaskablePPO."""

from typing import Any, NamedTuple

import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from torch import Tensor

from scotyard_env.vector import Arrays
from scotyard_training.learning.padded_inputs import pad_inputs, padded_space, score_moves, value_views
from scotyard_training.learning.scorer import Actor, Critic
from scotyard_training.sb3_vec import ScotlandYardVecEnv


class ScorerVecEnv(ScotlandYardVecEnv):
    """The native batch, showing what the scorer reads."""

    def __init__(self, num_envs: int, **settings: Any) -> None:
        super().__init__(num_envs, observation="compact", **settings)
        self.observation_space = padded_space(self.games.batch.board)

    def _copy(self, arrays: Arrays) -> Arrays:
        """Show the views of the seats to move."""
        return pad_inputs(self.games.batch.views())


class MoveDistribution(NamedTuple):
    """The probabilities of the legal moves of many views, as MaskablePPO asks for a distribution over all actions."""

    ids: Tensor  # (n, moves): the actions; what is -1 is never drawn
    log_probs: Tensor  # (n, moves)

    def get_actions(self, deterministic: bool = False) -> Tensor:
        """Draw an action each, or take the likeliest."""
        slots = self.log_probs.argmax(1, keepdim=True) if deterministic else torch.multinomial(self.log_probs.exp(), 1)
        return self.ids.gather(1, slots).squeeze(1)

    def log_prob(self, actions: Tensor) -> Tensor:
        """Return the log probabilities of actions."""
        return self.log_probs.masked_fill(self.ids != actions.long()[:, None], 0.0).sum(1)

    def entropy(self) -> Tensor:
        """Return the entropy of each."""
        return -(self.log_probs.exp() * self.log_probs.masked_fill(self.ids < 0, 0.0)).sum(1)


class ScorerActorCritic(MaskableMultiInputActorCriticPolicy):
    """The actor and the critic of scorer.py behind MaskablePPO; the critic has no privileged features here."""

    def __init__(self, *given: Any, hidden_size: int = 128, linear_skip_init: str = "", **named: Any) -> None:
        self.hidden_size, self.linear_skip_init = hidden_size, linear_skip_init
        super().__init__(*given, **named)

    def _build(self, lr_schedule: Any) -> None:
        space = self.observation_space
        assert isinstance(space, spaces.Dict)
        stations = (space["belief"].shape or (0,))[0]
        self.actor, self.critic = Actor(stations, self.hidden_size), Critic(stations, self.hidden_size)
        if self.linear_skip_init:
            self.actor.init_linear_skip(self.linear_skip_init)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr_schedule(1), eps=1e-5)

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: NDArray[Any] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions, values and log probabilities."""
        moves = self.get_distribution(obs)
        actions = moves.get_actions(deterministic)
        return actions, self.predict_values(obs), moves.log_prob(actions)

    def evaluate_actions(
        self, obs: Any, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return values, log probabilities and entropies of actions."""
        moves = self.get_distribution(obs)
        return self.predict_values(obs), moves.log_prob(actions), moves.entropy()

    def get_distribution(self, obs: Any, action_masks: Any = None) -> Any:
        """Return the probabilities of the legal moves; no mask is needed, since others have no rows."""
        return MoveDistribution(*score_moves(self.actor, obs))

    def predict_values(self, obs: Any) -> Tensor:
        """Return the values of observations."""
        return value_views(self.critic, obs)[:, None]
