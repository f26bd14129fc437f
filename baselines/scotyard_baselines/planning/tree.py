"""The positions of a minimax search, in arrays for compiled code.

First the root, then for each pair of layers what a plan leads to, and Mr. X's answers to it.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.planning.answers import ANSWERS, MAX_ANSWERS, answer, answer_or_double
from scotyard_baselines.planning.choices import CHOICES, MAX_CHOICES
from scotyard_baselines.planning.distances import TICKET_WORTH, weigh_links
from scotyard_baselines.planning.document import (
    evaluate_captured,
    evaluate_plan,
    rank_plans_by_leaves,
    value_one_plan_by_leaves,
)
from scotyard_baselines.planning.enumeration import ENUMERATION_SCRATCH, begin_ranking
from scotyard_baselines.planning.layers import begin_search, carry_out, write_key
from scotyard_baselines.planning.node import NODE
from scotyard_baselines.planning.ranking import RANKED, rank_plans, read_ranking, value_one_plan
from scotyard_baselines.planning.value import measure_entropy
from scotyard_env.state import FARES, MAX_DETECTIVES, MR_X_WINS, new_states
from scotyard_env.view import View

MOST_LAYERS = 8
MOST_PLANS = 1 << 19  # kept where the beam has no limit
BLOCK = 1 + MAX_ANSWERS  # positions of a pair of layers


class Where(NamedTuple):
    """What compiled code plays and evaluates positions with."""

    boards: NDArray[np.void]  # with the distances that plans are valued by
    true_boards: NDArray[np.void]
    rules: NDArray[np.void]
    times: NDArray[np.uint8]  # capture times
    states: NDArray[np.void]
    answers: NDArray[np.void]
    plans: NDArray[np.void]  # of one record: the plan that is carried out
    ticket_worth: NDArray[np.float64]
    child: int  # position that a plan of the last layers leads to; his answers follow it
    particles: int


class Tree:
    """The line of positions that a search is looking at; a position is named by its index."""

    def __init__(
        self,
        view: View,
        belief: NDArray[np.float64],
        particles: int,
        *,
        has_doubles: bool = False,
        is_weighted: bool = False,
    ) -> None:
        size = 1 + MOST_LAYERS // 2 * BLOCK
        self.nodes, self.has_doubles = np.zeros(size, NODE), has_doubles
        self.where = Where(
            boards=weigh_links(view.board) if is_weighted else view.board.packed,
            true_boards=view.board.packed,
            rules=view.rules.packed(view.board),
            times=capture_times(view.board),
            states=new_states(size),
            answers=np.zeros(MOST_LAYERS // 2, ANSWERS),
            plans=np.zeros(1, RANKED),
            ticket_worth=TICKET_WORTH,
            child=1,
            particles=particles,
        )
        self.choices, self.scratch = np.zeros(1, CHOICES), np.zeros(1, ENUMERATION_SCRATCH)
        self.key = np.zeros(MAX_DETECTIVES + FARES + 3, np.int64)
        self.answered = 0
        begin_search(view.state, belief, particles, self.where.states, self.nodes)
        self.scratch[0].first_entropy = measure_entropy(self.nodes[0])
        self.scratch[0].first_entries = self.nodes[0].entries

    @property
    def farthest(self) -> int:
        """The largest distance between two stations, in the measure that plans are valued by."""
        board = self.where.boards[0]
        return int(board.distance[1 : board.stations + 1, 1 : board.stations + 1].max())

    @property
    def visited(self) -> int:
        """How many nodes were looked at: particles or leaves valued under a plan, and answers of Mr. X played."""
        return int(self.scratch[0].nodes) + self.answered

    def key_of(self, index: int, depth: int) -> bytes:
        """Make the key of a position: detectives' stations and tickets, belief, Mr. X's tickets, log, and the depth."""
        write_key(self.nodes[index], self.key)
        self.key[-1] = depth
        return self.key.tobytes()

    # ------------------------------------------------------------------------------------------ the detectives' layer

    def rank(
        self,
        index: int,
        layer: int,
        weights: NDArray[np.void],
        *,
        beam: int = 0,
        width: int = 0,
        alpha: float = -math.inf,
        beta: float = math.inf,
        firsts: NDArray[np.void] | None = None,
        plans_per_look: int = MOST_PLANS,
    ) -> Iterator[NDArray[np.void]]:
        """Rank the beam's best plans of a position, 0 for all; yield them after every so many plans, the last time all.

        The best plan for each choice of the seat to move is written into firsts, if that is given.
        """
        self._begin(index, weights, width, keeps_all=beam == 0)
        ranking, count = np.zeros(beam or self._count_plans(index), RANKED), 0
        rest = self.choices, self.scratch, alpha, beta, ranking
        best = np.zeros(0, RANKED) if firsts is None else firsts
        place, has_leaves, where = self.scratch["place"], weights["has_leaves"][0], self._below(layer)
        while place[0] >= 0:
            node = self.nodes, index, weights
            if has_leaves:
                count = rank_plans_by_leaves(where, *node, *rest, count, best, plans_per_look)
            else:
                count = rank_plans(where.boards, where.times, *node, *rest, count, best, plans_per_look)
            yield self._sort(ranking[:count]) if beam == 0 else ranking[:count]

    def value_plan(self, index: int, layer: int, weights: NDArray[np.void], plan: np.record) -> float:
        """Return the value of one plan of a position by the last two layers."""
        self._begin(index, weights, 0, keeps_all=False)
        rest = self.nodes, index, weights, self.choices, self.scratch, plan
        if weights["has_leaves"][0]:
            return float(value_one_plan_by_leaves(self._below(layer), *rest))
        return float(value_one_plan(self.where.boards, self.where.times, *rest))

    def read_plans(self, ranking: NDArray[np.void]) -> list[tuple[int, ...]]:
        """Return the actions of the ranked plans of the root, by seat from the one to move on."""
        actions = np.empty((len(ranking), self.nodes[0].seats - self.nodes[0].seat), np.int64)
        read_ranking(self.where.boards, self.nodes, ranking, actions)
        return [tuple(plan) for plan in actions.tolist()]

    def _begin(self, index: int, weights: NDArray[np.void], width: int, *, keeps_all: bool) -> None:
        where, node = self.where, (self.nodes, index, weights, self.choices, self.scratch)
        begin_ranking(where.boards, where.rules, where.times, *node, width or MAX_CHOICES)
        self.scratch["keeps_all"] = keeps_all

    def _count_plans(self, index: int) -> int:
        """Count how many plans a position has at most."""
        node, count = self.nodes[index], self.choices[0].count
        return min(MOST_PLANS, math.prod(int(count[seat]) for seat in range(node.seat, node.seats)))

    def _sort(self, ranking: NDArray[np.void]) -> NDArray[np.void]:
        """Sort plans, the best first and among equals that with the lowest stations."""
        return ranking[np.lexsort((*ranking["to"].T[::-1], -ranking["value"]))]

    # ------------------------------------------------------------------------------------------------- Mr. X's layer

    def carry_out(self, index: int, layer: int, plan: np.record) -> tuple[int, float]:
        """Carry out a plan; return the position it leads to, and the weight of the particles that it catches."""
        after, where = 1 + layer * BLOCK, self.where
        caught = carry_out(where.true_boards, where.rules, where.states, self.nodes, index, after, plan)
        return after, float(caught)

    def is_over(self, index: int) -> bool:
        """Tell whether nobody is left to answer, or Mr. X has got away."""
        return bool(self.nodes["particles"][index] == 0 or self.where.states["winner"][index] == MR_X_WINS)

    def answer(self, after: int, layer: int) -> int:
        """Let Mr. X answer; return how many answers there are, which are the positions from after + 1 on."""
        where = self._below(layer)
        table = where.true_boards, where.rules, where.states
        move = answer_or_double if self.has_doubles else answer
        count = int(move(*table, self.nodes, after, after + 1, where.particles, where.answers))
        self.answered += count
        return count

    def evaluate(self, after: int, weights: NDArray[np.void], caught: float) -> float:
        """Evaluate, by the document, a position to which there is no answer."""
        return float(evaluate_plan(self.where, self.nodes, after, weights, self.scratch, caught))

    def evaluate_captured(self, after: int, weights: NDArray[np.void]) -> float:
        """Evaluate, by the document, a position as if the plan that led there had caught Mr. X for sure."""
        return float(evaluate_captured(self.where, self.nodes, after, weights, self.scratch))

    def _below(self, layer: int) -> Where:
        """Return where a plan of a layer leads to."""
        return self.where._replace(child=1 + layer * BLOCK, answers=self.where.answers[layer : layer + 1])
