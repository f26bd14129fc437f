"""Our own PPO on the native batch, in the style of CleanRL: read it from top to bottom.

    scotyard train ppo --side detectives --opponent random,greedy,hider --total-timesteps 5_000_000 --out runs/ppo

One side learns with the move scorer (learning/scorer.py), policies play the other inside the step. The detectives share
one network; the critic sees the whole state, which makes it MAPPO, or with ``--no-central-critic`` what the actor sees,
which is independent PPO. ``out`` gets ``last.pt``, which ``--resume`` continues exactly, ``best.npz`` and ``last.npz``,
the weights of the best player so far and of the last, and TensorBoard's curves.
"""

import dataclasses
import time
from pathlib import Path

from scotyard_baselines.networks.own_posterior import OwnPosterior
from scotyard_baselines.networks.weights import Weights
from scotyard_env.commands import run_module
from scotyard_env.policy import Side
from scotyard_env.ranges import Count, Seed, Share, Threads
from scotyard_training.learning.checkpoint import resume
from scotyard_training.learning.evaluation import is_due
from scotyard_training.learning.knowing import LiveNetwork, add_knowing, live_posterior
from scotyard_training.learning.opponents import other_side, read_opponents
from scotyard_training.learning.ppo_learner import PpoLearner, anneal, estimate_advantages
from scotyard_training.learning.rollout import collect
from scotyard_training.learning.session import begin
from scotyard_training.learning.settings import (
    Coefficient,
    Decisions,
    Games,
    Processes,
    Rate,
    Steps,
    Width,
    check_settings,
)
from scotyard_training.learning.side_games import SideGames
from scotyard_training.learning.team import Team, lead
from scotyard_training.learning.threads import set_threads


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Command:
    """Train one side by our own PPO against policies: MAPPO, or independent PPO."""

    side: Side = "detectives"  # which side learns
    opponent: str = "random,greedy,hider"  # policies or files of weights, separated by commas; name@2 counts twice
    knowing_share: Share = 0.0  # of the games of a Mr. X, against detectives who know his current network
    plain_plan_share: Share = 0.0  # of those games, with detectives who plan as the hunters of version 0.1.0
    own_posterior: bool = False  # the network of Mr. X reads its own posterior, not the evasive belief
    survival_reward: Share = 0.0  # of which a Mr. X who is caught gets the share of the log that he filled; zero-sum
    total_timesteps: Decisions = 5_000_000  # decisions of the learner
    out: Path = Path("runs/ppo")  # folder of checkpoints and curves
    resume: bool = False  # continue from out/last.pt
    init_weights: str = ""  # file of weights to begin with
    linear_skip_init: bool = True  # start from a linear prior over the features of moves, else from scratch
    board: str = "london"
    rules: str | None = None  # by default those of the board
    seed: Seed = 0
    central_critic: bool = True  # the critic sees the whole state (MAPPO), else what the actor sees (independent PPO)
    num_envs: Games = 256  # parallel games
    num_steps: Steps = 64  # decisions per game between updates
    hidden_size: Width = 128  # width of the network
    learning_rate: Rate = 2e-3  # of Adam, at first
    anneal_lr: bool = True  # linearly, to a tenth
    gamma: Share = 0.999  # discount per decision
    gae_lambda: Share = 0.95  # of generalized advantage estimation
    update_epochs: Count = 2  # passes over every rollout
    minibatch_size: Decisions = 1024  # decisions per step of the optimizer
    clip_coef: Coefficient = 0.2  # clipping range of the probability ratio
    ent_coef: Coefficient = 0.01  # weight of the entropy in the loss, at first
    anneal_ent: bool = True  # linearly, to a tenth
    vf_coef: Coefficient = 0.5  # weight of the value loss
    max_grad_norm: Coefficient = 0.5  # of the actor and of the critic, each for itself
    eval_interval: Decisions = 1_000_000  # decisions between evaluations
    eval_games: Games = 200  # in each pairing of an evaluation
    torch_threads: Threads = 1
    processes: Processes = 1  # that share the games and the work; num_envs and minibatch_size are those of all

    def run(self) -> None:
        """Train."""
        train(self)


# ----------------------------------------------------------------------------------------------- games and networks
def make_learner(args: Command, rank: int = 0) -> PpoLearner:
    """Make the games of a process, the networks and their optimizer, as they were left if the run is resumed."""
    weights = Weights.load(args.init_weights) if args.init_weights else None
    set_threads(args.torch_threads)
    team, network = Team(args.processes, rank), LiveNetwork()
    pool = read_opponents(args.opponent, other_side(args.side))
    posterior = live_posterior(network, args.side, args.own_posterior)
    add_knowing(pool, args.side, args.knowing_share, posterior, args.plain_plan_share)
    games = SideGames(
        args.side,
        pool,
        num_envs=args.num_envs // args.processes,
        board=args.board,
        rules=args.rules,
        seed=team.seed(args.seed),
        survival_reward=args.survival_reward,
        posterior=posterior if isinstance(posterior, OwnPosterior) else None,
    )
    learner = PpoLearner(
        "ppo",
        games,
        hidden_size=args.hidden_size,
        learning_rate=args.learning_rate,
        seed=args.seed,
        linear_skip_init=args.linear_skip_init,
        team=team,
    )
    learner.actor.reads_own_posterior = args.own_posterior
    network.weights = learner.actor.weights()
    learner.posterior = posterior if args.knowing_share or args.own_posterior else None
    if weights is not None:
        learner.actor.set_weights(weights)
    if args.resume:
        resume(args.out / "last.pt", learner.made_for(), learner.restore)
    return learner


# -------------------------------------------------------------------------------------------------- one iteration
def learn(learner: PpoLearner, args: Command) -> dict[str, float]:
    """Play on for some steps and learn from them; return figures by their tags."""
    rollout = collect(learner.games, learner.actor.weights(), args.num_steps, learner.rng)
    if not args.central_critic:
        rollout = rollout.redact()
    values, values_after = learner.values(rollout.decisions), learner.values(rollout.after)
    advantages = estimate_advantages(rollout, values, values_after, args.gamma, args.gae_lambda)
    figures = learner.update(rollout, values, advantages, anneal(args, learner.steps)) | learner.win_rates()
    learner.games.fade_results(kept=0.8)
    return figures


def follow(team: Team, args: Command) -> None:
    """Learn in another process, as the first one directs."""
    learner = make_learner(args, team.rank)
    while (told := team.hear()) != "stop":
        if told == "learn":
            learn(learner, args)
        else:
            learner.share_games()


# ----------------------------------------------------------------------------------------------- learn and measure
def train(args: Command) -> PpoLearner:
    """Train until enough decisions are made or somebody stops it; the last checkpoint is always whole."""
    check_settings(args, args.out / "last.pt")
    learner = make_learner(args)
    with lead(args.processes, follow, args), begin(args.out, args.total_timesteps, learner.steps) as session:
        while session.goes_on(learner.steps):
            start, before = time.perf_counter(), learner.steps
            learner.team.tell("learn")
            figures = learn(learner, args)
            figures["charts/SPS"] = (learner.steps - before) / (time.perf_counter() - start)
            if is_due(args.eval_interval, before, learner.steps) or learner.steps >= args.total_timesteps:
                figures |= learner.evaluate(args.eval_games, args.out / "best.npz")
                learner.save(args.out)
            session.show(figures, learner.steps)
        learner.save(args.out)
    return learner


if __name__ == "__main__":
    run_module(Command)
