"""What the matches of a pairing come to."""

import dataclasses
import shlex
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from scotyard_env.arena.rating import Rate
from scotyard_env.arena.result import Result
from scotyard_env.policy import SIDES
from scotyard_env.ruleset import EDITIONS, RuleSet


@dataclasses.dataclass(frozen=True)
class Pairing:
    """One policy for Mr. X, one for the detectives, and their matches."""

    mr_x: str
    detectives: str
    results: tuple[Result, ...]

    @property
    def rate(self) -> Rate:
        """How often the detectives win."""
        return Rate(sum(result.winner == "detectives" for result in self.results), len(self.results))

    @property
    def capture_rounds(self) -> list[int]:
        """The rounds in which Mr. X was caught, ascending."""
        return sorted(result.round for result in self.results if result.caught is not None)

    @property
    def mean_possible(self) -> float:
        """Mean size of the possible set after Mr. X's turns."""
        return _mean(result.mean_possible for result in self.results if result.mean_possible is not None)

    @property
    def black(self) -> float:
        """Black tickets used, in the mean."""
        return _mean(result.black for result in self.results)

    @property
    def double(self) -> float:
        """Double tickets used, in the mean."""
        return _mean(result.double for result in self.results)

    def seconds(self, side: int) -> float:
        """Thinking time of a side per decision, in the mean."""
        decisions = sum(result.decisions[side] for result in self.results)
        return sum(result.seconds[side] for result in self.results) / decisions if decisions else float("nan")

    @property
    def forfeits(self) -> Counter[tuple[str, str]]:
        """Matches that were forfeited, by side and reason."""
        return Counter((result.forfeit, result.reason or "") for result in self.results if result.forfeit is not None)


def names_of(config: dict[str, Any], side: str) -> list[str]:
    """List the names of the policies of one side."""
    return [policy["name"] for policy in config[side]]


def board_name(config: dict[str, Any]) -> str:
    """Name the board; the configuration has one that is not ours in full."""
    board = config["board"]
    return board if isinstance(board, str) else str(board["name"])


def command_of(config: dict[str, Any]) -> str | None:
    """Give the command that plays a tournament again; None if it was one that no command can ask for."""
    rules = RuleSet.from_dict(config["rules"])
    is_named = rules == EDITIONS.get(rules.name) and isinstance(config["board"], str)
    policies = [policy for side in SIDES for policy in config[side]]
    if not is_named or any(policy.get("spec") != policy["name"] for policy in policies):
        return None
    words = ["scotyard", "tournament"]
    for side, option in zip(SIDES, ("--mr-x", "--detectives"), strict=True):
        words += [option, shlex.quote(",".join(names_of(config, side)))]
    words += ["--games", str(config["games"]), "--board", config["board"], "--rules", rules.name]
    words += ["--seed", str(config["seed"])]
    return " ".join(words if config["move_limit"] is None else [*words, "--move-limit", f"{config['move_limit']:g}"])


def commands_of(config: dict[str, Any]) -> list[str]:
    """List the commands that play again what is reported: one, none, or one for each tournament that was joined."""
    command = command_of(config)
    commands: list[str] = config.get("commands", [command] if command else [])
    return commands


def pair_up(config: dict[str, Any], results: Iterable[Result]) -> list[Pairing]:
    """Sort results by pairing, in the order of the configuration; those that have none yet are there too."""
    sorted_out: dict[tuple[str, str], list[Result]] = {
        (mr_x, detectives): [] for mr_x in names_of(config, "mr_x") for detectives in names_of(config, "detectives")
    }
    for result in sorted(results, key=lambda result: result.key):
        sorted_out[result.mr_x, result.detectives].append(result)
    return [Pairing(*names, tuple(kept)) for names, kept in sorted_out.items()]


def _mean(values: Iterable[float]) -> float:
    kept = list(values)
    return float(np.mean(kept)) if kept else float("nan")
