"""Any policy of Mr. X as a model of him: the probabilities of its actions, given by itself or estimated by sampling."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.posterior import Answers
from scotyard_baselines.networks.inputs import Inputs
from scotyard_env.duel import decide
from scotyard_env.kernel import kernel
from scotyard_env.policy import Policy
from scotyard_env.rules import legal_actions
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views


@runtime_checkable
class GivesProbabilities(Protocol):
    """A policy that gives the probabilities of its legal actions in many views at once, as our networks do."""

    def probabilities(self, views: Views) -> tuple[Inputs, NDArray[np.float64]]:
        """Return the inputs of many views and the probability of every legal action, ascending."""
        ...


def ask_policy(policy: Policy, views: Views, samples: int, rng: np.random.Generator) -> Answers:
    """Return how likely a policy is to take each legal action of many views.

    The probabilities are those that it gives for many views at once, else those in its decisions, else the frequencies
    of its actions in so many samples.
    """
    if isinstance(policy, GivesProbabilities):
        inputs, probabilities = policy.probabilities(views)
        return Answers(inputs.firsts, probabilities[np.newaxis])
    firsts, actions = list_actions(views)
    if len(views) and policy.act(View(views.board, views.rules, views.states[0], MR_X), rng).probabilities:
        told = [
            _read(policy, views, index, actions[firsts[index] : firsts[index + 1]], rng) for index in range(len(views))
        ]
        return Answers(firsts, np.concatenate(told)[np.newaxis])
    probabilities = np.zeros(len(actions))
    owners = np.repeat(np.arange(len(views)), np.diff(firsts))
    for _ in range(samples):
        probabilities += decide(policy, views, rng)[owners] == actions
    return Answers(firsts, probabilities[np.newaxis] / samples)


def _read(
    policy: Policy, views: Views, index: int, actions: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the probabilities that a policy tells with its decision, by legal action; else 1 for what it plays."""
    decision = policy.act(View(views.board, views.rules, views.states[index], MR_X), rng)
    told = dict(decision.probabilities) or {decision.action: 1.0}
    return np.array([told.get(action, 0.0) for action in actions.tolist()])


def list_actions(views: Views) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the legal actions of many views, ascending; those of view i are firsts[i]..firsts[i + 1]."""
    firsts = np.zeros(len(views) + 1, np.int64)
    room = np.empty((len(views), 4 * views.board.stations + 2), np.int64)
    list_action_rows(views.board.packed, views.packed_rules, views.states, firsts, room)
    counts = np.diff(firsts)
    return firsts, room[np.arange(room.shape[1]) < counts[:, np.newaxis]]


@kernel
def list_action_rows(boards, rules, states, firsts, actions):
    """Write the legal actions of each state into its row, and where they begin if all rows are joined."""
    for index in range(len(states)):
        firsts[index + 1] = firsts[index] + legal_actions(boards[0], rules[0], states[index], actions[index])
