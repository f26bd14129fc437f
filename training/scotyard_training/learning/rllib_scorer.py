"""The move scorer for RLlib: games that show what it reads, and a module with its actor and its critic.

Training is centralised, play is not: with ``central_critic`` an observation also says where Mr. X really is, which the
critic reads and the actor does not. That is MAPPO (C. Yu et al., The Surprising Effectiveness of PPO in Cooperative
Multi-Agent Games, NeurIPS 2022); without it, independent PPO (C. Schroeder de Witt et al., Is Independent Learning All
You Need in the StarCraft Multi-Agent Challenge?, 2020), in both cases with one network that all detectives share.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.utils.torch_utils import FLOAT_MIN
from torch import Tensor

import scotyard_env
from scotyard_baselines.networks.inputs import Inputs, make_inputs
from scotyard_env.rules import pass_action
from scotyard_env.state import MR_X, SEATS
from scotyard_env.vector import Arrays
from scotyard_env.view import Views
from scotyard_training.learning.padded_inputs import pad, padded_space, score_moves, value_views
from scotyard_training.learning.privileged import PRIVILEGED_FEATURES, privileged_features
from scotyard_training.learning.scorer import Actor, Critic

Step = Any  # a dict by agent


class Table(MultiAgentEnv):
    """The AEC environment as RLlib plays it: while a game goes on, only the agent to move is shown anything."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.env = scotyard_env.make(board=config["board"], rules=config["rules"])
        self.tells_critic: bool = config["central_critic"]
        self.possible_agents = self.agents = [*self.env.possible_agents]
        told: dict[str, spaces.Space[Any]] = {
            "mr_x": spaces.Box(0, self.env.board.stations, (1,), np.int64),
            "privileged": spaces.Box(-10, 10, (len(PRIVILEGED_FEATURES),), np.float32),
        }
        shown = spaces.Dict({**padded_space(self.env.board).spaces, **told})
        self.observation_spaces = dict.fromkeys(self.agents, shown)
        self.action_spaces = {agent: self.env.action_space(agent) for agent in self.env.possible_agents}
        self._ended = self._show_end(shown)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Step, Step]:
        """Deal a new game."""
        self.env.reset(seed=seed)
        return self._show(), {}

    def step(self, actions: Step) -> Any:
        """Play the action of the agent to move; an illegal one forfeits the game."""
        self.env.step(int(actions[self.env.agent_selection]))
        is_over = all(self.env.terminations.values())
        shown = dict.fromkeys(self.agents, self._ended) if is_over else self._show()
        return shown, dict(self.env.rewards), {"__all__": is_over}, {"__all__": False}, {}

    def _show(self) -> Step:
        """Show the agent to move its view, and the critic where Mr. X is."""
        agent = self.env.agent_selection
        view = self.env.view(agent)
        inputs = make_inputs(Views(view.board, view.rules, view.states))
        arrays = pad(view.board, inputs) | self._tell(inputs)
        return {agent: {name: array[0] for name, array in arrays.items()}}

    def _tell(self, inputs: Inputs) -> Arrays:
        """Return what the critic alone is told; zeros, if it is told nothing."""
        mr_x, privileged = np.zeros(1, np.int64), np.zeros((1, len(PRIVILEGED_FEATURES)), np.float32)
        if self.tells_critic:
            mr_x[0] = self.env.view(SEATS[MR_X]).stations[MR_X]
            privileged = privileged_features(self.env.board, inputs, mr_x)
        return {"mr_x": mr_x[:, None], "privileged": privileged}

    def _show_end(self, space: spaces.Dict) -> Arrays:
        """Return what is shown of a game that is over: nothing, and PASS as the one move."""
        shown: Arrays = {name: np.zeros(one.shape or (), one.dtype) for name, one in space.spaces.items()}
        shown["ids"][:] = -1
        shown["ids"][0] = pass_action(self.env.board.arrays)
        return shown


class ScorerModule(TorchRLModule, ValueFunctionAPI):
    """The actor and the critic of one side."""

    def setup(self) -> None:
        """Make the networks."""
        assert isinstance(self.observation_space, spaces.Dict)
        assert isinstance(self.model_config, dict)
        stations = (self.observation_space["belief"].shape or (0,))[0]
        hidden_size, side = self.model_config["hidden_size"], self.model_config["linear_skip_init"]
        self.actor, self.critic = Actor(stations, hidden_size), Critic(stations, hidden_size)
        if side:
            self.actor.init_linear_skip(side)

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        """Return the scores of all actions; those that are not legal are never drawn."""
        assert isinstance(self.action_space, spaces.Discrete)
        ids, log_probs = score_moves(self.actor, batch[Columns.OBS])
        scores = log_probs.new_full((len(ids), int(self.action_space.n) + 1), FLOAT_MIN)
        scores = scores.scatter(1, ids % scores.shape[1], log_probs.clamp(min=FLOAT_MIN))  # -1 is the column too many
        return {Columns.ACTION_DIST_INPUTS: scores[:, :-1]}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Return the values of observations, (n,)."""
        shown = batch[Columns.OBS]
        return value_views(self.critic, shown, shown["mr_x"][:, 0], shown["privileged"])
