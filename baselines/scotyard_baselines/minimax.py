"""minimax: mini-max pursuit planning of the detective team with alpha-beta pruning.

After "Mini-Max Pursuit Planning for Detectives". The team maximises and Mr. X, wherever he may be, minimises. A
detective layer branches over joint plans for the rest of the round (joint_moves.py, plan_counter.py), a Mr. X layer
over his moves from the ``particles`` likeliest stations, merged by what the table sees of them (layers.py);
pursuit_value.py evaluates. ``depth`` counts layers: 2 is a plan and his answer.

What the document leaves open, and what was chosen:

- The last two layers are searched together, plan by plan, in compiled code; what lies above is the recursion below.
- *Merging*: a particle is worth ``caution`` times Mr. X's best answer from it plus the rest times the average of all.
  A caution of 1 is the pure minimum.
- *A beam*: below the top, only the ``beam`` best plans by the two-layer search are looked at deeper, and inner layers
  give each pawn its ``width`` best choices. 0 lifts either limit.
- *Dominated plans*: two detectives with the same tickets who could change stations at the same fares.
- *Adaptive horizon*: two layers when Mr. X is about to show himself or a detective has ``few`` tickets or less.
- *Weights*: ticket pressure is worth most beside the capture time: against hider, at two layers and 400 games, 97.5 %
  with w_3 at 0.02 and 93.8 without; w_4 at 0.02 costs (90.2), the others make no difference that 400 games would show,
  so they only settle near-ties. Four layers catch pimbot in 94.5 % and two in 91.5 % (200 games: within chance).
- The table keeps bounds beside values, as alpha-beta needs; detectives are interchangeable in its key.
"""

import functools
import math
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.planning.choices import LONG, MAX_CHOICES, MAX_PARTICLES, NEAR, NODE, SHEET, WEIGHTS
from scotyard_baselines.planning.enumeration import RANKED, write_actions
from scotyard_baselines.planning.layers import ANSWERS, MAX_ANSWERS, answer, carry_out, look_at, write_key
from scotyard_baselines.planning.value import begin_ranking, rank_plans
from scotyard_env.belief import WEIGHTINGS, Weighting, weigh
from scotyard_env.policy import Decision
from scotyard_env.state import BLACK, FARES, MAX_DETECTIVES, MR_X_WINS, new_states
from scotyard_env.view import View

MOST_PLANS = 1 << 16  # kept where the beam has no limit
MOST_LAYERS = 8
SLACK = 1e-9  # how much bounds give way, so that rounding never cuts off a plan as good as the best
PLANS_PER_LOOK = 128  # plans valued between two looks at the clock: 0.03 to 0.06 ms
BLOCK = 1 + MAX_ANSWERS  # positions of a layer
EXACT, AT_LEAST, AT_MOST = range(3)  # what a value in the transposition table is


class Plan(NamedTuple):
    """Coordinated moves of the detectives who have not moved in this round."""

    actions: tuple[int, ...]  # by seat, from the one to move on
    value: float


class Thought(NamedTuple):
    """What a search came to."""

    plans: tuple[Plan, ...]  # best first
    confidence: float | None  # gap between the best plan and the runner-up
    depth: int  # layers searched
    nodes: int  # particles valued under a plan, and answers of Mr. X played


