"""Threads: however many share out the games, everything is the same to the byte."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest

import scotyard_env
from scotyard_env import Batch, PolicyError, batch, make_policy
from scotyard_env.encode import KINDS
from scotyard_env.game import IllegalMoveError
from scotyard_env.policy import Decision
from scotyard_env.threads import share
from scotyard_env.vector import ScotlandYardVectorEnv
from scotyard_env.view import View

GAMES, STEPS = 11, 25


@pytest.fixture(autouse=True)
def a_few_games_are_shared_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "PART", 3)


def bytes_of(found: Any) -> Any:
    """Return all that a step has returned in a form that compares."""
    if isinstance(found, dict):
        return {name: bytes_of(value) for name, value in found.items()}
    if isinstance(found, tuple | list) or (isinstance(found, np.ndarray) and found.dtype == object):
        return [bytes_of(value) for value in found]
    return found.tobytes() if isinstance(found, np.ndarray) else found


def play(envs: ScotlandYardVectorEnv, steps: int = STEPS) -> list[Any]:
    """Step on with random legal actions; return all that was seen."""
    rng, masks, seen = np.random.default_rng(5), envs.action_masks(), []
    for _ in range(steps):
        seen.append(envs.step((masks * rng.random(masks.shape)).argmax(axis=1)))
        masks = envs.action_masks()
    return bytes_of(seen)  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("side", "opponent"), [("mr_x", ["random", "astar_greedy"]), ("detectives", ["random", "hider"])]
)
def test_every_number_of_threads_sees_the_same(side: Any, opponent: list[str], kind: Any) -> None:
    told = []
    for number in (1, 2, 3):
        envs = scotyard_env.make_vec(
            GAMES, side, opponent, "docklands", observation=kind, belief=kind != "compact", moves=True, threads=number
        )
        begun = bytes_of(envs.reset(seed=1))
        told.append((begun, play(envs), envs.batch.states.tobytes()))
    assert told[0] == told[1] == told[2]


def test_a_batch_plays_the_same_games_with_any_number_of_threads() -> None:
    played = []
    for number in (1, 2, 3):
        games, rng = Batch(GAMES, "docklands", seed=2, threads=number), np.random.default_rng(2)
        winners = [games.step(make_policy("random").act_batch(games.views(), rng)).tobytes() for _ in range(STEPS)]
        played.append((winners, games.states.tobytes()))
    assert played[0] == played[1] == played[2]


def test_no_part_is_dealt_like_another_and_the_first_is_dealt_like_a_batch_of_its_size() -> None:
    games, small = Batch(12, "docklands", seed=2), Batch(3, "docklands", seed=2)
    parts = [games.states[part.rows].tobytes() for part in games.parts]
    assert len(set(parts)) == len(parts) == 4
    assert parts[0] == small.states.tobytes()
    draws = [rng.random() for part in games.parts for rng in (part.rng, *part.rngs)]
    assert len(set(draws)) == 12


def test_an_illegal_action_in_any_part_is_told_and_nothing_is_played() -> None:
    games = Batch(9, "docklands", seed=1, threads=3)
    actions = make_policy("random").act_batch(games.views(), np.random.default_rng(0))
    before = games.states.tobytes()
    actions[[4, 8]] = -1
    with pytest.raises(IllegalMoveError, match=r"^game 4: "):
        games.step(actions)
    assert games.states.tobytes() == before


@pytest.mark.parametrize("again", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_a_copy_plays_on_like_the_original(again: Any) -> None:
    envs = scotyard_env.make_vec(GAMES, board="docklands", threads=2)
    envs.reset(seed=3)
    play(envs, 5)
    twin = again(envs)
    assert twin.batch.threads == 2
    assert play(twin) == play(envs)


class Careful:
    """A policy that notices if two threads ask it at once; the first two that are told to wait for each other in it."""

    together: threading.Barrier | None = None  # of the class: no copy has one of its own

    def __init__(self) -> None:
        self.asking = 0

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        self.asking += 1
        if together := Careful.together:
            try:
                together.wait()
                Careful.together = None
            except threading.BrokenBarrierError:  # only one part had anything to decide in this step
                together.reset()
        assert self.asking == 1
        decision = make_policy("random").act(view, rng)
        self.asking -= 1
        return decision


def test_no_opponent_is_asked_by_two_threads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = scotyard_env.make_vec(6, opponent=Careful(), board="docklands", threads=2)
    envs.reset(seed=0)
    monkeypatch.setattr(Careful, "together", threading.Barrier(2, timeout=5))
    play(envs)
    assert Careful.together is None  # two threads have met


class Uncopied(Careful):
    """A policy that holds what cannot be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def test_an_opponent_that_cannot_be_copied_plays_in_one_thread_only() -> None:
    scotyard_env.make_vec(GAMES, opponent=Uncopied(), board="docklands").reset()
    with pytest.raises(PolicyError, match=r"is asked by several threads and cannot be copied .*: give threads=1"):
        scotyard_env.make_vec(GAMES, opponent=Uncopied(), board="docklands", threads=2)


def test_gymnasium_hands_the_number_on() -> None:
    envs = gymnasium.make_vec("ScotlandYard-v0", num_envs=4, board="docklands", threads=2)
    assert envs.unwrapped.batch.threads == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("number", [0, -1, 1.0, "2", True, None])
def test_a_number_of_threads_that_is_none_is_refused(number: Any) -> None:
    for made in (Batch, scotyard_env.make_vec):
        with pytest.raises(ValueError, match=f"threads is {number!r}: give a whole number of at least 1"):
            made(2, threads=number)


def test_what_is_done_to_the_parts_is_returned_in_their_order() -> None:
    for number in (1, 2, 3, 9):
        assert share(number, lambda part: 2 * part, range(7)) == [0, 2, 4, 6, 8, 10, 12]


def test_two_threads_are_at_work_at_the_same_time() -> None:
    together = threading.Barrier(2, timeout=60)
    assert share(2, lambda _: together.wait() < 2, range(2)) == [True, True]


def test_what_goes_wrong_in_a_thread_is_raised_once_nobody_is_at_work() -> None:
    at_work, both = [], threading.Barrier(2, timeout=60)

    def fail(part: int) -> None:
        at_work.append(part)
        both.wait()
        at_work.remove(part)
        raise ValueError(f"part {part}")

    with pytest.raises(ValueError, match="part 0"):
        share(2, fail, range(2))
    assert at_work == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    assert share(2, abs, [-1, -2]) == [1, 2]
    child = os.fork()
    if child == 0:
        os._exit(0 if share(2, abs, [-1, -2]) == [1, 2] else 1)
    assert os.waitpid(child, 0)[1] == 0
