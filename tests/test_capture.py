"""Exact capture times agree with a slow and obvious solution, and with what is known of London."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from baselines.capture import NEVER, capture_times
from scotyard_env.board import Board


def neighbours_of(board: Board, ferry: bool) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {station: set() for station in range(1, board.stations + 1)}
    for a, b, transport in board.links:
        if ferry or transport != "ferry":
            found[a].add(b)
            found[b].add(a)
    return found


def solve_slowly(board: Board) -> dict[tuple[int, int, int], int]:
    """Play on from every position until no more are won: rounds by (a, b, x), the detectives to move."""
    walk, run = neighbours_of(board, ferry=False), neighbours_of(board, ferry=True)
    won: dict[tuple[int, int, int], int] = {}
    places = range(1, board.stations + 1)

    def is_lost(a: int, b: int, x: int) -> bool:
        return x not in (a, b) and all((a, b, to) in won for to in run[x] - {a, b})

    for rounds in itertools.count(1):
        new = {}
        for a, b, x in itertools.product(places, repeat=3):
            if a != b and (a, b, x) not in won:
                pairs = [(to_a, to_b) for to_a in walk[a] for to_b in walk[b] if to_a != to_b]
                if x in walk[a] | walk[b] or any(is_lost(to_a, to_b, x) for to_a, to_b in pairs):
                    new[a, b, x] = rounds
        if not new:
            return won
        won |= new
    raise AssertionError


@pytest.mark.parametrize(
    "board",
    [
        Board.named("glasses"),
        Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-1 1-B-4 2-F-5"),
        Board.from_text("1-T-2 2-T-3 3-T-4 4-T-1 4-F-5 5-T-6 6-T-1"),
    ],
)
def test_capture_times_agree_with_solving_slowly(board: Board) -> None:
    times, slow = capture_times(board), solve_slowly(board)
    for a, b, x in itertools.product(range(1, board.stations + 1), repeat=3):
        if len({a, b, x}) == 3:
            assert times[a, b, x] == slow.get((a, b, x), NEVER), (a, b, x)


def test_two_detectives_catch_a_visible_mr_x_on_london_within_sixteen_rounds() -> None:
    times = capture_times(Board.named("london"))[1:, 1:, 1:]
    apart = times[~np.eye(len(times), dtype=bool)]
    assert apart.max() == 16


def test_capture_times_do_not_depend_on_the_order_of_the_detectives() -> None:
    times = capture_times(Board.named("docklands"))
    assert np.array_equal(times, times.transpose(1, 0, 2))


def test_mr_x_beside_a_detective_is_caught_in_one_round() -> None:
    board = Board.named("docklands")
    for a, b, transport in board.links:
        if transport != "ferry":
            other = next(station for station in (1, 2, 3) if station not in (a, b))
            assert capture_times(board)[a, other, b] == 1
