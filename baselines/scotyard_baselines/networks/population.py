"""A population of networks that play Mr. X, asked together: what is made of a view serves them all."""

from collections.abc import Sequence

import numpy as np

from scotyard_baselines.beliefs.posterior import Answers
from scotyard_baselines.networks.inputs import make_inputs
from scotyard_baselines.networks.move_scorer import score, softmax
from scotyard_baselines.networks.weights import Weights
from scotyard_env.view import Views


class Population:
    """Networks of Mr. X by their weights."""

    def __init__(self, members: Sequence[Weights]) -> None:
        self.members = members

    def __len__(self) -> int:
        return len(self.members)

    def __call__(self, views: Views) -> Answers:
        """Return the probability that each network gives to every legal action of many views."""
        inputs = make_inputs(views)
        probabilities = np.stack([softmax(inputs, score(weights, inputs)) for weights in self.members])
        return Answers(inputs.firsts, probabilities)
