"""The game tree of bristol_mr_x: how it scores a position, which moves it searches, and alpha-beta over them.

Mr. X maximises; each detective in turn minimises, knowing where he is. The search keeps the nodes from the root to
where it is in two arrays, an explicit stack, so that it can be left after any node and gone on with.
"""

import numpy as np

from scotyard_env.encode.features import where_to
from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import apply, can_move, can_move_on, destination, double_action, fare_of, legal_actions
from scotyard_env.state import (
    BLACK,
    DETECTIVES_WIN,
    DOUBLE,
    FARES,
    MAX_LOG,
    MAX_SEATS,
    MAX_STATIONS,
    MR_X,
    MR_X_WINS,
    PLAYING,
    TRANSPORTS,
    add,
    clear,
)

ROUTE_VALUES = (1.0, 3.0, 8.0, 40.0)  # by taxi, bus, underground, ferry
CAUGHT = -20_000.0  # plus the round in which it happens: the later the better
TRAPPED = -9998.0
THREATENED = -5000.0  # plus the score that it would be otherwise
ESCAPED = 20_000.0

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
        ("actions", "i2", (MOST_ACTIONS,)),
        ("values", "f8", (MOST_ACTIONS,)),  # what they were ordered by; at the root, what the search found
    ]
)
TREE = record_type(  # the search itself
    [
        ("distance", "f8"),  # the weights of BristolMrX
        ("routes", "f8"),
        ("double_cost", "f8"),
        ("doubles", "i4"),  # double tickets at the root
        ("ply", "i4"),  # of the node where the search is
        ("is_cut", "i4"),  # a game was judged before its end: there is more to see one ply deeper
        ("nodes", "i8"),  # positions looked at since the root was set up
    ]
)


# ---------------------------------------------------------------------------------------------------------- scoring


@kernel
def route_value(board, state, station):
    """Return the value of the routes out of a station that Mr. X has a ticket for."""
    value = 0.0
    for transport in range(len(TRANSPORTS)):
        if state.tickets[MR_X, transport] != 0 or state.tickets[MR_X, BLACK] != 0:
            value += ROUTE_VALUES[transport] * board.links[station, transport]
    return value


@kernel
def score(board, state, tree, station, first):
    """Return the score of a station for Mr. X; the detectives from seat ``first`` on have yet to move in this round."""
    total = 0.0
    is_threatened = False
    for seat in range(1, state.seats):
        distance = board.distance[state.station[seat], station]
        total += distance
        if distance <= 1 and seat >= first:
            is_threatened = True
    value = tree.distance * total / (state.seats - 1) + tree.routes * route_value(board, state, station)
    return THREATENED + value if is_threatened else value


@kernel
def score_move(board, state, tree, action):
    """Return the score of the position after a move of Mr. X: all detectives are yet to answer."""
    to = destination(action)
    if not can_move_on(board, state, to, fare_of(action)):
        return TRAPPED
    return score(board, state, tree, to, 1)


@kernel
def score_position(board, state, tree):
    """Return the score where the search ends, less the cost of the double tickets spent since the root."""
    if state.winner == DETECTIVES_WIN:
        return CAUGHT + state.rounds
    elif state.winner == MR_X_WINS:
        return ESCAPED
    elif not can_move(board, state, MR_X, state.station[MR_X]):
        return TRAPPED
    first = state.seats if state.seat == MR_X else state.seat
    spent = tree.doubles - state.tickets[MR_X, DOUBLE]
    return score(board, state, tree, state.station[MR_X], first) - tree.double_cost * spent


# ---------------------------------------------------------------------------------------------------- moves to search


@kernel
def list_moves(board, rules, state, frame, tree):
    """List the moves to search for the seat to move, best first."""
    legal = legal_actions(board, rules, state, frame.actions)
    if state.seat == MR_X:
        frame.count = list_mr_x_moves(board, state, frame, tree, legal)
    else:
        frame.count = list_detective_moves(board, state, frame, legal)


@kernel
def list_mr_x_moves(board, state, frame, tree, legal):
    """Keep the moves that score 0 or above, or the best one; return how many.

    All first halves of a double move stay, since nobody answers them. Double moves come last.
    """
    may_double = frame.actions[legal - 1] == double_action(board)
    count = previous = 0
    for index in range(legal - 1 if may_double else legal):
        action = frame.actions[index]
        if fare_of(action) != BLACK or destination(action) != previous:  # black comes after the other ways there
            insert(frame, count, action, score_move(board, state, tree, action))
            count += 1
        previous = destination(action)
    if state.owed != 2:
        count = drop_below(frame, count, 0.0)
    if may_double and (tree.ply == 0 or frame.values[0] < 0.0):
        frame.actions[count] = double_action(board)
        count += 1
    return count


@kernel
def list_detective_moves(board, state, frame, legal):
    """Keep the move that catches Mr. X, else those that do not lead away from him, else the best; return how many."""
    target = state.station[MR_X]
    for index in range(legal):
        action = frame.actions[index]
        insert(frame, index, action, -float(board.distance[where_to(board, state, action), target]))
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


# ------------------------------------------------------------------------------------------------------- alpha-beta


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
    trees[0].ply = trees[0].is_cut = 0


@kernel
def enter(frame, left, alpha, beta, is_mr_x):
    """Begin to search the moves of a node."""
    frame.left = left
    frame.alpha = alpha
    frame.beta = beta
    frame.best = -np.inf if is_mr_x else np.inf
    frame.next = 0


@kernel
def search(boards, rules, states, frames, trees, nodes):
    """Go on with the search where it was left, for so many nodes at most; tell whether it is done."""
    board, rule, tree = boards[0], rules[0], trees[0]
    last = tree.nodes + nodes
    while tree.nodes < last:
        frame = frames[tree.ply]
        if frame.next < frame.count and frame.alpha < frame.beta:
            play_next(board, rule, states, frames, tree)
        elif tree.ply > 0:
            tree.ply -= 1
            back_up(states[tree.ply], frames[tree.ply], tree.ply, frame.best)
        else:
            return True
    return False


@kernel
def play_next(board, rules, states, frames, tree):
    """Play the next move of a node: score where it leads, or enter it. A double move counts as one ply."""
    ply = tree.ply
    frame = frames[ply]
    states[ply + 1] = states[ply]
    state = states[ply + 1]
    apply(board, rules, state, frame.actions[frame.next])
    if states[ply].seat == MR_X:
        assume_seen(state)
    frame.next += 1
    tree.nodes += 1
    left = frame.left if state.owed > 0 else frame.left - 1
    if state.winner != PLAYING:
        back_up(states[ply], frame, ply, score_position(board, state, tree))
    elif left == 0:
        tree.is_cut = 1
        back_up(states[ply], frame, ply, score_position(board, state, tree))
    else:
        tree.ply = ply + 1
        list_moves(board, rules, state, frames[ply + 1], tree)
        enter(frames[ply + 1], left, frame.alpha, frame.beta, state.seat == MR_X)


@kernel
def back_up(state, frame, ply, value):
    """Back up the value of the move of a node that was searched last."""
    if ply == 0:
        frame.values[frame.next - 1] = value
        frame.alpha = max(frame.alpha, min(frame.best, value))  # the runner-up's, so that both are exact
        frame.best = max(frame.best, value)
    elif state.seat == MR_X:
        frame.best = max(frame.best, value)
        frame.alpha = max(frame.alpha, value)
    else:
        frame.best = min(frame.best, value)
        frame.beta = min(frame.beta, value)
