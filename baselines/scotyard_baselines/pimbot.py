"""pimbot: the Monte-Carlo tree search of the literature, the yardstick of Scotland Yard. Both sides.

After J. Nijssen and M. Winands, "Monte-Carlo Tree Search for the Game of Scotland Yard" (CIG 2011), with progressive
history and chasing playouts from what followed. Seven parts, each with its parameter: the possible set
(``possible_set``), determinization by location categorization (``categorization``, ``weights``;
beliefs/location_categories.py), one shared tree searched by UCT (``c_mr_x``, ``c_detectives``; mcts/search.py) with
progressive history (``history``; mcts/selection.py), epsilon-greedy playouts (``playouts``, ``epsilon_mr_x``,
``epsilon_detectives``; mcts/playouts.py), coalition reduction (``reduction``) and the black-ticket filter
(``black_filter``). Five detectives search as five movers, each for itself.

Several threads (``threads``) grow a tree each, with random numbers of its own, from their share of the iterations, and
the visits of the same action are added up (root parallelization: T. Cazenave and N. Jouandeau, "On the Parallelization
of UCT", CGW 2007). So the decision depends on how many they are, not on which of them is quicker.

The defaults did best in small screens against ``greedy``: ``docs/pimbot.md`` has every setting tried.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.location_categories import PUBLISHED, parse_weights, write_weights
from scotyard_baselines.mcts.playouts import CHASE, GREEDY, KINDS
from scotyard_baselines.mcts.search import AT_ONCE, init, search_row, search_rows, simulate
from scotyard_baselines.mcts.tree import NO_NODE, Tree, new_tree
from scotyard_env.explanation import Explains
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Price, Range, Share, Threads, check_ranges
from scotyard_env.rng import draw_seeds
from scotyard_env.threads import share
from scotyard_env.view import View, Views

MOST_ITERATIONS = 10_000_000
MOST_NODES = 2_000_000  # of a tree, 48 MB; where there is no room left, the search goes on without new ones
LEAST_SECONDS = 0.001  # a shorter time is over before it begins


@dataclass(frozen=True)
class PimBot(Explains):
    """Search one tree over all stations where Mr. X may be, and play the action with the most visits."""

    sides: ClassVar[tuple[Side, ...]] = ("mr_x", "detectives")
    iterations: Annotated[int, Range(1, MOST_ITERATIONS)] = 1000  # of a decision
    seconds: Annotated[float, Range(0, 3600)] = 0.0  # if above 0, search for so long instead
    playouts: str = "chase"  # or "greedy", "random"; Mr. X's own "chase" is "greedy": they do not know where he is
    epsilon_mr_x: Share = 0.2  # share of random moves in playouts
    epsilon_detectives: Share = 0.2
    c_mr_x: Price = 0.5  # exploration; 0.2 and 2.0 in the paper, 0.5 with progressive history
    c_detectives: Price = 0.5
    history: Price = 5.0  # W of progressive history; 0 = none, as in the paper
    possible_set: bool = True  # keep track of where Mr. X may be, else he may be anywhere till he is seen
    categorization: bool = True  # place him on stations by the weight of their category, else on all alike
    weights: str = write_weights(PUBLISHED)  # of the categories; `scotyard fit location_categories` learns others
    reduction: Share = 0.25  # r: what a catch by a colleague is worth less
    black_filter: bool = True  # Mr. X pays no black ticket where it hides nothing
    stop_early: bool = False  # search no longer than what is left of the iterations can change the decision
    threads: Threads = 1  # each grows a tree of its own with a share of the iterations, or for all of the seconds

    def __post_init__(self) -> None:
        check_ranges(self)
        if 0.0 < self.seconds < LEAST_SECONDS:
            raise ValueError(f"seconds is {self.seconds}: give at least {LEAST_SECONDS}, or 0 for iterations")
        if self.stop_early and (self.is_timed or self.threads > 1):
            raise ValueError("stop_early is for a search by iterations in one thread: leave seconds and threads out")
        if self.playouts not in KINDS:
            raise ValueError(f"playouts is {self.playouts!r}: choose from {', '.join(KINDS)}")
        parse_weights(self.weights)

    @property
    def is_timed(self) -> bool:
        """Decisions depend on the clock, not on view and rng alone."""
        return self.seconds > 0.0

    def without_clock(self) -> "PimBot":
        """Return the same search by iterations."""
        return replace(self, seconds=0.0)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action; the decision tells the probability of winning, and the share of visits of every action."""
        seeds, legal = draw_seeds(rng, self.threads), view.legal
        if len(legal) == 1 and not self.is_timed:  # by the clock, an early answer would tell that he has no choice
            return Decision(legal[0], candidates=((legal[0], 1.0),))
        return decide_by_visits(self.search(Views(view.board, view.rules, view.states), 0, seeds))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        seeds = draw_seeds(rng, len(views) * self.threads)
        if self.is_timed or self.threads > 1:
            trees = (self.search(views, index, own) for index, own in enumerate(seeds.reshape(-1, self.threads)))
            return np.array([decide_by_visits(grown).action for grown in trees], np.int64)
        actions = np.empty(len(views), np.int64)
        packed = views.board.packed, views.rules.packed(views.board)
        search_rows(*packed, views.states, seeds, self.iterations, self.make_tree(self.iterations), actions)
        return actions

    def search(self, views: Views, index: int, seeds: NDArray[np.uint64]) -> list[Tree]:
        """Search from one of some views, in as many threads as there are seeds; return the tree of each."""
        arguments = views.board.packed, views.rules.packed(views.board), views.states, index
        threads = range(len(seeds))
        shares = [self.iterations // len(seeds) + (number < self.iterations % len(seeds)) for number in threads]
        trees = [self.make_tree(iterations) for iterations in shares]
        for tree, seed in zip(trees, seeds, strict=True):
            init(views.board.packed, views.states, index, seed, tree)
        end = time.perf_counter() + self.seconds

        def grow(number: int) -> None:
            if not self.is_timed:
                search_row(*arguments, shares[number], trees[number])
            while self.is_timed and (trees[number].nodes[0].visits == 0 or time.perf_counter() < end):
                simulate(*arguments, AT_ONCE, trees[number])

        share(len(seeds), grow, threads)
        return trees

    def make_tree(self, iterations: int) -> Tree:
        """Return room for a tree of so many iterations, with the parameters where the search reads them."""
        tree = new_tree(MOST_NODES if self.is_timed else min(MOST_NODES, iterations + 1))
        search, playouts = tree.parameters[0], tree.playout_parameters[0]
        search.exploration[:] = self.c_mr_x, self.c_detectives
        search.history = self.history
        search.reduction = self.reduction
        search.is_possible_ignored = not self.possible_set
        search.stops_early = self.stop_early
        search.weights[:] = parse_weights(self.weights) if self.categorization else 1.0
        kind = KINDS.index(self.playouts)
        playouts.kinds[:] = GREEDY if kind == CHASE else kind, kind
        playouts.epsilons[:] = int(self.epsilon_mr_x * 2**32), int(self.epsilon_detectives * 2**32)
        playouts.is_filtered = self.black_filter
        playouts.is_recorded = self.history > 0.0
        return tree


def decide_by_visits(trees: Sequence[Tree]) -> Decision:
    """Return the decision of trees with the same root: the most visited action, the youngest if there are several."""
    visits: dict[int, int] = {}
    rewards: dict[int, float] = {}
    for child in (child for tree in trees for child in children_of_root(tree)):
        action = int(child.action)
        visits[action] = visits.get(action, 0) + int(child.visits)
        rewards[action] = rewards.get(action, 0.0) + float(child.reward)
    ranked = sorted(visits, key=lambda action: -visits[action])
    total, best = sum(visits.values()), ranked[0]
    shares = tuple((action, visits[action] / total) for action in ranked)
    return Decision(best, value=rewards[best] / visits[best], candidates=shares)


def children_of_root(tree: Tree) -> Iterator[np.record]:
    """List the nodes of the root's actions, the youngest first."""
    index = tree.nodes[0].child
    while index != NO_NODE:
        yield tree.nodes[index]
        index = tree.nodes[index].sibling
