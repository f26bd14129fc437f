"""Hedge against a Mr. X who has read the plan: multiplicative weights over the stations where he may be.

The round is a game of imperfect information: he chooses where to be, they choose a plan, neither knows the other's. In
each round of hedging he weighs every station by exp(-learning_rate * worth of the plan there) anew and they answer with
their best plan: then no plan of theirs is foreseeable for long, and all of them together come near the best mixture of
plans. Whoever stops after a random number of rounds draws from this mixture.

Freund and Schapire 1999, "Adaptive game playing using multiplicative weights".
"""

import numpy as np

from scotyard_baselines.planning.choices import NOBODY
from scotyard_baselines.planning.coordinate_ascent import ascend, can_flee, look_without
from scotyard_baselines.planning.value import value_exit, value_replies
from scotyard_env.kernel import kernel


@kernel
def hedge(board, times, node, weights, choices, scratch, draws, rounds, learning_rate):
    """Move the weight of the particles so many times to where the plan that is best by now would not find Mr. X."""
    for _ in range(rounds):
        ascend(board, times, node, weights, choices, scratch, draws[:0])
        reweigh(board, times, node, weights, choices, scratch, learning_rate)


@kernel
def reweigh(board, times, node, weights, choices, scratch, learning_rate):
    """Weigh every particle by how little the plan at hand is worth if Mr. X is there."""
    look_without(board, times, node, weights, choices, scratch, NOBODY)
    for index in range(choices.exit_count):
        station = choices.exits[index]
        time, near = scratch.time[station], scratch.near[station]
        scratch.worth[station] = value_exit(weights, time, scratch.total[station], near)
    total = 0.0
    for particle in range(node.particles):
        is_free = can_flee(node, choices, scratch.near, particle, NOBODY)
        worth = value_replies(weights, choices, scratch.worth, particle) if is_free else 1.0
        node.weight[particle] *= np.exp(-learning_rate * worth)
        total += node.weight[particle]
    for particle in range(node.particles):
        node.weight[particle] /= total
