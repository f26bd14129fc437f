"""Imitation learning (DAgger): the scorer is fitted to the decisions of a teacher.

    scotyard train imitate --side detectives --teacher hunters --opponent greedy,hider,decoy --total-timesteps 500_000

The learner plays a growing share of the games itself, and the teacher labels the positions that occur (DAgger: S. Ross,
G. Gordon and D. Bagnell, AISTATS 2011). ``out/last.npz`` is a start for ``scotyard train ppo --init-weights`` and
for ``scotyard train selfplay``; ``--resume`` continues exactly from ``out/last.pt``.
"""

import dataclasses
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from scotyard_baselines.networks.inputs import Inputs, make_inputs
from scotyard_baselines.networks.move_scorer import draw, score, softmax
from scotyard_baselines.networks.weights import Weights
from scotyard_env.commands import run_module
from scotyard_env.duel import decide
from scotyard_env.policy import Policy, Side
from scotyard_env.ranges import Count, Seed, Share, Threads
from scotyard_training.learning.backprop import ActorPass, split, take_chunk
from scotyard_training.learning.checkpoint import resume
from scotyard_training.learning.evaluation import is_due
from scotyard_training.learning.learner import Learner, check_networks
from scotyard_training.learning.losses import FIT_LOSSES, write_fit_gradients
from scotyard_training.learning.opponents import other_side, read_opponents, read_policy
from scotyard_training.learning.rollout import join
from scotyard_training.learning.scorer import Actor
from scotyard_training.learning.session import begin
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
from scotyard_training.learning.threads import set_threads


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Command:
    """Train the network of one side to imitate a policy (DAgger)."""

    side: Side = "detectives"  # which side learns
    teacher: str = "hunters"  # a policy of that side
    opponent: str = "greedy,hider,decoy"  # policies or files of weights, separated by commas; name@2 counts twice
    total_timesteps: Decisions = 500_000  # decisions that the teacher judges
    out: Path = Path("runs/imitate")  # folder of checkpoints and curves
    resume: bool = False  # continue from out/last.pt
    board: str = "london"
    rules: str | None = None  # by default those of the board
    seed: Seed = 0
    num_envs: Games = 512  # parallel games
    num_steps: Steps = 16  # decisions per game between updates
    hidden_size: Width = 128  # width of the network
    init_weights: str = ""  # file of weights to begin with
    learning_rate: Rate = 2e-3  # of Adam, at first
    anneal_lr: bool = True  # linearly, to a tenth
    update_epochs: Count = 4  # passes over every rollout
    minibatch_size: Decisions = 512  # decisions per step of the optimizer
    max_grad_norm: Coefficient = 1.0
    learner_share: Share = 0.7  # of the decisions that the learner plays itself in the end: 1 - beta of DAgger
    eval_interval: Decisions = 100_000  # decisions between evaluations
    eval_games: Games = 200  # in each pairing of an evaluation
    torch_threads: Threads = 1

    def run(self) -> None:
        """Imitate."""
        train(self)


