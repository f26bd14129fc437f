"""The batch as Stable-Baselines3 sees it: what a learner is given is what happened."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize

from scotyard_env.encode import KINDS
from scotyard_env.policy import SIDES
from scotyard_env.solo import ScotlandYardSoloEnv
from scotyard_env.state import WINNERS
from scotyard_env.view import Position
from training.sb3_vec import ScotlandYardVecEnv

torch.set_num_threads(1)  # many more are slower for nets this small


def games(number: int = 8, **settings: Any) -> ScotlandYardVecEnv:
    return ScotlandYardVecEnv(number, **{"board": "docklands", **settings})


def learner(env: VecEnv, **settings: Any) -> MaskablePPO:
    return MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=64, n_epochs=2, **{"seed": 3, **settings})


def random_actions(env: VecEnv, rng: np.random.Generator) -> np.ndarray:
    """Choose a legal action in each game."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in get_action_masks(env)])


def trajectory(env: VecEnv, steps: int, seed: int = 5) -> list[Any]:
    """Play at random from a seeded reset and keep all that the environment gives, without copying it."""
    rng = np.random.default_rng(seed)
    env.seed(seed)
    kept: list[Any] = [env.reset()]
    for _ in range(steps):
        kept.append(env.step(random_actions(env, rng)))
    return kept


def assert_same(left: Any, right: Any) -> None:
    """Compare observations, steps and infos, arrays in them element by element."""
    np.testing.assert_equal(left, right, strict=True) if isinstance(left, np.ndarray) else None
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for name in left:
            assert_same(left[name], right[name])
    elif isinstance(left, list | tuple):
        assert len(left) == len(right)
        for ours, theirs in zip(left, right, strict=True):
            assert_same(ours, theirs)
    elif not isinstance(left, np.ndarray):
        assert left == right


def weights(model: MaskablePPO) -> np.ndarray:
    return torch.nn.utils.parameters_to_vector(model.policy.parameters()).detach().numpy().copy()
