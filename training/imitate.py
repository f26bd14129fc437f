"""Learn from a teacher before learning from results: the scorer is fitted to what a policy would do.

    python -m training.imitate --side detectives --teacher hunters --opponent greedy,hider,decoy --steps 500_000

The learner plays more and more of the games itself, and the teacher says what it would have done there (DAgger: S.
Ross, G. Gordon and D. Bagnell, AISTATS 2011). ``out/last.npz`` is a start for ``training.ppo --start`` and
``training.selfplay``.
"""

import dataclasses
import time
from pathlib import Path

import numpy as np
import torch
import tyro
from numpy.typing import NDArray

from baselines.scorer_inputs import Inputs, make_inputs
from baselines.scorer_net import draw_rows, score, soften_rows
from scotyard_env.duel import decide
from scotyard_env.policy import Policy
from training import ppo
from training.opponents import name_of, other_side, read_opponents, read_policy
from training.rollout import join, take
from training.session import begin, save_checkpoint


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Args:
    """Fit the scorer of one side to a teacher."""

    side: str = "detectives"  # which side learns: detectives or mr_x
    teacher: str = "hunters"  # a policy of that side
    opponent: str = "greedy,hider,decoy"
    steps: int = 500_000  # decisions that the teacher judges
    out: Path = Path("runs/imitate")
    board: str = "london"
    rules: str = "classic"
    seed: int = 0
    games: int = 512
    horizon: int = 16
    units: int = 128
    epochs: int = 4
    minibatch: int = 512
    rate: float = 2e-3
    alone: float = 0.7  # share of the games that the learner plays by its own choice in the end
    evaluate_games: int = 200
    threads: int = 1


# ---------------------------------------------------------------------------------------------------------- lesson
def collect(learner: ppo.Learner, teacher: Policy, alone: float) -> tuple[Inputs, NDArray[np.int64]]:
    """Play on for the horizon; the learner decides in a share of the games, the teacher in the rest and judges all."""
    parts, taught = [], []
    weights, games = learner.actor.weights(), learner.args.games
    learner.rewards = np.zeros((1, games), np.float32)
    learner.ended = np.zeros((1, games), np.bool_)
    learner.moment = 0
    for _ in range(learner.args.horizon):
        views = learner.batch.views()
        inputs, advice = make_inputs(views), decide(teacher, views, learner.rng)
        scores = score(weights, inputs)
        chances = np.empty(len(scores))
        soften_rows(inputs.firsts, scores, chances)
        draw_rows(inputs.firsts, chances, learner.rng.random(games), rows := np.empty(games, np.int64))
        learner.duel.step(np.where(learner.rng.random(games) < alone, inputs.ids[rows], advice), learner.settle)
        parts.append(inputs)
        taught.append(find_rows(inputs, advice))
    return join(parts), np.concatenate(taught)


def find_rows(inputs: Inputs, actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find which of its legal moves each action is."""
    is_it = inputs.ids == np.repeat(actions, np.diff(inputs.firsts))
    return np.flatnonzero(is_it) - inputs.firsts[:-1]


def fit(learner: ppo.Learner, optimizer: torch.optim.Optimizer, inputs: Inputs, taught: NDArray[np.int64]) -> float:
    """Fit the network to what the teacher would have done; give how often it would do the same."""
    agreed = []
    for _ in range(learner.args.epochs):
        order = learner.rng.permutation(len(taught))
        for first in range(0, len(order), learner.args.minibatch):
            part = order[first : first + learner.args.minibatch]
            logs, wanted = learner.actor(take(inputs, part)), torch.from_numpy(taught[part])
            loss = torch.nn.functional.nll_loss(logs, wanted)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learner.actor.parameters(), 1.0)
            optimizer.step()
            agreed.append((logs.argmax(1) == wanted).float().mean().item())
    return float(np.mean(agreed))


# ----------------------------------------------------------------------------------------------- learn and measure
def main(args: Args) -> ppo.Learner:
    """Imitate until enough decisions are judged."""
    torch.set_num_threads(args.threads)
    pool = read_opponents(args.opponent, other_side(args.side))
    shared = {field.name for field in dataclasses.fields(args)} & {field.name for field in dataclasses.fields(ppo.Args)}
    learner = ppo.Learner(ppo.Args(**{name: getattr(args, name) for name in shared}), pool)
    teacher = read_policy(args.teacher, args.side)
    optimizer = torch.optim.Adam(learner.actor.parameters(), args.rate)
    with begin(args.out, args.steps) as session:
        while learner.steps < args.steps and not session.is_stopped:
            start, progress = time.perf_counter(), learner.steps / args.steps
            for group in optimizer.param_groups:
                group["lr"] = args.rate * (1.0 - 0.9 * progress)
            inputs, taught = collect(learner, teacher, args.alone * progress)
            figures = {"agreement": fit(learner, optimizer, inputs, taught)}
            learner.steps += len(taught)
            figures["decisions_per_s"] = len(taught) / (time.perf_counter() - start)
            session.show(figures, learner.steps, " ".join(f"{name} {value:.3g}" for name, value in figures.items()))
        rates = ppo.evaluate(learner, {name_of(policy): policy for policy in pool})
        session.show({f"against/{name}": rate for name, rate in rates.items()}, learner.steps, str(rates))
        learner.actor.weights().save(args.out / "last.npz")
        save_checkpoint(args.out / "last.pt", learner.state())
    return learner


if __name__ == "__main__":
    main(tyro.cli(Args))
