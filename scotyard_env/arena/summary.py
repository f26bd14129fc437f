"""What the matches of a pairing come to."""

import dataclasses
import shlex
from collections import Counter
from collections.abc import Iterable
from typing import Protocol

import numpy as np

from scotyard_env.arena.config import Config
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.result import Result
from scotyard_env.policy import SIDES, Side
from scotyard_env.ruleset import EDITIONS


class Summary(Protocol):
    """What tables tell of a pairing, whether its matches are kept (Pairing) or only what they came to (Score)."""

    @property
    def mr_x(self) -> str: ...
    @property
    def detectives(self) -> str: ...
    @property
    def games(self) -> int: ...
    @property
    def rate(self) -> Rate: ...
    @property
    def capture_rounds(self) -> list[int]: ...
    @property
    def mean_possible(self) -> float: ...
    @property
    def black(self) -> float: ...
    @property
    def double(self) -> float: ...
    def seconds(self, side: int) -> float: ...
    def player(self, side: Side) -> str: ...
    def reasons(self, side: Side) -> Counter[str]: ...
    @property
    def has_forfeits(self) -> bool: ...


@dataclasses.dataclass(frozen=True)
class Pairing:
    """One policy for Mr. X, one for the detectives, and their matches."""

    mr_x: str
    detectives: str
    results: tuple[Result, ...]

    @property
    def games(self) -> int:
        """How many matches there are."""
        return len(self.results)

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

    def player(self, side: Side) -> str:
        """Return the policy of a side."""
        return self.mr_x if side == "mr_x" else self.detectives

    @property
    def forfeits(self) -> Counter[tuple[str, str]]:
        """Matches that were forfeited, by side and reason."""
        return Counter((result.forfeit, result.reason or "") for result in self.results if result.forfeit is not None)

    def reasons(self, side: Side) -> Counter[str]:
        """Count the matches that a side forfeited, by reason."""
        return Counter({reason: times for (who, reason), times in self.forfeits.items() if who == side})

    @property
    def has_forfeits(self) -> bool:
        """Whether a match was forfeited, so that the win rate is not what it seems."""
        return bool(self.forfeits)


def command_of(config: Config) -> str | None:
    """Return the command that plays a tournament again; None if it was one that no command can ask for."""
    policies = (*config.mr_x, *config.detectives)
    is_named = config.rules == EDITIONS.get(config.rules.name) and config.is_named
    if not is_named or not all(policy.spec == policy.name and policy.name.isprintable() for policy in policies):
        return None
    words = ["scotyard", "tournament"]
    for side, option in zip(SIDES, ("--mr-x", "--detectives"), strict=True):
        words += [option, shlex.quote(",".join(config.names(side)))]
    words += ["--games", str(config.games), "--board", config.board.name, "--rules", config.rules.name]
    words += ["--seed", str(config.seed)]
    return " ".join(words if config.move_limit is None else [*words, "--move-limit", f"{config.move_limit:g}"])


def commands_of(config: Config) -> tuple[str, ...]:
    """List the commands that play again what is reported: one, none, or one for each tournament that was joined."""
    command = command_of(config)
    return config.commands or ((command,) if command else ())


def pair_up(config: Config, results: Iterable[Result]) -> list[Pairing]:
    """Sort results by pairing, in the order of the configuration; those that have none yet are there too."""
    sorted_out: dict[tuple[str, str], list[Result]] = {
        (mr_x, detectives): [] for mr_x in config.names("mr_x") for detectives in config.names("detectives")
    }
    for result in sorted(results, key=lambda result: result.key):
        sorted_out[result.mr_x, result.detectives].append(result)
    return [Pairing(*names, tuple(kept)) for names, kept in sorted_out.items()]


def _mean(values: Iterable[float]) -> float:
    kept = list(values)
    return float(np.mean(kept)) if kept else float("nan")
