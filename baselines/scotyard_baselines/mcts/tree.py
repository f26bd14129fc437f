"""The tree of a search as arrays: its nodes, the parameters of the search, and its scratch memory."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.location_categories import CATEGORIES
from scotyard_baselines.mcts.playouts import MOST_ACTIONS, PLAYOUT_PARAMETERS, PLAYOUT_SCRATCH
from scotyard_env.kernel import kernel, record_type
from scotyard_env.state import FARES, MAX_SEATS, MAX_STATIONS, WORDS, new_states

NO_NODE = 0  # as a child or sibling: there is none, since the root is neither
_ACTIONS = FARES * MAX_STATIONS + 2

NODE = record_type(
    [
        ("visits", "i4"),
        ("action", "i4"),  # which led here
        ("reward", "f8"),  # sum of the rewards of the seat that played it
        ("child", "i4"),  # the youngest, NO_NODE = none
        ("sibling", "i4"),  # the next older one, NO_NODE = none
    ]
)

PARAMETERS = record_type(
    [
        ("exploration", "f8", (2,)),  # C of Mr. X and of the detectives
        ("history", "f8"),  # W of progressive history; 0 = none
        ("reduction", "f8"),  # r of coalition reduction
        ("weights", "f8", (CATEGORIES,)),  # of the location categories
        ("is_possible_ignored", "u1"),  # Mr. X may be anywhere until he is seen
        ("stops_early", "u1"),  # once no simulation that is left can change which action has the most visits
    ]
)

SCRATCH = record_type(
    [
        ("rng_state", "u8", (1,)),  # see scotyard_env/rng.py
        ("nodes", "i8"),  # in use
        ("searcher", "i8"),  # the seat at the root
        ("possible", "u8", (WORDS,)),  # where the search takes it that Mr. X may be
        ("stations", "i2", (MAX_STATIONS,)),  # the same as a list
        ("cumulative", "f8", (MAX_STATIONS,)),  # running sums of their weights
        ("station_count", "i8"),  # how many they are
        ("legal", "i4", (_ACTIONS,)),
        ("stamp", "i8"),  # number of the node being selected from
        ("unexpanded", "i8", (_ACTIONS,)),  # stamp = legal here and not in the tree yet
        ("path", "i4", (MOST_ACTIONS,)),  # nodes from the root on
        ("movers", "i1", (MOST_ACTIONS,)),  # who moved to each node of the path
        ("length", "i8"),  # of the path
        ("history_rewards", "f8", (MAX_SEATS, _ACTIONS)),  # progressive history: rewards of an action by seat
        ("history_visits", "f8", (MAX_SEATS, _ACTIONS)),  # and how often it was played
    ]
)


class Tree(NamedTuple):
    """A tree, and all that the search in it reads and writes."""

    nodes: NDArray[np.void]  # NODE; the first is the root
    parameters: NDArray[np.void]  # one PARAMETERS
    scratch: NDArray[np.void]  # one SCRATCH
    playout_parameters: NDArray[np.void]  # one PLAYOUT_PARAMETERS
    playout_scratch: NDArray[np.void]  # one PLAYOUT_SCRATCH
    states: NDArray[np.void]  # one STATE: the game being played


def new_tree(size: int) -> Tree:
    """Return room for a tree of so many nodes."""
    return Tree(
        nodes=np.empty(size, NODE),
        parameters=np.zeros(1, PARAMETERS),
        scratch=np.zeros(1, SCRATCH),
        playout_parameters=np.zeros(1, PLAYOUT_PARAMETERS),
        playout_scratch=np.zeros(1, PLAYOUT_SCRATCH),
        states=new_states(1),
    )


@kernel
def write_node(nodes, index, action):
    """Write a node that nobody has visited."""
    node = nodes[index]
    node.visits = 0
    node.action = action
    node.reward = 0.0
    node.child = node.sibling = NO_NODE


@kernel
def most_visited_child(nodes):
    """Return the child of the root with the most visits; the youngest if there are several."""
    best, index = nodes[0].child, nodes[0].child
    while index != NO_NODE:
        if nodes[index].visits > nodes[best].visits:
            best = index
        index = nodes[index].sibling
    return best


@kernel
def is_settled(nodes, left):
    """Tell whether so many more simulations cannot change which child of the root has the most visits."""
    best = most_visited_child(nodes)
    index = nodes[0].child
    while index != NO_NODE:
        if index != best and nodes[index].visits + left >= nodes[best].visits:
            return False
        index = nodes[index].sibling
    return best != NO_NODE and left < nodes[best].visits  # actions that nobody has tried have no visits
