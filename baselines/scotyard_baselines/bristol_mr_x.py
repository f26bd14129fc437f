"""bristol_mr_x: the Mr. X of the report "Scotland Yard Model": a game tree searched by alpha-beta while time allows.

A position is scored by the routes out of his station (ferry 40, underground 8, bus 3, taxi 1) and the average distance
of the detectives, which weighs more; a station that he cannot leave scores -9998, and a detective one away counts as
very bad. To look deeper, only moves of detectives that keep or shorten their distance to him are searched, and only
those of his own that score 0 or above; where there is none such, the best one. The tree (bristol/tree.py) is built one
node at a time inside alpha-beta, depth after depth, the best move of the last depth first, until the time is up.

What the report leaves open was settled by games against bristol_detectives:

- A detective one away is a threat as long as it has yet to move in this round.
- DOUBLE is searched in his first move, at a cost, and further down where every single move scores below 0. A double
  move is one ply.
- A black ticket is searched where no other of his goes, hence on ferries: detectives who know where he is cannot tell
  the difference.
- A move of average distance is worth five taxi routes.
"""

from dataclasses import dataclass
from time import perf_counter, sleep
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from scotyard_baselines.bristol.tree import FRAME, MOST_PLIES, TREE, begin_depth, search, set_up
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Finite, Range, Seconds, check_ranges
from scotyard_env.state import new_states
from scotyard_env.view import View

NODES_PER_LOOK = 256  # nodes searched between two looks at the clock


class SearchResult(NamedTuple):
    """What a search came to."""

    moves: tuple[tuple[int, float], ...]  # of the root, best first; all but the two best values are upper bounds
    depth: int  # plies looked ahead: the last depth that was completed
    nodes: int  # positions looked at, those of a depth left unfinished included


@dataclass(frozen=True)
class BristolMrX:
    """Look as many single moves ahead as the time allows, against detectives who know where he is.

    Timed play is not reproducible: a faster machine looks deeper. With ``depth`` set, it is.
    """

    sides: ClassVar[tuple[Side, ...]] = ("mr_x",)
    seconds: Seconds = 0.05  # to think about a move
    depth: Annotated[int, Range(1, MOST_PLIES)] | None = None  # plies to look ahead, instead of by the clock
    distance: Finite = 5.0  # what a move of average distance from the detectives is worth, in taxi routes
    routes: Finite = 1.0  # what a taxi route is worth
    double_cost: Finite = 500.0  # what a double ticket is worth: less than getting out of a threat

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def is_timed(self) -> bool:
        """It thinks by the clock, so that the same seed need not give the same game."""
        return self.depth is None

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action."""
        moves = self.think(view).moves
        action, value = moves[0]
        return Decision(action, value, candidates=moves)

    def think(self, view: View) -> SearchResult:
        """Search one depth after the other; the first, which takes next to no time, is always completed.

        By the clock the answer always takes all the time: an early one would tell that he has little to choose from.
        """
        deadline = perf_counter() + self.seconds if self.depth is None else np.inf
        tree = Search(view, self)
        tree.begin(1)
        tree.finish()
        result = tree.result()
        while tree.has_more and len(result.moves) > 1 and result.depth < (self.depth or MOST_PLIES):
            tree.begin(result.depth + 1)
            if not tree.finish(deadline):
                break
            result = tree.result()
        else:
            if self.is_timed:
                sleep(max(0.0, deadline - perf_counter()))
        return result._replace(nodes=tree.nodes)


class Search:
    """The game tree below a view of Mr. X."""

    def __init__(self, view: View, weights: BristolMrX) -> None:
        self.states = new_states(MOST_PLIES + 1)  # from the root to where the search is
        self.states[0] = view.state
        self.frames = np.empty(MOST_PLIES + 1, FRAME)  # 3 MB, but only what is written is ever touched
        self.trees = np.zeros(1, TREE)
        self.trees[0].distance = weights.distance
        self.trees[0].routes = weights.routes
        self.trees[0].double_cost = weights.double_cost
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

    def result(self) -> SearchResult:
        """Return what came out of the depth that was just completed."""
        root = self.frames[0]
        found = zip(root.actions[: root.count].tolist(), root.values[: root.count].tolist(), strict=True)
        return SearchResult(tuple(sorted(found, key=lambda move: -move[1])), self.depth, self.nodes)

    @property
    def has_more(self) -> bool:
        """Whether there is more to see one ply deeper: not if every game was played to its end."""
        return bool(self.trees[0].is_cut)

    @property
    def nodes(self) -> int:
        """How many positions were looked at."""
        return int(self.trees[0].nodes)
