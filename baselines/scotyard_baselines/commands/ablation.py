"""What each step of minimax is worth, in nodes and in wins: ``scotyard ablation``.

Every row changes one step of our variant, to what the document has there or to nothing. The rows that matter most for
wins are played, on the same deals; of the others, which change hardly any decision, only nodes are counted. A second
table shows the cost of the prunings that are not exact: how much less the plan found with them is worth than the best
one, by a search without them.
"""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scotyard_baselines.minimax import Minimax
from scotyard_baselines.planning.merge import SLACK
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_env.arena import tournament
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.summary import pair_up
from scotyard_env.commands import run_module
from scotyard_env.game import Game
from scotyard_env.policy import make_policy
from scotyard_env.state import MR_X
from scotyard_env.view import View

CHANGED: dict[str, dict[str, Any]] = {  # the rows that are played, the most telling first
    "nothing": {},
    "no third and fourth layer": {"depth": 2},
    "pure minimum over all answers": {"merge": "minimum"},
    "best answer of each particle alone": {"worst_case_weight": 1.0},
    "average answer alone": {"worst_case_weight": 0.0},
    "no capture time": {"capture": 0.0},
    "no ticket pressure": {"w_3": 0.0},
    "no distance to the centroid": {"w_1": 0.0},
    "no bonuses": {"w_2": 0.0, "w_4": 0.0, "coverage": 0.0, "choke": 0.0, "perimeter": 0.0},
    "uniform belief": {"belief": "uniform"},
    "evasive belief": {"belief": "evasive"},
    "one particle": {"particles": 1},
    "beam of one plan": {"beam": 1},
    "fixed horizon": {"adaptive": False},
    "the document's dominance": {"dominance": "document"},
    "weighted distances": {"distances": "weighted"},
    "double moves among the answers": {"double_answers": True},
    "the document's evaluation": {"evaluation": "document"},
}
COUNTED: dict[str, dict[str, Any]] = {  # rows of which only nodes are counted: they change no decision, or hardly any
    "no alpha-beta": {"alpha_beta": False},
    "pawns in the order of their turns": {"pawn_order": False},
    "moves in the order of stations": {"move_order": False},
    "answers in the order of tickets": {"answer_order": False},
    "no dominance": {"dominance": "none"},
    "no transposition table": {"transposition_table": False},
}

PRUNED: dict[str, tuple[str, Minimax, dict[str, Any]]] = {  # board, the policy, and what makes it exact
    "8 particles, two layers": ("london", Minimax(depth=2), {"particles": MAX_PARTICLES}),
    "beam, four layers": ("london", Minimax(adaptive=False), {}),
    "the document's dominance, two layers": ("london", Minimax(depth=2, dominance="document"), {"dominance": "none"}),
    "beam and width, four layers": ("docklands", Minimax(adaptive=False), {"width": 0}),
    "8 particles, beam and width, four layers": (
        "docklands",
        Minimax(adaptive=False),
        {"particles": MAX_PARTICLES, "width": 0},
    ),
}


@dataclass(frozen=True)
class Command:
    """Measure what each step of minimax contributes, and print a table."""

    mr_x: str = "ppo_mr_x"
    """Whom the detectives play against."""
    games: int = 400
    """Games of each row, the same deals for all."""
    rows: int = len(CHANGED)
    """Rows that are played, from the first on."""
    positions: int = 60
    """Positions in which nodes are counted."""
    workers: int | None = None
    """Processes; none plays in this one."""
    seed: int = 0
    out: Path | None = None
    """Folder for the matches; the same command resumes an interrupted run."""

    def run(self) -> None:
        """Print what each step is worth, and what the prunings that are not exact cost."""
        if self.positions < 1:
            raise ValueError(f"positions is {self.positions}: give a whole number of at least 1")
        if not 1 <= self.rows <= len(CHANGED):
            raise ValueError(f"rows is {self.rows}: give a whole number from 1 to {len(CHANGED)}")
        print_steps(self)
        print_losses(self)


def make_rows(changes: dict[str, dict[str, Any]]) -> dict[str, Minimax]:
    """Return our variant with each of some changes."""
    return {name: Minimax(**change) for name, change in changes.items()}


def collect_positions(count: int, seed: int, board: str = "london") -> list[View]:
    """Return what the detectives see in games between greedy players, every seventh decision."""
    player, rng = make_policy("greedy"), np.random.default_rng(seed)
    views: list[View] = []
    while len(views) < 7 * count:
        game = Game(board, seed=seed + len(views))
        while game.winner is None:
            view = game.view(game.seat)
            if game.seat != MR_X:
                views.append(view)
            game.play(player.act(view, rng).action)
    return views[: 7 * count : 7]


def measure_wins(command: Command, policies: dict[str, Minimax]) -> dict[str, Rate]:
    """Play every row against the same Mr. X on the same deals; return their rates of wins."""
    played = tournament(
        command.mr_x, dict(policies), games=command.games, workers=command.workers, seed=command.seed, out=command.out
    )
    return {pairing.detectives: pairing.rate for pairing in pair_up(played.config, played.results)}


def measure_loss(policy: Minimax, exact: Minimax, view: View) -> float:
    """Return how much worse than the best plan the plan of a policy is, by the values of an exact search."""
    values = {plan.actions: plan.value for plan in exact.think(view).plans}
    return max(values.values()) - values[policy.think(view).plans[0].actions]


def print_losses(command: Command) -> None:
    """Measure and print what the prunings that are not exact cost."""
    print("\n| pruned | positions of | best plan found | mean loss |\n|---|---|---|---|")
    for name, (board, policy, change) in PRUNED.items():
        exact = dataclasses.replace(policy, **{**change, "beam": 0, "alpha_beta": False})
        views = collect_positions(command.positions, command.seed, board)
        losses = np.array([measure_loss(policy, exact, view) for view in views])
        print(f"| {name} | {board} | {100 * np.mean(losses < SLACK):.0f} % | {losses.mean():.4f} |")


def print_steps(command: Command) -> None:
    """Measure and print what each step is worth."""
    played, views = make_rows(CHANGED), collect_positions(command.positions, command.seed)
    wins = measure_wins(command, dict(list(played.items())[: command.rows]))
    print(f"| changed | nodes a decision | wins of {command.games} against {command.mr_x} |\n|---|---|---|")
    for name, policy in {**played, **make_rows(COUNTED)}.items():
        nodes = np.mean([policy.think(view).nodes for view in views])
        print(f"| {name} | {nodes:,.0f} | {wins.get(name, '')} |")


if __name__ == "__main__":
    run_module(Command)
