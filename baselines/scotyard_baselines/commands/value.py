"""What Scotland Yard is worth to Mr. X, between two bounds: ``scotyard value --responses docs/responses``.

The value is the probability with which Mr. X gets away if both sides play perfectly. It lies between

- *L*, what a Mr. X gets against the strongest of those who know him: the ``tracker`` who is told him, and all
  detectives that have learned a best response to any Mr. X. A perfect opponent would leave him no more than that;
- *U*, what the strongest of those who have learned to escape, and of other Mr. X who are named, gets against some
  detectives. A perfect Mr. X would get at least that, so it is the detectives who have to be better for it to fall.

Both are estimates of bounds, not bounds: a best response that nobody has found would move L down and U up. Who is the
strongest is found on one set of deals, and the figure is what he gets on others. Other editions and numbers of
detectives are played with the same players, who have not learned for them: *transferred*.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scotyard_baselines.robustness.bounds import name_knowing_opponent
from scotyard_baselines.robustness.response import Stored, find_responses
from scotyard_env.arena.engine import check_count
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.table import grid
from scotyard_env.board import Board
from scotyard_env.commands import run_module, write_call
from scotyard_env.duel import play_games
from scotyard_env.policy import Policy, Side, make_policy
from scotyard_env.rng import policy_rng
from scotyard_env.ruleset import RuleSet, resolve

HEAD = ["rules", "detectives", "L", "found by", "U", "found by", "games"]
SAID = "Share of games in which Mr. X gets away, with 95 % Wilson interval. L is that of {} and U is against {}."


class Opponent(NamedTuple):
    """Somebody against whom a bound is measured."""

    name: str
    policy: Policy


class Table(NamedTuple):
    """The game that is played at, and with which deals."""

    board: Board
    rules: RuleSet
    games: int  # by each seed
    seeds: int

    def survive(self, mr_x: Policy, detectives: Policy, purpose: str) -> Rate:
        """Return how often Mr. X gets away, on the deals for a purpose."""
        caught = [
            play_games(mr_x, detectives, self.games, draw_seed(seed, purpose), self.board, self.rules)
            for seed in range(self.seeds)
        ]
        return Rate(sum(caught), self.games * self.seeds).lost


def draw_seed(seed: int, purpose: str) -> int:
    """Return a seed for deals, one for each purpose."""
    return int(policy_rng(seed, "value", purpose).integers(2**63))


@dataclass(frozen=True)
class Command:
    """Estimate between which bounds the value of the game lies."""

    mr_x: str = "ppo_mr_x"
    """The Mr. X whose survival is L."""
    detectives: str = "bayes"
    """The detectives for U."""
    fugitives: tuple[str, ...] = ()
    """Further policies for Mr. X, such as searches, that may be the strongest against the detectives."""
    responses: Path = Path("docs/responses")
    """Folder that contains results of scotyard train best_response, at any depth."""
    compared: int = 400
    """Deals on which candidates are compared."""
    games: int = 1000
    """Deals per seed."""
    seeds: int = 3
    """Sets of deals in the game of training."""
    rules: tuple[str, ...] = ("classic",)
    """Editions; the first is that of training."""
    numbers: tuple[int, ...] = (5,)
    """Numbers of detectives; the first is that of training."""
    transferred_games: int = 400
    """Deals for each other edition and number of detectives."""

    def run(self) -> None:
        """Measure both bounds and print them."""
        for name in ("compared", "games", "seeds", "transferred_games"):
            check_count(name, getattr(self, name))
        if not self.rules or not self.numbers:
            raise ValueError("there are no rules, or no numbers of detectives: give at least one of each")
        table, transferred = self.table(), self.list_transferred()
        found = find_responses(self.responses)
        mr_x, detectives = make_policy(self.mr_x, side="mr_x"), make_policy(self.detectives, side="detectives")
        knowing = name_knowing_opponent(self.mr_x, "mr_x", samples=1)
        pursuers = [Opponent("tracker", make_policy(knowing)), *list_players(found, "mr_x", table)]
        others = [Opponent(name, make_policy(name, side="mr_x")) for name in self.fugitives]
        fugitives = [Opponent(self.mr_x, mr_x), *others, *list_players(found, "detectives", table)]
        comparison = table._replace(games=self.compared, seeds=1)
        worst = min(pursuers, key=lambda one: comparison.survive(mr_x, one.policy, "compare").wins)
        best = max(fugitives, key=lambda one: comparison.survive(one.policy, detectives, "compare").wins)
        rows = [self.tell(at, mr_x, worst, best, detectives) for at in (table, *transferred)]
        said = SAID.format(f"`{self.mr_x}`", f"`{self.detectives}`")
        print(f"{said}\n\n{grid(HEAD, rows)}\n\nMade by `{write_call('value', self)}`")

    def table(self) -> Table:
        """Return the game of training."""
        return Table(*resolve(rules=self.rules[0], detectives=self.numbers[0]), self.games, self.seeds)

    def list_transferred(self) -> list[Table]:
        """List the editions and numbers of detectives that nobody has learned for."""
        games = [(rules, number) for rules in self.rules for number in self.numbers][1:]
        return [Table(*resolve("london", rules, number), self.transferred_games, 1) for rules, number in games]

    def tell(self, at: Table, mr_x: Policy, worst: Opponent, best: Opponent, detectives: Policy) -> list[str]:
        """Measure both bounds in a game and write its row."""
        low = at.survive(mr_x, worst.policy, "report")
        high = at.survive(best.policy, detectives, "report")
        is_first = (at.rules.name, at.rules.detectives) == (self.rules[0], self.numbers[0])
        rules = at.rules.name if is_first else f"{at.rules.name}, transferred"
        games = f"{low.games:,}"
        return [rules, str(at.rules.detectives), str(low), worst.name, str(high), best.name, games]


def list_players(found: tuple[Stored, ...], side: Side, table: Table) -> list[Opponent]:
    """List the responses to policies of a side in this game."""
    return [
        Opponent(f"the response to {one.response.challenge.against.name}", one.player)
        for one in found
        if one.response.challenge.is_of(side, table.board, table.rules)
    ]


if __name__ == "__main__":
    run_module(Command)
