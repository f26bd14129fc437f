"""How fast the search players search: playouts a second from the start of a London game, decisions, what threads gain.

One core, but where two threads are compared with one.
"""

import dataclasses
import statistics
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from bench.baselines import decision_seconds, positions
from bench.timing import best_rate
from scotyard_baselines.beliefs.posterior import Answers, Posterior
from scotyard_baselines.networks.move_scorer import shipped_scorer
from scotyard_baselines.networks.population import Population
from scotyard_baselines.phantom import Phantom
from scotyard_baselines.pimbot import PimBot
from scotyard_env.batch import Batch
from scotyard_env.duel import decide
from scotyard_env.game import Game
from scotyard_env.policy import Policy, make_policy
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views

ITERATIONS = 5_000
PLAYOUTS = ("greedy", "chase", "random")


def opening(side: str) -> View:
    """Return what a side sees at its first decision of a game."""
    game = Game(seed=7)
    if side == "detectives":
        game.play(make_policy("greedy").act(game.view(MR_X), np.random.default_rng(0)).action)
    return game.view(game.seat)


def iterations_of(policy: Policy, view: View) -> Callable[[], int]:
    """Make a run that decides once, tree included, and counts the iterations."""

    def run() -> int:
        policy.act(view, np.random.default_rng(0))
        return ITERATIONS

    return run


def playout_rate(playouts: str) -> float:
    """Return the playouts a second of a side's first decision, for either side; Mr. X's own search has no ``chase``."""
    policy = make_policy("pimbot", iterations=ITERATIONS, playouts=playouts)
    sides = ("detectives",) if playouts == "chase" else ("mr_x", "detectives")
    return min(best_rate(iterations_of(policy, opening(side))) for side in sides)


def median_decision(policy: Policy, views: list[View]) -> float:
    """Return the median time of a decision in seconds."""
    decision_seconds(policy, views[:1])  # compiled code is loaded
    return statistics.median(decision_seconds(policy, views))


def posterior_rate() -> float:
    """Return the stations a second about which one network is asked, all else of the posterior included."""
    batch, asked, population = Batch(256, seed=7), [0], Population([shipped_scorer("ppo_mr_x").weights])
    for _ in range(60):
        batch.step(decide(make_policy("greedy"), batch.views(), batch.rngs[0]))
    views = batch.views(np.flatnonzero(batch.seats != MR_X))

    def ask(hypotheses: Views) -> Answers:
        asked[0] += len(hypotheses)
        return population(hypotheses)

    def run() -> int:
        asked[0] = 0
        Posterior(ask, models=1).weigh(views)
        return asked[0]

    with threadpool_limits(1):
        return best_rate(run)


def threads_speedup(policy: PimBot | Phantom, views: list[View]) -> float:
    """Return how many times as fast two threads decide as one does: the median of pairs of decisions."""
    one, two = policy, dataclasses.replace(policy, threads=2)
    for player in (one, two):
        decision_seconds(player, views[:1])  # compiled code is loaded
    pairs = ((decision_seconds(one, [view])[0], decision_seconds(two, [view])[0]) for view in views)
    return statistics.median(alone / together for alone, together in pairs)


def measure() -> dict[str, float]:
    """Take every figure."""
    figures = {f"pimbot_{playouts}_playouts_per_s": playout_rate(playouts) for playouts in PLAYOUTS}
    pimbot = make_policy("pimbot", iterations=10_000)
    sides = ("mr_x", "detectives")
    figures["pimbot_10k_decision_s"] = max(median_decision(pimbot, positions(side, games=6)[::4]) for side in sides)
    for name, side in (("hunters", "detectives"), ("bayes", "detectives"), ("phantom", "mr_x")):
        seconds = median_decision(make_policy(name), positions(side, games=6)[::4])
        figures[f"{name}_decision_ms"] = 1000 * seconds
    figures["posterior_rows_per_s"] = posterior_rate()
    mr_x_views = positions("mr_x", games=6)[::2]
    figures["pimbot_two_threads"] = threads_speedup(PimBot(iterations=10_000), mr_x_views)
    figures["phantom_two_threads"] = threads_speedup(Phantom(), mr_x_views)
    return figures
