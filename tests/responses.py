"""Learned responses that nobody has learned, for tests of what is done with them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

import scotyard_env
from scotyard_baselines.networks.weights import shapes
from scotyard_baselines.robustness.challenge import Budget, Challenge
from scotyard_baselines.robustness.response import WEIGHTS, Response, Run, Stored
from scotyard_env.arena.contenders import read_contenders
from scotyard_env.arena.content import digest_file
from scotyard_env.arena.rating import Rate
from scotyard_env.policy import Side
from scotyard_env.ruleset import resolve


def make_weights(stations: int, seed: int = 0) -> bytes:
    """Return the content of a file of weights by chance, for a very small network."""
    rng, file = np.random.default_rng(seed), io.BytesIO()
    arrays: dict[str, Any] = {name: rng.normal(size=shape) for name, shape in shapes(stations, 4).items()}
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def store_response(
    folder: Path, policy: str, side: Side, *, wins: int, games: int = 10, board: str = "docklands", seed: int = 0
) -> Stored:
    """Write a response to a policy that plays a side, as if it had won so many games."""
    found, rules = resolve(board, None)
    (contender,) = read_contenders(policy, side)
    budget = Budget("own", 100, (seed, seed + 1), ("blank",))
    challenge = Challenge(
        scotyard_env.__version__, contender.describe(), side, found, rules, budget, games, {"num_envs": 4}
    )
    folder.mkdir(parents=True, exist_ok=True)
    weights = make_weights(found.stations, seed)
    (folder / WEIGHTS).write_bytes(weights)
    runs = (Run("blank", seed, Rate(1, games)), Run("blank", seed + 1, Rate(2, games)))
    response = Response(challenge, "scotyard", runs, 1, Rate(wins, games), digest_file(folder / WEIGHTS))
    response.save(folder, weights)
    return Stored(response, folder)
