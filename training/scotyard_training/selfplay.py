"""A league: both sides in turn against a growing pool of past selves, scripts and search players.

    scotyard train selfplay --out runs/league --minutes 90

Each side learns by PPO. At intervals a snapshot of it joins the pool of the other side. Opponents that still win are
sampled more often (prioritised fictitious self-play, after O. Vinyals et al., Nature 2019); of many, only the most
useful are played at a time. ``--resume`` continues exactly; ``--rate-only`` plays the snapshots of both sides against
each other in the arena and plots their ratings.
"""

import dataclasses
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray

from scotyard_baselines.networks.move_scorer import FileScorer
from scotyard_baselines.networks.weights import Weights
from scotyard_env.commands import run_module
from scotyard_env.policy import SIDES, Side
from scotyard_env.ranges import Count, Range, Seed, Share, Threads, check_ranges
from scotyard_training.learning.checkpoint import check_like, resume, save_checkpoint
from scotyard_training.learning.evaluation import is_due
from scotyard_training.learning.opponents import MAX_OPPONENTS, other_side, read_opponents
from scotyard_training.learning.ppo_learner import PpoLearner, anneal, estimate_advantages
from scotyard_training.learning.rollout import collect
from scotyard_training.learning.session import Session, begin
from scotyard_training.learning.settings import (
    Coefficient,
    Decisions,
    Games,
    Rate,
    Steps,
    Width,
    check_settings,
)
from scotyard_training.learning.side_games import SideGames
from scotyard_training.learning.snapshots import draw_ratings, list_snapshots
from scotyard_training.learning.threads import set_threads


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Command:
    """Train both sides in a league of past selves, scripts and search players."""

    out: Path = Path("runs/league")  # folder of checkpoints, snapshots and curves
    resume: bool = False  # continue from out/last.pt
    rate_only: bool = False  # train nothing: rate the snapshots in out and draw their curve
    only: Side | None = None  # train only this side; another process trains the other into the same folder
    minutes: Annotated[float, Range(0, 10**6)] = 60.0  # when to stop
    mr_x: str = "random@0.2,greedy,hider,decoy"  # Mr. Xs that are always in the pool
    detectives: str = "greedy,coverage,astar_greedy,bristol_detectives,hunters:starts=1"  # the same of the detectives
    init_mr_x: str = ""  # file of weights to begin with
    init_detectives: str = ""
    detective_updates: Count = 2  # updates of the detectives for each of Mr. X
    snapshot_interval: Decisions = 500_000  # decisions of a side between two snapshots of it
    script_share: Share = 0.5  # of the games, against what is always in the pool
    max_snapshots: Count = 6  # that are played at a time
    board: str = "london"
    rules: str | None = None  # by default those of the board
    seed: Seed = 0
    num_envs: Games = 256  # games of a side played at once
    num_steps: Steps = 64  # decisions per game between updates
    hidden_size: Width = 128  # width of the network
    total_timesteps: Decisions = 30_000_000  # decisions of a side over which learning rate and ent_coef fall
    learning_rate: Rate = 1e-3  # of Adam, at first
    anneal_lr: bool = True  # linearly, to a tenth
    gamma: Share = 0.999  # discount per decision
    gae_lambda: Share = 0.95  # of generalized advantage estimation
    update_epochs: Count = 2  # passes over every rollout
    minibatch_size: Decisions = 1024  # decisions per step of the optimizer
    clip_coef: Coefficient = 0.2  # clipping range of the probability ratio
    ent_coef: Coefficient = 0.005  # weight of the entropy in the loss, at first
    anneal_ent: bool = True  # linearly, to a tenth
    vf_coef: Coefficient = 0.5  # weight of the value loss
    max_grad_norm: Coefficient = 0.5  # of the actor and of the critic, each for itself
    eval_interval: Decisions = 1_000_000  # decisions of a side between evaluations
    eval_games: Games = 200  # in each pairing of an evaluation
    rate_games: Games = 100  # of each pairing when snapshots are rated
    torch_threads: Threads = 1

    def run(self) -> None:
        """Train, or rate what was trained."""
        if self.rate_only:
            check_ranges(self)
            print(draw_ratings(self.out, self.snapshot_interval, self.rate_games, self.board, self.rules))
        else:
            train(self)


