"""The beliefs of this package as functions of a view, as ``belief.weigh`` finds them by name."""

from scotyard_baselines.beliefs.choice_model import believe_choices
from scotyard_baselines.networks.population import shipped_posterior
from scotyard_env.belief import Belief
from scotyard_env.view import View, Views


def choice_model(view: View) -> Belief:
    """Return how likely a rational Mr. X is at each station, by the choices that would have led him there."""
    belief: Belief = believe_choices(Views(view.board, view.rules, view.states))[0]
    return belief


def posterior(view: View) -> Belief:
    """Return how likely Mr. X is at each station by the posterior under the networks that ship with us."""
    belief: Belief = shipped_posterior().weigh(Views(view.board, view.rules, view.states))[0]
    return belief
