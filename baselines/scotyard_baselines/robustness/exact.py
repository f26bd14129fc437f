"""The exact bound: what a best response takes from a policy on a board small enough to be solved."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from scotyard_baselines.exact.public_tree import build_tree
from scotyard_baselines.exact.solution import solve_game
from scotyard_baselines.exact.survival import survival
from scotyard_env.arena.config import write_board
from scotyard_env.arena.contenders import read_contenders
from scotyard_env.arena.folder import make_folder
from scotyard_env.files import write_whole
from scotyard_env.json_files import read_json
from scotyard_env.policy import PolicyError, Side, check_fit, make_policy
from scotyard_env.release import release
from scotyard_env.ruleset import look_up


class ExactBound(NamedTuple):
    """How often a policy loses to a best response, and how often perfect play would."""

    lost: float
    perfect: float

    def __str__(self) -> str:
        return f"{100 * self.lost:.1f} % ({100 * (self.lost - self.perfect):+.1f})"


class SmallGame:
    """A game that is solved once, for all policies."""

    def __init__(self, board: str, draws: int, seed: int) -> None:
        self.board, self.rules = look_up(board, None)
        self.draws, self.seed = draws, seed  # of the actions of policies that do not tell probabilities
        self.roots = build_tree(self.board, self.rules)
        self.value = solve_game(self.roots).value  # the probability that Mr. X survives

    def measure(self, name: str, side: Side, kept: Path | None = None) -> ExactBound | None:
        """Return how often a policy loses to a best response, which is kept in a file; None if it cannot play here."""
        policy = make_policy(name, side)
        try:
            check_fit(policy, self.board, self.rules, side)
        except PolicyError:
            return None
        asked = self.describe(name, side)
        survives = None if kept is None else read_survival(kept, asked)
        if survives is None:
            survives = survival(self.roots, side, policy, self.draws, self.seed)
            if kept is not None:
                make_folder(kept.parent)
                write_whole(kept, json.dumps({**asked, "survives": survives}) + "\n")
        if side == "mr_x":
            return ExactBound(1.0 - survives, 1.0 - self.value)
        return ExactBound(survives, self.value)

    def describe(self, name: str, side: Side) -> dict[str, Any]:
        """Return all that decides how often Mr. X survives, as JSON has it."""
        (contender,) = read_contenders(name, side)
        asked = {"version": release(), "side": side, "draws": self.draws, "seed": self.seed}
        game = {**write_board(self.board), "rules": json.loads(json.dumps(self.rules.to_dict()))}
        return asked | game | {"policy": contender.describe().to_json()}


def read_survival(path: Path, asked: dict[str, Any]) -> float | None:
    """Return what was computed before and kept in a file; None if it was something else, or is damaged."""
    try:
        stored = read_json(path)
        survives = stored.pop("survives")
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return survives if stored == asked and isinstance(survives, float) else None
