"""Pursuit by a joint plan: the base class of hunters, bayes and tracker, which differ in their belief.

The value of a joint plan is the weight of the stations it catches Mr. X on plus, for every other station where he may
be, discount ** T for where he flees to. T is the exact time that two detectives would need to catch him there if they
saw him (capture/): a mixture of the soonest pair's and the mean of all pairs. His replies are mixed likewise, the best
one and the mean of all. A detective who lacks tickets arrives later, by the detour that this costs
(geometry/detours.py). The plan is found by coordinate ascent and made anew for every detective of a round, since a miss
is information too.

Before that the belief is hedged for a random number of rounds (planning/hedge.py), so that not even a Mr. X who knows
this code can predict the plan.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.planning.coordinate_ascent import best_choice
from scotyard_baselines.planning.hedge import hedge
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.planner import (
    MIX_LEVELS,
    PlannerScratch,
    ascend_first,
    look_around,
    mix_in_uniform,
    new_planner_scratch,
    read_decision,
)
from scotyard_baselines.planning.weights import make_weights
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Count, Discount, Finite, Price, Range, Share, check_ranges
from scotyard_env.state import MAX_DETECTIVES
from scotyard_env.view import View, Views


@dataclass(frozen=True)
class Pursuit(Explains):
    """Make the joint plan that leaves Mr. X the least time to run, wherever he may be."""

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)
    particles: Annotated[int, Range(1, MAX_PARTICLES)] = MAX_PARTICLES  # likeliest stations of Mr. X that are looked at
    discount: Discount = 0.9  # what a round more until he is caught leaves of a plan's worth
    distance_cost: Finite = 0.002  # price of a move of distance of each detective from where he may be
    all_pairs_weight: Share = 0.5  # share of all pairs of detectives in that time, against the soonest pair
    worst_case_weight: Share = 0.8  # share of Mr. X's best reply, against the mean of all
    ticket_cost: Price = 0.004  # price of a detective's last ticket of a kind; of one of several, that divided
    counts_tickets: bool = True  # detectives make detours for want of tickets; False = tickets are taken for granted
    uniform_mix: Share = 0.0  # largest share of the uniform belief; a decision draws 0, half of it, or all
    starts: Count = 4  # plans that the ascent begins with: the nearest one, the others at random
    hedge_rounds: Annotated[int, Range(0, 100)] = (
        4  # at most, against one who knows the plan; a decision draws 0 to all
    )
    learning_rate: Annotated[float, Range(0, 100)] = 4.0  # how much he shuns in each of them what the plan is worth

    def __post_init__(self) -> None:
        check_ranges(self)

    def believe(self, views: Views, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the probability of every station in each of many views, (n, stations + 1)."""
        raise NotImplementedError

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the first move of the best plan; candidates are valued while the others keep to the plan."""
        actions, scratch = self._plan(Views(view.board, view.rules, view.states), rng)
        return read_decision(view, int(actions[0]), scratch)

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        return self._plan(views, rng)[0]

    def make_weights(self, detectives: int) -> NDArray[np.void]:
        """Return what a plan of so many detectives is valued by."""
        return make_weights(
            discount=self.discount,
            all_pairs_weight=self.all_pairs_weight,
            detectives=detectives,
            worst_case_weight=self.worst_case_weight,
            distance_cost=self.distance_cost,
            ticket_cost=self.ticket_cost,
            counts_tickets=self.counts_tickets,
        )

    def _plan(self, views: Views, rng: np.random.Generator) -> tuple[NDArray[np.int64], PlannerScratch]:
        """Plan for each of many views; return the first moves, and the scratch memory as the last view leaves it."""
        chosen, scratch = np.empty(len(views), np.int64), new_planner_scratch(views.board)
        mixes = self.uniform_mix * np.floor(MIX_LEVELS * rng.random(len(views))) / (MIX_LEVELS - 1)
        draws = rng.random((len(views), self.starts - 1, MAX_DETECTIVES))
        rounds = rng.integers(0, self.hedge_rounds + 1, len(views))
        plan_rows(
            views.board.packed,
            capture_times(views.board),
            views.states,
            self.believe(views, rng),
            self.particles,
            mixes,
            draws,
            rounds,
            self.learning_rate,
            self.make_weights(views.rules.detectives),
            scratch,
            chosen,
        )
        return chosen, scratch


@kernel
def plan_rows(boards, times, states, beliefs, particles, mixes, draws, rounds, learning_rate, weights, scratch, chosen):
    """Write the first move of the best plan for each view, after so many rounds of a Mr. X who would evade it.

    What the choices of the last view are worth is left in the scratch memory.
    """
    board, node, choices, ascent = boards[0], scratch.nodes[0], scratch.choices[0], scratch.ascents[0]
    for index in range(len(states)):
        mix_in_uniform(board, states[index], beliefs[index], mixes[index])
        look_around(board, states[index], particles, beliefs[index], weights[0], scratch)
        hedge(board, times, node, weights[0], choices, ascent, draws[index], rounds[index], learning_rate)
        chosen[index] = ascend_first(board, times, draws[index], weights[0], scratch)
    best_choice(board, times, node, weights[0], choices, ascent, node.seat)
