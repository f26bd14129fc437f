"""What Mr. X looks up before a search: the prior of his network, and the belief after each action of those who know it.

Detectives who know the network believe by its posterior (beliefs/posterior.py), which follows from public facts alone:
so Mr. X can compute in advance what they will believe after everything that his next action may show.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.posterior import Posterior, follow_rows, imagine_rows, list_hypotheses
from scotyard_baselines.networks.move_scorer import FileScorer, own_posterior
from scotyard_baselines.networks.population import posterior_of
from scotyard_baselines.networks.weights import KnownWeights
from scotyard_env.history import ANNOUNCED
from scotyard_env.state import FARES, MR_X, NOWHERE, new_states
from scotyard_env.view import Views

SIGNS = (*range(FARES), ANNOUNCED)  # what an action shows: a fare, or that a double move follows (the last)


class Outlook(NamedTuple):
    """The prior and the beliefs of many views of Mr. X; the actions of view i are firsts[i]..firsts[i + 1]."""

    firsts: NDArray[np.int64]  # (views + 1,)
    actions: NDArray[np.int64]
    probabilities: NDArray[np.float64]  # of the network for each of them
    beliefs: NDArray[np.float64]  # (views, SIGNS, stations + 1): of those who know it, if he is not seen


def look_out(network: FileScorer, views: Views) -> Outlook:
    """Return the prior of a network in views of Mr. X, and the belief after each sign by its posterior."""
    inputs, probabilities = network.probabilities(views)
    return Outlook(inputs.firsts, inputs.ids, probabilities, follow_signs(known_posterior(network), views))


def known_posterior(network: FileScorer) -> Posterior:
    """Return the posterior by which detectives who know a network believe."""
    if isinstance(network.weights, KnownWeights):
        return own_posterior(network.weights)
    return posterior_of(network.files)


def follow_signs(posterior: Posterior, views: Views) -> NDArray[np.float64]:
    """Return the belief after each sign that the next action may show, (views, SIGNS, stations + 1)."""
    joint, pasts = posterior.infer(views), views.states.copy()
    pasts["station"][:, MR_X] = NOWHERE
    rows = np.empty((len(views), joint.shape[2]), np.int64)
    asked = new_states(list_hypotheses(joint, rows))
    imagine_rows(pasts, rows, asked)
    answers = posterior.answer(Views(views.board, views.rules, asked), rows, joint)
    beliefs = np.empty((len(views), len(SIGNS), joint.shape[2]))
    for place, sign in enumerate(SIGNS):
        weights, told = joint.copy(), (np.full(len(views), sign), np.full(len(views), NOWHERE))
        follow_rows(views.board.packed, views.packed_rules, pasts, *told, rows, *answers, posterior.shares, weights)
        beliefs[:, place] = weights.sum(axis=1)
    return beliefs
