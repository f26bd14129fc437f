"""The tables of a tournament as Markdown that also reads well in a terminal."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from scotyard_env.arena.config import Config
from scotyard_env.arena.rating import Rating, rate_all
from scotyard_env.arena.result import Result
from scotyard_env.arena.summary import Pairing, commands_of, pair_up
from scotyard_env.policy import SIDES, Side

SIDE_WORDS = {"mr_x": "Mr. X", "detectives": "detectives"}
DETAILS = (
    "Mr. X",
    "detectives",
    "games",
    "caught in round",
    "possible",
    "black",
    "double",
    "Mr. X thinks",
    "detective thinks",
)
TIMED = "*"  # marks policies that think by the clock


def write_table(config: Config, results: Sequence[Result]) -> str:
    """Write the tables of a tournament: win rates, ratings, and what else is known of every pairing."""
    pairings = pair_up(config, results)
    parts = [
        f"# Tournament: {headline(config)}",
        f"Detectives' win rate with 95 % Wilson interval; {count_games(pairings)}.",
        _rates(config, pairings),
        "Ratings in Elo points (Bradley-Terry, both sides on one scale, mean 0) with 95 % bootstrap interval.",
        _ratings(rate_all(config.names("mr_x"), config.names("detectives"), results), config),
        "Every pairing: capture rounds (quartiles), mean size of the possible set, tickets used and thinking time.",
        _details(config, pairings),
        *notes(config, pairings),
    ]
    parts += [f"Made by `{command}`" for command in commands_of(config)]
    return "\n\n".join(parts) + "\n"


def headline(config: Config) -> str:
    """Say in one line what is played."""
    limit = "" if config.move_limit is None else f", move limit {config.move_limit:g} s"
    version = config.versions["scotyard-env"]
    return f"{config.rules.name} on {config.board.name}, seed {config.seed}{limit}, scotyard-env {version}"


def count_games(pairings: list[Pairing]) -> str:
    """Say how many games a pairing has."""
    counts = [len(pairing.results) for pairing in pairings if pairing.results] or [0]
    span = str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    return f"{span} games a pairing, the same deals for each"


def notes(config: Config, pairings: list[Pairing]) -> list[str]:
    """Say what a reader must know: who thinks by the clock, and who forfeited how often and why."""
    said = []
    timed = sorted({policy.name for policy in (*config.mr_x, *config.detectives) if policy.is_timed})
    if timed:
        said.append(
            f"{TIMED} {', '.join(timed)}: thinks by the clock, so the same seed need not give the same results."
        )
    for pairing in pairings:
        for (side, reason), times in pairing.forfeits.most_common():
            name = pairing.mr_x if side == "mr_x" else pairing.detectives
            matches = "1 match" if times == 1 else f"{times} matches"
            said.append(
                f"Forfeit: {name} ({SIDE_WORDS[side]}) against {_other(pairing, side)}, {matches}: it {reason}."
            )
    return said


def mark(config: Config, side: Side, name: str) -> str:
    """Name a policy, marked if it thinks by the clock."""
    return name + TIMED if any(policy.name == name and policy.is_timed for policy in config.side(side)) else name


def quartiles(rounds: list[int]) -> str:
    """Return median and quartiles of the rounds in which Mr. X was caught."""
    if not rounds:
        return "-"
    low, middle, high = np.quantile(rounds, (0.25, 0.5, 0.75), method="inverted_cdf")
    return f"{middle} ({low}-{high})"


def duration(seconds: float) -> str:
    """Write a thinking time with a unit that fits."""
    if math.isnan(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _other(pairing: Pairing, side: str) -> str:
    return pairing.detectives if side == "mr_x" else pairing.mr_x


def _rates(config: Config, pairings: list[Pairing]) -> str:
    columns = config.names("detectives")
    cells = {(pairing.mr_x, pairing.detectives): _number(pairing) for pairing in pairings}
    rows = [[mark(config, "mr_x", mr_x), *(cells[mr_x, name] for name in columns)] for mr_x in config.names("mr_x")]
    return grid(["Mr. X \\ detectives", *(mark(config, "detectives", name) for name in columns)], rows)


def _number(pairing: Pairing) -> str:
    return str(pairing.rate) if pairing.results else "-"


def _ratings(ratings: list[Rating], config: Config) -> str:
    best_first = sorted(ratings, key=lambda rating: (SIDES.index(rating.side), -rating.points))
    rows = [
        [
            SIDE_WORDS[one.side],
            mark(config, one.side, one.name),
            f"{one.points:+.0f}",
            f"[{one.low:+.0f}, {one.high:+.0f}]",
        ]
        for one in best_first
    ]
    return grid(["side", "policy", "Elo", "interval"], rows)


def _details(config: Config, pairings: list[Pairing]) -> str:
    return grid(list(DETAILS), [detail(config, pairing) for pairing in pairings if pairing.results])


def detail(config: Config, pairing: Pairing) -> list[str]:
    """Return what is known of a pairing beside its win rate, in the order of DETAILS."""
    means = (pairing.mean_possible, pairing.black, pairing.double)
    return [
        mark(config, "mr_x", pairing.mr_x),
        mark(config, "detectives", pairing.detectives),
        str(len(pairing.results)),
        quartiles(pairing.capture_rounds),
        *("-" if math.isnan(mean) else f"{mean:.1f}" for mean in means),
        duration(pairing.seconds(0)),
        duration(pairing.seconds(1)),
    ]


def grid(head: list[str], rows: Iterable[list[str]]) -> str:
    """Write a Markdown table whose columns stand in line."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    written = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([written[0], rule, *written[1:]])
