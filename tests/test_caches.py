"""What is remembered in a process does not grow with every board, rule set or text that it meets."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import weakref
from collections.abc import Iterator
from typing import Any

import scotyard_baselines
import scotyard_env
from scotyard_env.arena.deals import start_cards
from scotyard_env.board import Board
from scotyard_env.encode.features import most_moves
from scotyard_env.notation import action_texts
from scotyard_env.ruleset import RuleSet

CLOSED = {  # caches without a limit whose keys are few: named boards, folders of packages
    "scotyard_env.board._load_named",
    "scotyard_env.kernel.digest_of_files",
}
BOARDS = 200


def caches() -> Iterator[tuple[str, Any]]:
    for package in (scotyard_env, scotyard_baselines):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, found in vars(importlib.import_module(module.name)).items():
                if hasattr(found, "cache_parameters") and found.__module__ == module.name:
                    yield f"{module.name}.{name}", found


def test_every_cache_has_a_limit_or_few_keys() -> None:
    found = dict(caches())
    assert "scotyard_env.encode.features.most_moves" in found
    endless = {name for name, one in found.items() if one.cache_parameters()["maxsize"] is None}
    assert {name for name in endless if found[name].__wrapped__.__code__.co_argcount > 0} <= CLOSED


def small_board(number: int) -> Board:
    """Return a ring of taxis with one bus line; other numbers give other boards."""
    size = 10 + number // 40
    links = [f"{station}-T-{station % size + 1}" for station in range(1, size + 1)]
    return Board.from_text(" ".join([*links, f"1-B-{3 + number % 7}", f"2-U-{4 + number % 40 // 7}"]))


def test_boards_that_nobody_has_any_more_are_forgotten() -> None:
    alive = []
    for number in range(BOARDS):
        board = small_board(number)
        rules = RuleSet.for_board(board)
        rules.packed(board)
        most_moves(board), action_texts(board), start_cards(board, rules)
        alive.append(weakref.ref(board))
    del board, rules
    gc.collect()
    assert len({small_board(number) for number in range(BOARDS)}) == BOARDS
    assert sum(one() is not None for one in alive) <= 64  # as many as the largest of the caches keeps