# ------------------------------------------------------------------------------------------------ games and network
class DaggerLearner(Learner):
    """A side that learns from a teacher instead of from results."""

    def __init__(self, args: Command) -> None:
        weights = read_weights(args.init_weights) if args.init_weights else None
        set_threads(args.torch_threads)
        torch.manual_seed(args.seed)
        pool = read_opponents(args.opponent, other_side(args.side))
        self.teacher: Policy = read_policy(args.teacher, args.side)
        games = SideGames(args.side, pool, num_envs=args.num_envs, board=args.board, rules=args.rules, seed=args.seed)
        actor = Actor(games.batch.board.stations, args.hidden_size)
        if weights is None:
            actor.init_linear_skip(args.side)
        else:
            actor.set_weights(weights)
        optimizer = torch.optim.Adam(actor.parameters(), args.learning_rate, fused=True)
        super().__init__("imitate", games, actor, optimizer, args.seed)
        self.actor_pass = ActorPass(actor)

    def collect(self, steps: int, share: float) -> tuple[Inputs, NDArray[np.int64]]:
        """Play on, a share of decisions by the learner and the others by the teacher; return what it would do in all.

        The latter as numbers of legal moves, (steps * games,).
        """
        parts, labels = [], []
        weights = self.actor.weights()
        for _ in range(steps):
            views = self.games.batch.views()
            inputs, advice = make_inputs(views), decide(self.teacher, views, self.rng)
            rows = draw(inputs, softmax(inputs, score(weights, inputs)), self.rng)
            self.games.step(np.where(self.rng.random(len(advice)) < share, inputs.ids[rows], advice))
            parts.append(inputs)
            labels.append(find_rows(inputs, advice))
        return join(parts), np.concatenate(labels)

    def fit(self, inputs: Inputs, labels: NDArray[np.int64], args: Command) -> dict[str, float]:
        """Fit the network to what the teacher would have done; return figures by their tags."""
        figures = []
        for _ in range(args.update_epochs):
            order = self.rng.permutation(len(labels))
            for first in range(0, len(order), args.minibatch_size):
                part = order[first : first + args.minibatch_size]
                sums = np.zeros(len(FIT_LOSSES))
                for some in split(part):
                    chunk = take_chunk(inputs, some)
                    scores = self.actor_pass.forward(chunk)
                    to_scores = torch.empty_like(scores)
                    write_fit_gradients(chunk.firsts, scores.numpy(), labels[some], len(part), to_scores.numpy(), sums)
                    self.actor_pass.backward(to_scores)
                figures.append(sums / len(part))
                self.descend(figures[-1][0], args.max_grad_norm)
        self.steps += len(labels)
        check_networks(self.networks(), self.steps)
        means = zip(FIT_LOSSES, np.mean(figures, axis=0).tolist(), strict=True)
        return {f"losses/{name}": mean for name, mean in means}


def read_weights(file: str) -> Weights:
    """Read the weights to begin with; a network whose inputs would change while it learns is refused."""
    weights = Weights.load(file)
    if weights.reads_own_posterior:
        raise ValueError(f"init_weights is {file!r}, a network that reads its own posterior: give one that does not")
    return weights


def find_rows(inputs: Inputs, actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which of its legal moves each action is."""
    is_it = inputs.ids == np.repeat(actions, np.diff(inputs.firsts))
    return np.flatnonzero(is_it) - inputs.firsts[:-1]


# -------------------------------------------------------------------------------------------------- one iteration
def learn(learner: DaggerLearner, args: Command) -> dict[str, float]:
    """Play on, ask the teacher and learn from what it says; return figures by their tags."""
    progress = learner.steps / args.total_timesteps
    learning_rate = args.learning_rate * (1.0 - 0.9 * progress if args.anneal_lr else 1.0)
    learner.set_learning_rate(learning_rate)
    inputs, labels = learner.collect(args.num_steps, args.learner_share * progress)
    return learner.fit(inputs, labels, args) | {"charts/learning_rate": learning_rate}


# ----------------------------------------------------------------------------------------------- learn and measure
def train(args: Command) -> DaggerLearner:
    """Imitate until enough decisions are judged or somebody stops it; the last checkpoint is always whole."""
    check_settings(args, args.out / "last.pt")
    learner = DaggerLearner(args)
    if args.resume:
        resume(args.out / "last.pt", learner.made_for(), learner.restore)
    with begin(args.out, args.total_timesteps, learner.steps) as session:
        while session.goes_on(learner.steps):
            start, before = time.perf_counter(), learner.steps
            figures = learn(learner, args)
            figures["charts/SPS"] = (learner.steps - before) / (time.perf_counter() - start)
            figures |= learner.games.win_rates()
            if is_due(args.eval_interval, before, learner.steps) or learner.steps >= args.total_timesteps:
                figures |= learner.evaluate(args.eval_games, args.out / "best.npz")
                learner.save(args.out)
            session.show(figures, learner.steps)
            learner.games.fade_results(kept=0.8)
        learner.save(args.out)
    return learner


if __name__ == "__main__":
    run_module(Command)
