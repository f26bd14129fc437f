"""What detectives who know the network of Mr. X will believe once he has acted, and what it thinks of his actions.

They believe by the posterior of the network (beliefs/posterior.py), which follows from public facts alone: so Mr. X can
work out what they will believe after everything that his next action may show, as they themselves will.
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
    """Of many views of Mr. X: his legal actions, those of view i at firsts[i]..firsts[i + 1], and what they show."""

    firsts: NDArray[np.int64]  # (views + 1,)
    actions: NDArray[np.int64]
    probabilities: NDArray[np.float64]  # of the network for each of them
    beliefs: NDArray[np.float64]  # (views, SIGNS, stations + 1): of those who know it, if he is not seen


def look_out(network: FileScorer, views: Views) -> Outlook:
    """Ask a network what it would do where Mr. X is and, if he were there, at all stations where he may be."""
    inputs, probabilities = network.probabilities(views)
    return Outlook(inputs.firsts, inputs.ids, probabilities, follow_signs(known_posterior(network), views))


def known_posterior(network: FileScorer) -> Posterior:
    """Return what those believe who know a network."""
    if isinstance(network.weights, KnownWeights):
        return own_posterior(network.weights)
    return posterior_of(network.files)


def follow_signs(posterior: Posterior, views: Views) -> NDArray[np.float64]:
    """Return the belief after everything that the next action may show."""
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
