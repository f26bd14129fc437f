"""DQN with Tianshou, masked: Mr. X learns against a policy that plays the detectives inside ``step``.

    pip install tianshou
    python examples/tianshou_dqn.py --epochs 10

Tianshou reads a mask from observations of the form ``{"obs": ..., "mask": ...}``: a wrapper of ten lines. Its own
wrapper for PettingZoo runs on our AEC environment too, but hands out each reward with the observation of whoever moves
next, so that learning goes by somebody else's result; hence ``make_solo``.
"""

import argparse
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from torch import nn

import scotyard_env

Observation = dict[str, np.ndarray]

# ------------------------------------------------------------------------------------------------------- arguments
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--board", default="docklands")
parser.add_argument("--opponent", default="greedy", help="a policy for the detectives")
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--steps", type=int, default=5000, help="decisions in an epoch")
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()


# ----------------------------------------------------------------------------------------------------------- games
class Masked(gymnasium.Wrapper):
    """Shows observations as Tianshou reads them, and no infos: its buffer wants the same keys in every step."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        kept = env.observation_space.spaces
        self.observation_space = spaces.Dict({"obs": kept["observation"], "mask": kept["action_mask"]})

    def reset(self, **given: Any) -> tuple[Observation, dict[str, Any]]:
        """Deal a game."""
        return self.rename(super().reset(**given)[0]), {}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        observation, reward, terminated, truncated, _ = super().step(action)
        return self.rename(observation), float(reward), terminated, truncated, {}

    @staticmethod
    def rename(observation: Observation) -> Observation:
        """Give the parts the names that Tianshou looks for."""
        return {"obs": observation["observation"], "mask": observation["action_mask"]}


def make_game() -> gymnasium.Env:
    """Make one game."""
    return Masked(scotyard_env.make_solo(side="mr_x", opponent=args.opponent, board=args.board))


# --------------------------------------------------------------------------------------------------------- learner
class ActionValues(nn.Module):
    """A plain network."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, actions)
        )

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return the values of all actions."""
        return self.layers(torch.as_tensor(obs, dtype=torch.float32)), state


torch.set_num_threads(1)
torch.manual_seed(args.seed)
np.random.seed(args.seed)  # noqa: NPY002  # Tianshou explores by this one
games, tests = DummyVectorEnv([make_game] * 16), DummyVectorEnv([make_game] * 16)
games.seed(args.seed)
tests.seed(args.seed + 1)
space, actions = make_game().observation_space["obs"], make_game().action_space
policy = DiscreteQLearningPolicy(
    model=ActionValues(space.shape[0], actions.n),
    action_space=actions,
    observation_space=space,
    eps_training=0.1,
)
learner = DQN(
    policy=policy, optim=AdamOptimizerFactory(lr=5e-4), gamma=0.99, n_step_return_horizon=3, target_update_freq=200
)

# ----------------------------------------------------------------------------------------------- learn and measure
collector = Collector(learner, games, VectorReplayBuffer(100_000, len(games)), exploration_noise=True)
evaluation = Collector(learner, tests)


def win_rate() -> float:
    """Play 100 games with what has been learned."""
    evaluation.reset()
    return float((evaluation.collect(n_episode=100).returns > 0).mean())


print(f"before training Mr. X survives {win_rate():.0%} of his games", flush=True)
collector.reset()
learner.run_training(
    OffPolicyTrainerParams(
        training_collector=collector,
        max_epochs=args.epochs,
        epoch_num_steps=args.steps,
        collection_step_num_env_steps=160,
        update_step_num_gradient_steps_per_sample=0.1,
        batch_size=256,
        test_step_num_episodes=0,
        show_progress=False,
        verbose=False,
    )
)
print(f"after training Mr. X survives {win_rate():.0%} of his games", flush=True)
