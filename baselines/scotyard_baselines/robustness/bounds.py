"""Lower bounds on the exploitability of a policy: by learned best responses to it or to others, and by who knows it.

Every rate is that of the opponent: the share of games that the policy loses to it.
"""

import dataclasses
import re
from pathlib import Path

from scotyard_baselines.robustness.response import Stored
from scotyard_env.arena import evaluate
from scotyard_env.arena.contenders import Entry, read_contenders
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.table import SIDE_WORDS
from scotyard_env.board import Board
from scotyard_env.policy import Side, nest
from scotyard_env.rng import policy_rng
from scotyard_env.ruleset import RuleSet

KNOWING_OPPONENTS = {"mr_x": "tracker", "detectives": "exploiter"}  # by the side of the policy that they are given


@dataclasses.dataclass(frozen=True)
class Examination:
    """The game in which policies are examined, and by how many matches."""

    board: Board
    rules: RuleSet
    games: int  # of each pairing, the same deals for all
    samples: int  # times that an opponent who knows a policy asks it for its decision in a position
    seed: int
    workers: int | None  # processes; None = this process plays
    out: Path | None  # folder to save the matches in
    responses: tuple[Stored, ...] = ()  # learned ones, to these policies or to others

    def play(self, policy: str, side: Side, opponent: Entry, kept: str = "", seed: int | None = None) -> Rate:
        """Play a policy against an opponent; return how often it loses, if nobody forfeited.

        Matches are saved in the folder that ``place`` names.
        """
        played = evaluate(
            policy,
            side,
            opponent,
            games=self.games,
            board=self.board,
            rules=self.rules,
            seed=self.seed if seed is None else seed,
            workers=self.workers,
            out=self.place(policy, side, kept),
            replays=False,
        )
        pairing = played.pairings[0]
        if pairing.forfeits:
            (who, why), _ = pairing.forfeits.most_common(1)[0]
            count = pairing.forfeits.total()
            raise ValueError(f"{count} of {self.games} matches were forfeited: {SIDE_WORDS[who]} {why}")
        return pairing.rate if side == "mr_x" else pairing.rate.lost

    def place(self, policy: str, side: Side, kept: str = "") -> Path | None:
        """Return the path of what is saved about a policy on a side, None if nothing is; kept ends its name."""
        return None if self.out is None else self.out / re.sub(r"[:/\\]", "-", f"{side}-{policy}{kept}")


# ---------------------------------------------------------------------------------------------- who knows the policy
def name_knowing_opponent(policy: str, side: Side, samples: int) -> str:
    """Return the name of the opponent who is given a policy of this side."""
    return f"{KNOWING_OPPONENTS[side]}:against={nest(policy)},samples={samples}"


def measure_knowing(at: Examination, policy: str, side: Side) -> Rate:
    """Return how often a policy loses to the opponent who is given it."""
    return at.play(policy, side, [name_knowing_opponent(policy, side, at.samples)])


# ------------------------------------------------------------------------------------------------- learned responses
def find_own(at: Examination, policy: str, side: Side) -> Stored | None:
    """Return the strongest response that was learned against this very policy, if there is one."""
    (contender,) = read_contenders(policy, side)
    description = contender.describe()
    own = [one for one in at.responses if one.response.challenge.answers(description, side, at.board, at.rules)]
    return max(own, key=lambda one: one.response.rate.share, default=None)


def measure_transferred(at: Examination, policy: str, side: Side) -> tuple[Rate, Stored] | None:
    """Return how often a policy loses to the strongest of the responses that were learned against others.

    The strongest is found on one set of deals and measured on another, so that the selection does not bias its rate.
    """
    others = [one for one in at.responses if one.response.challenge.is_of(side, at.board, at.rules)]
    if not others:
        return None
    rates = [_play_response(at, policy, side, one, "compare") for one in others]
    worst = others[max(range(len(others)), key=lambda number: rates[number].wins)]
    return _play_response(at, policy, side, worst, "report"), worst


def _play_response(at: Examination, policy: str, side: Side, stored: Stored, purpose: str) -> Rate:
    """Play a policy against a stored response, on the deals for a purpose."""
    digest = stored.response.weights
    seed = int(policy_rng(at.seed, "transferred", purpose).integers(2**63))
    return at.play(policy, side, {f"response-{digest}": stored.player}, f"-{purpose}-{digest}", seed)