# ---------------------------------------------------------------------------------------------------------- league
class LeagueSide:
    """One side of the league: its learner and whom it meets."""

    def __init__(self, args: Command, side: Side) -> None:
        scripts = read_opponents(getattr(args, other_side(side)), other_side(side))
        games = SideGames(side, scripts, num_envs=args.num_envs, board=args.board, rules=args.rules, seed=args.seed)
        self.args, self.side = args, side
        self.learner = PpoLearner(
            "ppo", games, hidden_size=args.hidden_size, learning_rate=args.learning_rate, seed=args.seed
        )
        if init := getattr(args, f"init_{side}"):
            self.learner.actor.set_weights(Weights.load(init))
        self.pool = games.duel.pool
        self.script_weights = self.pool.weights.copy()
        self.snapshots = 0  # left behind so far
        self.met = 0  # of the other side's

    def meet_all(self) -> None:
        """Take the snapshots of the other side that are new into the pool."""
        for file in list_snapshots(self.args.out, other_side(self.side))[self.met :]:
            self.meet(file)
            self.met += 1

    def meet(self, file: Path) -> None:
        """Take a snapshot of the other side into the pool, in place of the one that is beaten best if it is full."""
        first = len(self.script_weights)
        if len(self.pool.policies) < MAX_OPPONENTS:
            self.pool.policies.append(FileScorer(file=str(file)))
            place = len(self.pool.policies) - 1
        else:
            place = first + int(np.argmax(self.win_rates()[first:]))
            self.pool.policies[place] = FileScorer(file=str(file))
        self.learner.games.results[place] = 0.0
        self.weigh_opponents()

    def win_rates(self) -> NDArray[np.float64]:
        """Estimate how often each opponent is beaten, half of the time if unknown."""
        games, wins = self.learner.games.results[: len(self.pool.policies)].T
        return np.asarray((wins + 1.0) / (games + 2.0))

    def weigh_opponents(self) -> None:
        """Weigh the opponents: scripts have their share, of the snapshots the newest and those hardest to beat."""
        hardness = (1.0 - self.win_rates()) ** 2 + 0.02
        first = len(self.script_weights)
        scripts = self.script_weights * hardness[:first]
        weights = np.concatenate([scripts / scripts.sum(), np.zeros(len(hardness) - first)])
        if len(hardness) > first:
            selves = hardness[first:].copy()
            selves[-1] += 0.5  # the newest is the one to answer
            selves[np.argsort(-selves, kind="stable")[self.args.max_snapshots :]] = 0.0
            weights[:first] *= self.args.script_share
            weights[first:] = (1.0 - self.args.script_share) * selves / selves.sum()
        self.pool.weights = weights

    def leave_snapshot(self) -> None:
        """Leave a snapshot behind if one is due."""
        if self.learner.steps >= self.snapshots * self.args.snapshot_interval:
            file = self.args.out / "snapshots" / f"{self.side}_{self.snapshots:03d}.npz"
            file.parent.mkdir(parents=True, exist_ok=True)
            self.learner.actor.weights().save(file)
            self.snapshots += 1

    def state(self) -> dict[str, Any]:
        """Return all that decides how this side goes on."""
        past = self.pool.policies[len(self.script_weights) :]
        files = [policy.file for policy in past if isinstance(policy, FileScorer)]
        league = {"files": files, "counts": [self.snapshots, self.met], "weights": torch.from_numpy(self.pool.weights)}
        return self.learner.state() | {"league": league}

    def restore(self, kept: dict[str, Any]) -> None:
        """Become what was saved; refuse what cannot be continued."""
        league = kept.get("league")
        if not isinstance(league, dict) or not isinstance(league.get("files"), list):
            raise ValueError("it does not hold the league")
        past = [FileScorer(file=str(file)) for file in league["files"]]
        weights = torch.zeros(len(self.script_weights) + len(past), dtype=torch.float64)
        check_like(league, {"files": league["files"], "counts": [0, 0], "weights": weights}, "it: league")
        if len(weights) > MAX_OPPONENTS or league["weights"].min() < 0 or abs(league["weights"].sum() - 1) > 1e-6:
            raise ValueError("it: league has weights that are no shares")
        self.pool.policies[len(self.script_weights) :] = past
        self.pool.weights = league["weights"].numpy()
        self.snapshots, self.met = league["counts"]
        self.learner.restore(kept)


