"""Searches in threads: the decision depends on how many they are alone, and what each has found is counted."""

from __future__ import annotations

import copy
import pickle
import threading
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines import phantom, pimbot
from scotyard_baselines.phantom import Phantom
from scotyard_baselines.pimbot import PimBot, decide_by_visits
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views

POLICIES = (PimBot(iterations=101, threads=3), Phantom(rollouts=17, rounds=1, threads=3))


def views(count: int = 6) -> Views:
    """Return what Mr. X sees in games of which some actions have been played."""
    games = [random_game("london", "classic", 5, seed, actions=6 * (seed % 4)) for seed in range(4 * count)]
    seen = [game.view(MR_X) for game in games if game.winner is None and game.seat == MR_X][:count]
    return Views(seen[0].board, seen[0].rules, np.concatenate([view.states for view in seen]))


def alone(together: Views) -> list[View]:
    return [View(together.board, together.rules, state, MR_X) for state in together.states]


@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_seed_and_number_of_threads_decide_the_same(policy: PimBot | Phantom) -> None:
    for twin in (policy, copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        decisions = [
            [player.act(view, np.random.default_rng(7)) for view in alone(views())] for player in (policy, twin)
        ]
        assert decisions[0] == decisions[1]


@pytest.mark.parametrize("policy", POLICIES)
def test_many_views_at_once_get_the_actions_they_get_alone(policy: PimBot | Phantom) -> None:
    rng = np.random.default_rng(1)
    one_by_one = [policy.act(view, rng).action for view in alone(views())]
    assert policy.act_batch(views(), np.random.default_rng(1)).tolist() == one_by_one


@pytest.mark.parametrize("iterations", [2, 100, 101])
def test_the_iterations_are_shared_out_and_every_tree_is_counted(iterations: int) -> None:
    together = views(1)
    trees = PimBot(iterations=iterations, threads=3).search(together, 0, np.array([3, 4, 5], np.uint64))
    visits = [int(tree.nodes[0].visits) for tree in trees]
    assert sum(visits) == iterations
    assert max(visits) - min(visits) <= 1
    found: dict[int, int] = {}
    for tree in trees:
        for child in pimbot.children_of_root(tree):
            found[int(child.action)] = found.get(int(child.action), 0) + int(child.visits)
    decision = decide_by_visits(trees)
    assert dict(decision.candidates) == {action: visits / iterations for action, visits in found.items()}
    assert found[decision.action] == max(found.values())


def test_every_tree_has_random_numbers_of_its_own() -> None:
    first, second = PimBot(iterations=200, threads=2).search(views(1), 0, np.array([3, 4], np.uint64))
    assert first.nodes[:50].tobytes() != second.nodes[:50].tobytes()


def test_by_the_clock_every_thread_grows_its_tree() -> None:
    trees = PimBot(seconds=0.001, threads=3).search(views(1), 0, np.array([3, 4, 5], np.uint64))
    assert all(tree.nodes[0].visits >= pimbot.AT_ONCE for tree in trees)
    assert decide_by_visits(trees).action in alone(views(1))[0].legal


@pytest.mark.parametrize("rollouts", [1, 17, 40])
def test_a_search_by_rollouts_is_the_same_however_many_threads_there_are(rollouts: int) -> None:
    for view in alone(views()):
        one, *others = (
            Phantom(rollouts=rollouts, rounds=1, threads=threads).act(view, np.random.default_rng(0))
            for threads in (1, 2, 3)
        )
        assert others == [one, one]


@pytest.mark.parametrize(
    ("module", "kernel", "policy"),
    [
        (pimbot, "simulate", PimBot(iterations=20, threads=2)),
        (phantom, "play_rollouts", Phantom(rollouts=8, rounds=1, threads=2)),
    ],
)
def test_as_many_threads_are_at_work_at_once(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, kernel: str, policy: PimBot | Phantom
) -> None:
    both, search = threading.Barrier(2, timeout=60), getattr(module, kernel)

    def meet(*arguments: Any) -> None:
        both.wait()
        search(*arguments)

    monkeypatch.setattr(module, kernel, meet)
    view = alone(views(1))[0]
    assert policy.act(view, np.random.default_rng(0)).action in view.legal


@pytest.mark.parametrize("name", ["pimbot", "phantom"])
@pytest.mark.parametrize(
    ("threads", "words"),
    [
        ("0", "threads is 0: give a whole number from 1 to 256"),
        ("257", "threads is 257: give a whole number from 1 to 256"),
        ("1.5", "threads is 1.5, give a value of type int"),
    ],
)
def test_a_number_of_threads_that_makes_no_sense_is_refused(name: str, threads: str, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        make_policy(f"{name}:threads={threads}")
