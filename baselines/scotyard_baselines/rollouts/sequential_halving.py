"""Sequential halving (Z. Karnin, T. Koren and O. Somekh, ICML 2013): a budget of rollouts shared out among arms.

The arms are the turns of Mr. X. There are log2(turns) phases, each with the same share of the rollouts, of which every
turn that is left gets the same number; then the worse half is dropped. So most rollouts go to the turns that are likely
to be drawn; what is dropped early keeps a rough, low value.

Turns are compared by common random numbers: the n-th rollout of every turn plays against the same modelled detectives,
given by the n-th number of one low-discrepancy sequence, and begins with the same seed. So no turn looks better for
having met the weaker detectives.
"""

import numpy as np

from scotyard_baselines.rollouts.rollout import roll_out
from scotyard_baselines.rollouts.turns import mean_value
from scotyard_env.arrays import order_by
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_bits, draw_unit

GOLDEN_RATIO = 0.6180339887498949  # steps of it around a circle spread evenly


@kernel
def begin_halving(scratch, first, last):
    """Put turns first to last - 1 in the running, and begin the first phase."""
    halving = scratch.halving[0]
    halving.first, halving.left, halving.phases = first, last - first, 1
    halving.played, halving.offset = 0, draw_unit(scratch.rng_state)
    while 1 << halving.phases < halving.left:
        halving.phases += 1
    for place in range(halving.left):
        scratch.order[place] = first + place
    if halving.left > 0:
        draw_rollout_seeds(scratch)


@kernel
def draw_rollout_seeds(scratch):
    """Draw a seed for every rollout of a turn in a phase, the same for all turns, whichever thread plays it."""
    for number in range(count_rollouts(scratch)):
        high, low = draw_bits(scratch.rng_state), draw_bits(scratch.rng_state)
        scratch.seeds[number] = np.uint64(max(high, 1)) << np.uint64(32) | np.uint64(low)


@kernel
def play_rollouts(boards, rules, times, states, index, beliefs, scratch, part, parts):
    """Play one of so many equal parts of the rollouts of this phase, which are numbered turn by turn."""
    halving = scratch.halving[0]
    rollouts = count_rollouts(scratch)
    size = rollouts * halving.left
    for number in range(size * part // parts, size * (part + 1) // parts):
        turn = scratch.turns[scratch.order[number // rollouts]]
        model = (halving.offset + (halving.played + number % rollouts) * GOLDEN_RATIO) % 1.0
        scratch.rng_state[0] = scratch.seeds[number % rollouts]
        scratch.results[number] = roll_out(boards[0], rules[0], times, states, index, beliefs, scratch, turn, model)


@kernel
def count_rollouts(scratch):
    """Return how many rollouts each turn that is still in the running gets in this phase."""
    halving = scratch.halving[0]
    return max(1, scratch.parameters[0].rollouts // (halving.phases * halving.left))


@kernel
def end_phase(scratch):
    """Put the turns likeliest to be drawn first in scratch.order, drop the other half; return whether to go on."""
    add_results(scratch)
    halving = scratch.halving[0]
    weight = scratch.parameters[0].prior_exponent * scratch.parameters[0].temperature
    for place in range(halving.left):
        turn = scratch.turns[scratch.order[place]]
        scratch.keys[scratch.order[place]] = mean_value(turn) + weight * scratch.log_prior[turn.actions[0]]
    order_by(scratch.keys, scratch.order, halving.left)
    is_going_on = halving.left > 2
    halving.left = (halving.left + 1) // 2
    if is_going_on:
        draw_rollout_seeds(scratch)
    return is_going_on


@kernel
def add_results(scratch):
    """Add the results of all rollouts of a phase to the turns that they began with."""
    halving, rollouts = scratch.halving[0], count_rollouts(scratch)
    for number in range(rollouts * halving.left):
        turn = scratch.turns[scratch.order[number // rollouts]]
        turn.total += scratch.results[number]
        turn.visits += 1
    halving.played += rollouts
