"""Stable-Baselines3's MaskablePPO on the native batch, with the move scorer as its policy class.

    scotyard train sb3 --side detectives --opponent random,greedy,hider --total-timesteps 5_000_000

``--policy flat`` is the plain network on one-hot stations, for comparison: it learns next to nothing in that time.
``out`` receives ``last.pt``, which ``--resume`` continues exactly, the models ``last.zip`` and ``best.zip``, the curves
for TensorBoard by Stable-Baselines3's own logger and, of a scorer, ``best.npz`` and ``last.npz``, players for
``scotyard evaluate`` and for other learners.
"""

import dataclasses
import io
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure

from scotyard_env.commands import run_module
from scotyard_env.encode import Encoder
from scotyard_env.files import write_whole
from scotyard_env.policy import Decision, Policy, Side
from scotyard_env.ranges import Count, Seed, Share, Threads
from scotyard_env.view import View, Views
from scotyard_training.learning.checkpoint import check_like, check_optimizer, resume, save_checkpoint
from scotyard_training.learning.evaluation import ActorPolicy, is_due, win_rates
from scotyard_training.learning.games_kept import pack_games, unpack_games
from scotyard_training.learning.learner import check_networks
from scotyard_training.learning.opponents import names_of, other_side, read_opponents
from scotyard_training.learning.sb3_policy import ScorerActorCritic, ScorerVecEnv
from scotyard_training.learning.session import begin, summarise
from scotyard_training.learning.settings import (
    Coefficient,
    Decisions,
    Games,
    Rate,
    Steps,
    Width,
    check_settings,
)
from scotyard_training.learning.threads import set_threads
from scotyard_training.sb3_vec import ScotlandYardVecEnv


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Command:
    """Train one side by Stable-Baselines3's MaskablePPO against policies."""

    side: Side = "detectives"  # which side learns
    opponent: str = "random,greedy,hider"  # policies or files of weights, separated by commas; name@2 counts twice
    total_timesteps: Decisions = 5_000_000  # decisions of the learner
    policy: Literal["scorer", "flat"] = "scorer"  # our network, or the plain one
    out: Path = Path("runs/sb3")  # folder of checkpoints and curves
    resume: bool = False  # continue from out/last.pt
    linear_skip_init: bool = False  # start from a linear prior over the features of moves, else from scratch
    board: str = "london"
    rules: str | None = None  # by default those of the board
    seed: Seed = 0
    num_envs: Games = 256  # parallel games
    num_steps: Steps = 64  # decisions per game between updates
    hidden_size: Width = 128  # width of the network
    learning_rate: Rate = 1e-3  # of Adam
    gamma: Share = 0.999  # discount per decision
    gae_lambda: Share = 0.95  # of generalized advantage estimation
    update_epochs: Count = 2  # passes over every rollout
    minibatch_size: Decisions = 2048  # decisions per step of the optimizer
    clip_coef: Coefficient = 0.2  # clipping range of the probability ratio
    ent_coef: Coefficient = 0.005  # weight of the entropy in the loss
    vf_coef: Coefficient = 0.5  # weight of the value loss
    max_grad_norm: Coefficient = 0.5
    eval_interval: Decisions = 500_000  # decisions between evaluations
    eval_games: Games = 200  # in each pairing of an evaluation
    torch_threads: Threads = 1

    def run(self) -> None:
        """Train."""
        train(self)


# --------------------------------------------------------------------------------------------------------- learner
def make_model(args: Command, games: ScotlandYardVecEnv) -> MaskablePPO:
    """Make the learner."""
    kind: Any = "MultiInputPolicy" if args.policy == "flat" else ScorerActorCritic
    scorer = {"hidden_size": args.hidden_size, "linear_skip_init": args.side if args.linear_skip_init else ""}
    shape = {"net_arch": [args.hidden_size, args.hidden_size]} if args.policy == "flat" else scorer
    return MaskablePPO(
        kind,
        games,
        learning_rate=args.learning_rate,
        n_steps=args.num_steps,
        batch_size=args.minibatch_size,
        n_epochs=args.update_epochs,
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        clip_range=args.clip_coef,
        ent_coef=args.ent_coef,
        vf_coef=args.vf_coef,
        max_grad_norm=args.max_grad_norm,
        policy_kwargs=shape,
        seed=args.seed,
        device="cpu",
    )


@dataclasses.dataclass(frozen=True)
class FlatPlayer:
    """A plain network of MaskablePPO as a policy."""

    model: MaskablePPO

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Draw an action."""
        return Decision(int(self.act_batch(Views(view.board, view.rules, view.states), rng)[0]))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw one action for each of many views."""
        encoder = Encoder(views.board, views.rules)
        arrays, rows = encoder.new_arrays(len(views)), np.arange(len(views))
        encoder.write(views.states, views.states["seat"].astype(np.int64), rows, arrays)
        shown = {"observation": arrays["observation"]}
        return np.asarray(self.model.predict(shown, action_masks=arrays["action_mask"])[0])


def player_of(model: MaskablePPO) -> Policy:
    """Return what a model has learned as a policy."""
    return ActorPolicy(actor=model.policy.actor) if isinstance(model.policy, ScorerActorCritic) else FlatPlayer(model)


