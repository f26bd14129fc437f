"""bristol_mr_x: the Mr. X of the report "Scotland Yard Model": a game tree searched by alpha-beta while time allows.

A position is scored by the routes out of his station (ferry 40, underground 8, bus 3, taxi 1) and the average distance
of the detectives; a station that he cannot leave scores -9998, and a detective one away counts as very bad. The report
says that distance weighs more; a move of average distance is worth five taxi routes here, yet among the moves that he
can choose from it is the routes that differ more. To look deeper, only moves of detectives that keep or shorten their
distance to him are searched, and only those of his own that score 0 or above; where there is none such, the best one.
The tree (bristol/tree.py) is built one node at a time inside alpha-beta, depth after depth, the best move of the last
depth first, until the time is up.

How the report got there, version by version, with what makes each other than the next; ``version`` selects one, and
every switch that is given wins over it:

    1  score the moves that there are, choose the best           depth=1
    2  look three moves of his ahead; the detectives stay        answers=False, whole=False
    3  build the tree with the detectives' moves, minimax it     alpha_beta=False
    4  alpha-beta over the tree built whole                      whole=True
    5  build it one node at a time inside alpha-beta             closer=False
    6  detectives do not go away from him (the report's V10)     safe=False
    7  of his moves only those that score 0 or above             depth=3
    8  to the end of the game; when the time is up a node is     deepening=False
       worth its score as it is (the report's last version)
    9  depth after depth, the last one completed counts (ours)

What the report leaves open was settled by games against bristol_detectives:

- A detective one away is a threat as long as it has yet to move in this round (``threat``).
- DOUBLE is searched in his first move, at a cost, and further down where every single move scores below 0
  (``doubling``). A double move is one ply.
- A black ticket is searched where no other of his goes, hence on ferries (``black``): detectives who know where he is
  cannot tell the difference.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter, sleep
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from scotyard_baselines.bristol.moves import MOST_PLIES
from scotyard_baselines.bristol.scoring import EMERGENCY, NEVER, PRICED
from scotyard_baselines.bristol.search import Search, SearchResult, Settings, deepen, explain, first_round, go_straight
from scotyard_baselines.bristol.versions import fill_in
from scotyard_baselines.bristol.whole_tree import MOST_DEPTH, search_whole
from scotyard_env.explanation import Explains
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Finite, Range, Seconds, check_choices, check_ranges
from scotyard_env.view import View

Doubling = Literal["never", "emergency", "priced"]
Black = Literal["ferries", "everywhere"]
Threat = Literal["to_move", "any"]
UNTIMED_DEPTH = 5  # in place of the clock, where something must come out the same every time
DOUBLING = {"never": NEVER, "emergency": EMERGENCY, "priced": PRICED}


class Version(NamedTuple):
    """The switches of a version."""

    depth: int | None  # plies to look ahead; None: by the clock
    answers: bool = True  # the detectives move too
    whole: bool = False  # the tree is built whole before it is searched
    alpha_beta: bool = True
    closer: bool = True  # only detectives' moves that keep or shorten the distance
    safe: bool = True  # only his moves that score 0 or above
    deepening: bool = True  # depth after depth


VERSIONS = (
    Version(1, answers=False, alpha_beta=False, closer=False, safe=False, deepening=False),
    Version(3, answers=False, alpha_beta=False, closer=False, safe=False, deepening=False),
    Version(3, whole=True, alpha_beta=False, closer=False, safe=False, deepening=False),
    Version(3, whole=True, closer=False, safe=False, deepening=False),
    Version(3, closer=False, safe=False, deepening=False),
    Version(3, safe=False, deepening=False),
    Version(3, deepening=False),
    Version(None, deepening=False),
    Version(None),
)


@dataclass(frozen=True)
class BristolMrX(Explains):
    """Look as many single moves ahead as the time allows, against detectives who know where he is.

    Timed play is not reproducible: a faster machine looks deeper. With ``depth`` set, it is. A switch that is None is
    as the version has it.
    """

    sides: ClassVar[tuple[Side, ...]] = ("mr_x",)
    seconds: Seconds = 0.05  # to think about a move
    depth: Annotated[int, Range(1, MOST_PLIES)] | None = None  # plies to look ahead, instead of by the clock
    distance: Finite = 5.0  # what a move of average distance from the detectives is worth, in taxi routes
    routes: Finite = 1.0  # what a taxi route is worth
    double_cost: Finite = 500.0  # what a double ticket is worth: less than getting out of a threat
    steady: bool = (
        True  # by the clock every answer takes all the time: an early one would tell that he has little choice
    )
    version: Annotated[int, Range(1, len(VERSIONS))] = len(VERSIONS)  # of the report, by its switches
    answers: bool | None = None  # the detectives move too
    whole: bool | None = None  # the tree is built whole before it is searched
    alpha_beta: bool | None = None
    closer: bool | None = None  # only detectives' moves that keep or shorten the distance
    safe: bool | None = None  # only his moves that score 0 or above
    deepening: bool | None = None  # depth after depth, not straight to the last
    doubling: Doubling = "priced"  # never; where every single move scores below 0; also in his first move
    black: Black = "ferries"  # black tickets where no other of his goes, or everywhere
    threat: Threat = "to_move"  # one away: a detective who has yet to move in this round, or any

    def __post_init__(self) -> None:
        check_ranges(self)
        check_choices(self)
        depth = self.switches.depth
        if self.switches.whole and (depth is None or depth > MOST_DEPTH):
            raise ValueError(
                f"depth is {depth}: a tree can be built whole up to depth {MOST_DEPTH}, or give whole=False"
            )

    @cached_property
    def switches(self) -> Version:
        """Those of the version, but for what was given."""
        return fill_in(VERSIONS[self.version - 1], self)

    @property
    def settings(self) -> Settings:
        """What a search goes by."""
        switches = self.switches
        return Settings(
            self.distance,
            self.routes,
            self.double_cost,
            switches.answers,
            switches.alpha_beta,
            switches.closer,
            switches.safe,
            DOUBLING[self.doubling],
            self.black == "everywhere",
            self.threat == "any",
        )

    @property
    def is_timed(self) -> bool:
        """It thinks by the clock, so that the same seed need not give the same game."""
        return self.switches.depth is None

    def without_clock(self) -> "BristolMrX":
        """Return the same search to a small depth."""
        return replace(self, depth=UNTIMED_DEPTH)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action; the plan is the round as both sides would play it, the terms are of where that leads."""
        found = self.think(view)
        action, value = found.moves[0]
        terms = explain(view, found.line, value, self.settings)
        return Decision(action, value, candidates=found.moves, plan=first_round(view, found.line), terms=terms)

    def think(self, view: View) -> SearchResult:
        """Search as the version does; by the clock, if steady, for all of the time."""
        switches = self.switches
        deadline = perf_counter() + self.seconds if self.is_timed else np.inf
        if switches.whole and switches.depth:
            found = search_whole(view, self.settings, switches.depth)
        elif switches.deepening:
            found = deepen(Search(view, self.settings), switches.depth or MOST_PLIES, deadline)
        else:
            found = go_straight(Search(view, self.settings), switches.depth, deadline)
        if self.is_timed and self.steady:
            sleep(max(0.0, deadline - perf_counter()))
        return found
