"""One side as a plain Gymnasium environment: a learner decides for it, policies play the other inside ``step``.

    env = scotyard_env.make_solo(side="mr_x", opponent="greedy")
    observation, info = env.reset(seed=7)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(observation["action_mask"]))

The reward is +1 for a game won, -1 for one lost, and goes to the learner's last decision. ``action_masks()`` is what
MaskablePPO asks for. A learner of ``"detectives"`` decides for one detective after the other.
"""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from scotyard_env.batch import Batch
from scotyard_env.board import Board
from scotyard_env.duel import Duel, Opponent
from scotyard_env.encode import Encoder
from scotyard_env.game import IllegalMoveError
from scotyard_env.illegal import check_illegal, warn_of_illegal
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import SEATS, WINNERS
from scotyard_env.view import View

Arrays = dict[str, NDArray[Any]]
