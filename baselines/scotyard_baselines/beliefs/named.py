"""The beliefs of this package as functions of a view, as ``belief.weigh`` finds them by name."""

import numpy as np

from scotyard_baselines.beliefs.choice_model import CHOICE_SCRATCH, infer_belief
from scotyard_baselines.capture.times import capture_times
from scotyard_env.belief import Belief
from scotyard_env.view import View


def choice_model(view: View) -> Belief:
    """Return how likely a rational Mr. X is at each station, by the choices that would have led him there."""
    scratch = np.zeros(1, CHOICE_SCRATCH)
    infer_belief(view.board.arrays, capture_times(view.board), view.state, scratch[0])
    return scratch["belief"][0, : view.board.stations + 1].copy()
