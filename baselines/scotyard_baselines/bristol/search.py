"""A search of bristol_mr_x as Python sees it: set up, gone on with, and what it came to."""

from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.bristol.moves import FRAME, MOST_PLIES
from scotyard_baselines.bristol.scoring import THREATENED, TRAPPED, TREE
from scotyard_baselines.bristol.tree import assume_seen, begin_depth, search, set_up
from scotyard_env.rules import apply, double_action
from scotyard_env.state import DOUBLE, MR_X, PLAYING, State, new_states
from scotyard_env.view import View

NODES_PER_LOOK = 256  # nodes searched between two looks at the clock


class Settings(NamedTuple):
    """What a search goes by: fields of TREE by name."""

    distance: float
    routes: float
    double_cost: float
    answers: bool
    alpha_beta: bool
    closer: bool
    safe: bool
    doubling: int
    black_everywhere: bool
    any_threat: bool

    def tree(self) -> NDArray[np.void]:
        """Return the record of a search that goes by them, as an array of one."""
        trees = np.zeros(1, TREE)
        for name, value in self._asdict().items():
            trees[0][name] = value
        return trees


class SearchResult(NamedTuple):
    """What a search came to."""

    moves: tuple[tuple[int, float], ...]  # of the root, best first; all but the two best values are upper bounds
    depth: int  # plies looked ahead: the last depth that was completed; straight to the end, those of the line
    nodes: int  # positions looked at, those of a depth left unfinished included
    line: tuple[int, ...]  # the actions of all seats from the root on, if both sides play their best


class Search:
    """The game tree below a view of Mr. X, built one node at a time."""

    def __init__(self, view: View, settings: Settings) -> None:
        self.states = new_states(MOST_PLIES + 1)  # from the root to where the search is
        self.states[0] = view.state
        self.frames = np.empty(MOST_PLIES + 1, FRAME)  # large, but only what is written is ever touched
        self.trees = settings.tree()
        self.depth = 0
        self._packed = view.board.packed, view.rules.packed(view.board)
        set_up(*self._packed, self.states, self.frames, self.trees)

    def begin(self, depth: int) -> None:
        """Go back to the root, to search this many plies deep."""
        self.depth = depth
        begin_depth(self.frames, self.trees, depth)

    def go_on(self, nodes: int) -> bool:
        """Search so many nodes more; tell whether the depth is completed."""
        return bool(search(*self._packed, self.states, self.frames, self.trees, nodes))

    def finish(self, deadline: float = np.inf) -> bool:
        """Search until the depth is completed or the time is up; tell whether it is completed."""
        while deadline == np.inf or perf_counter() < deadline:
            if self.go_on(NODES_PER_LOOK):
                return True
        return False

    def hurry(self) -> None:
        """Search to the end at once: every node that is yet to come is scored as it is."""
        self.trees[0].is_late = 1
        self.finish()

    def result(self) -> SearchResult:
        """Return what came out of the depth that was just completed."""
        root = self.frames[0]
        found = zip(root.actions[: root.count].tolist(), root.values[: root.count].tolist(), strict=True)
        moves = tuple(sorted(found, key=lambda move: -move[1]))
        return SearchResult(moves, self.depth, self.nodes, tuple(root.line[: root.length].tolist()))

    @property
    def has_more(self) -> bool:
        """Whether there is more to see one ply deeper: not if every game was played to its end."""
        return bool(self.trees[0].is_cut)

    @property
    def nodes(self) -> int:
        """How many positions were looked at."""
        return int(self.trees[0].nodes)


def deepen(tree: Search, depth: int, deadline: float = np.inf) -> SearchResult:
    """Search one depth after the other; the first, which takes next to no time, is always completed."""
    tree.begin(1)
    tree.finish()
    result = tree.result()
    while tree.has_more and len(result.moves) > 1 and result.depth < depth:
        tree.begin(result.depth + 1)
        if not tree.finish(deadline):
            break
        result = tree.result()
    return result._replace(nodes=tree.nodes)


def go_straight(tree: Search, depth: int | None, deadline: float = np.inf) -> SearchResult:
    """Search this depth without others before it; without one to the end, and score the nodes as they are in time."""
    tree.begin(depth or MOST_PLIES)
    if not tree.finish(deadline):
        tree.hurry()
    result = tree.result()
    return result if depth else result._replace(depth=len(result.line))


def first_round(view: View, line: tuple[int, ...]) -> tuple[int, ...]:
    """Return one action of every seat, his own first, as a line has them; of a double move only what he does now."""
    is_double = view.state.owed > 0 or line[0] == double_action(view.board.arrays)
    return line[: 1 if is_double else len(view.stations)]


def explain(view: View, line: tuple[int, ...], value: float, settings: Settings) -> tuple[tuple[str, float], ...]:
    """Return what the value of a line is made of, where it ends: named terms that add up to it."""
    state = follow(view, line)
    if state.winner != PLAYING or value == TRAPPED:
        return (("end", value),)
    here, seats = state.station[MR_X], state.seats
    distance = settings.distance * float(np.mean(view.board.arrays.distance[state.station[1:seats], here]))
    doubles = -settings.double_cost * (view.tickets[MR_X][DOUBLE] - int(state.tickets[MR_X, DOUBLE]))
    terms = {"routes": value - doubles - distance, "distance": distance}
    if terms["routes"] < THREATENED / 2:
        terms = {**terms, "routes": terms["routes"] - THREATENED, "threat": THREATENED}
    return tuple({**terms, **({"doubles": doubles} if doubles else {})}.items())


def follow(view: View, line: tuple[int, ...]) -> State:
    """Return the state at the end of a line."""
    state = view.state.copy()
    assume_seen(state)
    for action in line:
        is_mr_x = state.seat == MR_X
        apply(view.board.arrays, view.rules.packed(view.board)[0], state, action)
        if is_mr_x:
            assume_seen(state)
    return state
