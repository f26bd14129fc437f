"""Exact capture times agree with a slow and obvious solution, and with what is known of London."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from scotyard_baselines.capture import times as capture
from scotyard_baselines.capture.retrograde import list_teams, rank, win_sets
from scotyard_baselines.capture.times import NEVER, capture_times
from scotyard_baselines.commands.capture import Command, Pursuit, summarise
from scotyard_env.board import Board
from scotyard_env.state import station_list


def neighbours_of(board: Board, ferry: bool) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {station: set() for station in range(1, board.stations + 1)}
    for a, b, transport in board.links:
        if ferry or transport != "ferry":
            found[a].add(b)
            found[b].add(a)
    return found


def solve_slowly(board: Board, detectives: int, may_stay: bool = False) -> dict[tuple[int, ...], int]:
    """Play on from every position until no more are won: rounds by (stations of detectives, x), detectives to move."""
    walk, run = neighbours_of(board, ferry=False), neighbours_of(board, ferry=True)
    for station in walk:
        walk[station] |= {station} if may_stay or not walk[station] else set()
    won: dict[tuple[int, ...], int] = {}
    places = range(1, board.stations + 1)

    def is_lost(team: tuple[int, ...], x: int) -> bool:
        return x not in team and all((*team, to) in won for to in run[x] - set(team))

    def is_won(team: tuple[int, ...], x: int) -> bool:
        joint = [moved for moved in itertools.product(*(walk[a] for a in team)) if len(set(moved)) == detectives]
        return any(x in walk[a] for a in team) or any(is_lost(moved, x) for moved in joint)

    positions = [(team, x) for team in itertools.permutations(places, detectives) for x in places if x not in team]
    for rounds in itertools.count(1):
        new = {(*team, x): rounds for team, x in positions if (*team, x) not in won and is_won(team, x)}
        if not new:
            return won
        won |= new
    raise AssertionError


BOARDS = [
    Board.named("glasses"),
    Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-1 1-B-4 2-F-5"),
    Board.from_text("1-T-2 2-T-3 3-T-4 4-T-1 4-F-5 5-T-6 6-T-1"),
    Board.from_text("1-T-2 2-T-3 3-T-4 4-T-1 4-F-5 5-F-1 3-B-1"),  # on 5 a detective is stuck
]


@pytest.mark.parametrize("board", BOARDS)
def test_capture_times_agree_with_solving_slowly(board: Board) -> None:
    times, slow = capture_times(board), solve_slowly(board, 2)
    for a, b, x in itertools.permutations(range(1, board.stations + 1), 3):
        assert times[a, b, x] == slow.get((a, b, x), NEVER), (a, b, x)


@pytest.mark.parametrize("may_stay", [False, True])
@pytest.mark.parametrize("detectives", [1, 2, 3])
@pytest.mark.parametrize("board", BOARDS[1:])
def test_win_sets_agree_with_solving_slowly(board: Board, detectives: int, may_stay: bool) -> None:
    slow = solve_slowly(board, detectives, may_stay)
    teams = list_teams(board, detectives)
    rounds = 0
    for won in win_sets(board, teams, may_stay):
        rounds += 1
        for team, stations in zip(teams.tolist(), won, strict=True):
            truth = [x for x in range(1, board.stations + 1) if slow.get((*team, x), NEVER) <= rounds]
            assert [x for x in station_list(stations) if x not in team] == truth
    assert rounds == max(slow.values())


@pytest.mark.parametrize("detectives", [1, 2, 3])
def test_teams_are_listed_in_the_order_of_their_rank(detectives: int) -> None:
    teams = list_teams(Board.named("docklands"), detectives).astype(np.int64)
    assert [rank(team, detectives) for team in teams] == list(range(len(teams)))
    assert (np.diff(teams, axis=1) > 0).all()


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


def test_london_is_solved_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOTYARD_CACHE", str(tmp_path))
    london = Board.named("london")
    capture_times.cache_clear()
    first = capture_times(london)
    capture_times.cache_clear()
    monkeypatch.setattr(capture, "win_sets", None)  # whoever solves it again fails
    again = capture_times(london)
    assert np.array_equal(first, again)
    assert not again.flags.writeable
    assert [file.name for file in tmp_path.iterdir()] == [f"capture_{london.signature}.times"]


def test_small_boards_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOTYARD_CACHE", str(tmp_path))
    capture_times.cache_clear()
    capture_times(Board.named("docklands"))
    assert not list(tmp_path.iterdir())


def test_two_detectives_who_may_stay_catch_him_on_london_within_fifteen_rounds() -> None:
    found = summarise(Board.named("london"), 2, may_stay=True)
    assert (found.share, found.rounds, found.is_sure) == (1.0, 15, True)


def test_one_detective_catches_him_on_a_path_but_not_on_a_ring() -> None:
    path = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5")
    assert summarise(path, 1, may_stay=True) == Pursuit(1.0, 3, [1], 3, True)  # driven to 5, where he is stuck
    ring = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-1")
    assert not summarise(ring, 1, may_stay=True).is_sure
    assert summarise(ring, 2, may_stay=True).is_sure


def test_the_command_prints_the_cop_number(capsys: pytest.CaptureFixture[str]) -> None:
    Command(board="docklands", detectives=2).run()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("1 who must move catch him from ")
    assert lines[-1] == "cop number of docklands: 2"


@pytest.mark.parametrize("command", [Command(board="nowhere"), Command(detectives=4), Command(detectives=0)])
def test_a_wrong_command_is_refused(command: Command) -> None:
    with pytest.raises(ValueError, match=r"nowhere|detectives is"):
        command.run()
