"""The tables of a tournament as Markdown that also reads well in a terminal."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from scotyard_env.arena.config import Config
from scotyard_env.arena.forfeit import LONGEST_REASON
from scotyard_env.arena.rating import Rating, rate_all
from scotyard_env.arena.result import Result
from scotyard_env.arena.summary import Summary, commands_of, pair_up
from scotyard_env.policy import SIDES, Side
from scotyard_env.wording import FORFEITED, markdown, one_line, short_name

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
RATES = "Detectives' win rate with 95 % Wilson interval"
RATINGS = "Ratings in Elo points (Bradley-Terry, both sides on one scale, mean 0) with 95 % bootstrap interval."
PAIRINGS = "Every pairing: capture rounds (quartiles), mean size of the possible set, tickets used and thinking time."
TIMED = "*"  # marks policies that think by the clock
REASONS = 3  # that are given for the forfeits of a pairing, the commonest
Names = dict[tuple[Side, str], str]  # contenders by side and name, as they stand in tables


def write_table(config: Config, results: Sequence[Result]) -> str:
    """Write the tables of a tournament: win rates, ratings, and what else is known of every pairing."""
    pairings = pair_up(config, results)
    names = mark_all(config, pairings)
    parts = [
        f"# Tournament: {markdown(headline(config))}",
        f"{RATES}; {count_games(pairings)}.",
        list_rates(names, config.names("mr_x"), config.names("detectives"), pairings),
        RATINGS,
        list_ratings(rate_all(config.names("mr_x"), config.names("detectives"), results), names),
        PAIRINGS,
        list_details(names, pairings),
        *map(markdown, notes(config, pairings)),
    ]
    parts += [f"Made by ``{command}``" if "`" in command else f"Made by `{command}`" for command in commands_of(config)]
    return "\n\n".join(parts) + "\n"


def headline(config: Config) -> str:
    """Say in one line what is played."""
    limit = "" if config.move_limit is None else f", move limit {config.move_limit:g} s"
    version = config.versions["scotyard-env"]
    names = f"{short_name(config.rules.name)} on {short_name(config.board.name)}"
    return f"{names}, seed {config.seed}{limit}, scotyard-env {short_name(version)}"


def count_games(pairings: Sequence[Summary]) -> str:
    """Say how many games a pairing has."""
    counts = [pairing.games for pairing in pairings if pairing.games] or [0]
    span = str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    return f"{span} games a pairing, the same deals for each"


def notes(config: Config, pairings: Sequence[Summary]) -> list[str]:
    """Say what a reader must know: who thinks by the clock, and who forfeited how often and why."""
    said = []
    timed = sorted({short_name(policy.name) for policy in (*config.mr_x, *config.detectives) if policy.is_timed})
    if timed:
        said.append(
            f"{TIMED} {', '.join(timed)}: thinks by the clock, so the same seed need not give the same results."
        )
    for pairing in pairings:
        for side in SIDES:
            said += _tell_forfeits(pairing, side)
    return said


def _tell_forfeits(pairing: Summary, side: Side) -> list[str]:
    """Say how many matches of a pairing a side forfeited, and why."""
    reasons = pairing.reasons(side)
    if not reasons:
        return []
    own, other = (pairing.mr_x, pairing.detectives) if side == "mr_x" else (pairing.detectives, pairing.mr_x)
    who = f"{FORFEITED} {short_name(own)} ({SIDE_WORDS[side]})"
    often = f"forfeited {reasons.total()} of {pairing.games} matches against {short_name(other)}"
    told = "; ".join(
        f"it {one_line(reason, LONGEST_REASON)}" + (f" ({times} times)" if len(reasons) > 1 else "")
        for reason, times in reasons.most_common(REASONS)
    )
    more = f"; and {len(reasons) - REASONS} other reasons" if len(reasons) > REASONS else ""
    return [f"{who} {often}: {told}{more}."]


def mark_all(config: Config, pairings: Iterable[Summary]) -> Names:
    """Name every policy as it stands in tables, marked if it thinks by the clock or forfeited a match."""
    sides = {"mr_x": config.mr_x, "detectives": config.detectives}
    forfeiters = {(side, pairing.player(side)) for pairing in pairings for side in SIDES if pairing.reasons(side)}
    return {
        (side, policy.name): short_name(policy.name)
        + TIMED * policy.is_timed
        + FORFEITED * ((side, policy.name) in forfeiters)
        for side in SIDES
        for policy in sides[side]
    }


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


def list_rates(names: Names, mr_x: list[str], detectives: list[str], pairings: Iterable[Summary]) -> str:
    """Write the table of win rates of some policies, a row for each Mr. X."""
    cells = {(pairing.mr_x, pairing.detectives): _number(pairing) for pairing in pairings}
    rows = [[names["mr_x", row], *(cells.get((row, column), "-") for column in detectives)] for row in mr_x]
    return grid(["Mr. X \\ detectives", *(markdown(names["detectives", name]) for name in detectives)], rows)


def _number(pairing: Summary) -> str:
    return f"{pairing.rate}{f' {FORFEITED}' * pairing.has_forfeits}" if pairing.games else "-"


def list_ratings(ratings: list[Rating], names: Names) -> str:
    """Write the table of ratings, the strongest of each side first."""
    rows = [
        [
            SIDE_WORDS[one.side],
            names[one.side, one.name],
            f"{one.points:+.0f}",
            f"[{one.low:+.0f}, {one.high:+.0f}]",
        ]
        for one in sorted(ratings, key=lambda rating: (SIDES.index(rating.side), -rating.points))
    ]
    return grid(["side", "policy", "Elo", "interval"], rows)


def list_details(names: Names, pairings: Iterable[Summary]) -> str:
    """Write the table of what else is known of every pairing that has matches."""
    return grid(list(DETAILS), [detail(names, pairing) for pairing in pairings if pairing.games])


def detail(names: Names, pairing: Summary) -> list[str]:
    """Return what is known of a pairing beside its win rate, in the order of DETAILS."""
    means = (pairing.mean_possible, pairing.black, pairing.double)
    return [
        names["mr_x", pairing.mr_x],
        names["detectives", pairing.detectives],
        f"{pairing.games}{f' {FORFEITED}' * pairing.has_forfeits}",
        quartiles(pairing.capture_rounds),
        *("-" if math.isnan(mean) else f"{mean:.1f}" for mean in means),
        duration(pairing.seconds(0)),
        duration(pairing.seconds(1)),
    ]


def grid(head: list[str], rows: Iterable[list[str]]) -> str:
    """Write a Markdown table whose columns stand in line."""
    lines = [head, *([markdown(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    written = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([written[0], rule, *written[1:]])
