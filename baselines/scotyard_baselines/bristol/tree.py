"""Alpha-beta of bristol_mr_x over a tree that is built one node at a time.

Mr. X maximises; each detective in turn minimises, knowing where he is. The search keeps the nodes from the root to
where it is in two arrays, an explicit stack, so that it can be left after any node and gone on with.
"""

import numpy as np

from scotyard_baselines.bristol.moves import insert, list_moves
from scotyard_baselines.bristol.scoring import score_position
from scotyard_env.kernel import kernel
from scotyard_env.rules import apply
from scotyard_env.state import DOUBLE, MR_X, PLAYING, add, clear


@kernel
def set_up(boards, rules, states, frames, trees):
    """Make a tree of the state in states[0]."""
    assume_seen(states[0])
    trees[0].doubles = states[0].tickets[MR_X, DOUBLE]
    trees[0].ply = trees[0].nodes = 0
    list_moves(boards[0], rules[0], states[0], frames[0], trees[0])


@kernel
def assume_seen(state):
    """Let the detectives know where Mr. X is."""
    clear(state.possible)
    add(state.possible, state.station[MR_X])


@kernel
def begin_depth(frames, trees, depth):
    """Go back to the root, its moves in order of what the last depth found."""
    root = frames[0]
    if depth > 1:
        for index in range(root.count):
            insert(root, index, root.actions[index], root.values[index])
    enter(root, depth, -np.inf, np.inf, True)
    trees[0].ply = trees[0].is_cut = trees[0].is_late = 0


@kernel
def enter(frame, left, alpha, beta, is_mr_x):
    """Begin to search the moves of a node."""
    frame.left = left
    frame.alpha = alpha
    frame.beta = beta
    frame.best = -np.inf if is_mr_x else np.inf
    frame.next = frame.length = 0


@kernel
def search(boards, rules, states, frames, trees, nodes):
    """Go on with the search where it was left, for so many nodes at most; tell whether it is done."""
    board, rule, tree = boards[0], rules[0], trees[0]
    last = tree.nodes + nodes
    while tree.nodes < last:
        frame = frames[tree.ply]
        if frame.next < frame.count and (frame.alpha < frame.beta or not tree.alpha_beta):
            play_next(board, rule, states, frames, tree)
        elif tree.ply > 0:
            tree.ply -= 1
            back_up(states[tree.ply], frames, tree.ply, frame.best)
        else:
            return True
    return False


@kernel
def play_next(board, rules, states, frames, tree):
    """Play the next move of a node: score where it leads, or enter it."""
    ply = tree.ply
    frame = frames[ply]
    states[ply + 1] = states[ply]
    state = states[ply + 1]
    apply(board, rules, state, frame.actions[frame.next])
    if states[ply].seat == MR_X:
        assume_seen(state)
    frame.next += 1
    tree.nodes += 1
    left = plies_left(tree, frame.left, states[ply].seat, state.owed)
    if state.winner != PLAYING:
        frames[ply + 1].length = 0
        back_up(states[ply], frames, ply, score_position(board, state, tree))
    elif left == 0 or (tree.is_late and state.owed == 0):
        tree.is_cut = 1
        frames[ply + 1].length = 0
        back_up(states[ply], frames, ply, score_position(board, state, tree))
    else:
        tree.ply = ply + 1
        list_moves(board, rules, state, frames[ply + 1], tree)
        enter(frames[ply + 1], left, frame.alpha, frame.beta, state.seat == MR_X)


@kernel
def plies_left(tree, left, seat, owed):
    """Return the plies left after an action: a double move counts as one, and detectives who stay as none."""
    if owed > 0 or (seat != MR_X and not tree.answers):
        return left
    return left - 1


@kernel
def back_up(state, frames, ply, value):
    """Back up the value of the move of a node that was searched last, and the line if it is the best so far."""
    frame = frames[ply]
    if value > frame.best if state.seat == MR_X else value < frame.best:
        keep_line(frame, frames[ply + 1])
    if ply == 0:
        frame.values[frame.next - 1] = value
    narrow_bounds(frame, ply == 0, state.seat == MR_X, value)


@kernel
def narrow_bounds(node, is_root, is_mr_x, value):
    """Take the value of a child into the best value of a node and into its alpha or beta."""
    if is_root:
        node.alpha = max(node.alpha, min(node.best, value))  # the runner-up's, so that both are exact
        node.best = max(node.best, value)
    elif is_mr_x:
        node.best = max(node.best, value)
        node.alpha = max(node.alpha, value)
    else:
        node.best = min(node.best, value)
        node.beta = min(node.beta, value)


@kernel
def keep_line(frame, below):
    """Let the line of a node be its last move and the line below that."""
    frame.line[0] = frame.actions[frame.next - 1]
    for index in range(below.length):
        frame.line[index + 1] = below.line[index]
    frame.length = below.length + 1