# -------------------------------------------------------------------------------------------------- one iteration
def learn(learner: PpoLearner, args: Command) -> dict[str, float]:
    """Let a side play on for some steps and learn from them; return figures by their tags."""
    rollout = collect(learner.games, learner.actor.weights(), args.num_steps, learner.rng)
    values, values_after = learner.values(rollout.decisions), learner.values(rollout.after)
    advantages = estimate_advantages(rollout, values, values_after, args.gamma, args.gae_lambda)
    return learner.update(rollout, values, advantages, anneal(args, learner.steps))


def play_turn(one: LeagueSide, session: Session) -> None:
    """Let one side make an update, be measured and leave a snapshot where that is due."""
    learner, args = one.learner, one.args
    start, before = time.perf_counter(), learner.steps
    figures = learn(learner, args)
    figures["charts/SPS"] = (learner.steps - before) / (time.perf_counter() - start)
    figures |= learner.games.win_rates()
    if is_due(args.eval_interval, before, learner.steps):
        figures |= learner.evaluate(args.eval_games, args.out / f"{one.side}_best.npz")
    one.leave_snapshot()
    one.weigh_opponents()
    session.show(figures, learner.steps, run=one.side)
    learner.games.fade_results(kept=0.9)


# ----------------------------------------------------------------------------------------------- learn and measure
def train(args: Command) -> dict[Side, LeagueSide]:
    """Train until the time is up or somebody stops it; the last checkpoint is always whole."""
    last = args.out / (f"last_{args.only}.pt" if args.only else "last.pt")
    check_settings(args, last)
    set_threads(args.torch_threads)
    league = {side: LeagueSide(args, side) for side in SIDES if args.only in (None, side)}
    turns: list[Side] = [side for side in (*["detectives"] * args.detective_updates, "mr_x") if side in league]
    if args.resume:
        resume(last, made_for(league), lambda kept: restore(league, kept))
    end = time.monotonic() + 60 * args.minutes
    done = sum(one.learner.steps for one in league.values())
    with begin(args.out, args.total_timesteps, done, parts=league) as session:
        while time.monotonic() < end and not session.is_stopped:
            for side in turns:
                play_turn(league[side], session)
            for one in league.values():
                one.meet_all()
            save(league, last)
    return league


def restore(league: dict[Side, LeagueSide], kept: dict[str, Any]) -> None:
    """Let both sides become what was saved."""
    for side, one in league.items():
        one.restore(kept[side])


def made_for(league: dict[Side, LeagueSide]) -> dict[str, Any]:
    """Say what a checkpoint of these is for."""
    return {side: one.learner.made_for() for side, one in league.items()}


def save(league: dict[Side, LeagueSide], last: Path) -> None:
    """Write the checkpoint of both sides, and their weights."""
    save_checkpoint(last, {"made_for": made_for(league)} | {side: one.state() for side, one in league.items()})
    for side, one in league.items():
        one.learner.actor.weights().save(last.with_name(f"{side}_last.npz"))


if __name__ == "__main__":
    run_module(Command)
