"""What a tournament is, as its folder records it: config.json says everything that is needed to run it again."""

import dataclasses
import hashlib
import json
import platform
from importlib.metadata import version
from typing import Any

from scotyard_env.arena.contenders import Description
from scotyard_env.arena.referee import Setting
from scotyard_env.board import Board
from scotyard_env.policy import SIDES, Side
from scotyard_env.ruleset import RuleSet
from scotyard_env.wording import one_line

FORMAT = "scotyard-tournament-1"
LIBRARIES = ("numba", "numpy", "scotyard-env")


@dataclasses.dataclass(frozen=True)
class Config:
    """The record of a tournament: who plays what, by which versions of the libraries, how often."""

    versions: dict[str, str]
    board: Board
    rules: RuleSet
    mr_x: tuple[Description, ...]
    detectives: tuple[Description, ...]
    seed: int
    move_limit: float | None  # seconds
    games: int  # a pairing
    commands: tuple[str, ...] = ()  # that played what is reported together; not a part of the record

    @classmethod
    def of(cls, setting: Setting, games: int) -> "Config":
        """Take down a tournament that is about to be played."""
        return cls(
            versions={"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
            board=setting.board,
            rules=setting.rules,
            mr_x=tuple(contender.describe() for contender in setting.mr_x),
            detectives=tuple(contender.describe() for contender in setting.detectives),
            seed=setting.seed,
            move_limit=setting.move_limit,
            games=games,
        )

    @property
    def is_named(self) -> bool:
        """Whether the board is one of ours, so that its name says all."""
        return is_named(self.board)

    @property
    def rules_signature(self) -> str:
        """A short text that differs for different rules."""
        return hashlib.sha256(json.dumps(self.rules.to_dict(), sort_keys=True).encode()).hexdigest()[:16]

    def side(self, side: Side) -> tuple[Description, ...]:
        """Return the policies of one side."""
        return self.mr_x if side == "mr_x" else self.detectives

    def names(self, side: Side) -> list[str]:
        """List the names of the policies of one side."""
        return [policy.name for policy in self.side(side)]

    def to_json(self) -> dict[str, Any]:
        """Write the record as JSON has it."""
        return {
            "format": FORMAT,
            "versions": self.versions,
            **write_board(self.board),
            "rules": json.loads(json.dumps(self.rules.to_dict())),
            "rules_signature": self.rules_signature,
            "mr_x": [policy.to_json() for policy in self.mr_x],
            "detectives": [policy.to_json() for policy in self.detectives],
            "seed": self.seed,
            "move_limit": self.move_limit,
            "games": self.games,
        }

    @classmethod
    def from_json(cls, stored: Any) -> "Config":
        """Read a record; what is none is refused."""
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise ValueError(f'it lacks "format": "{FORMAT}"')
        _check(stored)
        try:
            return cls(
                versions=dict(stored["versions"]),
                board=read_board(stored["board"], stored["board_signature"]),
                rules=RuleSet.from_dict(stored["rules"]),
                mr_x=tuple(Description.from_json(policy) for policy in stored["mr_x"]),
                detectives=tuple(Description.from_json(policy) for policy in stored["detectives"]),
                seed=stored["seed"],
                move_limit=stored["move_limit"],
                games=stored["games"],
            )
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"it is not whole: {type(error).__name__} {error}") from error


def _check(stored: dict[str, Any]) -> None:
    """Refuse a record whose plain fields are not what they should be."""
    versions, limit = stored.get("versions"), stored.get("move_limit")
    wrong: dict[str, bool] = {
        "versions": not isinstance(versions, dict)
        or "scotyard-env" not in versions
        or not all(isinstance(one, str) for one in versions.values()),
        "seed": type(stored.get("seed")) is not int or stored["seed"] < 0,
        "games": type(stored.get("games")) is not int or not 1 <= stored["games"] < 2**31,
        "move_limit": limit is not None and (type(limit) not in (int, float) or not limit > 0),
        **{side: not _are_contenders(stored.get(side)) for side in SIDES},
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            raise ValueError(f"its {name} cannot be {one_line(repr(stored.get(name)), 80)}")


def _are_contenders(stored: object) -> bool:
    """Tell whether this lists policies, each with a name of its own."""
    if not isinstance(stored, list) or not stored or not all(isinstance(one, dict) for one in stored):
        return False
    names = [one.get("name") for one in stored]
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def tell_apart(there: Config, here: Config, policies: bool = True) -> str | None:
    """Say what the first difference between two tournaments is, if there is one; told to, leave their policies aside.

    The number of games never counts, nor does how policies were asked for: a match goes the same way.
    """
    return first_difference(_essence(there, policies), _essence(here, policies))


def _essence(config: Config, policies: bool) -> dict[str, Any]:
    """Return what decides how a match goes."""
    kept = {key: value for key, value in config.to_json().items() if key not in ("games", "mr_x", "detectives")}
    if policies:
        kept |= {side: [policy.essence for policy in config.side(side)] for side in SIDES}
    return kept


def first_difference(there: dict[str, Any], here: dict[str, Any]) -> str | None:
    """Say what the first difference between two records is, if there is one."""
    for name in {**here, **there}:
        one, other = there.get(name), here.get(name)
        if one != other:
            if isinstance(one, dict) and isinstance(other, dict):
                return f"{name}: {first_difference(one, other)}"
            return f"{name} is {_brief(one)} there, {_brief(other)} here"
    return None


def _brief(value: Any) -> str:
    is_side = isinstance(value, list) and all(isinstance(one, Description) for one in value)
    return ", ".join(map(str, value)) if is_side else str(value)


def is_named(board: Board) -> bool:
    """Tell whether a board is one of ours, so that its name says all."""
    return board.name in Board.names() and board == Board.named(board.name)


def write_board(board: Board) -> dict[str, Any]:
    """Write the board of a record as JSON has it: by its name if that says all."""
    return {"board": board.name if is_named(board) else board.to_dict(), "board_signature": board.signature}


def read_board(stored: str | dict[str, Any], signature: str) -> Board:
    """Read the board of a record; refuse another one of the same name."""
    board = Board.named(stored) if isinstance(stored, str) else Board.from_dict(stored)
    if board.signature != signature:
        raise ValueError(f"it was played on another board that is also called {board.name!r}")
    return board
