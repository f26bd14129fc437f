"""What each feature of minimax is worth, in nodes and in wins: ``scotyard ablation``.

Every variant leaves one feature out, or is the whole without its deeper layers, and plays the same deals. A second
table shows what the prunings that are not exact cost: how much worse than the best plan, by a search without them, the
plan is that they lead to.
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

LEFT_OUT: dict[str, dict[str, Any]] = {
    "nothing": {},
    "alpha-beta": {"alpha_beta": False},
    "most threatening pawn first": {"pawn_order": False},
    "moves that cover exits first": {"move_order": False},
    "answers that escape furthest first": {"answer_order": False},
    "dominated plans pruned": {"dominance": False},
    "transposition table": {"transposition_table": False},
    "adaptive horizon": {"adaptive": False},
    "third and fourth layer": {"depth": 2},
    "Mr. X's answers": {"depth": 1},
    "evasive belief: paths alone": {"belief": "paths"},
    "evasive belief: uniform": {"belief": "uniform"},
    "all particles but one": {"particles": 1},
    "average answer: pure minimum": {"worst_case_weight": 1.0},
    "best answer: pure average": {"worst_case_weight": 0.0},
    "distance to the centroid": {"w_1": 0.0},
    "entropy reduction": {"w_2": 0.0},
    "ticket pressure": {"w_3": 0.0},
    "clustering penalty": {"w_4": 0.0},
    "coverage of exits": {"coverage": 0.0},
    "choke points": {"choke": 0.0},
    "reveal perimeter": {"perimeter": 0.0},
}

PRUNED: dict[str, tuple[str, Minimax, dict[str, Any]]] = {  # board, the policy, and what makes it exact
    "8 particles, two layers": ("london", Minimax(depth=2), {"particles": MAX_PARTICLES}),
    "beam and width, four layers": ("docklands", Minimax(adaptive=False), {"beam": 0, "width": 0}),
    "8 particles, beam and width, four layers": (
        "docklands",
        Minimax(adaptive=False),
        {"particles": MAX_PARTICLES, "beam": 0, "width": 0},
    ),
    "dominated plans, four layers": (
        "docklands",
        Minimax(adaptive=False, beam=0, width=0),
        {"dominance": False},
    ),
}


@dataclass(frozen=True)
class Command:
    """Measure what each feature of minimax is worth and print a table."""

    mr_x: str = "hider"
    """Whom the detectives play against."""
    games: int = 200
    """Games of each variant, the same deals for all."""
    positions: int = 60
    """Positions in which nodes are counted."""
    workers: int | None = None
    """Processes; none plays in this one."""
    seed: int = 0
    out: Path | None = None
    """Folder that keeps the matches: the same command goes on where it was stopped."""

    def run(self) -> None:
        """Print what each feature is worth, and what the prunings that are not exact cost."""
        if self.positions < 1:
            raise ValueError(f"positions is {self.positions}: give a whole number of at least 1")
        print_features(self)
        print_losses(self)


def variants() -> dict[str, Minimax]:
    """Return the variants; what the default does not use anyway is not left out twice."""
    whole = Minimax()
    made = {name: dataclasses.replace(whole, **change) for name, change in LEFT_OUT.items()}
    return {name: policy for name, policy in made.items() if policy != whole or name == "nothing"}


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
    """Play every variant against the same Mr. X on the same deals; return their rates of wins."""
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


def print_features(command: Command) -> None:
    """Measure and print what each feature is worth."""
    policies, views = variants(), collect_positions(command.positions, command.seed)
    wins = measure_wins(command, policies)
    print(f"| left out | nodes a decision | wins of {command.games} against {command.mr_x} |\n|---|---|---|")
    for name, policy in policies.items():
        nodes = np.mean([policy.think(view).nodes for view in views])
        print(f"| {name} | {nodes:,.0f} | {wins[name]} |")


if __name__ == "__main__":
    run_module(Command)
