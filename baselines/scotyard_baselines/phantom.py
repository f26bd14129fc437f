"""phantom: a Mr. X who plays every way out on against detectives like ours, and vanishes by the best.

Every turn that he can make is played on for some rounds (rollouts/rollout.py): the detectives, a mixture of plain
hunters, who expect the mean reply and draw anew how far to trust their belief, coverage and greedy, know what the table
knows; he goes on by hiding one move ahead. Where the play ends, a value function learned from games tells how likely he
is to get away (rollouts/win_probability.py). Sequential halving shares the rollouts out among the turns. Double moves
are only looked at when no single move is good enough. The learned ``ppo_mr_x`` is his prior: what is unlikely to it
must gain more (``prior_weight``), since detectives unlike the modelled ones look where those would not.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.networks.move_scorer import shipped_scorer
from scotyard_baselines.rollouts.scratch import Scratch, new_scratch
from scotyard_baselines.rollouts.sequential_halving import halve
from scotyard_baselines.rollouts.turns import list_turns, mean_value
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Finite, Price, Range, Share, check_ranges
from scotyard_env.rng import draw_seeds
from scotyard_env.view import View, Views

LEAST_LIKELY = 0.001  # actions less likely than that to the prior are all alike


class Prior(NamedTuple):
    """What the legal actions of many views cost for being unlikely; those of view i are firsts[i] to firsts[i + 1]."""

    firsts: NDArray[np.int64]  # (views + 1,)
    actions: NDArray[np.int64]
    costs: NDArray[np.float64]


@dataclass(frozen=True)
class Phantom:
    """Play every turn on against modelled detectives and take the one by which he most probably gets away."""

    sides: ClassVar[tuple[Side, ...]] = ("mr_x",)
    rollouts: Annotated[int, Range(1, 1_000_000)] = (
        200  # of a decision, and as many again if double moves are looked at
    )
    rounds: Annotated[int, Range(1, 24)] = 3  # that each is played on for
    greedy: Share = 0.1  # share of rollouts in which the detectives are greedy
    coverage: Share = 0.2  # and of those in which they spread out; in all others they are hunters
    uniform_mix: Share = 0.6  # largest share of the uniform belief in that of the modelled hunters
    double_threshold: Share = 0.6  # probability of getting away below which double moves are looked at
    double_cost: Finite = 0.05  # probability that a double move must gain
    black_cost: Finite = 0.01  # and a black ticket
    prior_weight: Price = 0.1  # and an action for being e times less likely to ``ppo_mr_x``; 0 = do not ask it

    def __post_init__(self) -> None:
        check_ranges(self)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the action that the best turn begins with; values are probabilities of getting away, less costs."""
        actions, scratch, count = self.search(Views(view.board, view.rules, view.states), rng)
        first = int(actions[0])
        best: dict[int, float] = {first: -np.inf}
        for turn in scratch.turns[:count]:
            if turn.visits > 0:
                value = float(turn.total / turn.visits - turn.cost)
                best[int(turn.actions[0])] = max(best.get(int(turn.actions[0]), -np.inf), value)
        others = sorted(((action, value) for action, value in best.items() if action != first), key=lambda p: -p[1])
        gap = best[first] - others[0][1] if others else None
        return Decision(first, value=best[first], confidence=gap, candidates=((first, best[first]), *others))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        return self.search(views, rng)[0]

    def search(self, views: Views, rng: np.random.Generator) -> tuple[NDArray[np.int64], Scratch, int]:
        """Return an action for each view; of the last, the turns with their rollouts and how many they are."""
        actions, scratch = np.empty(len(views), np.int64), self.make_scratch(views)
        packed = views.board.packed, views.rules.packed(views.board), capture_times(views.board)
        count = search_rows(*packed, views.states, draw_seeds(rng, len(views)), self._prior(views), scratch, actions)
        return actions, scratch, count

    def make_scratch(self, views: Views) -> Scratch:
        """Return scratch memory with the parameters where the search reads them."""
        return new_scratch(
            views.board,
            rollouts=self.rollouts,
            rounds=self.rounds,
            greedy=self.greedy,
            coverage=self.coverage,
            uniform_mix=self.uniform_mix,
            double_threshold=self.double_threshold,
            double_cost=self.double_cost,
            black_cost=self.black_cost,
        )

    def _prior(self, views: Views) -> Prior:
        """Ask the learned player how unlikely every legal action is."""
        if self.prior_weight == 0.0:
            return Prior(np.zeros(len(views) + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))
        inputs, probabilities = shipped_scorer("ppo_mr_x").probabilities(views)
        return Prior(inputs.firsts, inputs.ids, -self.prior_weight * np.log(np.maximum(probabilities, LEAST_LIKELY)))


@kernel
def search_rows(boards, rules, times, states, seeds, prior, scratch, actions):
    """Write the best action for each of many views; return the number of turns listed for the last."""
    count = 0
    for index in range(len(states)):
        scratch.rng_state[0] = seeds[index]
        for row in range(prior.firsts[index], prior.firsts[index + 1]):
            scratch.prior_costs[prior.actions[row]] = prior.costs[row]
        count = search(boards[0], rules[0], times, states, index, scratch)
        actions[index] = scratch.turns[scratch.order[0]].actions[0]
    return count


@kernel
def search(board, rules, times, states, index, scratch):
    """Put the best turn first in scratch.order; return the number of turns that are listed."""
    singles, total = list_turns(board, rules, states, index, scratch)
    if total == 1:
        scratch.order[0] = 0
        return total
    if singles == 0:
        halve(board, rules, times, states, index, scratch, 0, total)
        return total
    halve(board, rules, times, states, index, scratch, 0, singles)
    best = scratch.order[0]
    if total > singles and mean_value(scratch.turns[best]) < scratch.parameters[0].double_threshold:
        halve(board, rules, times, states, index, scratch, singles, total)
        if mean_value(scratch.turns[best]) >= mean_value(scratch.turns[scratch.order[0]]):
            scratch.order[0] = best
    return total
