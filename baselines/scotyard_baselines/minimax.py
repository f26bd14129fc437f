"""minimax: mini-max pursuit planning of the detective team with alpha-beta pruning.

After "Mini-Max Pursuit Planning for Detectives". The team maximises and Mr. X, wherever he may be, minimises.
``variant=document`` plays the document and nothing else; ``variant=ours``, the default, what was measured to be
stronger. Every step is a parameter, whose value in either variant stands in planning/variants.py. What the document
calls

- *Evaluate* is planning/document.py in its variant; in ours planning/value.py and planning/replies.py, which value the
  last plan together with Mr. X's replies to it by exact capture times;
- *jointDetectiveMoves* is planning/enumeration.py, without the dominated (planning/dominance.py), in the order of
  planning/ordering.py; *simulateDetectivePlan* is ``carry_out`` in planning/layers.py;
- *topKBeliefNodes* is ``keep_likeliest`` in planning/node.py: the ``particles`` likeliest stations;
- *evasiveMovesForMrX* and *mergeMrXResponses* are planning/answers.py and planning/merge.py: his moves from every
  particle, merged by what the table sees of them;
- *MiniMax* is ``maximize`` and ``minimize`` below; ``depth`` counts layers: 2 is a plan and his answer.

What the document leaves open, and what was chosen, is told in docs/algorithms.md.
"""

import dataclasses
import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.planning.choices import MAX_CHOICES
from scotyard_baselines.planning.merge import SLACK, Merge, Minimum, Mixture
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.ranking import RANKED
from scotyard_baselines.planning.transposition import TranspositionTable
from scotyard_baselines.planning.tree import MOST_LAYERS, MOST_PLANS, Tree
from scotyard_baselines.planning.variants import TERMS, bound_values, fill_in, weights_of
from scotyard_env.belief import belief_names, weigh
from scotyard_env.explanation import Explains
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Discount, Price, Range, Seconds, Share, check_choices, check_ranges
from scotyard_env.state import BLACK
from scotyard_env.view import View

PLANS_PER_LOOK = 128  # plans valued between two looks at the clock
AS_VARIANT: Any = None  # a parameter that is not given is as the variant has it: see planning/variants.py


class Plan(NamedTuple):
    """Coordinated moves of the detectives who have not moved in this round."""

    actions: tuple[int, ...]  # by seat, from the one to move on
    value: float


class SearchResult(NamedTuple):
    """What a search came to, for whoever shows or measures it."""

    plans: tuple[Plan, ...]  # best first; among them the best for every first move
    terms: tuple[tuple[str, float], ...]  # of the best plan's value
    depth: int  # layers searched
    nodes: int  # particles or leaves valued under a plan, and answers of Mr. X played