@dataclass(frozen=True)
class Minimax:
    """Search joint plans and Mr. X's answers in turn, by alpha-beta over what the detectives believe."""

    sides: ClassVar[tuple[str, ...]] = ("detectives",)
    depth: int = 4  # the horizon, in layers: the detectives', Mr. X's, the detectives', ...
    particles: int = 8  # K, the likeliest stations of Mr. X
    belief: Weighting = "evasive"  # or "paths", "uniform": see scotyard_env.belief
    discount: float = 0.8  # what a round more until Mr. X is caught leaves of a plan's worth
    caution: float = 0.5  # share of Mr. X's best answer, against the average one
    w_1: float = 0.01  # price of a move of the team's average distance to the belief's centroid
    w_2: float = 0.01  # of all entropy gone
    w_3: float = 0.02  # ticket pressure
    w_4: float = 0.002  # price of all detectives in one cluster
    coverage: float = 0.01  # of an exit that a detective can reach
    choke: float = 0.005  # of standing where most links meet
    perimeter: float = 0.01  # of standing around where Mr. X is about to show himself
    beam: int = 8  # plans that are looked at deeper; 0 = all
    width: int = 4  # choices of a pawn in inner layers; 0 = all
    few: int = 2  # tickets with which the horizon is short
    adaptive: bool = True  # shorten the horizon before a reveal and with few tickets
    alpha_beta: bool = True
    pawn_order: bool = True  # branch over the most threatening pawn first
    move_order: bool = True  # try the moves that cover the exits best first
    answer_order: bool = True  # try the answer with the largest escape potential first
    dominance: bool = True  # drop dominated plans
    table: bool = True  # remember positions that were searched
    seconds: float | None = None  # think this long, one depth after the other up to ``depth``

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MOST_LAYERS:
            raise ValueError(f"depth is {self.depth}: give a number of layers from 1 to {MOST_LAYERS}")
        if not 1 <= self.particles <= MAX_PARTICLES:
            raise ValueError(f"particles is {self.particles}: give 1 to {MAX_PARTICLES}")
        if self.belief not in WEIGHTINGS:
            raise ValueError(f"belief is {self.belief!r}: give one of {', '.join(WEIGHTINGS)}")
        if not 0.0 < self.discount < 1.0:
            raise ValueError(f"discount is {self.discount}: give a number between 0 and 1")
        if not 0.0 <= self.caution <= 1.0:
            raise ValueError(f"caution is {self.caution}: give a number from 0 to 1")
        for field in ("w_1", "w_2", "w_3", "w_4", "coverage", "choke", "perimeter"):
            if not getattr(self, field) >= 0:
                raise ValueError(f"{field} is {getattr(self, field)}: give a number of at least 0")
        for field in ("beam", "width", "few"):
            if getattr(self, field) < 0:
                raise ValueError(f"{field} is {getattr(self, field)}: give a whole number of at least 0")
        if self.seconds is not None and not self.seconds > 0:
            raise ValueError(f"seconds is {self.seconds!r}: give a number above 0, or None for no limit")

    @property
    def is_timed(self) -> bool:
        """Whether the clock decides how deep it looks: then two games are never sure to be the same."""
        return self.seconds is not None

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the first move of the best plan."""
        thought = self.think(view)
        candidates: dict[int, float] = {}
        for plan in thought.plans:
            candidates.setdefault(plan.actions[0], plan.value)
        best = thought.plans[0]
        return Decision(best.actions[0], best.value, thought.confidence, tuple(candidates.items()))

    def think(self, view: View) -> Thought:
        """Search as deep as the horizon of a view goes, or as time allows."""
        return Search(view, self).run()

    def horizon_depth(self, view: View) -> int:
        """Tell how many layers are worth searching: fewer when few tickets remain or a reveal is imminent."""
        purses = [sum(tickets[:BLACK]) for tickets in view.tickets[1:] if min(tickets[:BLACK]) >= 0]
        is_near = view.state.entries + 1 in view.rules.reveals or any(purse <= self.few for purse in purses)
        return min(self.depth, 2) if self.adaptive and is_near else self.depth


class OutOfTimeError(Exception):
    """The time to think is over in the middle of a depth."""


class Search:
    """One search: its layers from the root down, and what they share."""

    def __init__(self, view: View, policy: Minimax) -> None:
        self.deadline = math.inf if policy.seconds is None else perf_counter() + policy.seconds
        self.view, self.policy = view, policy
        self.board, self.rules, self.times = view.board.packed, view.rules.packed(view.board), capture_times(view.board)
        size = 1 + MOST_LAYERS // 2 * BLOCK  # the root; then for each layer what a plan leads to, and the answers to it
        self.states, self.nodes = new_states(size), np.zeros(size, NODE)
        self.sheets, self.answers = np.zeros(1, SHEET), np.zeros(MOST_LAYERS // 2, ANSWERS)
        most_links = int(view.board.arrays.links[:, :BLACK].sum(axis=1).max())
        self.weights = {has_replies: make_weights(policy, most_links, has_replies) for has_replies in (False, True)}
        self.ceiling = 1.0 + sum(getattr(policy, bonus) for bonus in ("w_2", "w_3", "coverage", "choke", "perimeter"))
        self.known: dict[bytes, tuple[float, int]] = {}  # the transposition table
        self.key = np.zeros(MAX_DETECTIVES + FARES + 3, np.int64)
        self.answered = 0
        look_at(view.state, weigh(view, policy.belief), policy.particles, self.states, self.nodes, 0)

    def run(self) -> Thought:
        """Rank all plans by the last two layers, then look at the best of them deeper."""
        horizon = self.policy.horizon_depth(self.view)
        ranking = self.rank(0, min(horizon, 2), self.policy.beam, 0, -math.inf, math.inf)
        plans, depth = self.read_plans(ranking, ranking["value"].tolist()), min(horizon, 2)
        for deeper in range(4 - horizon % 2, horizon + 1, 2) if self.policy.is_timed else [horizon] * (horizon > 2):
            try:
                plans, depth = self.look_deeper(ranking, deeper), deeper
            except OutOfTimeError:
                break
        gap = plans[0].value - plans[1].value if len(plans) > 1 else None
        return Thought(tuple(plans), gap, depth, int(self.sheets[0].nodes) + self.answered)

    def look_deeper(self, ranking: NDArray[np.void], depth: int) -> list[Plan]:
        """Value the ranked plans by so many layers, best first; all but the two best values are upper bounds."""
        values: list[float] = []
        for ranked in ranking:
            runner_up = sorted(values)[-2] if len(values) > 1 else -math.inf
            values.append(self.minimize(0, 0, ranked, depth, runner_up - SLACK))
        return sorted(self.read_plans(ranking, values), key=lambda plan: (-plan.value, plan.actions))

    def read_plans(self, ranking: NDArray[np.void], values: list[float]) -> list[Plan]:
        """Read plans off a ranking."""
        state = self.view.state
        actions = np.empty((len(ranking), int(state.seats - state.seat)), np.int64)
        write_actions(self.board, state, ranking, actions)
        return [Plan(tuple(moves), value) for moves, value in zip(actions.tolist(), values, strict=True)]

    # ------------------------------------------------------------------------------------------ the detectives' layer

    def maximize(self, index: int, layer: int, depth: int, alpha: float, beta: float) -> float:
        """Value a position with the detectives to move, so many layers deep; look it up if it is known."""
        key = self.key_of(index, depth)
        if (value := self.look_up(key, alpha, beta)) is not None:
            return value
        if depth <= 2:
            ranking = self.rank(index, depth, 1, self.policy.width, alpha, beta)
            value = float(ranking[0].value) if len(ranking) else alpha
        else:
            value = self.maximize_over(
                self.rank(index, 2, self.policy.beam, self.policy.width, -math.inf, math.inf),
                index,
                layer,
                depth,
                alpha,
                beta,
            )
        self.known[key] = value, AT_MOST if value <= alpha else AT_LEAST if value >= beta else EXACT
        return value

    def maximize_over(
        self, ranking: NDArray[np.void], index: int, layer: int, depth: int, alpha: float, beta: float
    ) -> float:
        """Value the best of some plans."""
        value = -math.inf
        for ranked in ranking:
            value = max(value, self.minimize(index, layer, ranked, depth, max(alpha, value)))
            if self.policy.alpha_beta and value >= beta:
                break
        return value

    def rank(self, index: int, depth: int, beam: int, width: int, alpha: float, beta: float) -> NDArray[np.void]:
        """Rank the best plans of a position by one or two layers: the detectives' and Mr. X's answer."""
        weights = self.weights[depth >= 2]
        place = self.board, self.times, self.states, self.nodes, index, weights, self.sheets
        begin_ranking(*place, self.rules, width or MAX_CHOICES)
        ranking = np.zeros(beam or self.count_plans(index), RANKED)
        count, sheet = 0, self.sheets[0]
        if not self.policy.alpha_beta:
            alpha, beta = -math.inf, math.inf
        while sheet.place >= 0:
            count = rank_plans(*place, alpha, beta, ranking, count, PLANS_PER_LOOK)
            if self.is_time_up and index > 0:
                raise OutOfTimeError
            if self.is_time_up:
                break
        return ranking[:count]

    @property
    def is_time_up(self) -> bool:
        """Whether the time to think is over."""
        return perf_counter() > self.deadline

    def count_plans(self, index: int) -> int:
        """Count how many plans a position has at most."""
        state, choices = self.states[index], self.sheets[0].choices
        return min(MOST_PLANS, math.prod(int(choices[seat]) for seat in range(state.seat, state.seats)))

    # ------------------------------------------------------------------------------------------------- Mr. X's layer

    def minimize(self, index: int, layer: int, plan: np.record, depth: int, alpha: float) -> float:
        """Value a plan by Mr. X's answers to it; an upper bound is enough if that is below alpha."""
        after = 1 + layer * BLOCK
        caught = carry_out(self.board, self.rules, self.states, self.nodes, index, after, plan)
        if self.nodes[after].particles == 0 or self.states[after].winner == MR_X_WINS:
            return float(caught)
        place = self.board, self.rules, self.states, self.nodes, after, after + 1
        count = answer(*place, self.policy.particles, self.answers[layer : layer + 1])
        self.answered += count
        merged = Merge(self, layer, after, caught, count)
        for number in self.order_answers(layer, count):
            bounds = merged.bounds_of(number, alpha) if self.policy.alpha_beta else (-math.inf, math.inf)
            merged.take(number, self.maximize(after + 1 + number, layer + 1, depth - 2, *bounds))
            if self.policy.alpha_beta and merged.value < alpha:
                break
        return merged.value

    def order_answers(self, layer: int, count: int) -> list[int]:
        """Put the answer with the largest escape potential first."""
        potential = self.answers[layer].potential[:count].tolist()
        return sorted(range(count), key=lambda number: -potential[number] if self.policy.answer_order else 0)

    # ------------------------------------------------------------------------------------------- transposition table

    def key_of(self, index: int, depth: int) -> bytes:
        """Make the key of a position: detectives' stations and tickets, belief, Mr. X's tickets, log, and the depth."""
        write_key(self.states[index], self.nodes[index], self.key)
        self.key[-1] = depth
        return self.key.tobytes()

    def look_up(self, key: bytes, alpha: float, beta: float) -> float | None:
        """Look a position up in the transposition table, as far as its value settles the question."""
        value, kind = self.known.get(key, (0.0, None)) if self.policy.table else (0.0, None)
        is_settled = kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha)
        return value if is_settled else None


