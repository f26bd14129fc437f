"""How strong a learner is: games of what it has learned so far against a fixed pool."""

import dataclasses
import functools

from scotyard_baselines.networks.move_scorer import ScorerPolicy
from scotyard_baselines.networks.weights import Weights
from scotyard_env.board import Board
from scotyard_env.duel import play_games
from scotyard_env.policy import Policy, Side
from scotyard_env.ruleset import RuleSet
from scotyard_training.learning.scorer import Actor

SEED = 1  # of all evaluations: the same deals each time


@dataclasses.dataclass(frozen=True)
class ActorPolicy(ScorerPolicy):
    """An actor as it is now, as a policy."""

    actor: Actor | None = None

    @functools.cached_property
    def weights(self) -> Weights:
        """The numbers of the network, not copied."""
        assert self.actor is not None
        return self.actor.weights()


def is_due(interval: int, before: int, after: int) -> bool:
    """Tell whether something that is done every so many steps is due after the steps from one number to another."""
    return after // interval > before // interval


def win_rates(
    policy: Policy,
    side: Side,
    opponents: dict[str, Policy],
    games: int,
    board: str | Board,
    rules: str | RuleSet | None,
) -> dict[str, float]:
    """Measure how often a policy wins against each of some opponents."""
    return {
        name: count_wins(policy, side, opponent, games, SEED, board, rules) / games
        for name, opponent in opponents.items()
    }


def count_wins(
    policy: Policy,
    side: Side,
    opponent: Policy,
    games: int,
    seed: int,
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
) -> int:
    """Count the games that a policy wins on a side against an opponent."""
    mr_x, detectives = (policy, opponent) if side == "mr_x" else (opponent, policy)
    caught = play_games(mr_x, detectives, games, seed=seed, board=board, rules=rules)
    return caught if side == "detectives" else games - caught
