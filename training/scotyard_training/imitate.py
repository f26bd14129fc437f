"""Learn from a teacher before learning from results: the scorer is fitted to what a policy would do.

    python -m scotyard_training.imitate --side detectives --teacher hunters --opponent greedy,hider,decoy --steps 500_000

The learner plays more and more of the games itself, and the teacher says what it would have done there (DAgger: S.
Ross, G. Gordon and D. Bagnell, AISTATS 2011). ``out/last.npz`` is a start for ``scotyard_training.ppo --start`` and
``scotyard_training.selfplay``; ``--resume`` goes on exactly from ``out/last.pt``.
"""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray

from scotyard_baselines.networks.inputs import Inputs, make_inputs
from scotyard_baselines.networks.move_scorer import draw, score, soften
from scotyard_env.duel import decide
from scotyard_training import ppo
from scotyard_training.opponents import other_side, read_opponents, read_policy
from scotyard_training.rollout import join, take
from scotyard_training.session import check


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Args:
    """Fit the scorer of one side to a teacher."""

    side: str = "detectives"  # which side learns: detectives or mr_x
    teacher: str = "hunters"  # a policy of that side
    opponent: str = "greedy,hider,decoy"
    steps: int = 500_000  # decisions that the teacher judges
    out: Path = Path("runs/imitate")  # folder of checkpoints and curves
    resume: bool = False  # go on from out/last.pt
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
    evaluate: int = 100_000  # decisions between evaluations
    evaluate_games: int = 200
    threads: int = 1


# ---------------------------------------------------------------------------------------------------------- lesson
class Pupil(ppo.Learner):
    """A side that learns from a teacher instead of from results."""

    def __init__(self, args: Args) -> None:
        shared = {field.name for field in dataclasses.fields(ppo.Args)} & {f.name for f in dataclasses.fields(args)}
        given = ppo.Args(**{name: getattr(args, name) for name in shared})
        super().__init__(given, read_opponents(args.opponent, other_side(args.side)))
        self.alone, self.teacher = args.alone, read_policy(args.teacher, args.side)
        self.optimizer = torch.optim.Adam(self.actor.parameters(), args.rate)

    def learn(self) -> dict[str, float]:
        """Play on, ask the teacher and learn from what it says."""
        progress = self.steps / self.args.steps
        for group in self.optimizer.param_groups:
            group["lr"] = self.args.rate * (1.0 - 0.9 * progress)
        inputs, taught = self.attend(self.alone * progress)
        self.steps += len(taught)
        return {"agreement": self.fit(inputs, taught)}

    def attend(self, alone: float) -> tuple[Inputs, NDArray[np.int64]]:
        """Play on for the horizon; the pupil decides in a share of games, the teacher in the rest and judges all."""
        parts, taught = [], []
        weights, games, self.moment = self.actor.weights(), self.args.games, 0
        self.rewards, self.ended = np.zeros((1, games), np.float32), np.zeros((1, games), np.bool_)
        for _ in range(self.args.horizon):
            views = self.batch.views()
            inputs, advice = make_inputs(views), decide(self.teacher, views, self.rng)
            rows = draw(inputs, soften(inputs, score(weights, inputs)), self.rng)
            self.duel.step(np.where(self.rng.random(games) < alone, inputs.ids[rows], advice), self.settle)
            parts.append(inputs)
            taught.append(find_rows(inputs, advice))
        return join(parts), np.concatenate(taught)

    def fit(self, inputs: Inputs, taught: NDArray[np.int64]) -> float:
        """Fit the network to what the teacher would have done; give how often it would do the same."""
        agreed = []
        for _ in range(self.args.epochs):
            order = self.rng.permutation(len(taught))
            for first in range(0, len(order), self.args.minibatch):
                part = order[first : first + self.args.minibatch]
                logs, wanted = self.actor(take(inputs, part)), torch.from_numpy(taught[part])
                loss = torch.nn.functional.nll_loss(logs, wanted)
                self.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.actor.parameters(), 1.0)
                self.optimizer.step()
                agreed.append((logs.argmax(1) == wanted).float().mean().item())
        return float(np.mean(agreed))

    def describe(self) -> dict[str, Any]:
        """Say what a checkpoint of this pupil is for."""
        return super().describe() | {"script": "imitate"}


def find_rows(inputs: Inputs, actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find which of its legal moves each action is."""
    is_it = inputs.ids == np.repeat(actions, np.diff(inputs.firsts))
    return np.flatnonzero(is_it) - inputs.firsts[:-1]


# ----------------------------------------------------------------------------------------------- learn and measure
def main(args: Args) -> Pupil:
    """Imitate until enough decisions are judged or somebody stops it."""
    check(args, args.out / "last.pt")
    pupil = Pupil(args)
    ppo.train(pupil)
    return pupil


if __name__ == "__main__":
    main(tyro.cli(Args))
