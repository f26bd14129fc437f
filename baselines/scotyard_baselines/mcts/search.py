"""Monte-Carlo tree search on states with a hole: one tree of arrays, grown by compiled loops.

Every iteration places Mr. X on a possible station, unless he is the one who searches, walks down the one tree they
all share by UCT, adds one node, plays the game out and tells the nodes on its way who has won. Where Mr. X is to move
inside the tree, only those children count that are legal from where he has been placed. Nothing is allocated in here.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.location_categories import CATEGORIES, spin_roulette, weigh_stations
from scotyard_baselines.mcts.mr_x_playout import is_black_useless
from scotyard_baselines.mcts.playouts import MOST_ACTIONS, SHEET, STYLE, note, play_out
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_below
from scotyard_env.rules import apply, double_action, fare_of, is_taken, legal_actions
from scotyard_env.state import (
    BLACK,
    DETECTIVES_WIN,
    FARES,
    MAX_SEATS,
    MAX_STATIONS,
    MR_X,
    MR_X_WINS,
    PLAYING,
    WORDS,
    add,
    new_states,
)

NO_NODE = 0  # as a child or sibling: there is none, since the root is neither
_ACTIONS = FARES * MAX_STATIONS + 2

NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("visits", "i4"),
                ("action", "i4"),  # which led here
                ("worth", "f8"),  # sum of the rewards of the seat that played it
                ("child", "i4"),  # the youngest, NO_NODE = none
                ("sibling", "i4"),  # the next older one, NO_NODE = none
            ],
            align=True,
        ),
    )
)

SEARCH = np.dtype(  # the parameters of a search, and what it needs besides the nodes
    (
        np.record,
        np.dtype(
            [
                ("exploration", "f8", (2,)),  # C of Mr. X and of the detectives
                ("history", "f8"),  # W of progressive history; 0 = none
                ("reduction", "f8"),  # r of coalition reduction
                ("weights", "f8", (CATEGORIES,)),
                ("chances", "u8", (1,)),  # see chance.py
                ("nodes", "i8"),  # in use
                ("searcher", "i8"),  # the seat at the root
                ("is_blind", "u1"),  # nobody keeps track of where Mr. X may be
                ("possible", "u8", (WORDS,)),  # where the search takes it that he may be
                ("stations", "i2", (MAX_STATIONS,)),  # where Mr. X may be
                ("heights", "f8", (MAX_STATIONS,)),  # running sums of their weights
                ("suspects", "i8"),  # how many they are
                ("legal", "i4", (_ACTIONS,)),
                ("stamp", "i8"),
                ("marks", "i8", (_ACTIONS,)),  # stamp = legal here and not in the tree yet
                ("path", "i4", (MOST_ACTIONS,)),  # nodes from the root on
                ("seats", "i1", (MOST_ACTIONS,)),  # who moved to each node of the path
                ("length", "i8"),
                ("scores", "f8", (MAX_SEATS, _ACTIONS)),  # progressive history: rewards of an action by seat
                ("times", "f8", (MAX_SEATS, _ACTIONS)),  # and how often it was played
            ],
            align=True,
        ),
    )
)


class Tree(NamedTuple):
    """A tree and the scratch paper of the search that grows it."""

    nodes: NDArray[np.void]  # NODE; the first is the root
    searches: NDArray[np.void]  # one SEARCH
    styles: NDArray[np.void]  # one STYLE
    sheets: NDArray[np.void]  # one SHEET
    states: NDArray[np.void]  # one STATE: the game being played


def new_tree(size: int) -> Tree:
    """Make room for a tree with so many nodes."""
    return Tree(np.empty(size, NODE), np.zeros(1, SEARCH), np.zeros(1, STYLE), np.zeros(1, SHEET), new_states(1))


@kernel
def search_rows(boards, rules, roots, seeds, iterations, tree, actions):
    """Search from each of some views in turn; write the action with the most visits."""
    for index in range(len(roots)):
        legal = legal_actions(boards[0], rules[0], roots[index], tree.searches[0].legal)
        actions[index] = tree.searches[0].legal[0]
        if legal > 1:
            plant(boards, roots, index, seeds[index], tree)
            grow(boards, rules, roots, index, iterations, tree)
            actions[index] = tree.nodes[busiest_child(tree.nodes)].action


@kernel
def plant(boards, roots, index, seed, tree):
    """Begin a tree for a view: an empty root, and the stations where Mr. X may be."""
    search, root = tree.searches[0], roots[index]
    plant_node(tree.nodes, 0, -1)
    search.nodes = 1
    search.chances[0] = seed
    search.searcher = root.seat
    tree.styles[0].kind = tree.styles[0].kinds[0 if root.seat == MR_X else 1]
    if search.history > 0.0:
        search.scores[:] = 0.0
        search.times[:] = 0.0
    for word in range(WORDS):
        search.possible[word] = root.possible[word]
    if search.is_blind and (root.entries == 0 or root.seen_entry < root.entries):
        suspect_everything(boards[0], root, search.possible)
    search.suspects = weigh_stations(boards[0], root, search.possible, search.weights, search.stations, search.heights)


@kernel
def suspect_everything(board, state, possible):
    """Take it that Mr. X may be wherever no detective stands."""
    for station in range(1, board.stations + 1):
        if not is_taken(state, station):
            add(possible, station)


@kernel
def plant_node(nodes, index, action):
    """Write a node that nobody has visited."""
    node = nodes[index]
    node.visits = 0
    node.action = action
    node.worth = 0.0
    node.child = node.sibling = NO_NODE


@kernel
def grow(boards, rules, roots, index, iterations, tree):
    """Add so many iterations to a tree."""
    board, rule, search, state = boards[0], rules[0], tree.searches[0], tree.states[0]
    for _ in range(iterations):
        tree.states[0] = roots[index]
        for word in range(WORDS):
            state.possible[word] = search.possible[word]
        if search.searcher != MR_X:
            state.station[MR_X] = spin_roulette(search.stations, search.heights, search.suspects, search.chances)
        tree.sheets[0].noted = 0
        walk_down(board, rule, state, tree.nodes, search, tree.styles[0], tree.sheets[0])
        play_out(board, rule, state, tree.styles[0], tree.sheets[0], search.chances)
        tell(state, tree.nodes, search, tree.sheets[0])


@kernel
def walk_down(board, rules, state, nodes, search, style, sheet):
    """Play from the root to a node that is new, or to the end of the game."""
    search.path[0] = 0
    search.length = 1
    is_new = False
    while state.winner == PLAYING and not is_new:
        node = nodes[search.path[search.length - 1]]
        legal = list_choices(board, rules, state, style, search.legal)
        child = find_best_child(node, nodes, state.seat, legal, search)
        if child == NO_NODE:
            if search.nodes == len(nodes):
                return  # no room: play out from here
            child = add_child(node, nodes, legal, search)
            is_new = True
        search.path[search.length] = child
        search.seats[search.length] = state.seat
        search.length += 1
        if style.is_noted:
            note(state, nodes[child].action, sheet)
        apply(board, rules, state, nodes[child].action)


@kernel
def list_choices(board, rules, state, style, legal):
    """List the legal actions; with the filter, without black tickets that hide nothing, unless nothing else is left."""
    size = legal_actions(board, rules, state, legal)
    if state.seat == MR_X and style.is_filtered and is_black_useless(board, rules, state, True):
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
def find_best_child(node, nodes, seat, legal, search):
    """Find the legal child with the highest bound; NO_NODE if a legal action has no child yet, which is then marked."""
    search.stamp += 1
    for index in range(legal):
        search.marks[search.legal[index]] = search.stamp
    best, best_value, known = NO_NODE, -1.0, 0
    exploration = search.exploration[0 if seat == MR_X else 1]
    log_visits = np.log(node.visits) if node.visits > 0 else 0.0
    index = node.child
    while index != NO_NODE:
        child = nodes[index]
        if search.marks[child.action] == search.stamp:
            search.marks[child.action] = 0
            known += 1
            value = bound_of(child, log_visits, exploration, seat, search)
            if value > best_value:
                best, best_value = index, value
        index = child.sibling
    return best if known == legal else NO_NODE


@kernel
def bound_of(child, log_visits, exploration, seat, search):
    """Give mean + C sqrt(ln n_parent / n), and the progressive history of the action where it is on."""
    mean = child.worth / child.visits
    value = mean + exploration * np.sqrt(log_visits / child.visits)
    if search.history > 0.0 and search.times[seat, child.action] > 0.0:
        past = search.scores[seat, child.action] / search.times[seat, child.action]
        value += past * search.history / ((1.0 - mean) * child.visits + 1.0)
    return value


@kernel
def add_child(node, nodes, legal, search):
    """Add a child for one of the legal actions that are still marked, any of them."""
    fresh = 0
    for index in range(legal):
        if search.marks[search.legal[index]] == search.stamp:
            search.legal[fresh] = search.legal[index]
            fresh += 1
    child = search.nodes
    search.nodes += 1
    plant_node(nodes, child, search.legal[draw_below(search.chances, fresh)])
    nodes[child].sibling = node.child
    node.child = child
    return child


@kernel
def reward_of(state, seat, search):
    """Give a seat's reward: 1 for winning, 0 for losing.

    Coalition reduction: a detective who searches gets r less where the catch is not its own.
    """
    if seat == MR_X:
        return 1.0 if state.winner == MR_X_WINS else 0.0
    if state.winner != DETECTIVES_WIN:
        return 0.0
    is_own = state.seat == search.searcher  # who catches him is still to move; after a stuck Mr. X it is his turn
    return 1.0 if is_own or search.searcher == MR_X else 1.0 - search.reduction


@kernel
def tell(state, nodes, search, sheet):
    """Tell the nodes on the path, and the history, how the game has ended."""
    nodes[0].visits += 1
    rewards = reward_of(state, MR_X, search), reward_of(state, 1, search)
    for depth in range(1, search.length):
        node = nodes[search.path[depth]]
        node.visits += 1
        node.worth += rewards[0 if search.seats[depth] == MR_X else 1]
    for index in range(sheet.noted):
        seat, action = sheet.seats[index], sheet.notes[index]
        search.times[seat, action] += 1.0
        search.scores[seat, action] += rewards[0 if seat == MR_X else 1]


@kernel
def busiest_child(nodes):
    """Find the child of the root with the most visits; the youngest among equals."""
    best, index = nodes[0].child, nodes[0].child
    while index != NO_NODE:
        if nodes[index].visits > nodes[best].visits:
            best = index
        index = nodes[index].sibling
    return best