# ------------------------------------------------------------------------------------------------------ checkpoint
def made_for(args: Command, games: ScotlandYardVecEnv) -> dict[str, Any]:
    """Say what a checkpoint is for."""
    batch = games.games.batch
    game = {"side": args.side, "board": batch.board.signature, "rules": str(dataclasses.asdict(batch.rules))}
    shape = {"policy": args.policy, "hidden_size": args.hidden_size, "num_envs": args.num_envs}
    return game | shape | {"script": "sb3"}


def state_of(args: Command, model: MaskablePPO, games: ScotlandYardVecEnv, best: float) -> dict[str, Any]:
    """Return all that decides how learning goes on, the state of every rng included."""
    name, keys, *rest = np.random.get_state()  # noqa: NPY002  # the one that MaskablePPO shuffles by
    return {
        "made_for": made_for(args, games),
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "counters": [model.num_timesteps, model._n_updates, best],
        "games": pack_games(games.games.batch, games.games.duel),
        "shuffling": [name, torch.from_numpy(np.array(keys, np.int64)), *rest],
        "torch": torch.get_rng_state(),
    }


def save(args: Command, model: MaskablePPO, games: ScotlandYardVecEnv, best: float) -> None:
    """Write the checkpoint, which is one file, and then the player in it."""
    save_checkpoint(args.out / "last.pt", state_of(args, model, games, best))
    save_player(model, args.out / "last")


def save_player(model: MaskablePPO, path: Path) -> None:
    """Write the model as Stable-Baselines3 does; of a scorer also the weights, which play without torch."""
    file = io.BytesIO()
    model.save(file)
    write_whole(path.with_suffix(".zip"), file.getvalue())
    if isinstance(model.policy, ScorerActorCritic):
        model.policy.actor.weights().save(path.with_suffix(".npz"))


def restore(args: Command, model: MaskablePPO, games: ScotlandYardVecEnv, kept: dict[str, Any]) -> float:
    """Let a model and its games become what was saved; return the best win rate so far."""
    games.reset()
    optimizer = check_optimizer(kept.get("optimizer"), model.policy.optimizer)
    own = state_of(args, model, games, 0.0)
    check_like({name: kept.get(name) for name in own} | {"optimizer": own["optimizer"]}, own)
    name, keys, position, *rest = kept["shuffling"]
    if keys.min() < 0 or keys.max() >= 2**32 or not 0 <= position <= len(keys) or min(kept["counters"][:2]) < 0:
        raise ValueError("it: shuffling or counters are out of range")
    unpack_games(games.games.batch, games.games.duel, kept["games"])
    model.policy.load_state_dict(kept["policy"])
    model.policy.optimizer.load_state_dict(optimizer)
    model.num_timesteps, model._n_updates, best = kept["counters"]
    model._last_obs = games.observe()
    model._last_episode_starts = np.zeros(len(games.games.batch), np.bool_)
    np.random.set_state((name, keys.numpy().astype(np.uint32), position, *rest))  # noqa: NPY002
    torch.set_rng_state(kept["torch"])
    return float(best)


# ----------------------------------------------------------------------------------------------- learn and measure
def check_minibatches(args: Command) -> None:
    """Refuse minibatches of one decision: MaskablePPO divides its advantages by their deviation."""
    last = args.num_envs * args.num_steps % args.minibatch_size or args.minibatch_size
    if 1 in (last, args.minibatch_size):
        given = f"{args.num_envs} games of {args.num_steps} steps in minibatches of {args.minibatch_size}"
        raise ValueError(f"{given} leave one of a single decision, which has no deviation: give another minibatch_size")


def learn(model: MaskablePPO, args: Command) -> None:
    """Play on for some steps and learn from them, unless that spoils the weights."""
    try:
        model.learn(args.num_envs * args.num_steps, reset_num_timesteps=False)
    finally:  # whatever torch says of numbers that are none comes from there
        check_networks({"policy": model.policy}, model.num_timesteps)


def train(args: Command) -> MaskablePPO:
    """Train until enough decisions are made or somebody stops it."""
    check_settings(args, args.out / "last.pt")
    check_minibatches(args)
    set_threads(args.torch_threads)
    pool: dict[Any, float] = dict(read_opponents(args.opponent, other_side(args.side)))
    kind = ScotlandYardVecEnv if args.policy == "flat" else ScorerVecEnv
    games = kind(args.num_envs, side=args.side, opponent=pool, board=args.board, rules=args.rules)
    model, best = make_model(args, games), -1.0
    if args.resume:
        kept = args.out / "last.pt"
        best = resume(kept, made_for(args, games), lambda content: restore(args, model, games, content))
    eval_opponents = dict(zip(names_of(pool), pool, strict=True))
    with begin(args.out, args.total_timesteps, model.num_timesteps) as session:
        model.set_logger(configure(str(args.out), ["tensorboard"]))
        while session.goes_on(model.num_timesteps):
            before = model.num_timesteps
            learn(model, args)
            is_last = model.num_timesteps >= args.total_timesteps
            if is_last or is_due(args.eval_interval, before, model.num_timesteps):
                player = player_of(model)
                rates = win_rates(player, args.side, eval_opponents, args.eval_games, args.board, args.rules)
                for name, rate in rates.items():
                    model.logger.record(f"eval/win_rate/{name}", rate)
                if np.mean([*rates.values()]) >= best:
                    best = float(np.mean([*rates.values()]))
                    save_player(model, args.out / "best")
                save(args, model, games, best)
            session.tell(summarise(dict(model.logger.name_to_value)), model.num_timesteps)
            model.logger.dump(model.num_timesteps)
        save(args, model, games, best)
    return model


if __name__ == "__main__":
    run_module(Command)
