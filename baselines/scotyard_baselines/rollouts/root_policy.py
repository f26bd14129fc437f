"""The policy at the root: one regularised update of the prior by what the rollouts say, to be drawn from.

    pi(action) ~ prior(action)^a * exp(value(action) / tau)

An action is worth the best turn that begins with it: a double move is one action, whose moves are drawn when they are
due. The prior is in the costs of the turns, -tau * a * log prior each.
"""

import numpy as np

from scotyard_baselines.rollouts.turns import mean_value
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_unit


@kernel
def write_root_policy(scratch):
    """Write the actions that turns begin with, what they are worth and the probability of each."""
    root, halving, count = scratch.root, scratch.halving[0], 0
    for number in range(halving.total):
        turn = scratch.turns[number]
        if turn.visits > 0 or halving.total == 1:
            value = mean_value(turn) if turn.visits > 0 else 0.0
            if count > 0 and root.actions[count - 1] == turn.actions[0]:
                root.values[count - 1] = max(root.values[count - 1], value)
            else:
                root.actions[count], root.values[count] = turn.actions[0], value
                count += 1
    root.count[0] = count
    soften(root.values[:count], scratch.parameters[0].tau, root.probabilities)


@kernel
def soften(values, tau, probabilities):
    """Write probabilities that are proportional to exp(value / tau)."""
    best, total = values.max(), 0.0
    for place in range(len(values)):
        probabilities[place] = np.exp((values[place] - best) / tau)
        total += probabilities[place]
    for place in range(len(values)):
        probabilities[place] /= total


@kernel
def draw_action(scratch):
    """Return an action drawn by its probability."""
    root, place = scratch.root, 0
    rest = draw_unit(scratch.rng_state)
    while place < root.count[0] - 1 and rest >= root.probabilities[place]:
        rest -= root.probabilities[place]
        place += 1
    return root.actions[place]
