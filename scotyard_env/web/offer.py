"""What a server offers: boards, rules and policies, these with how strong the arena has found them to be."""

import dataclasses
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scotyard_env.board import Board
from scotyard_env.json_files import read_json
from scotyard_env.play.levels import DEFAULT, OPPONENTS
from scotyard_env.policy import SIDES, Policy, sides_of
from scotyard_env.ruleset import RuleSet, RuleSetError, resolve
from scotyard_env.state import MAX_DETECTIVES
from scotyard_env.wording import brief

RATINGS = Path(__file__).with_name("ratings.json")
LEVELS = ((450.0, "very strong"), (150.0, "strong"), (-200.0, "middling"))  # from so many points on
WEAKEST = "gentle"


@dataclasses.dataclass(frozen=True)
class Offer:
    """What may be asked for when a table is made."""

    policies: Mapping[str, Policy]
    ratings: list[dict[str, Any]]  # as the arena writes them

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON takes it."""
        return {
            "games": [
                {"board": board, "rules": rules, "detectives": list(fitting)}
                for board in Board.names()
                for rules in RuleSet.names()
                if (fitting := _list_fitting(board, rules))
            ],
            "policies": [self._tell(name, policy) for name, policy in self.policies.items()],
            "usual": {
                side: OPPONENTS[side][DEFAULT] for side in SIDES
            },  # who is played against, unless somebody else is
        }

    def _tell(self, name: str, policy: Policy) -> dict[str, Any]:
        rated = {one["side"]: one for one in self.ratings if one["name"] == name}
        strengths = {
            side: {**{key: round(one[key]) for key in ("points", "low", "high")}, "level": level(round(one["points"]))}
            for side, one in rated.items()
        }
        first = next(iter((inspect.getdoc(policy) or "").splitlines()), "")
        return {"name": name, "sides": list(sides_of(policy)), "about": first, "strength": strengths}


def level(points: float) -> str:
    """Return a plain word for a rating."""
    return next((word for least, word in LEVELS if points >= least), WEAKEST)


def read_ratings(path: Path = RATINGS) -> list[dict[str, Any]]:
    """Read ratings that the arena has written; ``ValueError`` says what is wrong with them."""
    try:
        found = read_json(path)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read as {RATINGS.name} of a tournament: {brief(error)}") from error
    ratings = found.get("ratings") if isinstance(found, dict) else None
    wanted = {"name": str, "side": str, "points": float, "low": float, "high": float}
    for one in ratings if isinstance(ratings, list) else [None]:
        if not isinstance(one, dict) or not all(isinstance(one.get(key), kind) for key, kind in wanted.items()):
            raise ValueError(f"{path} holds no ratings as a tournament writes them: give its {RATINGS.name}")
    return list(ratings or ())


def _list_fitting(board: str, rules: str) -> list[int]:
    """List the numbers of detectives with which a board can be played by some rules."""
    return [number for number in range(1, MAX_DETECTIVES + 1) if _fits(board, rules, number)]


def _fits(board: str, rules: str, detectives: int) -> bool:
    try:
        resolve(board, rules, detectives)
    except RuleSetError:
        return False
    return True
