"""hunters: detectives who plan the rest of the round together against a Mr. X who runs.

The worth of a joint plan is the weight of the stations it catches him on plus, for every other station where he may
be, the mean over his replies of 0.8 ** T, where T is the exact time two of the detectives would need to catch him
there if they saw him (capture.py). The belief is that of a Mr. X who keeps his distance (``belief.weigh(view,
"evasive")``). Every plan there is gets valued, and the plan is made anew after every pawn, since a miss is information
too.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.capture import capture_times
from baselines.plans import BEST, MAX_PARTICLES, NODE, TABLE, find_plans, look_at, make_weights
from scotyard_env.belief import weigh_by_paths
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision
from scotyard_env.view import View, Views


@dataclass(frozen=True)
class Hunters:
    """Make the joint plan that leaves Mr. X the least time to run, wherever he may be."""

    sides: ClassVar[tuple[str, ...]] = ("detectives",)
    particles: int = MAX_PARTICLES  # likeliest stations of Mr. X that are looked at
    discount: float = 0.8  # what a round more until he is caught leaves of a plan's worth
    approach: float = 0.002  # price of a move of distance of each detective from where he may be
    evasive: bool = True  # believe in a Mr. X who keeps his distance, else weigh by paths alone

    def __post_init__(self) -> None:
        if not 1 <= self.particles <= MAX_PARTICLES:
            raise ValueError(f"particles is {self.particles}: give 1 to {MAX_PARTICLES}")
        if not 0.0 < self.discount < 1.0:
            raise ValueError(f"discount is {self.discount}: give a number between 0 and 1")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the first move of the best plan; its confidence is the gap to the best plan that begins otherwise."""
        best = self._plan(Views(view.board, view.rules, view.states))[1][0]
        plans = zip(best.action[: best.count], best.value[: best.count], strict=True)
        candidates = sorted(((int(action), float(value)) for action, value in plans), key=lambda plan: -plan[1])
        gap = candidates[0][1] - candidates[1][1] if len(candidates) > 1 else None
        return Decision(candidates[0][0], value=candidates[0][1], confidence=gap, candidates=tuple(candidates))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        return self._plan(views)[0]

    def _plan(self, views: Views) -> tuple[NDArray[np.int64], NDArray[np.void]]:
        """Find the best plans for each of many views; give the first moves, and the best plans of the last view."""
        actions = np.empty(len(views), np.int64)
        belief = np.zeros((2, views.board.stations + 1))
        weights = make_weights(self.discount, self.approach)
        sheets = np.zeros(1, NODE), np.zeros(1, TABLE), np.zeros(1, BEST)
        times = capture_times(views.board)
        plan_rows(
            views.board.packed, times, views.states, self.particles, self.evasive, belief, weights, *sheets, actions
        )
        return actions, sheets[2]


@kernel
def plan_rows(boards, times, states, particles, evasive, belief, weights, nodes, tables, bests, actions):
    """Write the first move of the best plan for each view."""
    board, node, table, best = boards[0], nodes[0], tables[0], bests[0]
    for index in range(len(states)):
        weigh_by_paths(board, states[index], evasive, belief[0], belief[1])
        look_at(states[index], belief[0], particles, node)
        find_plans(board, times, node, weights[0], table, best)
        actions[index] = best.action[np.argmax(best.value[: best.count])]
