"""How fast the baselines decide, one core: positions of games of classic London between greedy players."""

import statistics
import time
from collections.abc import Callable

import numpy as np

from bench.timing import best_rate
from scotyard_baselines.bristol_mr_x import BristolMrX
from scotyard_baselines.minimax import Minimax
from scotyard_env.game import Game
from scotyard_env.policy import BatchPolicy, Policy, Side, make_policy, sides_of
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views

FAST = ("astar_greedy", "greedy", "decoy", "bristol_detectives")
LEARNED: dict[str, Side] = {"ppo_mr_x": "mr_x", "ppo_detectives": "detectives"}


def positions(side: str, games: int) -> list[View]:
    """Collect what one side sees at its decisions in games between greedy players."""
    player, rng, views = make_policy("greedy"), np.random.default_rng(0), []
    for seed in range(games):
        game = Game(seed=seed)
        while game.winner is None:
            view = game.view(game.seat)
            if (game.seat == MR_X) == (side == "mr_x") and len(game.legal) > 1:
                views.append(view)
            game.play(player.act(view, rng).action)
    return views


def decisions_alone(policy: Policy, views: list[View]) -> Callable[[], int]:
    """Make a run that decides for one view after the other."""
    rng = np.random.default_rng(0)

    def run() -> int:
        for view in views:
            policy.act(view, rng)
        return len(views)

    return run


def decisions_in_batch(policy: BatchPolicy, views: list[View]) -> Callable[[], int]:
    """Make a run that decides for thousands of views at once."""
    rng = np.random.default_rng(0)
    many = Views(views[0].board, views[0].rules, np.concatenate([view.states for view in views] * 8))

    def run() -> int:
        return len(policy.act_batch(many, rng))

    return run


def decision_seconds(policy: Policy, views: list[View]) -> list[float]:
    """Time every decision by itself."""
    rng, seconds = np.random.default_rng(0), []
    for view in views:
        start = time.perf_counter()
        policy.act(view, rng)
        seconds.append(time.perf_counter() - start)
    return seconds


def mean_depth(policy: BristolMrX, views: list[View]) -> float:
    """Return the mean number of plies that a search completes."""
    return statistics.mean(policy.think(view).depth for view in views)


def measure() -> dict[str, float]:
    """Take every figure."""
    views = {side: positions(side, games=30) for side in ("mr_x", "detectives")}
    figures: dict[str, float] = {}
    for name in FAST:
        policy = make_policy(name)
        rates = [
            (best_rate(decisions_alone(policy, views[side])), best_rate(decisions_in_batch(policy, views[side])))
            for side in sides_of(policy)
        ]
        figures[f"{name}_per_s"] = min(alone for alone, _ in rates)
        figures[f"{name}_batch_per_s"] = min(batch for _, batch in rates)
    learned = [(make_policy(name), views[side]) for name, side in LEARNED.items()]
    figures["ppo_decision_ms"] = max(1000 / best_rate(decisions_alone(policy, some)) for policy, some in learned)
    figures["ppo_batch_per_s"] = min(best_rate(decisions_in_batch(policy, some)) for policy, some in learned)
    minimax, some = Minimax(), views["detectives"][::7]
    figures["minimax_decision_ms"] = 1000 * statistics.median(decision_seconds(minimax, some))
    figures["minimax_nodes_per_s"] = best_rate(lambda: sum(minimax.think(view).nodes for view in some))
    figures["bristol_mr_x_depth"] = mean_depth(BristolMrX(seconds=0.05), views["mr_x"][::5])
    return figures
