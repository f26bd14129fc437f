"""phantom: a Mr. X who plays every way out on against detectives like ours, and vanishes by the best.

Every turn that he can make is played on for some rounds (rollouts/rollout.py): the detectives, a mixture of plain
hunters, who expect the mean reply and draw anew how far to trust their belief, coverage and greedy, know what the table
knows; he goes on by hiding one move ahead. Where the play ends, a value function learned from games tells how likely he
is to get away (rollouts/win_probability.py). Sequential halving shares the rollouts out among the turns. Double moves
are only looked at when no single move is good enough. The learned ``ppo_mr_x`` is his prior: what is unlikely to it
must gain more (``prior_weight``), since detectives unlike the modelled ones look where those would not.

Several threads (``threads``) share out the rollouts of every phase of the halving, each with random numbers of its own,
so that the decision depends on how many they are, not on which of them is quicker.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.networks.move_scorer import shipped_scorer
from scotyard_baselines.rollouts.scratch import Scratch, new_scratch
from scotyard_baselines.rollouts.sequential_halving import begin_halving, end_phase, play_rollouts
from scotyard_baselines.rollouts.turns import list_turns, mean_value
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Finite, Price, Range, Share, Threads, check_ranges
from scotyard_env.rng import draw_seeds
from scotyard_env.threads import share
from scotyard_env.view import View, Views

LEAST_LIKELY = 0.001  # actions less likely than that to the prior are all alike


class Prior(NamedTuple):
    """What the legal actions of many views cost for being unlikely; those of view i are firsts[i] to firsts[i + 1]."""

    firsts: NDArray[np.int64]  # (views + 1,)
    actions: NDArray[np.int64]
    costs: NDArray[np.float64]


@dataclass(frozen=True)
class Phantom(Explains):
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
    threads: Threads = 1  # that share out the rollouts

    def __post_init__(self) -> None:
        check_ranges(self)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the action that the best turn begins with; values are probabilities of getting away, less costs."""
        actions, scratch = self.search(Views(view.board, view.rules, view.states), rng)
        first = int(actions[0])
        best: dict[int, float] = {first: -np.inf}
        for turn in scratch.turns[: scratch.halving[0].total]:
            if turn.visits > 0:
                value = float(turn.total / turn.visits - turn.cost)
                best[int(turn.actions[0])] = max(best.get(int(turn.actions[0]), -np.inf), value)
        others = sorted(((action, value) for action, value in best.items() if action != first), key=lambda p: -p[1])
        return Decision(first, value=best[first], candidates=((first, best[first]), *others))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        return self.search(views, rng)[0]

    def search(self, views: Views, rng: np.random.Generator) -> tuple[NDArray[np.int64], Scratch]:
        """Return an action for each view; of the last, the turns with their rollouts."""
        seeds, actions, prior = (
            draw_seeds(rng, len(views) * self.threads),
            np.empty(len(views), np.int64),
            self._prior(views),
        )
        arguments = views.board.packed, views.rules.packed(views.board), capture_times(views.board), views.states
        scratch = self.make_scratch(views)
        if self.threads == 1:
            search_rows(*arguments, seeds, prior, scratch, actions)
            return actions, scratch
        others = (self.make_scratch(views) for _ in range(self.threads - 1))
        scratches = [scratch, *(other._replace(halving=scratch.halving, order=scratch.order) for other in others)]
        for index in range(len(views)):
            own_seeds = seeds[index * self.threads : (index + 1) * self.threads]
            actions[index] = search_in_threads(arguments, index, own_seeds, prior, scratches)
        return actions, scratch

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


def search_in_threads(
    arguments: tuple[Any, ...], index: int, seeds: NDArray[np.uint64], prior: Prior, scratches: Sequence[Scratch]
) -> int:
    """Return the best action for one of many views; of every phase, each thread plays as many rollouts as the others.

    What a thread has played is added to the turns of the first scratch memory.
    """
    first, *others = scratches
    for scratch, seed in zip(scratches, seeds, strict=True):
        scratch.rng_state[0] = seed

    def play(part: int) -> None:
        play_rollouts(*arguments, index, scratches[part], part, len(scratches))

    boards, rules, _, states = arguments
    is_going_on = begin(boards, rules, states, index, prior, first)
    turns = first.turns[: first.halving[0].total]
    for other in others:
        other.turns[: len(turns)] = turns
    while is_going_on:
        share(len(scratches), play, range(len(scratches)))
        for other in others:
            for field in ("total", "visits"):
                turns[field] += other.turns[field][: len(turns)]
                other.turns[field] = 0
        is_going_on = go_on(first)
    return int(turns[first.order[0]].actions[0])


@kernel
def search_rows(boards, rules, times, states, seeds, prior, scratch, actions):
    """Write the best action for each of many views."""
    for index in range(len(states)):
        scratch.rng_state[0] = seeds[index]
        is_going_on = begin(boards, rules, states, index, prior, scratch)
        while is_going_on:
            play_rollouts(boards, rules, times, states, index, scratch, 0, 1)
            is_going_on = go_on(scratch)
        actions[index] = scratch.turns[scratch.order[0]].actions[0]


@kernel
def begin(boards, rules, states, index, prior, scratch):
    """List the turns, and put those of one move in the running, or all if there are none; return whether to play."""
    for row in range(prior.firsts[index], prior.firsts[index + 1]):
        scratch.prior_costs[prior.actions[row]] = prior.costs[row]
    halving = scratch.halving[0]
    halving.singles, halving.total = list_turns(boards[0], rules[0], states, index, scratch)
    begin_halving(scratch, 0, halving.singles if halving.singles > 0 else halving.total)
    return halving.total > 1


@kernel
def go_on(scratch):
    """End a phase of which all rollouts have been played; return whether there is another to play.

    Double moves follow if no single one is good enough. In the end the best turn is first in scratch.order.
    """
    if end_phase(scratch):
        return True
    halving, turns, best = scratch.halving[0], scratch.turns, scratch.order[0]
    if halving.first > 0 and mean_value(turns[halving.best_single]) >= mean_value(turns[best]):
        scratch.order[0] = halving.best_single
    has_more = halving.first == 0 and 0 < halving.singles < halving.total
    if has_more and mean_value(turns[best]) < scratch.parameters[0].double_threshold:
        halving.best_single = best
        begin_halving(scratch, halving.singles, halving.total)
        return True
    return False
