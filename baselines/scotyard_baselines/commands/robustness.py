"""How well policies withstand somebody who knows them: ``python -m scotyard_baselines.commands.robustness --policy greedy hunters``.

Detectives meet the ``exploiter``, a Mr. X the ``tracker``, each told the very policy that it plays against; who plays
both sides meets both. Slow policies want a small ``--samples``, since whoever knows them asks them again and again.
"""

from dataclasses import dataclass
from pathlib import Path

from scotyard_baselines.commands.frame import run_command
from scotyard_env.arena import evaluate
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.table import SIDE_WORDS, grid
from scotyard_env.policy import SIDES, make_policy, sides_of

EXAMINERS = {"mr_x": "tracker", "detectives": "exploiter"}  # who knows a policy of this side


@dataclass(frozen=True)
class Command:
    """Play every policy against an opponent who knows it, and print a table."""

    policy: tuple[str, ...]
    """Names, with parameters if need be."""
    games: int = 100
    """Games of each, the same deals for all."""
    samples: int = 4
    """Times that the examiner asks the policy what it would do."""
    board: str = "london"
    rules: str = "classic"
    workers: int | None = None
    """Processes; none plays in this one."""
    seed: int = 0
    out: Path | None = None
    """Folder that keeps the matches: the same command goes on where it was stopped."""


def name_examiner(policy: str, side: str, samples: int) -> str:
    """Name the opponent who knows a policy of this side."""
    return f"{EXAMINERS[side]}:against={policy.replace(',', '+')},samples={samples}"


def examine(command: Command, policy: str, side: str) -> Rate:
    """Play a policy against the opponent who knows it; give the rate at which the policy wins, if nobody forfeited."""
    examiner = name_examiner(policy, side, command.samples)
    played = evaluate(
        policy,
        side,
        [examiner],
        games=command.games,
        board=command.board,
        rules=command.rules,
        seed=command.seed,
        workers=command.workers,
        out=None if command.out is None else command.out / f"{side}-{policy.replace(':', '-')}",
        replays=False,
    )
    pairing = played.pairings[0]
    if pairing.forfeits:
        (who, why), _ = pairing.forfeits.most_common(1)[0]
        count = pairing.forfeits.total()
        raise ValueError(f"{count} of {command.games} matches were forfeited: {SIDE_WORDS[who]} {why}")
    caught = pairing.rate
    return caught if side == "detectives" else Rate(caught.games - caught.wins, caught.games)


def print_table(command: Command) -> None:
    """Examine every policy on every side that it plays, and print how often it wins."""
    sides = {policy: sides_of(make_policy(policy)) for policy in command.policy}
    rows = [
        [SIDE_WORDS[side], policy, EXAMINERS[side], str(rate), str(rate.games)]
        for side in reversed(SIDES)
        for policy in command.policy
        if side in sides[policy]
        for rate in (examine(command, policy, side),)
    ]
    print(grid(["side", "policy", "against", "wins", "games"], rows))


def main() -> None:
    """Examine the policies asked for."""
    run_command(Command, "examine", print_table)


if __name__ == "__main__":
    main()
