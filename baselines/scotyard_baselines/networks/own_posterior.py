"""The posterior of Mr. X's station under his own network, as an input of that network.

This is how imperfect-information games are played on public belief states (N. Brown et al., Combining Deep
Reinforcement Learning and Search for Imperfect-Information Games, 2020). The posterior before a decision follows from
the network's policy at the decisions before it, where it read the posterior of that time, and so on back to the deal.
It follows from public facts alone, so that opponents who know the network compute the same.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.posterior import NOT_ASKED, Answers, Joint, Posterior
from scotyard_env.state import MR_X, NOWHERE, STATE
from scotyard_env.view import Views

UNIFORM_MIX = 0.02  # share of a model's actions that are any legal one
LEAST_BELIEF = 1e-4  # the network reads 0 for less likely stations

Beliefs = NDArray[np.float64]  # (n, stations + 1)


class Network(Protocol):
    """A network that takes a belief as an input."""

    def __call__(self, views: Views, beliefs: Beliefs | None = None) -> Answers:
        """Return the probability of each legal action in many views, given the beliefs there."""
        ...


class OwnPosterior(Posterior):
    """The posterior under a network that reads this very posterior."""

    def __init__(self, network: Network) -> None:
        super().__init__(network, models=1, uniform_mix=UNIFORM_MIX)
        self.network = network

    def answer(self, asked: Views, rows: NDArray[np.int64], joint: Joint) -> Answers:
        """Return the network's answers in views of some games, each with the posterior of its game as an input."""
        return self.network(asked, leave_out_unlikely(joint[:, 0])[np.nonzero(rows != NOT_ASKED)[0]])

    def tell(self, views: Views) -> Beliefs:
        """Return the posterior as the network reads it in each of many views; views of the same table share one."""
        is_new = find_new_tables(views.states)
        tables = Views(views.board, views.rules, views.states[is_new])
        told: Beliefs = leave_out_unlikely(self.weigh(tables))[np.cumsum(is_new) - 1]
        return told


def leave_out_unlikely(beliefs: Beliefs) -> Beliefs:
    """Return beliefs with 0 for the stations that are less likely than LEAST_BELIEF."""
    return np.where(beliefs >= LEAST_BELIEF, beliefs, 0.0)


def find_new_tables(states: NDArray[np.void]) -> NDArray[np.bool_]:
    """Tell which states differ from the one before them in more than Mr. X's station."""
    tables = states.copy()
    tables["station"][:, MR_X] = NOWHERE
    told = tables.view(np.uint8).reshape(len(states), STATE.itemsize)
    is_new = np.ones(len(states), np.bool_)
    is_new[1:] = (told[1:] != told[:-1]).any(axis=1)
    return is_new
