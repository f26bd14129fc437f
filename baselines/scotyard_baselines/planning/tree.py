"""The positions of a minimax search, in arrays for compiled code.

First the root, then for each pair of layers what a plan leads to, and Mr. X's answers to it.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.planning.choices import CHOICES, MAX_CHOICES
from scotyard_baselines.planning.enumeration import (
    ENUMERATION_SCRATCH,
    RANKED,
    begin_ranking,
    rank_plans,
    read_ranking,
)
from scotyard_baselines.planning.layers import ANSWERS, MAX_ANSWERS, answer, begin_search, carry_out, write_key
from scotyard_baselines.planning.node import NODE
from scotyard_env.state import FARES, MAX_DETECTIVES, MR_X_WINS, new_states
from scotyard_env.view import View

MOST_LAYERS = 8
MOST_PLANS = 1 << 16  # kept where the beam has no limit
PLANS_PER_LOOK = 128  # plans valued between two looks at the clock
BLOCK = 1 + MAX_ANSWERS  # positions of a pair of layers


class Tree:
    """The line of positions that a search is looking at; a position is named by its index."""

    def __init__(self, view: View, belief: NDArray[np.float64], particles: int) -> None:
        self.board, self.rules, self.times = view.board.packed, view.rules.packed(view.board), capture_times(view.board)
        size = 1 + MOST_LAYERS // 2 * BLOCK
        self.states, self.nodes = new_states(size), np.zeros(size, NODE)
        self.choices, self.scratch = np.zeros(1, CHOICES), np.zeros(1, ENUMERATION_SCRATCH)
        self.answers = np.zeros(MOST_LAYERS // 2, ANSWERS)
        self.key = np.zeros(MAX_DETECTIVES + FARES + 3, np.int64)
        self.particles, self.answered = particles, 0
        begin_search(view.state, belief, particles, self.states, self.nodes)

    @property
    def visited(self) -> int:
        """How many nodes were looked at: particles valued under a plan, and answers of Mr. X played."""
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
        weights: NDArray[np.void],
        *,
        beam: int = 0,
        width: int = 0,
        alpha: float = -math.inf,
        beta: float = math.inf,
    ) -> Iterator[NDArray[np.void]]:
        """Rank the beam's best plans of a position, 0 for all; yield them after every few plans, the last time all."""
        node = self.nodes, index, weights, self.choices, self.scratch
        begin_ranking(self.board, self.rules, self.times, *node, width or MAX_CHOICES)
        ranking, count = np.zeros(beam or self._count_plans(index), RANKED), 0
        while self.scratch[0].place >= 0:
            count = rank_plans(self.board, self.times, *node, alpha, beta, ranking, count, PLANS_PER_LOOK)
            yield ranking[:count]

    def read_plans(self, ranking: NDArray[np.void]) -> list[tuple[int, ...]]:
        """Return the actions of the ranked plans of the root, by seat from the one to move on."""
        actions = np.empty((len(ranking), self.nodes[0].seats - self.nodes[0].seat), np.int64)
        read_ranking(self.board, self.nodes, ranking, actions)
        return [tuple(plan) for plan in actions.tolist()]

    def _count_plans(self, index: int) -> int:
        """Count how many plans a position has at most."""
        node, count = self.nodes[index], self.choices[0].count
        return min(MOST_PLANS, math.prod(int(count[seat]) for seat in range(node.seat, node.seats)))

    # ------------------------------------------------------------------------------------------------- Mr. X's layer

    def carry_out(self, index: int, layer: int, plan: np.record) -> tuple[int, float]:
        """Carry out a plan; return the position it leads to, and the weight of the particles that it catches."""
        after = 1 + layer * BLOCK
        return after, float(carry_out(self.board, self.rules, self.states, self.nodes, index, after, plan))

    def is_over(self, index: int) -> bool:
        """Tell whether nobody is left to answer, or Mr. X has got away."""
        return bool(self.nodes[index].particles == 0 or self.states[index].winner == MR_X_WINS)

    def answer(self, after: int, layer: int) -> int:
        """Let Mr. X answer; return how many answers there are, which are the positions from after + 1 on."""
        where = self.states, self.nodes, after, after + 1
        count = int(answer(self.board, self.rules, *where, self.particles, self.answers[layer : layer + 1]))
        self.answered += count
        return count
