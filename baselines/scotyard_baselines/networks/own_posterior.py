"""What those believe of Mr. X who know his network, for a network that reads it.

So games of hidden information are played in public belief states (N. Brown et al., Combining Deep Reinforcement
Learning and Search for Imperfect-Information Games, 2020). The belief before a decision follows from what the network
would have done at the decisions before it, which it read the same way, and so on back to the deal. Public facts alone
count: whoever knows the network can work out the same.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.posterior import NOT_ASKED, Answers, Joint, Posterior
from scotyard_env.state import MR_X, NOWHERE, STATE
from scotyard_env.view import Views

UNIFORM_MIX = 0.02  # share of a model's actions that are any legal one
LEAST_BELIEF = 1e-4  # stations that are less likely are not told to the network

Beliefs = NDArray[np.float64]  # (n, stations + 1)


class Network(Protocol):
    """A network that says what it would do where so much is believed."""

    def __call__(self, views: Views, beliefs: Beliefs | None = None) -> Answers:
        """Return how likely each legal action of many views is."""
        ...


class OwnPosterior(Posterior):
    """The belief in a Mr. X who plays by a network that reads this very belief."""

    def __init__(self, network: Network) -> None:
        super().__init__(network, models=1, uniform_mix=UNIFORM_MIX)
        self.network = network

    def answer(self, asked: Views, rows: NDArray[np.int64], joint: Joint) -> Answers:
        """Return what the network would do in views of some games, whose weights are known."""
        return self.network(asked, leave_out_unlikely(joint[:, 0])[np.nonzero(rows != NOT_ASKED)[0]])

    def tell(self, views: Views) -> Beliefs:
        """Return what the network is told of the belief in each of many views, worked out once for each table."""
        is_new = tell_tables_apart(views.states)
        tables = Views(views.board, views.rules, views.states[is_new])
        told: Beliefs = leave_out_unlikely(self.weigh(tables))[np.cumsum(is_new) - 1]
        return told


def leave_out_unlikely(beliefs: Beliefs) -> Beliefs:
    """Return beliefs with nothing where there is hardly anything."""
    return np.where(beliefs >= LEAST_BELIEF, beliefs, 0.0)


def tell_tables_apart(states: NDArray[np.void]) -> NDArray[np.bool_]:
    """Tell which states are not what the one before them is to the table."""
    tables = states.copy()
    tables["station"][:, MR_X] = NOWHERE
    told = tables.view(np.uint8).reshape(len(states), STATE.itemsize)
    is_new = np.ones(len(states), np.bool_)
    is_new[1:] = (told[1:] != told[:-1]).any(axis=1)
    return is_new
