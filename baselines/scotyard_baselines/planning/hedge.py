"""Plans against a Mr. X who has read the plan: he is suspected the more where it would not find him, again and again.

The round is a game with secrets: he chooses where to be, they choose a plan, neither knows the other's. Let him weigh
every station by exp(-wariness * worth of the plan there) anew for each plan that they answer with: then no plan of
theirs is foreseeable for long, and all of them together come near the best mixture of plans (Freund and Schapire 1999,
"Adaptive game playing using multiplicative weights"). Whoever stops after a random number of such thoughts draws from
this mixture.
"""

import numpy as np

from scotyard_baselines.planning.coordinate_ascent import can_flee, climb, look_without, value_exit, value_flight
from scotyard_env.kernel import kernel

EVERYBODY = -1  # as the pawn that is left out


@kernel
def outthink(board, times, node, weights, table, sheet, draws, thoughts, wariness):
    """Move the weight of the particles so many times to where the plan that is best by now would not find Mr. X."""
    for _ in range(thoughts):
        climb(board, times, node, weights, table, sheet, draws[:0])
        evade(board, times, node, weights, table, sheet, wariness)


@kernel
def evade(board, times, node, weights, table, sheet, wariness):
    """Weigh every particle by how little the plan at hand is worth if Mr. X is there."""
    look_without(board, times, node, weights, table, sheet, EVERYBODY)
    for index in range(sheet.exit_count):
        station = sheet.exits[index]
        sheet.worth[station] = value_exit(weights, sheet.time[station], sheet.total[station], sheet.near[station])
    total = 0.0
    for particle in range(node.particles):
        is_free = can_flee(node, table, sheet, particle, EVERYBODY)
        worth = value_flight(sheet, weights.caution, particle) if is_free else 1.0
        node.weight[particle] *= np.exp(-wariness * worth)
        total += node.weight[particle]
    for particle in range(node.particles):
        node.weight[particle] /= total
