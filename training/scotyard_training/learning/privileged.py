"""Privileged features: inputs of the critic alone, which knows during training where Mr. X really is."""

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.networks.belief_features import DISCOUNT
from scotyard_baselines.networks.inputs import Inputs
from scotyard_env.board import Board
from scotyard_env.encode.features import FAR
from scotyard_env.state import MAX_DETECTIVES

PRIVILEGED_FEATURES = (
    "capture_value",  # 0.8 ** (rounds that the best pair of detectives needs for Mr. X)
    "belief",  # square root of the probability that the mover gives to his station
    *(f"distance_{place}" for place in range(1, MAX_DETECTIVES + 1)),  # of the detectives from him, the mover's first
    "is_told",  # 1; a critic that is told nothing has 0 everywhere
)


def privileged_features(board: Board, inputs: Inputs, mr_x: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the privileged features of many decisions, (n, features), from where Mr. X really is, (n,)."""
    seats, times = inputs.stations[:, 1:], capture_times(board)
    pairs = [times[seats[:, a], seats[:, b], mr_x] for a in range(seats.shape[1]) for b in range(a)]
    capture_value = DISCOUNT ** np.min(pairs, axis=0).astype(np.float32)
    distances = np.minimum(board.arrays.distance[seats, mr_x[:, None]] / FAR, 2.0)
    belief = inputs.belief[np.arange(len(mr_x)), mr_x - 1]
    return np.column_stack([capture_value, belief, distances, np.ones_like(capture_value)]).astype(np.float32)
