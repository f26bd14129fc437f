"""RLlib's PPO with masks for both sides, on one machine or several. Needs the extra ``rllib``.

    scotyard train rllib --iterations 50                                  # on this machine
    scotyard train rllib --address ray://head:10001 --num-env-runners 32  # on a Ray cluster

Both sides learn at once with the move scorer (learning/scorer.py): one network for Mr. X, one that all detectives
share. The critic sees the whole state, which makes it MAPPO; with ``--no-central-critic`` it sees what the actor sees,
which is independent PPO. Games run in ``--num-env-runners`` processes on the nodes of the cluster. ``out`` receives
the checkpoint ``last``, the curves, and the players ``mr_x.npz`` and ``detectives.npz``, which are policies by name
(``file:runs/rllib/detectives.npz``).
"""

import dataclasses
import math
import os
import shutil
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from scotyard_baselines.networks.weights import Weights
from scotyard_env.commands import run_module
from scotyard_env.policy import SIDES
from scotyard_env.ranges import Count, Range, Seed, Share, Threads
from scotyard_training.learning.learner import DivergedError
from scotyard_training.learning.rllib_scorer import ScorerModule, Table
from scotyard_training.learning.session import begin
from scotyard_training.learning.settings import Coefficient, Decisions, Games, Rate, Width, check_settings
from scotyard_training.learning.threads import set_threads


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Command:
    """Train both sides by RLlib's PPO, on this machine or on a Ray cluster: MAPPO, or independent PPO."""

    iterations: Decisions = 50  # updates
    address: str = ""  # of a Ray cluster; by default this machine
    num_env_runners: Annotated[int, Range(0, 10_000)] = 1  # processes that play; 0 for this one
    num_envs: Games = 4  # games per process
    out: Path = Path("runs/rllib")  # folder of checkpoints and curves
    resume: bool = False  # continue from out/last
    board: str = "london"
    rules: str | None = None  # by default those of the board
    seed: Seed = 0
    train_batch_size: Decisions = 4000  # moves between updates
    central_critic: bool = True  # the critic sees the whole state (MAPPO), else what the actor sees (independent PPO)
    linear_skip_init: bool = True  # start from a linear prior over the features of moves, else from scratch
    hidden_size: Width = 128  # width of the networks
    learning_rate: Rate = 3e-4
    gamma: Share = 0.999  # discount per move
    update_epochs: Count = 4  # passes over every batch
    minibatch_size: Decisions = 512  # moves per step of the optimizer
    ent_coef: Coefficient = 0.01  # weight of the entropy in the loss
    torch_threads: Threads = 1  # of the learner

    def run(self) -> None:
        """Train."""
        train(self)


# --------------------------------------------------------------------------------------------------------- learner
def side_of(agent: Any, *_: Any, **__: Any) -> str:
    """Tell which policy plays an agent."""
    return "mr_x" if agent == "mr_x" else "detectives"


def configure(args: Command) -> PPOConfig:
    """Return the description of the learner."""
    modules: dict[str, RLModuleSpec] = {
        side: RLModuleSpec(
            module_class=ScorerModule,
            model_config={
                "hidden_size": args.hidden_size,
                "linear_skip_init": side if args.linear_skip_init else "",
            },
        )
        for side in SIDES
    }
    game = {"board": args.board, "rules": args.rules, "central_critic": args.central_critic}
    config: PPOConfig = (
        PPOConfig()
        .environment(Table, env_config=game)
        .env_runners(num_env_runners=args.num_env_runners, num_envs_per_env_runner=args.num_envs)
        .multi_agent(policies=set(SIDES), policy_mapping_fn=side_of)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .training(
            train_batch_size_per_learner=args.train_batch_size,
            minibatch_size=min(args.minibatch_size, args.train_batch_size),
            num_epochs=args.update_epochs,
            lr=args.learning_rate,
            gamma=args.gamma,
            entropy_coeff=args.ent_coef,
        )
        .debugging(seed=args.seed)
    )
    return config


# ----------------------------------------------------------------------------------------------- learn and measure
def train(args: Command) -> dict[str, float]:
    """Train for so many iterations; return the last figures by their tags."""
    import ray

    last = (args.out / "last").absolute()
    check(args, last)
    set_threads(args.torch_threads)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if not ray.is_initialized():
        ray.init(address=args.address or "local", include_dashboard=False)
    learner: Any = configure(args).build_algo()
    figures: dict[str, float] = {}
    if args.resume:
        learner.restore_from_path(str(last))
    with begin(args.out, args.iterations) as session:
        for iteration in range(1, args.iterations + 1):
            figures = read_figures(result := learner.train())
            check_losses(result, int(figures["charts/env_steps"]))
            session.show(figures, iteration)
            if session.is_stopped:
                break
        save(learner, last)
        save_players(learner, args.out)
    learner.stop()
    return figures


def check(args: Command, last: Path) -> None:
    """Refuse settings that make no sense, and to go on where there is nothing."""
    check_settings(args, last)
    if before(last).exists() and not last.exists():  # it was stopped between the two moves of ``save``
        before(last).rename(last)
    if args.resume and not last.exists():
        raise ValueError(f"there is no checkpoint {last}: leave --resume out to begin anew")


def before(last: Path) -> Path:
    """Name the folder of the checkpoint before the last."""
    return last.with_name(f"{last.name}.before")


def save(learner: Any, last: Path) -> None:
    """Write a checkpoint, which is a folder, beside its place, and move it there."""
    part = last.with_name(f"{last.name}.part")
    for leftover in (part, before(last)):
        shutil.rmtree(leftover, ignore_errors=True)
    learner.save_to_path(str(part))
    if last.exists():
        last.rename(before(last))
    part.rename(last)
    shutil.rmtree(before(last), ignore_errors=True)


def save_players(learner: Any, out: Path) -> None:
    """Write what each side has learned as a file of weights, which plays without RLlib and torch."""
    state = learner.learner_group.get_state(components="learner/rl_module")
    for side, module in state["learner"]["rl_module"].items():
        weights = Weights(**{name: np.asarray(module[f"actor.{name}"]) for name in Weights._fields})
        weights.save(out / f"{side}.npz")


def check_losses(result: dict[str, Any], steps: int) -> None:
    """Refuse to go on with a loss that is no finite number."""
    for side, told in result.get("learners", {}).items():
        loss = told.get("total_loss", 0.0)
        if not math.isfinite(float(loss)):
            raise DivergedError(f"the loss of {side} is {float(loss)}", steps)


def read_figures(result: dict[str, Any]) -> dict[str, float]:
    """Return what is worth showing of what RLlib reports, by its tags."""
    played = result["env_runners"]
    detectives = played.get("agent_episode_returns_mean", {}).get("detective_1", float("nan"))
    return {
        "charts/env_steps": float(
            result.get("num_env_steps_sampled_lifetime", played.get("num_env_steps_sampled_lifetime", 0))
        ),
        "rollout/win_rate/detectives": (1.0 + float(detectives)) / 2.0,
        "rollout/ep_len_mean": float(played.get("episode_len_mean", float("nan"))),
    }


if __name__ == "__main__":
    run_module(Command)
