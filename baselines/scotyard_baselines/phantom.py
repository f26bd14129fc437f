"""phantom: a Mr. X who plays every way out on against detectives like ours, and draws one of the best.

Update-equivalent search (S. Sokota et al., The Update-Equivalence Framework for Decision-Time Planning, ICLR 2024): the
decision is one regularised step from a policy that was there before, by values from rollouts,

    pi(action) ~ prior(action)^a * exp(value(action) / tau)

and is drawn: whoever knows Mr. X knows his chances and not his choice. The prior is the learned ``ppo_mr_x``.

Every turn that he can make is played on for some rounds (rollouts/rollout.py) against detectives of several kinds, who
know what the table knows: plain hunters, who expect the mean reply and draw anew how far to trust their belief; hunters
who know his prior as well, and begin with what its posterior will be after his action (rollouts/outlook.py); coverage;
greedy. He goes on by hiding one move ahead. Where the play ends, a value function learned from games tells how likely
he is to get away (rollouts/win_probability.py). Sequential halving shares the rollouts out among the turns. Double
moves are only looked at when no single move is good enough: the draw sees them as one action, and their moves are drawn
one by one when they are due (rollouts/root_policy.py).

Several threads (``threads``) share out the rollouts of every phase of the halving. Each rollout has random numbers of
its own, so that the decision is the same however many threads there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.networks.move_scorer import FileScorer, shipped_scorer
from scotyard_baselines.networks.weights import load_weights
from scotyard_baselines.rollouts.outlook import Outlook, look_out
from scotyard_baselines.rollouts.root_policy import begin_root_policy, draw_action, write_root_policy
from scotyard_baselines.rollouts.scratch import Scratch, lend_to_thread, new_scratch
from scotyard_baselines.rollouts.sequential_halving import begin_halving, end_phase, play_rollouts
from scotyard_baselines.rollouts.turns import list_turns, mean_value
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Finite, Price, Range, Share, Threads, check_ranges
from scotyard_env.rng import draw_seeds
from scotyard_env.threads import share
from scotyard_env.view import View, Views


@dataclass(frozen=True)
class Phantom(Explains):
    """Play every turn on against modelled detectives, and draw an action by the prior and what they are worth."""

    sides: ClassVar[tuple[Side, ...]] = ("mr_x",)
    rollouts: Annotated[int, Range(1, 1_000_000)] = (
        200  # of a decision, and as many again if double moves are looked at
    )
    rounds: Annotated[int, Range(1, 24)] = 3  # that each is played on for
    prior: str = ""  # file of weights of a Mr. X; ``ppo_mr_x`` if left out
    prior_exponent: Price = 1.0  # power of the prior; 0 = any action is as likely before the rollouts
    temperature: Annotated[float, Range(1e-4, 1e6)] = 0.02  # difference in value that makes an action e times likelier
    knowing: Share = 0.35  # share of rollouts in which the detectives are hunters who know the prior
    greedy: Share = 0.1  # share of rollouts in which the detectives are greedy
    coverage: Share = 0.2  # and of those in which they spread out; in all others they are plain hunters
    uniform_mix: Share = 0.6  # largest share of the uniform belief in that of plain hunters
    double_threshold: Share = 0.6  # probability of getting away below which double moves are looked at
    double_cost: Finite = 0.05  # probability that a double move must gain
    black_cost: Finite = 0.01  # and a black ticket
    threads: Threads = 1  # that share out the rollouts

    def __post_init__(self) -> None:
        check_ranges(self)
        try:
            load_weights(*self.files)
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"prior is {self.prior!r}: {error}; give a file of weights of Mr. X") from error

    @property
    def network(self) -> FileScorer:
        """The prior."""
        return FileScorer(file=self.prior) if self.prior else shipped_scorer("ppo_mr_x")

    @property
    def files(self) -> tuple[str, ...]:
        """The file whose content decides how it plays."""
        return self.network.files

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Draw an action; values are probabilities of getting away, less costs."""
        actions, scratch = self.search(Views(view.board, view.rules, view.states), rng)
        action, root, legal = int(actions[0]), scratch.root, slice(int(scratch.root.size[0]))
        ids, values, probabilities = (row[legal].tolist() for row in (root.actions, root.values, root.probabilities))
        ranked = sorted(zip(ids, values, strict=True), key=lambda pair: -pair[1])
        likely = sorted(zip(ids, probabilities, strict=True), key=lambda pair: -pair[1])
        return Decision(action, dict(ranked)[action], tuple(ranked), tuple(likely))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw one action for each of many views."""
        return self.search(views, rng)[0]

    def search(self, views: Views, rng: np.random.Generator) -> tuple[NDArray[np.int64], Scratch]:
        """Return an action for each view; of the last, the turns with their rollouts and the policy drawn from."""
        seeds, actions = draw_seeds(rng, len(views)), np.empty(len(views), np.int64)
        outlook = look_out(self.network, views)
        arguments = views.board.packed, views.rules.packed(views.board), capture_times(views.board), views.states
        scratch = self.make_scratch(views)
        scratches = [lend_to_thread(scratch, self.make_scratch(views)) for _ in range(self.threads)]
        if self.threads == 1:
            search_rows(*arguments, seeds, outlook, scratch, *scratches, actions)
            return actions, scratch
        for index, seed in enumerate(seeds):
            scratch.rng_state[0] = seed
            actions[index] = search_in_threads(arguments, index, outlook, scratch, scratches)
        return actions, scratch

    def make_scratch(self, views: Views) -> Scratch:
        """Return scratch memory with the parameters where the search reads them."""
        return new_scratch(
            views.board,
            rollouts=self.rollouts,
            rounds=self.rounds,
            prior_exponent=self.prior_exponent,
            temperature=self.temperature,
            knowing=self.knowing,
            greedy=self.greedy,
            coverage=self.coverage,
            uniform_mix=self.uniform_mix,
            double_threshold=self.double_threshold,
            double_cost=self.double_cost,
            black_cost=self.black_cost,
        )


def search_in_threads(
    arguments: tuple[Any, ...], index: int, outlook: Outlook, scratch: Scratch, scratches: Sequence[Scratch]
) -> int:
    """Draw an action for one of many views; of every phase, each thread plays as many rollouts as the others."""

    def play(part: int) -> None:
        play_rollouts(*arguments, index, outlook.beliefs, scratches[part], part, len(scratches))

    boards, rules, _, states = arguments
    is_going_on = begin(boards, rules, states, index, outlook, scratch)
    while is_going_on:
        share(len(scratches), play, range(len(scratches)))
        is_going_on = go_on(scratch)
    return int(end(scratch))


@kernel
def search_rows(boards, rules, times, states, seeds, outlook, scratch, own, actions):
    """Draw an action for each of many views."""
    for index in range(len(states)):
        scratch.rng_state[0] = seeds[index]
        is_going_on = begin(boards, rules, states, index, outlook, scratch)
        while is_going_on:
            play_rollouts(boards, rules, times, states, index, outlook.beliefs, own, 0, 1)
            is_going_on = go_on(scratch)
        actions[index] = end(scratch)


@kernel
def begin(boards, rules, states, index, outlook, scratch):
    """List the turns, and put those of one move in the running, or all if there are none; return whether to play."""
    begin_root_policy(outlook, index, scratch)
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


@kernel
def end(scratch):
    """Write the policy at the root; return an action drawn from it."""
    write_root_policy(scratch)
    return draw_action(scratch)
