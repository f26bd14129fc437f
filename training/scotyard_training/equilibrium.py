"""Regularised self-play towards an equilibrium: both sides at once, each against the current policy of the other.

    scotyard train equilibrium --board glasses --out runs/glasses

Each side learns by PPO with three additions (docs/equilibrium.md has their effects). An entropy bonus and a KL penalty
towards a slowly moving copy of the player, its magnet (learning/mmd_learner.py), prevent cycles. A small share of the
moves of both sides is drawn uniformly from the legal ones, so that a side keeps learning to respond to moves that the
other hardly ever plays. All three decay, as does the learning rate: the last networks are the result. On a small board
their exploitability is computed along the way. ``out`` receives ``last.pt``, which ``--resume`` continues exactly, the
players ``mr_x.npz`` and ``detectives.npz``, which are policies by name (``file:``), TensorBoard's curves, and
``exploitability.json``, which ``scotyard train exploitability_table`` and ``exploitability_curves`` read.
"""

import dataclasses
import functools
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.networks.inputs import Inputs
from scotyard_env.board import Board
from scotyard_env.commands import run_module
from scotyard_env.policy import SIDES, PolicyLike, Side, make_policy
from scotyard_env.ranges import Count, Range, Seed, Share, Threads
from scotyard_env.ruleset import RuleSet, resolve
from scotyard_env.view import Views
from scotyard_training.learning.alike import Known, collect_alike
from scotyard_training.learning.checkpoint import resume, save_checkpoint
from scotyard_training.learning.evaluation import ActorPolicy, is_due
from scotyard_training.learning.exact_evaluation import ExactGame
from scotyard_training.learning.measured import FILE, Measured, Point, Stopwatch, read_measured
from scotyard_training.learning.mmd_learner import MmdLearner
from scotyard_training.learning.opponents import other_side
from scotyard_training.learning.ppo_learner import UpdateSettings, estimate_advantages
from scotyard_training.learning.rollout import mix_uniform
from scotyard_training.learning.session import begin
from scotyard_training.learning.settings import Coefficient, Decisions, Games, Rate, Steps, Width, check_settings
from scotyard_training.learning.side_games import SideGames
from scotyard_training.learning.threads import set_threads

NO_SETTINGS = {"out", "resume", "measure", "torch_threads"}  # they do not decide what is learned
TAGS = "eval/exploitability", "eval/exploitability_of_magnet"
Weight = Annotated[float, Range(1e-9, 1000)]  # it is annealed geometrically, so it cannot be 0


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Command:
    """Train both sides at once by regularised self-play, and measure how exploitable they are."""

    board: str = "glasses"
    rules: str | None = None  # by default those of the board; a name, or a file that ends in .json
    reveals: tuple[int, ...] | None = None  # log entries at which Mr. X shows himself, in place of those of the rules
    total_timesteps: Decisions = 20_000_000  # decisions of each side
    out: Path = Path("runs/equilibrium")  # folder of checkpoints, players and curves
    resume: bool = False  # continue from out/last.pt
    measure: bool = True  # compute exploitability along the way, for which the game has to be small
    eval_interval: Decisions = 400_000  # decisions of each side between two measurements
    seed: Seed = 0
    num_envs: Games = 2048  # games of each side played at once
    num_steps: Steps = 8  # decisions per game between updates
    hidden_size: Width = 128  # width of the networks
    learning_rate: Rate = 2e-3  # of Adam, at first; falls to 0 in a straight line
    gamma: Share = 1.0  # discount per decision
    gae_lambda: Share = 0.9  # of generalized advantage estimation
    update_epochs: Count = 1  # passes over every rollout
    minibatch_size: Decisions = 4096  # decisions per step of the optimizer
    clip_coef: Coefficient = 0.1  # clipping range of the probability ratio
    ent_coef: Weight = 0.05  # weight of the entropy in the loss, in units of the reward, at first
    ent_coef_end: Weight = 0.005  # the same in the end; it falls by the same share in equal times
    kl_coef: Coefficient = 0.5  # weight of the divergence from the magnet
    magnet_rate: Share = 0.1  # share of the way to the player that the magnet goes after an update; falls to 0 too
    uniform_mix: Share = 0.02  # share of the moves that are drawn from all legal ones alike; falls to 0 too
    vf_coef: Coefficient = 0.5  # weight of the value loss
    max_grad_norm: Coefficient = 0.5  # of the actor and of the critic, each for itself
    torch_threads: Threads = 1

    def run(self) -> None:
        """Train."""
        train(self)

    def game(self) -> tuple[Board, RuleSet]:
        """Return the board and the rules that are played."""
        board, rules = resolve(self.board, self.rules)
        return board, rules if self.reveals is None else dataclasses.replace(rules, reveals=self.reveals)


