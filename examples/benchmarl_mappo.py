"""MAPPO, independent PPO and the other algorithms of BenchMARL by their names, on the parallel environment.

    pip install benchmarl
    python examples/benchmarl_mappo.py --algorithm mappo --frames 200000

Both sides learn against each other, the detectives with one network. The environment's state goes to central critics.
Agents who are not to move have PASS as their one legal action.
"""

import argparse
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarl.algorithms import IppoConfig, MappoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from tensordict import TensorDictBase
from torchrl.envs import EnvBase, PettingZooWrapper

import scotyard_env

# ------------------------------------------------------------------------------------------------------- arguments
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--algorithm", choices=["mappo", "ippo"], default="mappo")
parser.add_argument("--board", default="docklands")
parser.add_argument("--frames", type=int, default=200_000, help="turns to learn from")
parser.add_argument("--frames-per-batch", type=int, default=2000, help="turns between updates")
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()


# ----------------------------------------------------------------------------------------------------------- games
class ScotlandYard(PettingZooClass):
    """The parallel environment as a task of BenchMARL."""

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any
    ) -> Callable[[], EnvBase]:
        """Return what makes one game."""
        return lambda: self.make(seed, device)

    def make(self, seed: int | None, device: Any) -> EnvBase:
        """Make one game."""
        games = scotyard_env.parallel_env(**self.config)
        sides = {"mr_x": ["mr_x"], "detectives": games.possible_agents[1:]}
        return PettingZooWrapper(
            games, group_map=sides, return_state=True, categorical_actions=True, seed=seed, device=device
        )

    def supports_continuous_actions(self) -> bool:
        """Tell that actions are not continuous."""
        return False

    def supports_discrete_actions(self) -> bool:
        """Tell that actions are discrete."""
        return True

    def has_render(self, env: EnvBase) -> bool:
        """Tell that training draws nothing."""
        return False

    def max_steps(self, env: EnvBase) -> int:
        """Return a number of turns that no game reaches."""
        return 1000

    @staticmethod
    def env_name() -> str:
        """Name the environment."""
        return "scotyard_env"


class WinRate(Callback):
    """Prints how many games the detectives have won between two updates."""

    def on_batch_collected(self, batch: TensorDictBase) -> None:
        """Count the games that ended in a batch."""
        rewards = batch["next", "mr_x", "reward"]
        results = rewards[rewards != 0]
        print(f"{len(results)} games, detectives won {(results < 0).float().mean():.0%}", flush=True)


# ----------------------------------------------------------------------------------------------------------- learn
config = ExperimentConfig.get_from_yaml()
config.max_n_frames, config.on_policy_collected_frames_per_batch = args.frames, args.frames_per_batch
config.on_policy_n_envs_per_worker, config.on_policy_minibatch_size = 4, 250
config.on_policy_n_minibatch_iters, config.gamma = 4, 0.999
config.evaluation, config.render, config.loggers, config.create_json = False, False, [], False
with tempfile.TemporaryDirectory() as folder:
    config.save_folder = folder
    Experiment(
        task=ScotlandYard("SCOTLAND_YARD", {"board": args.board}),
        algorithm_config={"mappo": MappoConfig, "ippo": IppoConfig}[args.algorithm].get_from_yaml(),
        model_config=MlpConfig.get_from_yaml(),
        critic_model_config=MlpConfig.get_from_yaml(),
        seed=args.seed,
        config=config,
        callbacks=[WinRate()],
    ).run()
