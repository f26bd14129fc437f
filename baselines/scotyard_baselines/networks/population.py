"""A population of networks that play Mr. X: models of him by which the posterior believes (beliefs/posterior.py)."""

import functools
from collections.abc import Sequence

import numpy as np

from scotyard_baselines.beliefs.posterior import Answers, Posterior
from scotyard_baselines.networks.inputs import make_inputs
from scotyard_baselines.networks.move_scorer import read_views, score, softmax
from scotyard_baselines.networks.own_posterior import UNIFORM_MIX
from scotyard_baselines.networks.weights import DATA, Weights, load_weights
from scotyard_env.view import Views

SHIPPED = (  # the newest last
    "mr_x_league",
    "mr_x_like_pimbot",
    "mr_x_response_1",
    "mr_x_response_2",
    "mr_x_response_3",
    "mr_x_known",
    "mr_x_response_4",
    "ppo_mr_x",
)
SWITCHING = 0.02  # share of the weights that is handed round among the models at every decision


class Population:
    """Networks of Mr. X by their weights, asked together: what is made of a view serves them all."""

    def __init__(self, members: Sequence[Weights]) -> None:
        self.members = members

    def __call__(self, views: Views) -> Answers:
        """Return the probability that each network gives to every legal action of many views."""
        inputs, probabilities = make_inputs(views), []
        for weights in self.members:
            read = read_views(weights, views) if weights.reads_own_posterior else inputs
            probabilities.append(softmax(read, score(weights, read)))
        return Answers(inputs.firsts, np.stack(probabilities))


@functools.lru_cache(maxsize=4)
def posterior_of(files: tuple[str, ...], uniform_mix: float = UNIFORM_MIX, switching: float = SWITCHING) -> Posterior:
    """Return the posterior of networks in files of weights, the same object each time."""
    return Posterior(Population([load_weights(file) for file in files]), len(files), uniform_mix, switching)


def shipped_files() -> tuple[str, ...]:
    """List the files of the population that ships with us."""
    return tuple(str(DATA / f"{name}.npz") for name in SHIPPED)


def shipped_posterior() -> Posterior:
    """Return the posterior of the population that ships with us."""
    return posterior_of(shipped_files())
