"""Decisions to learn from: what was seen and chosen over some steps of many games, and tensors of parts of it."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from scotyard_baselines.networks.inputs import Inputs
from scotyard_baselines.networks.move_scorer import draw, score, softmax
from scotyard_baselines.networks.weights import Weights
from scotyard_env.board import Board
from scotyard_env.state import MAX_SEATS
from scotyard_training.learning.privileged import privileged_features
from scotyard_training.learning.scorer import Minibatch
from scotyard_training.learning.side_games import SideGames


class Decisions(NamedTuple):
    """What actor and critic are shown of n decisions."""

    inputs: Inputs
    mr_x: NDArray[np.int64]  # (n,): where Mr. X really is; for the critic alone, like what follows
    opponent: NDArray[np.int64]  # (n,): whom it is played against, by number in the pool
    privileged: NDArray[np.float32]  # (n, features)

    @classmethod
    def make(cls, board: Board, inputs: Inputs, mr_x: NDArray[np.int64], opponent: NDArray[np.int64]) -> "Decisions":
        """Return decisions with their privileged features."""
        return cls(inputs, mr_x, opponent, privileged_features(board, inputs, mr_x))

    def told(self, part: slice | NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Return what the critic alone is told of some of them."""
        return self.mr_x[part], self.opponent[part], self.privileged[part]

    def redact(self) -> "Decisions":
        """Return the same decisions with nothing for the critic but what the actor sees: zeros for the rest."""
        return Decisions(self.inputs, *map(np.zeros_like, self.told(slice(None))))


class Rollout(NamedTuple):
    """The decisions of all games over some steps, game by game within a step: n = steps * games."""

    decisions: Decisions
    chosen: NDArray[np.int64]  # (n,): which of its legal moves each decision chose
    log_probs: NDArray[np.float32]  # (n,): log probability of that
    rewards: NDArray[np.float32]  # (steps, games)
    ended: NDArray[np.bool_]  # (steps, games): the game was over after this decision
    after: Decisions  # those that the games wait for now, one each
    which: NDArray[np.int64] | None = None  # (n,): number of each among the decisions, if those are not repeated

    def redact(self) -> "Rollout":
        """Return the same rollout with nothing for the critic but what the actor sees."""
        return self._replace(decisions=self.decisions.redact(), after=self.after.redact())


def collect(
    games: SideGames, weights: Weights, steps: int, rng: np.random.Generator, uniform_mix: float = 0.0
) -> Rollout:
    """Play all games on for some steps by the probabilities of a network, a share of the moves drawn from all."""
    shape, board = (steps, len(games)), games.batch.board
    rewards, ended = np.zeros(shape, np.float32), np.zeros(shape, np.bool_)
    chosen, mr_x, opponent = (np.empty(shape, np.int64) for _ in range(3))
    log_probs, parts = np.empty(shape, np.float32), []
    for step in range(steps):
        inputs = games.observe()
        probabilities = mix_uniform(inputs, softmax(inputs, score(weights, inputs)), uniform_mix)
        rows = draw(inputs, probabilities, rng)
        chosen[step], log_probs[step] = rows - inputs.firsts[:-1], np.log(probabilities[rows])
        mr_x[step], opponent[step] = games.mr_x, games.opponents
        rewards[step], ended[step] = games.step(inputs.ids[rows])
        parts.append(inputs)
    return Rollout(
        Decisions.make(board, join(parts), mr_x.ravel(), opponent.ravel()),
        chosen.ravel(),
        log_probs.ravel(),
        rewards,
        ended,
        Decisions.make(board, games.observe(), games.mr_x, games.opponents.copy()),
    )


def mix_uniform(inputs: Inputs, probabilities: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the probability of every legal move if a share of the moves is drawn from all legal ones alike."""
    legal = np.diff(inputs.firsts)
    return (1.0 - share) * probabilities + share * np.repeat(1.0 / legal, legal)


def join(inputs: list[Inputs]) -> Inputs:
    """Return the inputs of several batches of views behind each other."""
    starts = np.cumsum([0, *(part.firsts[-1] for part in inputs)])
    firsts = [part.firsts[:-1] + start for part, start in zip(inputs, starts, strict=False)]
    joined = (np.concatenate(parts) for parts in zip(*inputs, strict=True))
    return Inputs(*joined)._replace(firsts=np.concatenate([*firsts, starts[-1:]]))


def offset_places(inputs: Inputs) -> NDArray[np.int64]:
    """Return the rows of the table of station embeddings: every place has its own stretch."""
    places: NDArray[np.int64] = inputs.stations + np.arange(MAX_SEATS) * (inputs.belief.shape[1] + 1)
    return places


def take(inputs: Inputs, part: NDArray[np.int64]) -> Minibatch:
    """Return some decisions as tensors."""
    firsts, counts = inputs.firsts[part], inputs.firsts[part + 1] - inputs.firsts[part]
    owner = np.repeat(np.arange(len(part)), counts)
    slot = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = np.repeat(firsts, counts) + slot
    places = offset_places(inputs._replace(stations=inputs.stations[part]))
    arrays = (places, inputs.belief[part], inputs.facts[part], inputs.rows[rows], inputs.to[rows], owner, slot)
    return Minibatch(*(torch.from_numpy(array) for array in arrays))
