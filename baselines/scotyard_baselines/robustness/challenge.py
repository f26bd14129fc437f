"""A policy to learn a best response to, and the budget for it: the part of a response that is known beforehand."""

import dataclasses
import json
from typing import Any

from scotyard_env.arena.config import first_difference, read_board, write_board
from scotyard_env.arena.contenders import Description
from scotyard_env.board import Board
from scotyard_env.policy import SIDES, Side
from scotyard_env.ruleset import RuleSet
from scotyard_env.wording import one_line

MOST = 10**15  # no count in a file is larger


@dataclasses.dataclass(frozen=True)
class Budget:
    """What a best response may cost: so many decisions in each run, a run for every seed and start."""

    name: str
    total_timesteps: int  # decisions of a run
    seeds: tuple[int, ...]
    starts: tuple[str, ...]  # what the network of a run begins as

    def to_json(self) -> dict[str, Any]:
        """Write the budget as JSON has it."""
        counts = {"name": self.name, "total_timesteps": self.total_timesteps}
        return counts | {"seeds": list(self.seeds), "starts": list(self.starts)}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Budget":
        """Read a budget."""
        seeds = tuple(read_count("seed", one) for one in read_field(stored, "seeds", list))
        starts = tuple(read_field({"start": one}, "start", str) for one in read_field(stored, "starts", list))
        steps = read_count("total_timesteps", stored.get("total_timesteps"))
        return cls(read_field(stored, "name", str), steps, seeds, starts)


@dataclasses.dataclass(frozen=True)
class Challenge:
    """A frozen policy, the game, and how a best response to it is learned."""

    version: str  # of the package
    against: Description  # the policy
    against_side: Side  # that it plays; the response plays the other
    board: Board
    rules: RuleSet
    budget: Budget
    games: int  # on which the runs are compared, and as many others on which the chosen one is measured
    settings: dict[str, Any]  # all else that decides how the response is learned, by the names of the flags

    def answers(self, policy: Description, side: Side, board: Board, rules: RuleSet) -> bool:
        """Tell whether the challenge is this policy, under any name, on this side in this game."""
        return self.is_of(side, board, rules) and play_alike(self.against, policy)

    def is_of(self, side: Side, board: Board, rules: RuleSet) -> bool:
        """Tell whether the challenge is some policy on this side in this game."""
        return (self.against_side, self.board.signature, self.rules) == (side, board.signature, rules)

    def tell_apart(self, other: "Challenge") -> str | None:
        """Describe the first difference to a later challenge, if there is one."""
        return first_difference(self._essence(), other._essence())

    def _essence(self) -> dict[str, Any]:
        """Return what decides how the response is learned, hence not under which name the policy was given."""
        policy = {"name": "", "spec": None, "is_timed": False}
        return self.to_json() | {"against": self.against.essence.to_json() | policy}

    def to_json(self) -> dict[str, Any]:
        """Write the challenge as JSON has it."""
        return {
            "version": self.version,
            "against": self.against.to_json(),
            "against_side": self.against_side,
            **write_board(self.board),
            "rules": json.loads(json.dumps(self.rules.to_dict())),
            "budget": self.budget.to_json(),
            "games": self.games,
            "settings": self.settings,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Challenge":
        """Read a challenge; ValueError says what is wrong with it."""
        if stored.get("against_side") not in SIDES:
            raise ValueError(f"its against_side cannot be {show(stored.get('against_side'))}")
        board = read_field(stored, "board", str | dict)
        return cls(
            version=read_field(stored, "version", str),
            against=Description.from_json(read_field(stored, "against", dict)),
            against_side=stored["against_side"],
            board=read_board(board, read_field(stored, "board_signature", str)),
            rules=RuleSet.from_dict(read_field(stored, "rules", dict)),
            budget=Budget.from_json(read_field(stored, "budget", dict)),
            games=read_count("games", stored.get("games"), least=1),
            settings=read_field(stored, "settings", dict),
        )


def play_alike(one: Description, other: Description) -> bool:
    """Tell whether two descriptions are of policies that play alike, whatever they are called."""
    first, second = one.essence, other.essence
    return (first.path, first.parameters, first.content) == (second.path, second.parameters, second.content)


def read_field(stored: dict[str, Any], name: str, kind: Any) -> Any:
    """Return a field, if it is there and of its kind."""
    value = stored.get(name)
    if not isinstance(value, kind):
        raise ValueError(f"its {name} cannot be {show(value)}")
    return value


def read_count(name: str, value: Any, least: int = 0, most: int = MOST) -> int:
    """Return a whole number in its range."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"its {name} cannot be {show(value)}")
    return value


def show(value: Any) -> str:
    """Return a value of a file as a sentence can hold it."""
    return one_line(repr(value), 80)
