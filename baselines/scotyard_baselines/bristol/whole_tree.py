"""The game tree built whole before it is searched, as the first versions of bristol_mr_x did.

A node holds the state after its move, as the report's DataNode holds its PlayerData. The children of a node lie side by
side, so that the tree is two arrays.
"""

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.bristol.moves import FRAME, MOST_ACTIONS, list_moves
from scotyard_baselines.bristol.scoring import score_position
from scotyard_baselines.bristol.search import SearchResult, Settings
from scotyard_baselines.bristol.tree import assume_seen, narrow_bounds, plies_left
from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import apply
from scotyard_env.state import DOUBLE, MR_X, PLAYING, new_states
from scotyard_env.view import View

MOST_DEPTH = 4  # deeper trees do not fit into memory
ROOM = 8 * MOST_ACTIONS  # nodes to begin with

NODE = record_type(
    [
        ("alpha", "f8"),  # Mr. X is sure of this much elsewhere; at the root, of the runner-up's value
        ("beta", "f8"),  # the detectives are sure of holding him to this elsewhere
        ("best", "f8"),  # value of the best child so far, for whoever is to move; of a leaf, its score
        ("left", "i4"),  # plies yet to look ahead from here
        ("parent", "i4"),
        ("first", "i4"),  # of its children
        ("count", "i4"),  # how many they are; a leaf has none
        ("next", "i4"),  # how many of them were searched
        ("chosen", "i4"),  # the best of them so far
        ("action", "i2"),  # that led here
    ]
)


def search_whole(view: View, settings: Settings, depth: int) -> SearchResult:
    """Build the tree below a view of Mr. X, search it, and return what came out."""
    trees, packed = settings.tree(), (view.board.packed, view.rules.packed(view.board))
    trees[0].doubles = view.tickets[MR_X][DOUBLE]
    states, nodes = grow_tree(view, packed, trees, depth)
    choose(view.board.packed, states, nodes, trees)
    children = nodes[nodes[0]["first"] :][: nodes[0]["count"]]
    moves = zip(children["action"].tolist(), children["best"].tolist(), strict=True)
    line, node = [], nodes[0]
    while node["count"]:
        node = nodes[node["chosen"]]
        line.append(int(node["action"]))
    return SearchResult(tuple(sorted(moves, key=lambda move: -move[1])), depth, int(trees[0].nodes), tuple(line))


def grow_tree(
    view: View, packed: tuple[NDArray[np.void], NDArray[np.void]], trees: NDArray[np.void], depth: int
) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Return the states and the nodes of the whole tree, the root first."""
    states, nodes = new_states(ROOM), np.zeros(ROOM, NODE)
    states[0], nodes[0]["left"] = view.state, depth
    assume_seen(states[0])
    done, frames = np.array([0, 1]), np.empty(1, FRAME)
    while not build(*packed, states, nodes, frames, trees, done):
        states = np.concatenate([states, new_states(len(states))])
        nodes = np.concatenate([nodes, np.zeros(len(nodes), NODE)])
    trees[0].nodes = done[1] - 1
    return states[: done[1]], nodes[: done[1]]


@kernel
def build(boards, rules, states, nodes, frames, trees, done):
    """Give nodes their children; ``done`` counts nodes that have them, and nodes. Tell if it is all; else make room."""
    while done[0] < done[1]:
        if done[1] + MOST_ACTIONS > len(nodes):
            return False
        place = done[0]
        done[0] += 1
        if states[place].winner == PLAYING and nodes[place].left > 0:
            trees[0].ply = place  # not 0 below the root
            list_moves(boards[0], rules[0], states[place], frames[0], trees[0])
            nodes[place].first = done[1]
            nodes[place].count = frames[0].count
            for index in range(frames[0].count):
                add_child(boards[0], rules[0], states, nodes, trees[0], place, done[1], frames[0].actions[index])
                done[1] += 1
    return True


@kernel
def add_child(board, rules, states, nodes, tree, parent, child, action):
    """Make a node of where an action leads."""
    states[child] = states[parent]
    apply(board, rules, states[child], action)
    if states[parent].seat == MR_X:
        assume_seen(states[child])
    nodes[child].parent = parent
    nodes[child].action = action
    nodes[child].left = plies_left(tree, nodes[parent].left, states[parent].seat, states[child].owed)


@kernel
def choose(boards, states, nodes, trees):
    """Work back from the leaves to the root, with or without alpha-beta."""
    at = 0
    open_node(nodes[0], states[0], -np.inf, np.inf)
    while True:
        node = nodes[at]
        if node.next < node.count and (node.alpha < node.beta or not trees[0].alpha_beta):
            child = node.first + node.next
            node.next += 1
            if nodes[child].count == 0:
                nodes[child].best = score_position(boards[0], states[child], trees[0])
                back_up(states[at], nodes, at, child)
            else:
                open_node(nodes[child], states[child], node.alpha, node.beta)
                at = child
        elif at == 0:
            return
        else:
            back_up(states[node.parent], nodes, node.parent, at)
            at = node.parent


@kernel
def open_node(node, state, alpha, beta):
    """Begin to search the children of a node."""
    node.alpha = alpha
    node.beta = beta
    node.best = -np.inf if state.seat == MR_X else np.inf
    node.next = 0


@kernel
def back_up(state, nodes, at, child):
    """Back up the value of a child."""
    node, value = nodes[at], nodes[child].best
    if value > node.best if state.seat == MR_X else value < node.best:
        node.chosen = child
    narrow_bounds(node, at == 0, state.seat == MR_X, value)
