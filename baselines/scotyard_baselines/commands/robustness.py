"""How badly policies can be beaten: ``scotyard robustness --responses runs/responses --policy greedy hunters``.

A row for each policy and side, with every known bound. Each is the share of games that the policy loses to some
opponent, and a best response would win at least as many: the policy is *at least exploitable by* so much.

- *learned*: a response that ``scotyard train best_response`` has trained against this policy; of several the strongest
  counts. The figure is that of its ``response.json``, with its budget, runs x decisions.
- *transferred*: where there is none, the strongest of all responses to other policies of its side.
- *told*: the ``exploiter`` against detectives, the ``tracker`` against a Mr. X, each given the policy. They query it
  often: slow policies (``--slow``) are left out.
- *exact*, with ``--exact glasses``: a best response by enumeration, on a small board, and its excess over what optimal
  play loses there.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from scotyard_baselines.robustness.bounds import (
    KNOWING_OPPONENTS,
    Examination,
    find_own,
    measure_knowing,
    measure_transferred,
    name_knowing_opponent,
)
from scotyard_baselines.robustness.exact import SmallGame
from scotyard_baselines.robustness.response import Response, find_responses
from scotyard_env.arena.engine import check_count
from scotyard_env.arena.folder import make_folder
from scotyard_env.arena.table import SIDE_WORDS, grid
from scotyard_env.commands import run_module, write_call
from scotyard_env.files import write_whole
from scotyard_env.policy import SIDES, Side, make_policy, policy_names, sides_of
from scotyard_env.release import release
from scotyard_env.ruleset import resolve

NONE = "-"  # in place of a bound that there is not
SLOW = ("bristol_mr_x", "exploiter", "minimax", "phantom", "pimbot", "tracker")
TABLE = "table.md"
HEAD = ("side", "policy", "learned", "transferred", "told")
SAID = "At least exploitable by: share of games that the policy loses, with 95 % Wilson interval"


@dataclass(frozen=True)
class Command:
    """Report how badly policies can be beaten: by learned responses, and by opponents who know the policy."""

    policy: tuple[str, ...] = ()
    """Names, with parameters if needed; by default all that are installed."""
    responses: Path | None = None
    """Folder that contains results of scotyard train best_response, at any depth."""
    games: int = 100
    """Games of each pairing that is played, the same deals for all."""
    samples: int = 4
    """Decisions that an opponent who knows the policy samples from it in a position."""
    slow: tuple[str, ...] = SLOW
    """Policies that are too slow to be queried by an opponent who knows them."""
    exact: str | None = None
    """Board on which the exact bound is computed too, such as glasses."""
    draws: int = 100
    """Decisions sampled in each position of that board, of a policy that does not give its probabilities."""
    board: str = "london"
    """Name of a board, or a file such as my_board.json."""
    rules: str | None = None
    """Name of a rule set, or a file such as my_rules.json; by default the rules of the board."""
    workers: int | None = None
    """Worker processes; by default this process plays."""
    seed: int = 0
    """The same seed gives the same results."""
    out: Path | None = None
    """Folder for the matches and the table; the same command resumes an interrupted run."""

    def run(self) -> None:
        """Measure every policy on every side that it plays, and print the bounds."""
        check_count("draws", self.draws)
        names = self.policy or policy_names()
        sides = {name: sides_of(make_policy(name)) for name in names}
        rows = [(name, side) for side in reversed(SIDES) for name in names if side in sides[name]]
        for name, side in rows:
            make_policy(name_knowing_opponent(name, side, self.samples))  # say at once what is wrong with it
        table = "\n\n".join(self.write_table(rows)) + "\n"
        if self.out is not None:
            make_folder(self.out)
            write_whole(self.out / TABLE, table)
        print(table, end="")

    def write_table(self, rows: list[tuple[str, Side]]) -> list[str]:
        """Measure policies, each on a side; return the paragraphs that tell what was found."""
        at, small = self.examine(), None if self.exact is None else SmallGame(self.exact, self.draws, self.seed)
        head = [*HEAD, *([] if small is None else [f"exact on {small.board.name}"])]
        measured = []
        for number, (name, side) in enumerate(rows, start=1):
            print(f"{number} of {len(rows)}: {name} ({SIDE_WORDS[side]})", file=sys.stderr, flush=True)
            cells = [SIDE_WORDS[side], name, *measure_row(at, name, side, name.partition(":")[0] in self.slow)]
            if small is not None:
                kept = at.place(name, side, f"-exact-{small.board.name}.json")
                cells.append(str(small.measure(name, side, kept) or NONE))
            measured.append(cells)
        said = f"{SAID}; {self.games} games a pairing where nothing else is said."
        return [said, grid(head, measured), f"Made by `{write_call('robustness', self)}`"]

    def examine(self) -> Examination:
        """Return the game in which policies are examined, and how."""
        check_count("games", self.games)
        board, rules = resolve(self.board, self.rules)
        responses = () if self.responses is None else find_responses(self.responses)
        options = (self.games, self.samples, self.seed, self.workers, self.out)
        return Examination(board, rules, *options, responses)


def measure_row(at: Examination, policy: str, side: Side, is_slow: bool) -> list[str]:
    """Return the bounds of a policy on a side: learned, transferred and told."""
    own = find_own(at, policy, side)
    moved = None if own is not None else measure_transferred(at, policy, side)
    return [
        NONE if own is None else tell_own(own.response),
        NONE if moved is None else f"{moved[0]} by that to {moved[1].response.challenge.against.name}",
        NONE if is_slow else f"{measure_knowing(at, policy, side)} by {KNOWING_OPPONENTS[side]}",
    ]


def tell_own(response: Response) -> str:
    """Write the bound of a response to this very policy with its budget, and the policy's version if it is not ours."""
    budget, version = response.challenge.budget, response.challenge.version
    of_old = "" if release(version) == release() else f", version {version}"
    spent = f"{budget.name}: {len(response.runs)} x {budget.total_timesteps:,}"
    return f"{response.rate} of {response.rate.games} ({spent}{of_old})"


if __name__ == "__main__":
    run_module(Command)
