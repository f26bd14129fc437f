"""The exact bound: what a best response takes from a policy on a board small enough to be solved."""

from typing import NamedTuple

from scotyard_baselines.exact.public_tree import Root, build_tree
from scotyard_baselines.exact.solution import solve_game
from scotyard_baselines.exact.survival import survival
from scotyard_env.board import Board
from scotyard_env.policy import PolicyError, Side, check_fit, make_policy
from scotyard_env.ruleset import RuleSet, look_up


class ExactBound(NamedTuple):
    """How often a policy loses to a best response, and how often perfect play would."""

    lost: float
    perfect: float

    def __str__(self) -> str:
        return f"{100 * self.lost:.1f} % ({100 * (self.lost - self.perfect):+.1f})"


class SmallGame:
    """A game that is solved once, for all policies."""

    def __init__(self, board: str) -> None:
        self.board: Board
        self.rules: RuleSet
        self.board, self.rules = look_up(board, None)
        self.roots: list[Root] = build_tree(self.board, self.rules)
        self.value = solve_game(self.roots).value  # the probability that Mr. X survives

    def measure(self, name: str, side: Side, draws: int, seed: int) -> ExactBound | None:
        """Return how often a policy loses to a best response; None if it cannot play here."""
        policy = make_policy(name, side)
        try:
            check_fit(policy, self.board, self.rules, side)
        except PolicyError:
            return None
        survives = survival(self.roots, side, policy, draws, seed)
        if side == "mr_x":
            return ExactBound(1.0 - survives, 1.0 - self.value)
        return ExactBound(survives, self.value)