class Merge:
    """Mr. X's answers merged: from every particle his best one and the average, each in its share.

    Answers that are not known yet count as the most they can be, so that ``value`` is an upper bound at any time.
    """

    def __init__(self, search: Search, layer: int, after: int, caught: float, count: int) -> None:
        node = search.nodes[after]
        self.caution, self.discount, self.ceiling = search.policy.caution, search.policy.discount, search.ceiling
        self.caught = caught
        self.weight = node.weight[: node.particles].copy()
        self.share = search.answers[layer].share[:count, : node.particles].copy()  # he may be stuck: then all is 0
        self.can_move = self.share.any(axis=0)
        self.best = np.full(node.particles, self.ceiling)
        self.average = np.full(node.particles, self.ceiling)

    @property
    def value(self) -> float:
        """What the plan is worth at most: a Mr. X who cannot move is caught."""
        mixed = self.discount * (self.caution * self.best + (1.0 - self.caution) * self.average)
        return float(self.caught + self.weight @ np.where(self.can_move, mixed, 1.0))

    def take(self, number: int, value: float) -> None:
        """Take in the value of an answer."""
        self.average -= self.share[number] * (self.ceiling - value)
        self.best = np.where(self.share[number] > 0, np.minimum(self.best, value), self.best)

    def bounds_of(self, number: int, alpha: float) -> tuple[float, float]:
        """Tell between which values an answer matters: below, the plan stays under alpha; above, nobody picks it."""
        share = self.share[number]
        slope = self.discount * self.weight @ np.where(share > 0, self.caution + (1.0 - self.caution) * share, 0.0)
        best = np.where(share > 0, self.best, 0.0)
        rest = self.value - self.discount * self.weight @ (
            self.caution * best + (1.0 - self.caution) * share * self.ceiling
        )
        highest = float(best.max()) + SLACK if self.caution == 1.0 else math.inf
        return float((alpha - rest) / slope) - SLACK, highest


@functools.lru_cache(maxsize=32)
def make_weights(policy: Minimax, most_links: int, has_replies: bool) -> NDArray[np.void]:
    """Put the parameters into a record for compiled code, which only reads it."""
    weights = np.zeros(1, WEIGHTS)
    time, near = np.ogrid[: LONG + 1, : NEAR + 1]
    rounds = np.where(time < LONG, time, np.minimum(2 * near + 1, LONG))  # without a pair that catches him: a guess
    weights[0].lost[:] = policy.discount**rounds + policy.coverage * (near <= 1)
    weights[0].scarce = policy.w_3
    weights[0].ceiling = 1.0 + policy.coverage + policy.w_3
    weights[0].most_links = most_links
    for field in ("caution", "w_1", "w_2", "w_3", "w_4", "choke", "perimeter"):
        weights[0][field] = getattr(policy, field)
    weights[0].has_replies = has_replies
    weights[0].has_cuts = policy.alpha_beta
    weights[0].has_pawn_order = policy.pawn_order
    weights[0].has_move_order = policy.move_order
    weights[0].has_dominance = policy.dominance
    return weights
