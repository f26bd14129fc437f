"""The policy at the root: one regularised update of the prior by what the rollouts say, to be drawn from.

    pi(action) ~ prior(action)^a * exp(value(action) / tau)

The value of an action is that of the turn that begins with it and got most rollouts, of several such turns the best;
the moves of a double are drawn when they are due. An action without rollouts gets the mean value of the others, so that
its probability follows the prior alone.
"""

import numpy as np

from scotyard_baselines.rollouts.turns import NO_ACTION, mean_value
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_unit

LEAST_LIKELY = 1e-12  # an action that the prior never takes counts as this likely


@kernel
def begin_root_policy(outlook, index, scratch):
    """Write the actions of a view and their prior."""
    root, first = scratch.root, outlook.firsts[index]
    root.size[0] = outlook.firsts[index + 1] - first
    for place in range(root.size[0]):
        root.actions[place] = outlook.actions[first + place]
        root.prior[place] = outlook.probabilities[first + place]
        scratch.log_prior[root.actions[place]] = np.log(max(root.prior[place], LEAST_LIKELY))


@kernel
def write_root_policy(scratch):
    """Write what every action is worth and the probability by which it is drawn."""
    root, parameters, best = scratch.root, scratch.parameters[0], -np.inf
    value_actions(scratch)
    for place in range(root.size[0]):
        key = parameters.prior_exponent * scratch.log_prior[root.actions[place]]
        root.probabilities[place] = key + root.values[place] / parameters.temperature
        best = max(best, root.probabilities[place])
    total = 0.0
    for place in range(root.size[0]):
        root.probabilities[place] = np.exp(root.probabilities[place] - best)
        total += root.probabilities[place]
    for place in range(root.size[0]):
        root.probabilities[place] /= total


@kernel
def value_actions(scratch):
    """Write the value of every action."""
    root, played, total = scratch.root, 0.0, 0.0
    for place in range(root.size[0]):
        turn = most_played(scratch, root.actions[place])
        if turn != NO_ACTION:
            root.values[place] = mean_value(scratch.turns[turn])
            weight = root.prior[place] + LEAST_LIKELY
            played, total = played + weight, total + weight * root.values[place]
    for place in range(root.size[0]):
        if most_played(scratch, root.actions[place]) == NO_ACTION:
            root.values[place] = total / played if played > 0.0 else 0.0


@kernel
def most_played(scratch, action):
    """Return the turn that begins with an action and got most rollouts; NO_ACTION if none got any."""
    best = NO_ACTION
    for number in range(scratch.halving[0].total):
        turn = scratch.turns[number]
        if turn.actions[0] == action and turn.visits > 0:
            if best == NO_ACTION or turn.visits > scratch.turns[best].visits:
                best = number
            elif turn.visits == scratch.turns[best].visits and mean_value(turn) > mean_value(scratch.turns[best]):
                best = number
    return best


@kernel
def draw_action(scratch):
    """Return an action drawn by its probability."""
    root, place = scratch.root, 0
    rest = draw_unit(scratch.rng_state)
    while place < root.size[0] - 1 and rest >= root.probabilities[place]:
        rest -= root.probabilities[place]
        place += 1
    return root.actions[place]
