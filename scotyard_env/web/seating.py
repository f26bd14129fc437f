"""What a table is made of: board, rules, who sits where. Every word of it is looked up, none is used as it comes."""

import dataclasses
import re
from collections.abc import Collection
from typing import Any

from scotyard_env.board import Board
from scotyard_env.ruleset import RuleSet, RuleSetError, resolve
from scotyard_env.state import MAX_DETECTIVES, MR_X

PERSON = re.compile(r"person:[1-6]")
POLICY = "policy:"


class SetupError(ValueError):
    """A table that cannot be made."""


@dataclasses.dataclass(frozen=True)
class Setup:
    """Board, rules and players of a table."""

    board: str
    rules: str
    players: tuple[str, ...]  # by seat: "person:1", or "policy:" and one of the names that the server offers
    practice: bool = False  # with hints and undo

    @property
    def persons(self) -> tuple[str, ...]:
        """The persons who sit at the table, each once."""
        return tuple(dict.fromkeys(player for player in self.players if not player.startswith(POLICY)))

    @property
    def policies(self) -> frozenset[str]:
        """The names of the policies that sit at the table."""
        return frozenset(player.removeprefix(POLICY) for player in self.players if player.startswith(POLICY))

    def seats_of(self, person: str) -> frozenset[int]:
        """Return the seats of a person."""
        return frozenset(seat for seat, player in enumerate(self.players) if player == person)

    def policy_of(self, seat: int) -> str | None:
        """Return the name of the policy on a seat; None where a person sits."""
        player = self.players[seat]
        return player.removeprefix(POLICY) if player.startswith(POLICY) else None

    def swapped(self) -> "Setup":
        """Return it with sides swapped: who plays all detectives plays Mr. X; of several, all move up by a seat."""
        mr_x, *detectives = self.players
        is_one = len(set(detectives)) == 1
        moved = (detectives[0], *[mr_x] * len(detectives)) if is_one else (*detectives, mr_x)
        return dataclasses.replace(self, players=moved)

    def resolve(self) -> tuple[Board, RuleSet]:
        """Return board and rules."""
        return resolve(self.board, self.rules, len(self.players) - 1)

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON takes it."""
        return {**dataclasses.asdict(self), "players": list(self.players)}


def read_setup(fields: Any, policies: Collection[str]) -> Setup:
    """Read a table from JSON that anybody may have sent; policies are those that may be asked for."""
    if not isinstance(fields, dict) or not fields.keys() <= {"board", "rules", "players", "practice"}:
        raise SetupError("a table has board, rules, players and practice")
    board, rules = _choose("board", fields, Board.names()), _choose("rules", fields, RuleSet.names())
    players = fields.get("players")
    if not isinstance(players, list) or not 2 <= len(players) <= 1 + MAX_DETECTIVES:
        raise SetupError(f"players has one for Mr. X and one for each of 1 to {MAX_DETECTIVES} detectives")
    for player in players:
        if not isinstance(player, str) or not _is_offered(player, policies):
            raise SetupError(
                f"a player is person:1 to person:6, or policy: and one of {', '.join(policies) or 'none here'}"
            )
    practice = fields.get("practice", False)
    if not isinstance(practice, bool):
        raise SetupError("practice is true or false")
    setup = Setup(board, rules, tuple(players), practice)
    if setup.policy_of(MR_X) is None and len(setup.seats_of(players[MR_X])) not in (1, len(players)):
        raise SetupError("who plays Mr. X plays no detective, or all of them (hot seat)")
    try:
        setup.resolve()
    except RuleSetError as error:
        raise SetupError(
            "this board cannot be played by these rules with so many detectives: api/1/choices lists what can"
        ) from error
    return setup


def _choose(name: str, fields: dict[str, Any], known: Collection[str]) -> str:
    """Return what a field says, which is one of those that are known."""
    for one in known:
        if fields.get(name) == one:
            return one
    raise SetupError(f"{name} is one of {', '.join(known)}")


def _is_offered(player: str, policies: Collection[str]) -> bool:
    return PERSON.fullmatch(player) is not None or (
        player.startswith(POLICY) and player.removeprefix(POLICY) in policies
    )
