"""``file:``: a network of ours as a policy, from its file of weights (.npz) or a checkpoint of its training (.pt)."""

import dataclasses
import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.networks.move_scorer import FileScorer, ScorerPolicy
from scotyard_baselines.networks.weights import Weights
from scotyard_env.policy import SIDES, Decision, Policy, Side
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views


def play_file(file: str, temperature: float = 1.0) -> Policy:
    """Play what a network of ours has learned, from its file of weights (.npz) or its checkpoint (.pt)."""
    if Path(file).suffix == ".npz":
        return FileScorer(file=file, temperature=temperature)
    if Path(file).suffix == ".pt":
        return CheckpointPlayer(file, temperature)
    raise ValueError(f"{file} is neither a file of weights (.npz) nor a checkpoint (.pt)")


@dataclasses.dataclass(frozen=True)
class HeldScorer(ScorerPolicy):
    """A learned player whose weights are at hand."""

    held: Weights | None = None

    @property
    def weights(self) -> Weights:
        """The numbers of the network."""
        assert self.held is not None
        return self.held


@dataclasses.dataclass(frozen=True)
class CheckpointPlayer:
    """Play what a checkpoint has learned, each side that it holds by its own network."""

    file: str
    temperature: float = 1.0

    def __post_init__(self) -> None:
        for side in self.sides:
            self._player(side)

    @property
    def files(self) -> tuple[str, ...]:
        """The file whose content decides how it plays."""
        return (self.file,)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides that learned."""
        return tuple(read_sides(self.file))

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Draw an action; the decision has the probabilities of all."""
        return self._player(SIDES[view.seat != MR_X]).act(view, rng)

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw one action for each of many views."""
        actions = np.empty(len(views), np.int64)
        his = views.states["seat"] == MR_X
        for side, rows in zip(SIDES, (his, ~his), strict=True):
            if rows.any():
                some = Views(views.board, views.rules, views.states[rows])
                actions[rows] = self._player(side).act_batch(some, rng)
        return actions

    def _player(self, side: Side) -> ScorerPolicy:
        return HeldScorer(self.temperature, read_sides(self.file)[side])


@functools.lru_cache(maxsize=16)
def read_sides(file: str) -> dict[Side, Weights]:
    """Return the weights in a checkpoint by the sides that learned, read once in a process."""
    from scotyard_training.export import read_player  # torch takes its time to import

    found: dict[Side, Weights] = {}
    problems = []
    for side in SIDES:
        try:
            found[side] = read_player(Path(file), side)
        except ValueError as error:
            problems.append(error)
    if not found:
        raise ValueError(f"{problems[0]} (of scotyard train sb3, last.npz plays, or sb3:last.zip)")
    return found