# ----------------------------------------------------------------------------------------------- games and networks
@dataclasses.dataclass(frozen=True)
class Rival(ActorPolicy):
    """The other side as it is now, with a share of its moves drawn from all."""

    uniform_mix: float = 0.0

    def probabilities(self, views: Views) -> tuple[Inputs, NDArray[np.float64]]:
        """Return the inputs of many views and the probability of every legal move."""
        inputs, probabilities = super().probabilities(views)
        return inputs, mix_uniform(inputs, probabilities, self.uniform_mix)

    @functools.cached_property
    def known(self) -> Known:
        """What it plays in views that it has been shown."""
        return Known(self.weights, self.uniform_mix)

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw one action for each of many views."""
        return self.known.draw(self.known.number(views), rng).actions


def make_learners(args: Command) -> dict[Side, MmdLearner]:
    """Make the games and networks of both sides, as they were left if the run is resumed."""
    set_threads(args.torch_threads)
    board, rules = args.game()
    learners: dict[Side, MmdLearner] = {}
    for side in SIDES:
        pool: dict[PolicyLike, float] = {make_policy("random", side=other_side(side)): 1.0}  # until the other is there
        games = SideGames(side, pool, num_envs=args.num_envs, board=board, rules=rules, seed=args.seed)
        learners[side] = MmdLearner(
            "equilibrium", games, hidden_size=args.hidden_size, learning_rate=args.learning_rate, seed=args.seed
        )
    if args.resume:
        resume(args.out / "last.pt", made_for(learners), lambda kept: restore(learners, kept))
    return learners


def made_for(learners: dict[Side, MmdLearner]) -> dict[str, Any]:
    """Say what a checkpoint of these is for."""
    return {side: learner.made_for() for side, learner in learners.items()}


def restore(learners: dict[Side, MmdLearner], kept: dict[str, Any]) -> None:
    """Let both sides become what was saved."""
    for side, learner in learners.items():
        learner.restore(kept[side])


def content_of(learners: dict[Side, MmdLearner]) -> dict[str, Any]:
    """Return all that a checkpoint holds."""
    return {"made_for": made_for(learners)} | {side: learner.state() for side, learner in learners.items()}


def save(learners: dict[Side, MmdLearner], out: Path) -> None:
    """Write the checkpoint of both sides, and the players."""
    save_checkpoint(out / "last.pt", content_of(learners))
    for side, learner in learners.items():
        learner.actor.weights().save(out / f"{side}.npz")


# -------------------------------------------------------------------------------------------------- one iteration
def share_done(args: Command, steps: int) -> float:
    """Return the share of the run that is done after so many decisions."""
    return min(1.0, steps / args.total_timesteps)


def anneal(args: Command, steps: int) -> UpdateSettings:
    """Return how to learn after so many decisions: in smaller and smaller steps, with less and less entropy."""
    done = share_done(args, steps)
    return UpdateSettings(
        learning_rate=args.learning_rate * (1.0 - done),
        update_epochs=args.update_epochs,
        minibatch_size=args.minibatch_size,
        clip_coef=args.clip_coef,
        ent_coef=args.ent_coef ** (1.0 - done) * args.ent_coef_end**done,
        vf_coef=args.vf_coef,
        max_grad_norm=args.max_grad_norm,
        kl_coef=args.kl_coef,
        magnet_rate=args.magnet_rate * (1.0 - done),
    )


def learn_side(learner: MmdLearner, rival: MmdLearner, args: Command) -> dict[str, float]:
    """Let a side play on against the other for some steps and learn from them; return figures by their tags."""
    uniform_mix = args.uniform_mix * (1.0 - share_done(args, learner.steps))
    learner.games.duel.pool.policies[0] = Rival(actor=rival.actor, uniform_mix=uniform_mix)
    rollout = collect_alike(learner.games, learner.actor.weights(), args.num_steps, learner.rng, uniform_mix)
    values, values_after = learner.values(rollout.decisions)[rollout.which], learner.values(rollout.after)
    advantages = estimate_advantages(rollout, values, values_after, args.gamma, args.gae_lambda)
    return learner.update(rollout, values, advantages, anneal(args, learner.steps))


def learn(learners: dict[Side, MmdLearner], args: Command) -> dict[Side, dict[str, float]]:
    """Let both sides learn, one after the other; return the figures of each."""
    start, figures = time.perf_counter(), {}
    for side, learner in learners.items():
        figures[side] = learn_side(learner, learners[other_side(side)], args)
    for tags in figures.values():
        tags["charts/SPS"] = args.num_envs * args.num_steps / (time.perf_counter() - start)
    return figures


def measure(game: ExactGame, side: Side, learner: MmdLearner) -> dict[str, float]:
    """Return the exploitability of a side, and of its magnet, which is a moving average of it."""
    players = learner.actor, learner.magnet
    return {tag: game.exploitability(side, player.weights()) for tag, player in zip(TAGS, players, strict=True)}


# ----------------------------------------------------------------------------------------------- learn and measure
def train(args: Command) -> dict[Side, MmdLearner]:
    """Train until enough decisions are made or somebody stops it; the last checkpoint is always whole."""
    check_settings(args, args.out / "last.pt")
    game = ExactGame(*args.game()) if args.measure else None
    learners = make_learners(args)
    done = learners["mr_x"].steps
    measured = recall(args, done)
    watch = Stopwatch(measured.points)
    with begin(args.out, args.total_timesteps, done) as session:
        while session.goes_on(done):
            before, figures = done, learn(learners, args)
            done = learners["mr_x"].steps
            if is_due(args.eval_interval, before, done) or done >= args.total_timesteps:
                if game is not None:
                    note(game, learners, figures, watch, measured)
                    measured.write(args.out / FILE)
                save(learners, args.out)
            for side in learners:
                session.show(figures[side], done, run=side)
        save(learners, args.out)
    return learners


def recall(args: Command, done: int) -> Measured:
    """Return what was measured of this run before so many decisions, which is nothing if it begins."""
    settings = {name: value for name, value in dataclasses.asdict(args).items() if name not in NO_SETTINGS}
    kept = read_measured(args.out).points if args.resume and (args.out / FILE).exists() else []
    return Measured(settings, [point for point in kept if point.decisions <= done])


def note(
    game: ExactGame,
    learners: dict[Side, MmdLearner],
    figures: dict[Side, dict[str, float]],
    watch: Stopwatch,
    measured: Measured,
) -> None:
    """Measure both sides, and add it to the figures and to what was measured."""
    found: dict[str, float] = {}
    for side, learner in learners.items():
        figures[side] |= measure(game, side, learner)
        found[side], found[f"{side}_magnet"] = (figures[side][tag] for tag in TAGS)
    measured.points.append(Point(learners["mr_x"].steps, *watch.read(), **found))


if __name__ == "__main__":
    run_module(Command)
