"""Hedge against a Mr. X who predicts the plan: multiplicative weights over the stations where he may be.

A round of the game is taken as a zero-sum matrix game: he chooses a station, the detectives a plan, at the same time.
In each round of hedging they play their best plan against the weights, and every weight is multiplied by
exp(-learning_rate * value of that plan if he is there). The plans, averaged over the rounds, come near an optimal mixed
strategy; stopping after a random number of rounds draws one of them.

Freund and Schapire 1999, "Adaptive game playing using multiplicative weights".
"""

import numpy as np

from scotyard_baselines.planning.choices import NOBODY
from scotyard_baselines.planning.coordinate_ascent import ascend, can_flee, look_without
from scotyard_baselines.planning.value import value_exit, value_replies
from scotyard_env.kernel import kernel


@kernel
def hedge(board, times, node, weights, choices, scratch, draws, rounds, learning_rate):
    """Play so many rounds of multiplicative weights: find the best plan for the weights, then reweigh by its value."""
    for _ in range(rounds):
        ascend(board, times, node, weights, choices, scratch, draws[:0])
        reweigh(board, times, node, weights, choices, scratch, learning_rate)


@kernel
def reweigh(board, times, node, weights, choices, scratch, learning_rate):
    """Multiply the weight of every particle by exp(-learning_rate * value of the plan at hand if Mr. X is there)."""
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
