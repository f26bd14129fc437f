"""What A* + greedy aims at: ``scotyard astar_targets --policy astar_greedy astar_greedy:base=paths``.

In games against a Mr. X: how often all detectives share one target at the beginning of their turn, how often one could
step to a station where he may be and passes it by, and how many decisions would be others with another alpha.
"""

import dataclasses
from collections import Counter

import numpy as np

from scotyard_baselines.astar_greedy import AStarGreedy
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.table import grid
from scotyard_env.batch import Batch, Games
from scotyard_env.commands import run_module
from scotyard_env.duel import play_batch
from scotyard_env.policy import Policy, Side, make_policy
from scotyard_env.rules import destination
from scotyard_env.ruleset import look_up
from scotyard_env.state import DETECTIVES_WIN, NOWHERE
from scotyard_env.view import View, Views

CAUGHT, SHARED, PASSED_BY = "caught", "all share one target", "passed by a possible station"


@dataclasses.dataclass(frozen=True)
class Command:
    """Measure the targets of A* + greedy detectives and the effect of alpha, and print a table."""

    policy: tuple[str, ...] = ("astar_greedy", "astar_greedy:base=paths")
    """With parameters if need be."""
    alphas: tuple[float, ...] = (0.0, 0.01, 9.0)
    """Other alphas, to be compared with that of the policy in the same positions."""
    mr_x: str = "hider"
    """Whom they play against."""
    games: int = 100
    """Games of each policy, the same deals for all."""
    board: str = "london"
    rules: str | None = None
    """Name of a rule set; that of the board if left out."""
    seed: int = 0

    def run(self) -> None:
        """Play the games of every policy and print what was counted."""
        if self.games < 1:
            raise ValueError(f"games is {self.games}: give a whole number of at least 1")
        policies = {name: make_astar(name) for name in self.policy}
        mr_x = make_policy(self.mr_x, side="mr_x")
        rows = [[name, *(str(rate) for rate in self.count(policy, mr_x).values())] for name, policy in policies.items()]
        print(grid(["policy", CAUGHT, SHARED, PASSED_BY, *(f"alpha={alpha:g} differs" for alpha in self.alphas)], rows))

    def count(self, policy: AStarGreedy, mr_x: Policy) -> dict[str | float, Rate]:
        """Play the games of a policy and return what was counted, of how many."""
        batch = Batch(self.games, *look_up(self.board, self.rules), seed=self.seed)
        counts = Counts(policy, self.alphas)

        def look(side: Side, games: Games) -> None:
            if side == "detectives":
                counts.look(batch.views(games))

        play_batch(batch, mr_x, policy, batch.rngs, before=look)
        caught = Rate(int((batch.winners == DETECTIVES_WIN).sum()), self.games)
        return {CAUGHT: caught, **counts.rates()}


def make_astar(name: str) -> AStarGreedy:
    """Make a policy that heads for targets by its name."""
    policy = make_policy(name, side="detectives")
    if not isinstance(policy, AStarGreedy):
        raise ValueError(f"policy {name!r} has no targets to count: give astar_greedy, with parameters if need be")
    return policy


class Counts:
    """What was counted in the decisions of a policy."""

    def __init__(self, policy: AStarGreedy, alphas: tuple[float, ...]) -> None:
        self.policy = policy
        self.others = {alpha: dataclasses.replace(policy, alpha=alpha) for alpha in alphas}
        self.found: Counter[str | float] = Counter()
        self.of: Counter[str | float] = Counter()

    def rates(self) -> dict[str | float, Rate]:
        """Return all counts, each of how many."""
        keys: tuple[str | float, ...] = (SHARED, PASSED_BY, *self.others)
        return {key: Rate(self.found[key], self.of[key]) for key in keys}

    def look(self, views: Views) -> None:
        """Look at what the detectives to move would do, with the same chance for every alpha."""
        actions = self.policy.act_batch(views, np.random.default_rng(0))
        for alpha, other in self.others.items():
            self.found[alpha] += int((other.act_batch(views, np.random.default_rng(0)) != actions).sum())
            self.of[alpha] += len(views)
        for state, action in zip(views.states, actions.tolist(), strict=True):
            view = View(views.board, views.rules, state, int(state.seat))
            in_reach = {destination(one) for one in view.legal} & set(view.possible)
            self.of[PASSED_BY] += bool(in_reach)
            self.found[PASSED_BY] += bool(in_reach) and destination(action) not in in_reach
            if view.seat == 1:
                self.of[SHARED] += 1
                self.found[SHARED] += is_shared(self.policy, view)


def is_shared(policy: AStarGreedy, view: View) -> bool:
    """Tell whether all detectives have one and the same target."""
    targets = {way.target for way in policy.find_ways(view, np.random.default_rng(0))}
    return len(targets) == 1 and NOWHERE not in targets


if __name__ == "__main__":
    run_module(Command)
