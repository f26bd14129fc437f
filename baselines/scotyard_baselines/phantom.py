"""phantom: a Mr. X who plays every way out on against detectives like ours, and draws one of the best.

Update-equivalent search (S. Sokota et al., The Update-Equivalence Framework for Decision-Time Planning, ICLR 2024): the
decision is one regularised step from a policy that was there before, by values from rollouts,

    pi(action) ~ prior(action)^a * exp(value(action) / tau)

and is drawn: whoever knows Mr. X knows his chances and not his choice. The prior is a network of his, or several that
are weighed by what he has shown.

Every turn that he can make is played on for some rounds (rollouts/rollout.py) against detectives of several kinds, who
know what the table knows: hunters, who expect the mean reply; coverage; greedy. Some of the hunters know his prior as
well: they begin with what its posterior will be after his action (rollouts/outlook.py). He goes on by hiding one move
ahead. Where the play ends, a value function learned from games tells how likely he is to get away
(rollouts/win_probability.py). Sequential halving shares the rollouts out among the turns. Double moves are only looked
at when no single move is good enough: the draw sees them as one action, worth the best of them, and their moves are
drawn one by one when they are due.

Several threads (``threads``) share out the rollouts of every phase, each with random numbers of its own, so that the
decision depends on how many they are, not on which of them is quicker.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.networks.population import posterior_of
from scotyard_baselines.networks.weights import DATA
from scotyard_baselines.rollouts.outlook import Outlook, look_out
from scotyard_baselines.rollouts.root_policy import draw_action, write_root_policy
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
PRIOR = str(DATA / "ppo_mr_x.npz")


@dataclass(frozen=True)
class Phantom(Explains):
    """Play every turn on against modelled detectives, and draw an action by the prior and what they are worth."""

    sides: ClassVar[tuple[Side, ...]] = ("mr_x",)
    rollouts: Annotated[int, Range(1, 1_000_000)] = (
        200  # of a decision, and as many again if double moves are looked at
    )
    rounds: Annotated[int, Range(1, 24)] = 3  # that each is played on for
    prior: str = ""  # files of weights of Mr. X, separated by +; ``ppo_mr_x`` if left out
    a: Price = 2.0  # power of the prior; 0 = any action is as likely before the rollouts
    tau: Annotated[float, Range(1e-4, 1e4)] = 0.02  # probability of getting away that makes an action e times likelier
    knowing: Share = 0.5  # share of the modelled hunters who know the prior
    greedy: Share = 0.1  # share of rollouts in which the detectives are greedy
    coverage: Share = 0.2  # and of those in which they spread out; in all others they are hunters
    uniform_mix: Share = 0.6  # largest share of the uniform belief in that of hunters who do not know it
    double_threshold: Share = 0.6  # probability of getting away below which double moves are looked at
    double_cost: Finite = 0.05  # probability that a double move must gain
    black_cost: Finite = 0.01  # and a black ticket
    threads: Threads = 1  # that share out the rollouts

    def __post_init__(self) -> None:
        check_ranges(self)
        try:
            posterior_of(self.files)
        except (AttributeError, TypeError, ValueError) as error:
            wanted = "give files of weights of Mr. X, separated by +"
            raise ValueError(f"prior is {self.prior!r}: {error}; {wanted}") from error

    @property
    def files(self) -> tuple[str, ...]:
        """The files whose content decides how it plays."""
        return tuple(self.prior.split("+")) if self.prior else (PRIOR,)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Draw an action; values are probabilities of getting away, less costs."""
        actions, scratch = self.search(Views(view.board, view.rules, view.states), rng)
        if scratch.halving[0].total == 1:  # there is nothing to play out
            return Decision(int(actions[0]), probabilities=((int(actions[0]), 1.0),))
        listed = slice(int(scratch.root.count[0]))
        root = [column[listed].tolist() for column in scratch.root[1:]]
        ranked = sorted(zip(*root, strict=True), key=lambda row: -row[1])
        values = {action: value for action, value, _ in ranked}
        probabilities = tuple((action, share) for action, _, share in ranked)
        return Decision(int(actions[0]), values[int(actions[0])], tuple(values.items()), probabilities)

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw one action for each of many views."""
        return self.search(views, rng)[0]

    def search(self, views: Views, rng: np.random.Generator) -> tuple[NDArray[np.int64], Scratch]:
        """Return an action for each view; of the last, the turns with their rollouts and the policy drawn from."""
        seeds, actions = draw_seeds(rng, len(views) * self.threads), np.empty(len(views), np.int64)
        outlook = look_out(posterior_of(self.files), views)
        arguments = views.board.packed, views.rules.packed(views.board), capture_times(views.board), views.states
        scratch = self.make_scratch(views)
        if self.threads == 1:
            search_rows(*arguments, seeds, outlook, scratch, actions)
            return actions, scratch
        others = (self.make_scratch(views) for _ in range(self.threads - 1))
        scratches = [scratch, *(other._replace(halving=scratch.halving, order=scratch.order) for other in others)]
        for index in range(len(views)):
            own_seeds = seeds[index * self.threads : (index + 1) * self.threads]
            actions[index] = search_in_threads(arguments, index, own_seeds, outlook, scratches)
        return actions, scratch

    def make_scratch(self, views: Views) -> Scratch:
        """Return scratch memory with the parameters where the search reads them."""
        return new_scratch(
            views.board,
            rollouts=self.rollouts,
            rounds=self.rounds,
            a=self.a,
            tau=self.tau,
            knowing=self.knowing,
            greedy=self.greedy,
            coverage=self.coverage,
            uniform_mix=self.uniform_mix,
            double_threshold=self.double_threshold,
            double_cost=self.double_cost,
            black_cost=self.black_cost,
        )


def search_in_threads(
    arguments: tuple[Any, ...], index: int, seeds: NDArray[np.uint64], outlook: Outlook, scratches: Sequence[Scratch]
) -> int:
    """Draw an action for one of many views; of every phase, each thread plays as many rollouts as the others.

    What a thread has played is added to the turns of the first scratch memory.
    """
    first, *others = scratches
    for scratch, seed in zip(scratches, seeds, strict=True):
        scratch.rng_state[0] = seed

    def play(part: int) -> None:
        play_rollouts(*arguments, index, outlook.beliefs, scratches[part], part, len(scratches))

    boards, rules, _, states = arguments
    is_going_on = begin(boards, rules, states, index, outlook, first)
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
    write_root_policy(first)
    return int(draw_action(first))


@kernel
def search_rows(boards, rules, times, states, seeds, outlook, scratch, actions):
    """Draw an action for each of many views."""
    for index in range(len(states)):
        scratch.rng_state[0] = seeds[index]
        is_going_on = begin(boards, rules, states, index, outlook, scratch)
        while is_going_on:
            play_rollouts(boards, rules, times, states, index, outlook.beliefs, scratch, 0, 1)
            is_going_on = go_on(scratch)
        write_root_policy(scratch)
        actions[index] = draw_action(scratch)


@kernel
def begin(boards, rules, states, index, outlook, scratch):
    """List the turns, and put those of one move in the running, or all if there are none; return whether to play."""
    parameters = scratch.parameters[0]
    for row in range(outlook.firsts[index], outlook.firsts[index + 1]):
        surprise = -np.log(max(outlook.probabilities[row], LEAST_LIKELY))
        scratch.prior_costs[outlook.actions[row]] = parameters.tau * parameters.a * surprise
    halving = scratch.halving[0]
    halving.singles, halving.total = list_turns(boards[0], rules[0], states, index, scratch)
    begin_halving(scratch, 0, halving.singles if halving.singles > 0 else halving.total)
    return halving.total > 1


@kernel
def go_on(scratch):
    """End a phase of which all rollouts have been played; return whether there is another to play.

    Double moves follow if no single one is good enough.
    """
    if end_phase(scratch):
        return True
    halving, best = scratch.halving[0], scratch.turns[scratch.order[0]]
    has_more = halving.first == 0 and 0 < halving.singles < halving.total
    if has_more and mean_value(best) < scratch.parameters[0].double_threshold:
        begin_halving(scratch, halving.singles, halving.total)
        return True
    return False
