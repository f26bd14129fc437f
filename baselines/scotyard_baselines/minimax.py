"""minimax: mini-max pursuit planning of the detective team with alpha-beta pruning.

After "Mini-Max Pursuit Planning for Detectives". The team maximises and Mr. X, wherever he may be, minimises. What the
document calls

- *Evaluate* is planning/value.py: the capture time of where he flees to, coverage, and the terms weighted w_1 to w_4;
- *jointDetectiveMoves* is planning/enumeration.py, dominated plans left out, in the order of planning/ordering.py;
- *topKBeliefNodes* is ``keep_likeliest`` in planning/node.py: the ``particles`` likeliest stations;
- *evasiveMovesForMrX* and *mergeMrXResponses* are planning/layers.py and planning/merge.py: his moves from every
  particle, merged by what the table sees of them;
- *MiniMax* is ``maximize`` and ``minimize`` below; ``depth`` counts layers: 2 is a plan and his answer.

What the document leaves open, and what was chosen:

- The last two layers are searched together, plan by plan, in compiled code; what lies above is the recursion below.
- *Merging*: a particle is worth ``worst_case_weight`` times Mr. X's best answer from it plus the rest times the average
  of all. A weight of 1 is the pure minimum.
- *A beam*: below the top, only the ``beam`` best plans by the two-layer search are looked at deeper, and inner layers
  give each pawn its ``width`` best choices. 0 lifts either limit.
- *Dominated plans*: two detectives with the same tickets who could change stations at the same fares.
- *Adaptive horizon*: two layers when Mr. X is about to show himself or a detective has ``few_tickets`` or less.
- *Weights*: ticket pressure is worth most beside the capture time; the other terms are small and settle near-ties.
- The transposition table keeps bounds beside values, as alpha-beta needs; detectives are interchangeable in its key.
"""

import functools
import math
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.planning.merge import SLACK, Merge
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.transposition import TranspositionTable
from scotyard_baselines.planning.tree import MOST_LAYERS, Tree
from scotyard_baselines.planning.weights import make_weights
from scotyard_env.belief import belief_names, weigh
from scotyard_env.explanation import Explains
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Discount, Price, Range, Seconds, Share, check_ranges
from scotyard_env.state import BLACK
from scotyard_env.view import View


class Plan(NamedTuple):
    """Coordinated moves of the detectives who have not moved in this round."""

    actions: tuple[int, ...]  # by seat, from the one to move on
    value: float


class SearchResult(NamedTuple):
    """What a search came to, for whoever shows or measures it."""

    plans: tuple[Plan, ...]  # best first
    confidence: float | None  # gap between the best plan and the runner-up
    depth: int  # layers searched
    nodes: int  # particles valued under a plan, and answers of Mr. X played


