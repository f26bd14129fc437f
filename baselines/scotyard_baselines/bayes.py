"""bayes: detectives who weigh by Bayes' rule what networks of Mr. X would have done, and plan together.

The belief is the posterior of a population of networks (beliefs/posterior.py): what Mr. X shows tells where he is if he
is like one of them, and by and by which of them he is like. They plan as planning/pursuit.py tells.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.networks.own_posterior import UNIFORM_MIX
from scotyard_baselines.networks.population import SWITCHING, posterior_of, shipped_files
from scotyard_baselines.networks.weights import DATA
from scotyard_baselines.planning.pursuit import Pursuit
from scotyard_env.ranges import Share
from scotyard_env.view import Views


@dataclass(frozen=True)
class Bayes(Pursuit):
    """Make the joint plan that leaves Mr. X the least time to run, wherever one like the networks would be."""

    belief: ClassVar[str] = "posterior"
    card: ClassVar[Path] = DATA / "bayes.json"
    population: str = ""  # files of weights of Mr. X, separated by +; those that ship with us if left out
    model_mix: Share = UNIFORM_MIX  # share of a model's actions that are any legal one
    switching: Share = SWITCHING  # share of the weights of models that is handed round at every decision

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            posterior_of(self.files, self.model_mix, self.switching)
        except (AttributeError, TypeError, ValueError) as error:
            wanted = "give files of weights of Mr. X, separated by +"
            raise ValueError(f"population is {self.population!r}: {error}; {wanted}") from error

    @property
    def files(self) -> tuple[str, ...]:
        """The files whose content decides how it plays."""
        return tuple(self.population.split("+")) if self.population else shipped_files()

    def believe(self, views: Views, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return how likely Mr. X is at each station by the posterior of the population."""
        return posterior_of(self.files, self.model_mix, self.switching).weigh(views)
