"""Decisions to learn from: what was seen and chosen over some steps of many games, and tensors of parts of it."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.networks.belief_features import DISCOUNT
from scotyard_baselines.networks.inputs import Inputs
from scotyard_env.board import Board
from scotyard_env.state import MAX_SEATS
from scotyard_training.scorer import Minibatch


class Rollout(NamedTuple):
    """Decisions of all games over the horizon, game by game within a step of time."""

    inputs: Inputs
    picked: NDArray[np.int64]  # which of its moves each decision chose
    logs: NDArray[np.float32]  # log probability of that
    hidden: NDArray[np.int64]  # where Mr. X really was
    opponent: NDArray[np.int64]  # whom it was played against
    rewards: NDArray[np.float32]  # (horizon, games)
    ended: NDArray[np.bool_]  # (horizon, games): the game was over after this decision


def join(inputs: list[Inputs]) -> Inputs:
    """Put the inputs of several batches of views behind each other."""
    starts = np.cumsum([0, *(part.firsts[-1] for part in inputs)])
    firsts = [part.firsts[:-1] + start for part, start in zip(inputs, starts, strict=False)]
    joined = (np.concatenate(parts) for parts in zip(*inputs, strict=True))
    return Inputs(*joined)._replace(firsts=np.concatenate([*firsts, starts[-1:]]))


def offset_places(inputs: Inputs) -> NDArray[np.int64]:
    """Number the rows of the table of station embeddings: every place has its own stretch."""
    places: NDArray[np.int64] = inputs.stations + np.arange(MAX_SEATS) * (inputs.belief.shape[1] + 1)
    return places


def take(inputs: Inputs, part: NDArray[np.int64]) -> Minibatch:
    """Make tensors of some decisions."""
    firsts, counts = inputs.firsts[part], inputs.firsts[part + 1] - inputs.firsts[part]
    owner = np.repeat(np.arange(len(part)), counts)
    slot = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = np.repeat(firsts, counts) + slot
    places = offset_places(inputs._replace(stations=inputs.stations[part]))
    arrays = (places, inputs.belief[part], inputs.facts[part], inputs.rows[rows], inputs.to[rows], owner, slot)
    return Minibatch(*(torch.from_numpy(array) for array in arrays))


def tell_secrets(board: Board, inputs: Inputs, hidden: NDArray[np.int64]) -> NDArray[np.float32]:
    """Tell what only the critic may know: how lost Mr. X really is, what is believed of that, how far everybody is."""
    seats, times = inputs.stations[:, 1:], capture_times(board)
    pairs = [times[seats[:, a], seats[:, b], hidden] for a in range(seats.shape[1]) for b in range(a)]
    chase = DISCOUNT ** np.min(pairs, axis=0).astype(np.float32)
    distances = np.minimum(board.arrays.distance[seats, hidden[:, None]] / 8.0, 2.0)
    belief = inputs.belief[np.arange(len(hidden)), hidden - 1]
    return np.column_stack([chase, belief, distances, np.ones_like(chase)]).astype(np.float32)
