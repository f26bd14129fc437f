"""Games in progress in a checkpoint: packed as bytes, and checked by the rules before they are played on."""

from typing import Any

import numpy as np
import torch

from scotyard_env.batch import Batch
from scotyard_env.checking import check_states
from scotyard_env.duel import Duel
from scotyard_env.state import MR_X, PLAYING
from scotyard_training.learning.checkpoint import Content, check_like


def pack_games(batch: Batch, duel: Duel) -> Content:
    """Return games in progress, and the rngs of their deals and opponents, for a checkpoint."""
    return {
        "states": torch.frombuffer(bytearray(batch.states.tobytes()), dtype=torch.uint8),
        "rngs": [rng.bit_generator.state for rng in list_rngs(batch)],
        "playing": torch.from_numpy(duel.playing.copy()),
        "deciders": torch.from_numpy(duel.deciders.copy()),
    }


def unpack_games(batch: Batch, duel: Duel, kept: Any) -> None:
    """Go on with the games of a checkpoint; refuse those that cannot be."""
    check_like(kept, pack_games(batch, duel), "it: games")
    states = np.frombuffer(kept["states"].numpy().tobytes(), batch.states.dtype)
    playing, deciders = kept["playing"].numpy(), kept["deciders"].numpy()
    check_states(batch.board, batch.rules, states)
    is_learner = (states["seat"] == MR_X) == (duel.side == "mr_x")
    if not is_learner.all() or (states["winner"] != PLAYING).any():
        raise ValueError("a game in it does not wait for the side that learns")
    if not (playing.min() >= 0 and playing.max() < len(duel.pool.policies)):
        raise ValueError(f"a game in it has an opponent that is not among {len(duel.pool.policies)}: name as many")
    if not (deciders.min() >= 0 and deciders.max() <= batch.rules.detectives):
        raise ValueError("a game in it was decided by nobody")
    batch.states[:] = states
    for rng, state in zip(list_rngs(batch), kept["rngs"], strict=True):
        rng.bit_generator.state = state
    duel.playing[:], duel.deciders[:] = playing, deciders


def list_rngs(batch: Batch) -> list[np.random.Generator]:
    """List what deals the games and what their policies draw from."""
    return [rng for part in batch.parts for rng in (part.rng, *part.rngs)]
