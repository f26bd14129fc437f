"""hunters: detectives who plan the rest of the round together against a Mr. X who runs.

They plan as planning/pursuit.py tells, by the belief in a rational Mr. X (beliefs/choice_model.py).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.choice_model import believe_choices
from scotyard_baselines.planning.pursuit import Pursuit
from scotyard_env.view import Views


@dataclass(frozen=True)
class Hunters(Pursuit):
    """Make the joint plan that leaves a rational Mr. X the least time to run, wherever he may be."""

    belief: ClassVar[str] = "choice_model"

    def believe(self, views: Views, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return how likely a rational Mr. X is at each station."""
        return believe_choices(views)
