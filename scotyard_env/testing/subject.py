"""The policy that is tested, whatever it was given as."""

import copy
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from scotyard_env.board import Board
from scotyard_env.policy import Policy, PolicyError, Side, build_policy, check_fit, make_policy, sides_of
from scotyard_env.ruleset import RuleSet


@dataclasses.dataclass(frozen=True)
class Subject:
    """A policy that is tested."""

    name: str
    make: Callable[[], Policy]  # makes one that has not played yet
    kind: type[Any]  # its class
    sides: tuple[Side, ...]

    @classmethod
    def of(cls, policy: str | Policy | Callable[..., Policy], side: Side | None = None) -> "Subject":
        """Take a policy by name, as an object, or as what makes one."""
        make: Callable[[], Policy]
        if isinstance(policy, str):
            name, make = policy, functools.partial(make_policy, policy)
        elif isinstance(policy, type) or not isinstance(policy, Policy):
            name = getattr(policy, "__qualname__", repr(policy))
            make = functools.partial(build_policy, name, policy, {})
        else:
            name, make = repr(policy), functools.partial(copy.deepcopy, copy.deepcopy(policy))
        made = make_policy(make(), side=side)
        return cls(name, make, type(made), (side,) if side else sides_of(made))

    @property
    def is_timed(self) -> bool:
        """Whether it thinks by the clock, so that the same rng need not give the same move."""
        return bool(getattr(self.make(), "is_timed", False))

    def fits(self, board: Board, rules: RuleSet) -> bool:
        """Tell whether it can play its sides on a board by some rules, for all it says."""
        policy = self.make()
        try:
            for side in self.sides:
                check_fit(policy, board, rules, side)
        except PolicyError:
            return False
        return True
