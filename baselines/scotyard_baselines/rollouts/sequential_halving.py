"""Sequential halving (Z. Karnin, T. Koren and O. Somekh, ICML 2013): a budget shared out among arms, phase by phase.

Each of the log2 of so many phases gets the same share of the rollouts, and each turn that is left the same share of a
phase. So most rollouts go to the turns that are likely to be drawn; what is dropped early keeps a rough, low value.

Who pursues Mr. X in a rollout is told by a number that goes through the same row for every turn, spread evenly: so no
turn looks better for having met the weaker detectives.
"""

from scotyard_baselines.rollouts.rollout import roll_out
from scotyard_baselines.rollouts.turns import mean_value
from scotyard_env.arrays import order_by
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_unit

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


@kernel
def play_rollouts(boards, rules, times, states, index, beliefs, scratch, part, parts):
    """Play one of so many equal parts of the rollouts of this phase, which are numbered turn by turn."""
    halving = scratch.halving[0]
    rollouts = count_rollouts(scratch)
    size = rollouts * halving.left
    for number in range(size * part // parts, size * (part + 1) // parts):
        turn = scratch.turns[scratch.order[number // rollouts]]
        model = (halving.offset + (halving.played + number % rollouts) * GOLDEN_RATIO) % 1.0
        turn.total += roll_out(boards[0], rules[0], times, states, index, beliefs, scratch, turn, model)
        turn.visits += 1


@kernel
def count_rollouts(scratch):
    """Return how many rollouts each turn that is still in the running gets in this phase."""
    halving = scratch.halving[0]
    return max(1, scratch.parameters[0].rollouts // (halving.phases * halving.left))


@kernel
def end_phase(scratch):
    """Put the best turns first in scratch.order and drop the worse half; return whether there is another phase."""
    halving = scratch.halving[0]
    halving.played += count_rollouts(scratch)
    for place in range(halving.left):
        scratch.keys[scratch.order[place]] = mean_value(scratch.turns[scratch.order[place]])
    order_by(scratch.keys, scratch.order, halving.left)
    is_going_on = halving.left > 2
    halving.left = (halving.left + 1) // 2
    return is_going_on