@dataclass(frozen=True)
class Minimax(Explains):
    """Search joint plans and Mr. X's answers in turn, by alpha-beta over what the detectives believe."""

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)
    variant: Literal["ours", "document"] = "ours"
    depth: Annotated[int, Range(1, MOST_LAYERS)] = AS_VARIANT  # the horizon, in layers: the detectives', Mr. X's, ...
    particles: Annotated[int, Range(1, MAX_PARTICLES)] = AS_VARIANT  # K, the likeliest stations of Mr. X
    belief: str = AS_VARIANT  # "choice_model", "evasive", or any that is installed: see scotyard_env.belief
    evaluation: Literal["ours", "document"] = AS_VARIANT  # value the last plan with his replies, or their outcomes
    merge: Literal["particles", "minimum"] = AS_VARIANT  # average over particles, or take the least of all answers
    dominance: Literal["none", "swap", "document"] = AS_VARIANT  # which plans are dropped: see planning/dominance.py
    distances: Literal["hops", "weighted"] = AS_VARIANT  # in moves, or on the weighted transport graph
    double_answers: bool = AS_VARIANT  # Mr. X may answer with a double move
    discount: Discount = AS_VARIANT  # what a round more until Mr. X is caught leaves of a plan's worth
    worst_case_weight: Share = AS_VARIANT  # where particles are averaged: share of Mr. X's best answer
    capture: Price = AS_VARIANT  # of Mr. X caught now, by the exact capture times
    w_1: Price = AS_VARIANT  # price of a move of the team's average distance to the belief's centroid
    w_2: Price = AS_VARIANT  # of all entropy gone; of a bit of it, by the document's evaluation
    w_3: Price = AS_VARIANT  # ticket pressure
    w_4: Price = AS_VARIANT  # price of all detectives in one cluster
    coverage: Price = AS_VARIANT  # of an exit that a detective can reach
    choke: Price = AS_VARIANT  # of standing where most links meet
    perimeter: Price = AS_VARIANT  # of standing around where Mr. X is about to show himself
    beam: Annotated[int, Range(0, 10_000)] = AS_VARIANT  # plans that are looked at deeper; 0 = all
    width: Annotated[int, Range(0, 10_000)] = AS_VARIANT  # choices of a pawn in inner layers; 0 = all
    few_tickets: Annotated[int, Range(0, 1000)] = AS_VARIANT  # tickets with which the horizon is short
    adaptive: bool = AS_VARIANT  # shorten the horizon before a reveal and with few tickets
    alpha_beta: bool = AS_VARIANT
    pawn_order: bool = AS_VARIANT  # branch over the most threatening pawn first
    move_order: bool = AS_VARIANT  # try the moves that cover the exits best first
    answer_order: bool = AS_VARIANT  # try the answer with the largest escape potential first
    transposition_table: bool = AS_VARIANT  # remember positions that were searched
    seconds: Seconds | None = None  # think this long, one depth after the other up to ``depth``

    def __post_init__(self) -> None:
        fill_in(self)
        check_ranges(self)
        check_choices(self)
        if self.belief not in belief_names():
            raise ValueError(f"belief is {self.belief!r}: give one of {', '.join(belief_names())}")

    @property
    def is_timed(self) -> bool:
        """Whether the clock decides how deep it looks: then two games are never sure to be the same."""
        return self.seconds is not None

    def without_clock(self) -> "Minimax":
        """Return the same search, always to its horizon."""
        return dataclasses.replace(self, seconds=None)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the first move of the best plan; of the candidates, all but the two best are valued at most so."""
        found = self.think(view)
        best = found.plans[0]
        candidates = tuple(best_by_first_move(found.plans).items())
        return Decision(best.actions[0], best.value, candidates, plan=best.actions, terms=found.terms)

    def think(self, view: View) -> SearchResult:
        """Search as deep as the horizon of a view goes, or as time allows."""
        return Search(view, self).run()

    def horizon_depth(self, view: View) -> int:
        """Tell how many layers are worth searching: fewer when few tickets remain or a reveal is imminent."""
        purses = [sum(tickets[:BLACK]) for tickets in view.tickets[1:] if min(tickets[:BLACK]) >= 0]
        is_near = view.state.entries + 1 in view.rules.reveals or any(purse <= self.few_tickets for purse in purses)
        return min(self.depth, 2) if self.adaptive and is_near else self.depth


def best_by_first_move(plans: Iterable[Plan]) -> dict[int, float]:
    """Return the value of the best plan for every first move, best first, of plans in this order."""
    best: dict[int, float] = {}
    for plan in plans:
        best.setdefault(plan.actions[0], plan.value)
    return best


@functools.lru_cache(maxsize=32)
def add_up_terms(policy: Minimax) -> tuple[tuple[str, Minimax], ...]:
    """List the terms that a policy weighs, each with a policy that weighs this one and those before it."""
    weights: dict[str, Any] = dict.fromkeys(TERMS, 0.0)
    listed = []
    for name, told in TERMS.items():
        weights[name] = getattr(policy, name)
        if weights[name] > 0.0:
            listed.append((told, dataclasses.replace(policy, **weights)))
    return tuple(listed)


class OutOfTimeError(Exception):
    """The time to think is over in the middle of a depth."""


class Search:
    """One search: the recursion of the document over a tree of positions."""

    def __init__(self, view: View, policy: Minimax) -> None:
        self.deadline = math.inf if policy.seconds is None else perf_counter() + policy.seconds
        self.view, self.policy = view, policy
        self.tree = Tree(
            view,
            weigh(view, policy.belief),
            policy.particles,
            has_doubles=policy.double_answers,
            is_weighted=policy.distances == "weighted",
        )
        self.table = TranspositionTable()
        self.weights = {has_replies: self.weights_of(policy, has_replies) for has_replies in (False, True)}
        self.bounds = bound_values(policy, view, self.tree.farthest, float(self.tree.scratch[0].first_entropy))

    def weights_of(self, policy: Minimax, has_replies: bool) -> NDArray[np.void]:
        """Return the weights of a policy in this game, for plans to which Mr. X replies or does not."""
        return weights_of(policy, self.view.board, self.view.rules.hand_over, has_replies)

    # ------------------------------------------------------------------------------------------------------- the root

    def run(self) -> SearchResult:
        """Rank all plans by the last two layers, then look at the best of them deeper."""
        horizon = self.policy.horizon_depth(self.view)
        depth = min(horizon, 2)
        ranking = self.rank_root(depth)
        plans = self.read_plans(ranking, ranking["value"].tolist())
        for deeper in range(4 - horizon % 2, horizon + 1, 2) if self.policy.is_timed else [horizon] * (horizon > 2):
            try:
                plans, depth = self.look_deeper(ranking, deeper), deeper
            except OutOfTimeError:
                break
        return SearchResult(tuple(plans), self.explain(ranking, plans[0], min(depth, 2)), depth, self.tree.visited)

    def rank_root(self, depth: int) -> NDArray[np.void]:
        """Rank the plans of the root: the beam's best, and after them the best one for every other first move."""
        firsts = np.zeros(MAX_CHOICES, RANKED)
        firsts["value"] = -math.inf
        ranking = self.rank(0, 0, depth, beam=self.policy.beam, firsts=firsts)
        if self.policy.beam == 0:
            return ranking
        seat, is_new = self.view.seat, firsts["value"] > -math.inf
        is_new &= ~np.isin(firsts["to"][:, seat], ranking["to"][:, seat])
        others = firsts[is_new]
        return np.concatenate([ranking, others[np.argsort(-others["value"], kind="stable")]])

    def look_deeper(self, ranking: NDArray[np.void], depth: int) -> list[Plan]:
        """Value the ranked plans by so many layers, best first.

        Exact are the best value and that of the best plan with another first move; the others are upper bounds.
        """
        values: list[float] = []
        plans = self.read_plans(ranking, ranking["value"].tolist())
        for ranked, plan in zip(ranking, plans, strict=True):
            known = [Plan(done.actions, value) for done, value in zip(plans, values, strict=False)]
            best = best_by_first_move(sorted(known, key=lambda done: -done.value))
            others = sorted((value for first, value in best.items() if first != plan.actions[0]), reverse=True)
            bars = [best.get(plan.actions[0], -math.inf), others[1] if len(others) > 1 else -math.inf]
            values.append(self.scout(ranked, depth, max(bars) - SLACK))
        return sorted(self.read_plans(ranking, values), key=lambda plan: (-plan.value, plan.actions))

    def scout(self, ranked: np.record, depth: int, bar: float) -> float:
        """Value a plan of the root if it is worth more than a bar, which a search with a narrow window tells."""
        if self.policy.alpha_beta and bar > -math.inf:
            value = self.minimize(0, 0, ranked, depth, bar, bar + SLACK)
            if value < bar:
                return value
        return self.minimize(0, 0, ranked, depth, bar, math.inf)

    def read_plans(self, ranking: NDArray[np.void], values: list[float]) -> list[Plan]:
        """Read plans off a ranking."""
        return [Plan(actions, value) for actions, value in zip(self.tree.read_plans(ranking), values, strict=True)]

    def explain(self, ranking: NDArray[np.void], plan: Plan, depth: int) -> tuple[tuple[str, float], ...]:
        """Take the value of a plan apart: what each term adds to those before it in two layers, then deeper ones."""
        ranked = ranking[self.tree.read_plans(ranking).index(plan.actions)]
        before, terms = 0.0, []
        for name, partial in add_up_terms(self.policy):
            value = self.tree.value_plan(0, 0, self.weights_of(partial, depth >= 2), ranked)
            terms.append((name, value - before))
            before = value
        return (*terms, ("deeper layers", plan.value - before)) if plan.value != before else tuple(terms)

    # -------------------------------------------------------------------------------------------------- the recursion

    def maximize(self, index: int, layer: int, depth: int, alpha: float, beta: float) -> float:
        """Value a position with the detectives to move, so many layers deep; look it up if it is known."""
        key = self.tree.key_of(index, depth) if self.policy.transposition_table else b""
        if key and (known := self.table.look_up(key, alpha, beta)) is not None:
            return known
        if depth <= 2:
            ranking = self.rank(index, layer, depth, beam=1, width=self.policy.width, alpha=alpha, beta=beta)
            value = float(ranking["value"][0]) if len(ranking) else alpha
        else:
            value = -math.inf
            for ranked in self.rank(index, layer, 2, beam=self.policy.beam, width=self.policy.width):
                value = max(value, self.minimize(index, layer, ranked, depth, max(alpha, value), beta))
                if self.policy.alpha_beta and value >= beta:
                    break
        if key:
            self.table.store(key, value, alpha, beta)
        return value

    def minimize(self, index: int, layer: int, plan: np.record, depth: int, alpha: float, beta: float) -> float:
        """Value a plan by Mr. X's answers to it; a bound is enough below alpha and from beta on."""
        after, caught = self.tree.carry_out(index, layer, plan)
        if self.tree.is_over(after):
            return self.value_end(after, caught)
        count = self.tree.answer(after, layer)
        merged = self.begin_merge(layer, after, caught, count)
        for number in self.order_answers(layer, count):
            bounds = merged.bounds_of(number, alpha, beta) if self.policy.alpha_beta else (-math.inf, math.inf)
            merged.take(number, self.maximize(after + 1 + number, layer + 1, depth - 2, *bounds))
            if self.policy.alpha_beta and merged.value < alpha:
                break
            if self.policy.alpha_beta and beta < math.inf and merged.least >= beta:
                return merged.least
        return merged.value

    def rank(
        self,
        index: int,
        layer: int,
        depth: int,
        *,
        beam: int = 0,
        width: int = 0,
        alpha: float = -math.inf,
        beta: float = math.inf,
        firsts: NDArray[np.void] | None = None,
    ) -> NDArray[np.void]:
        """Rank the best plans of a position by one or two layers; at the root what was ranked in time is enough."""
        if not self.policy.alpha_beta:
            alpha, beta = -math.inf, math.inf
        for ranking in self.tree.rank(
            index,
            layer,
            self.weights[depth >= 2],
            beam=beam,
            width=width,
            alpha=alpha,
            beta=beta,
            firsts=firsts,
            plans_per_look=PLANS_PER_LOOK if self.policy.is_timed else MOST_PLANS,
        ):
            is_late = perf_counter() > self.deadline
            if is_late and index > 0:
                raise OutOfTimeError
            if is_late:
                return ranking
        return ranking

    def value_end(self, after: int, caught: float) -> float:
        """Value a position in which the game is over for all particles, of which some were caught before."""
        if self.policy.evaluation == "document":
            return self.tree.evaluate(after, self.weights[True], caught)
        is_certain = self.tree.nodes[after].particles == 0
        return self.policy.capture * (float(is_certain) if self.policy.merge == "minimum" else caught)

    def begin_merge(self, layer: int, after: int, caught: float, count: int) -> Merge:
        """Set up the merging of so many answers, of which no value is known yet."""
        is_document = self.policy.evaluation == "document"
        captured = self.tree.evaluate_captured(after, self.weights[True]) if is_document else self.policy.capture
        if self.policy.merge == "minimum":
            return Minimum(count, captured)
        return Mixture(
            self.tree.nodes[after : after + 1],
            self.tree.where.answers[layer : layer + 1],
            caught=caught,
            captured=captured,
            worst_case_weight=self.policy.worst_case_weight,
            discount=1.0 if is_document else self.policy.discount,
            bounds=self.bounds,
        )

    def order_answers(self, layer: int, count: int) -> list[int]:
        """Put the answer with the largest escape potential first."""
        potential = self.tree.where.answers["potential"][layer, :count].tolist()
        return sorted(range(count), key=lambda number: -potential[number] if self.policy.answer_order else 0)
