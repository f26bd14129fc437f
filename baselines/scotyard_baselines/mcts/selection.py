"""Selection: the actions that a node offers, and UCT with progressive history among its children.

    v_i = s_i / n_i + C sqrt(ln n_p / n_i) + (s_a / n_a) W / (n_i - s_i + 1)

s and n are rewards and visits: of the child i, of its parent p, of its action a wherever it was played (Nijssen and
Winands, 2011). Where Mr. X is to move, only those children count that are legal from where he has been placed.
"""

import numpy as np

from scotyard_baselines.geometry.black_tickets import hides_nothing
from scotyard_baselines.mcts.tree import NO_NODE
from scotyard_env.kernel import kernel
from scotyard_env.rules import double_action, fare_of, legal_actions
from scotyard_env.state import BLACK, MR_X


@kernel
def list_choices(board, rules, state, playout_parameters, legal):
    """List the legal actions; with the filter, without black tickets that hide nothing, unless nothing else is left."""
    size = legal_actions(board, rules, state, legal)
    if state.seat == MR_X and playout_parameters.is_filtered and hides_nothing(board, rules, state):
        return leave_out_black(board, legal, size)
    return size


@kernel
def leave_out_black(board, legal, size):
    """Strike black tickets off a list of actions and return its size; if no move would be left, leave it as it is."""
    moves = 0
    for index in range(size):
        if legal[index] < double_action(board) and fare_of(legal[index]) != BLACK:
            moves += 1
    if moves == 0:
        return size
    kept = 0
    for index in range(size):
        if legal[index] == double_action(board) or fare_of(legal[index]) != BLACK:
            legal[kept] = legal[index]
            kept += 1
    return kept


@kernel
def find_best_child(node, nodes, seat, legal, parameters, scratch):
    """Return the legal child with the highest bound; NO_NODE if a legal action has no child, stamped as unexpanded."""
    scratch.stamp += 1
    for index in range(legal):
        scratch.unexpanded[scratch.legal[index]] = scratch.stamp
    best, best_value, known = NO_NODE, -1.0, 0
    exploration = parameters.exploration[0 if seat == MR_X else 1]
    log_visits = np.log(node.visits) if node.visits > 0 else 0.0
    index = node.child
    while index != NO_NODE:
        child = nodes[index]
        if scratch.unexpanded[child.action] == scratch.stamp:
            scratch.unexpanded[child.action] = 0
            known += 1
            value = upper_bound(child, log_visits, exploration, seat, parameters, scratch)
            if value > best_value:
                best, best_value = index, value
        index = child.sibling
    return best if known == legal else NO_NODE


@kernel
def upper_bound(child, log_visits, exploration, seat, parameters, scratch):
    """Return the upper confidence bound of a child, and the progressive history of its action where that is on."""
    mean = child.reward / child.visits
    value = mean + exploration * np.sqrt(log_visits / child.visits)
    if parameters.history > 0.0 and scratch.history_visits[seat, child.action] > 0.0:
        past = scratch.history_rewards[seat, child.action] / scratch.history_visits[seat, child.action]
        value += past * parameters.history / ((1.0 - mean) * child.visits + 1.0)
    return value
