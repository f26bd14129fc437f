"""How well policies withstand somebody who knows them: ``scotyard robustness --policy greedy hunters``.

Detectives meet the ``exploiter``, a Mr. X the ``tracker``, each told the very policy that it plays against; who plays
both sides meets both. Slow policies want a small ``--samples``, since whoever knows them asks them again and again.
"""

from dataclasses import dataclass
from pathlib import Path

from scotyard_env.arena import evaluate
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.table import SIDE_WORDS, grid
from scotyard_env.commands import run_module
from scotyard_env.policy import SIDES, Side, make_policy, nest, sides_of

KNOWING_OPPONENTS = {"mr_x": "tracker", "detectives": "exploiter"}  # who knows a policy of this side


@dataclass(frozen=True)
class Command:
    """Play every policy against an opponent who knows it, and print a table."""

    policy: tuple[str, ...]
    """Names, with parameters if need be."""
    games: int = 100
    """Games of each, the same deals for all."""
    samples: int = 4
    """Times that the opponent asks the policy what it would do."""
    board: str = "london"
    rules: str = "classic"
    workers: int | None = None
    """Processes; none plays in this one."""
    seed: int = 0
    out: Path | None = None
    """Folder that keeps the matches: the same command goes on where it was stopped."""

    def run(self) -> None:
        """Measure every policy on every side that it plays, and print how often it wins."""
        sides = {policy: sides_of(make_policy(policy)) for policy in self.policy}
        rows = [
            [SIDE_WORDS[side], policy, KNOWING_OPPONENTS[side], str(rate), str(rate.games)]
            for side in reversed(SIDES)
            for policy in self.policy
            if side in sides[policy]
            for rate in (measure_robustness(self, policy, side),)
        ]
        print(grid(["side", "policy", "against", "wins", "games"], rows))


def name_knowing_opponent(policy: str, side: Side, samples: int) -> str:
    """Return the name of the opponent who knows a policy of this side."""
    return f"{KNOWING_OPPONENTS[side]}:against={nest(policy)},samples={samples}"


def measure_robustness(command: Command, policy: str, side: Side) -> Rate:
    """Play a policy against the opponent who knows it; return the rate at which it wins, if nobody forfeited."""
    played = evaluate(
        policy,
        side,
        [name_knowing_opponent(policy, side, command.samples)],
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


if __name__ == "__main__":
    run_module(Command)
