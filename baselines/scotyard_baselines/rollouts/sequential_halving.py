"""Sequential halving (Z. Karnin, T. Koren and O. Somekh, ICML 2013): a budget shared out among arms, phase by phase."""

from scotyard_baselines.rollouts.rollout import roll_out
from scotyard_baselines.rollouts.turns import mean_value
from scotyard_env.arrays import order_by
from scotyard_env.kernel import kernel


@kernel
def halve(board, rules, times, states, index, scratch, first, last):
    """Share the rollouts out among turns first to last - 1, dropping the worse half of them again and again.

    The best turn comes first in scratch.order. Each of the log2 of so many phases gets the same share of the rollouts.
    """
    left, phases, rollouts = last - first, 1, scratch.parameters[0].rollouts
    for place in range(left):
        scratch.order[place] = first + place
    while 1 << phases < left:
        phases += 1
    while True:
        for place in range(left):
            for _ in range(max(1, rollouts // (phases * left))):
                turn = scratch.turns[scratch.order[place]]
                turn.total += roll_out(board, rules, times, states, index, scratch, turn)
                turn.visits += 1
        for place in range(left):
            scratch.keys[scratch.order[place]] = mean_value(scratch.turns[scratch.order[place]])
        order_by(scratch.keys, scratch.order, left)
        if left <= 2:
            break
        left = (left + 1) // 2
