"""The moves that bristol_mr_x searches: which of the legal ones, and in which order."""

import numpy as np

from scotyard_baselines.bristol.scoring import NEVER, PRICED, score_move
from scotyard_env.encode.features import where_to
from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import destination, double_action, fare_of, legal_actions, pass_action
from scotyard_env.state import BLACK, FARES, MAX_LOG, MAX_SEATS, MAX_STATIONS, MR_X

MOST_ACTIONS = FARES * MAX_STATIONS + 2
MOST_PLIES = MAX_LOG * (MAX_SEATS + 1)  # more actions than a game has, announcements of double moves included

FRAME = record_type(  # a node on the way from the root to where the search is; its state lies beside it
    [
        ("alpha", "f8"),  # Mr. X is sure of this much elsewhere; at the root, of the runner-up's value
        ("beta", "f8"),  # the detectives are sure of holding him to this elsewhere
        ("best", "f8"),  # value of the best move so far, for whoever is to move
        ("left", "i4"),  # plies yet to look ahead from here
        ("count", "i4"),  # moves to search, best first
        ("next", "i4"),  # the one to search next
        ("length", "i4"),  # of the line
        ("line", "i2", (MOST_PLIES + 1,)),  # the actions from here on if both sides choose the best found so far
        ("actions", "i2", (MOST_ACTIONS,)),
        ("values", "f8", (MOST_ACTIONS,)),  # what they were ordered by; at the root, what the search found
    ]
)


@kernel
def list_moves(board, rules, state, frame, tree):
    """List the moves to search for the seat to move, best first."""
    if state.seat != MR_X and not tree.answers:
        frame.actions[0] = pass_action(board)  # which no rule allows: the detectives are thought to stay where they are
        frame.count = 1
        return
    legal = legal_actions(board, rules, state, frame.actions)
    if state.seat == MR_X:
        frame.count = list_mr_x_moves(board, state, frame, tree, legal)
    else:
        frame.count = list_detective_moves(board, state, frame, tree, legal)


@kernel
def list_mr_x_moves(board, state, frame, tree, legal):
    """List his moves; if he is to be safe, those that score 0 or above, or the best one; return how many.

    All first halves of a double move stay, since nobody answers them. Double moves come last.
    """
    may_double = frame.actions[legal - 1] == double_action(board)
    count = previous = 0
    for index in range(legal - 1 if may_double else legal):
        action = frame.actions[index]
        # black comes after the other ways there
        if tree.black_everywhere or fare_of(action) != BLACK or destination(action) != previous:
            insert(frame, count, action, score_move(board, state, tree, action))
            count += 1
        previous = destination(action)
    if tree.safe and state.owed != 2:
        count = drop_below(frame, count, 0.0)
    if may_double and wants_double(tree, frame.values[0]):
        frame.actions[count] = double_action(board)
        frame.values[count] = -np.inf
        count += 1
    return count


@kernel
def wants_double(tree, best):
    """Return whether a double move is searched where the best single move has this score."""
    if tree.doubling == NEVER:
        return False
    return best < 0.0 or (tree.doubling == PRICED and tree.ply == 0)


@kernel
def list_detective_moves(board, state, frame, tree, legal):
    """List the moves of a detective, those that end nearest to Mr. X first; return how many.

    If it is to come closer: the one that catches him, else those that do not lead away from him, else the best.
    """
    target = state.station[MR_X]
    for index in range(legal):
        action = frame.actions[index]
        insert(frame, index, action, -float(board.distance[where_to(board, state, action), target]))
    if not tree.closer:
        return legal
    here = -float(board.distance[state.station[state.seat], target])
    return drop_below(frame, legal, 0.0 if frame.values[0] == 0.0 else here)


@kernel
def insert(frame, count, action, value):
    """Put a move among the first ``count``, which are in order of their values; after equals."""
    place = count
    while place > 0 and frame.values[place - 1] < value:
        frame.actions[place] = frame.actions[place - 1]
        frame.values[place] = frame.values[place - 1]
        place -= 1
    frame.actions[place] = action
    frame.values[place] = value


@kernel
def drop_below(frame, count, least):
    """Drop the moves worth less than this, but never the best one; return how many are left."""
    while count > 1 and frame.values[count - 1] < least:
        count -= 1
    return count