@dataclass(frozen=True)
class Minimax(Explains):
    """Search joint plans and Mr. X's answers in turn, by alpha-beta over what the detectives believe."""

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)
    depth: Annotated[int, Range(1, MOST_LAYERS)] = 4  # the horizon, in layers: the detectives', Mr. X's, ...
    particles: Annotated[int, Range(1, MAX_PARTICLES)] = 8  # K, the likeliest stations of Mr. X
    belief: str = "evasive"  # or "paths", "uniform", or any that is installed: see scotyard_env.belief
    discount: Discount = 0.8  # what a round more until Mr. X is caught leaves of a plan's worth
    worst_case_weight: Share = 0.5  # share of Mr. X's best answer, against the average one
    w_1: Price = 0.01  # price of a move of the team's average distance to the belief's centroid
    w_2: Price = 0.01  # of all entropy gone
    w_3: Price = 0.02  # ticket pressure
    w_4: Price = 0.002  # price of all detectives in one cluster
    coverage: Price = 0.01  # of an exit that a detective can reach
    choke: Price = 0.005  # of standing where most links meet
    perimeter: Price = 0.01  # of standing around where Mr. X is about to show himself
    beam: Annotated[int, Range(0, 10_000)] = 8  # plans that are looked at deeper; 0 = all
    width: Annotated[int, Range(0, 10_000)] = 4  # choices of a pawn in inner layers; 0 = all
    few_tickets: Annotated[int, Range(0, 1000)] = 2  # tickets with which the horizon is short
    adaptive: bool = True  # shorten the horizon before a reveal and with few tickets
    alpha_beta: bool = True
    pawn_order: bool = True  # branch over the most threatening pawn first
    move_order: bool = True  # try the moves that cover the exits best first
    answer_order: bool = True  # try the answer with the largest escape potential first
    dominance: bool = True  # drop dominated plans
    transposition_table: bool = True  # remember positions that were searched
    seconds: Seconds | None = None  # think this long, one depth after the other up to ``depth``

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.belief not in belief_names():
            raise ValueError(f"belief is {self.belief!r}: give one of {', '.join(belief_names())}")

    @property
    def is_timed(self) -> bool:
        """Whether the clock decides how deep it looks: then two games are never sure to be the same."""
        return self.seconds is not None

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the first move of the best plan."""
        found = self.think(view)
        candidates: dict[int, float] = {}
        for plan in found.plans:
            candidates.setdefault(plan.actions[0], plan.value)
        best = found.plans[0]
        return Decision(best.actions[0], best.value, tuple(candidates.items()), plan=best.actions)

    def think(self, view: View) -> SearchResult:
        """Search as deep as the horizon of a view goes, or as time allows."""
        return Search(view, self).run()

    def horizon_depth(self, view: View) -> int:
        """Tell how many layers are worth searching: fewer when few tickets remain or a reveal is imminent."""
        purses = [sum(tickets[:BLACK]) for tickets in view.tickets[1:] if min(tickets[:BLACK]) >= 0]
        is_near = view.state.entries + 1 in view.rules.reveals or any(purse <= self.few_tickets for purse in purses)
        return min(self.depth, 2) if self.adaptive and is_near else self.depth


class OutOfTimeError(Exception):
    """The time to think is over in the middle of a depth."""


class Search:
    """One search: the recursion of the document over a tree of positions."""

    def __init__(self, view: View, policy: Minimax) -> None:
        self.deadline = math.inf if policy.seconds is None else perf_counter() + policy.seconds
        self.view, self.policy = view, policy
        self.tree = Tree(view, weigh(view, policy.belief), policy.particles)
        self.table = TranspositionTable()
        most_links = int(view.board.arrays.links[:, :BLACK].sum(axis=1).max())
        self.weights = {has_replies: weights_of(policy, most_links, has_replies) for has_replies in (False, True)}
        self.ceiling = 1.0 + sum(getattr(policy, bonus) for bonus in ("w_2", "w_3", "coverage", "choke", "perimeter"))

    def run(self) -> SearchResult:
        """Rank all plans by the last two layers, then look at the best of them deeper."""
        horizon = self.policy.horizon_depth(self.view)
        ranking = self.rank(0, min(horizon, 2), beam=self.policy.beam)
        plans, depth = self.read_plans(ranking, ranking["value"].tolist()), min(horizon, 2)
        for deeper in range(4 - horizon % 2, horizon + 1, 2) if self.policy.is_timed else [horizon] * (horizon > 2):
            try:
                plans, depth = self.look_deeper(ranking, deeper), deeper
            except OutOfTimeError:
                break
        gap = plans[0].value - plans[1].value if len(plans) > 1 else None
        return SearchResult(tuple(plans), gap, depth, self.tree.visited)

    def look_deeper(self, ranking: NDArray[np.void], depth: int) -> list[Plan]:
        """Value the ranked plans by so many layers, best first; all but the two best values are upper bounds."""
        values: list[float] = []
        for ranked in ranking:
            runner_up = sorted(values)[-2] if len(values) > 1 else -math.inf
            values.append(self.minimize(0, 0, ranked, depth, runner_up - SLACK))
        return sorted(self.read_plans(ranking, values), key=lambda plan: (-plan.value, plan.actions))

    def read_plans(self, ranking: NDArray[np.void], values: list[float]) -> list[Plan]:
        """Read plans off a ranking."""
        return [Plan(actions, value) for actions, value in zip(self.tree.read_plans(ranking), values, strict=True)]

    def maximize(self, index: int, layer: int, depth: int, alpha: float, beta: float) -> float:
        """Value a position with the detectives to move, so many layers deep; look it up if it is known."""
        key = self.tree.key_of(index, depth)
        if self.policy.transposition_table and (value := self.table.look_up(key, alpha, beta)) is not None:
            return value
        if depth <= 2:
            ranking = self.rank(index, depth, beam=1, width=self.policy.width, alpha=alpha, beta=beta)
            value = float(ranking[0].value) if len(ranking) else alpha
        else:
            value = -math.inf
            for ranked in self.rank(index, 2, beam=self.policy.beam, width=self.policy.width):
                value = max(value, self.minimize(index, layer, ranked, depth, max(alpha, value)))
                if self.policy.alpha_beta and value >= beta:
                    break
        self.table.store(key, value, alpha, beta)
        return value

    def minimize(self, index: int, layer: int, plan: np.record, depth: int, alpha: float) -> float:
        """Value a plan by Mr. X's answers to it; an upper bound is enough if that is below alpha."""
        after, caught = self.tree.carry_out(index, layer, plan)
        if self.tree.is_over(after):
            return caught
        count = self.tree.answer(after, layer)
        merged = self.begin_merge(layer, after, caught, count)
        for number in self.order_answers(layer, count):
            bounds = merged.bounds_of(number, alpha) if self.policy.alpha_beta else (-math.inf, math.inf)
            merged.take(number, self.maximize(after + 1 + number, layer + 1, depth - 2, *bounds))
            if self.policy.alpha_beta and merged.value < alpha:
                break
        return merged.value

    def rank(
        self,
        index: int,
        depth: int,
        *,
        beam: int = 0,
        width: int = 0,
        alpha: float = -math.inf,
        beta: float = math.inf,
    ) -> NDArray[np.void]:
        """Rank the best plans of a position by one or two layers; at the root what was ranked in time is enough."""
        if not self.policy.alpha_beta:
            alpha, beta = -math.inf, math.inf
        weights = self.weights[depth >= 2]
        for ranking in self.tree.rank(index, weights, beam=beam, width=width, alpha=alpha, beta=beta):
            is_late = perf_counter() > self.deadline
            if is_late and index > 0:
                raise OutOfTimeError
            if is_late:
                return ranking
        return ranking

    def begin_merge(self, layer: int, after: int, caught: float, count: int) -> Merge:
        """Set up the merging of so many answers, of which no value is known yet."""
        node = self.tree.nodes[after]
        return Merge(
            node.weight[: node.particles].copy(),
            self.tree.answers[layer].share[:count, : node.particles].copy(),
            caught=caught,
            worst_case_weight=self.policy.worst_case_weight,
            discount=self.policy.discount,
            ceiling=self.ceiling,
        )

    def order_answers(self, layer: int, count: int) -> list[int]:
        """Put the answer with the largest escape potential first."""
        potential = self.tree.answers[layer].potential[:count].tolist()
        return sorted(range(count), key=lambda number: -potential[number] if self.policy.answer_order else 0)


@functools.lru_cache(maxsize=32)
def weights_of(policy: Minimax, most_links: int, has_replies: bool) -> NDArray[np.void]:
    """Return the parameters as a record for compiled code, which only reads it."""
    return make_weights(
        discount=policy.discount,
        worst_case_weight=policy.worst_case_weight,
        centroid_cost=policy.w_1,
        entropy_drop=policy.w_2,
        ticket_cost=policy.w_3,
        scarce_ticket=policy.w_3,
        cluster_cost=policy.w_4,
        coverage=policy.coverage,
        choke=policy.choke,
        perimeter=policy.perimeter,
        most_links=most_links,
        has_replies=has_replies,
        has_cuts=policy.alpha_beta,
        has_pawn_order=policy.pawn_order,
        has_move_order=policy.move_order,
        has_dominance=policy.dominance,
    )
