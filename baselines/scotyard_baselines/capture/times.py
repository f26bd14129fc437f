"""Exact capture times: how many rounds two detectives need for a Mr. X whom they see, if both sides play their best.

``pursuit.py`` solves it; London takes half a second and 8 MB, and is kept on disk. Everybody must move.

``python -m scotyard_baselines.capture.times --board london`` prints what one and two detectives can do, and the cop number: how many
there must be, so that from some stations of theirs they catch him wherever he is. ``--detectives 3`` goes on to three.
"""

import functools
import inspect
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import tyro
from numpy.typing import NDArray

from scotyard_baselines.capture import retrograde
from scotyard_baselines.capture.disk_cache import keep
from scotyard_baselines.capture.retrograde import MOST_DETECTIVES, list_teams, win_sets
from scotyard_env.board import Board
from scotyard_env.state import WORDS, station_list, station_set

NEVER = 255  # these two do not catch him at all
WORTH_KEEPING = 64  # stations: smaller boards are solved as fast as read


@functools.lru_cache(maxsize=4)
def capture_times(board: Board) -> NDArray[np.uint8]:
    """Give times[a, b, x]: rounds until detectives on a and b, who are to move, catch Mr. X on x; or NEVER."""
    if board.stations < WORTH_KEEPING:
        times = _solve(board)
    else:
        origin = board.to_text() + inspect.getsource(retrograde) + inspect.getsource(_solve)
        times = keep(f"capture_{board.signature}.table", origin, functools.partial(_solve, board))
    times.setflags(write=False)
    return times


def _solve(board: Board) -> NDArray[np.uint8]:
    size = board.stations + 1
    teams = list_teams(board, 2)
    by_team = np.full((len(teams), size), NEVER, np.uint8)
    for rounds, won in enumerate(win_sets(board, teams), start=1):
        is_won = np.unpackbits(won.view(np.uint8), axis=1, bitorder="little")[:, :size] != 0
        by_team[is_won & (by_team == NEVER)] = rounds
    times = np.full((size, size, size), NEVER, np.uint8)
    a, b = teams.T
    times[a, b] = times[b, a] = by_team
    return times


# ------------------------------------------------------------------------------------------------------ the command


class Pursuit(NamedTuple):
    """What so many detectives can do on a board."""

    share: float  # of the positions, how many they win
    rounds: int  # within which they do
    team: list[int]  # a position that takes so long
    mr_x: int
    is_sure: bool  # there are stations from which they catch him wherever he is


def summarise(board: Board, detectives: int, may_stay: bool) -> Pursuit:
    """Solve the pursuit by so many detectives and sum it up."""
    teams = list_teams(board, detectives)
    free = station_set(range(1, board.stations + 1)) & ~_sets_of(teams)  # where Mr. X may be
    before, rounds = np.zeros_like(free), 0
    won, last = before, before
    for won in win_sets(board, teams, may_stay):
        last, before, rounds = won & free & ~before, won.copy(), rounds + 1
    longest = int(np.argmax(last.any(axis=1)))
    share = np.bitwise_count(won & free).sum() / np.bitwise_count(free).sum()
    is_sure = bool((free & ~won == 0).all(axis=1).any())
    return Pursuit(float(share), rounds, teams[longest].tolist(), station_list(last[longest])[0], is_sure)


def _sets_of(teams: NDArray[np.int16]) -> NDArray[np.uint64]:
    """Give each team as a set of stations."""
    sets = np.zeros((len(teams), WORDS), np.uint64)
    for member in teams.T:
        sets[np.arange(len(teams)), member >> 6] |= np.uint64(1) << (member & 63).astype(np.uint64)
    return sets


def report(board: Board, most: int) -> None:
    """Print what one detective and more can do, and the cop number."""
    cop_number = f"above {most}"
    for detectives in range(1, most + 1):
        for may_stay in (False, True):
            found = summarise(board, detectives, may_stay)
            if found.is_sure and cop_number.startswith("above"):
                cop_number = str(detectives)
            print(f"{detectives} who {'may stay' if may_stay else 'must move'} {_describe(found)}", flush=True)
    print(f"cop number of {board.name}: {cop_number}")


def _describe(found: Pursuit) -> str:
    share = "every position" if found.share == 1 else f"{found.share:.1%} of positions"
    team = ", ".join(map(str, found.team))
    return f"catch him from {share} within {found.rounds} rounds; one of the longest: {team} against {found.mr_x}"


@dataclass(frozen=True)
class Command:
    """Solve the pursuit of a Mr. X whom the detectives see."""

    board: str = "london"
    """Name of a board."""
    detectives: int = 2
    """How many there are at most; three take two minutes on London."""


def main() -> None:
    """Run the command; what a user got wrong is one line on the error stream and exit code 2."""
    command = tyro.cli(Command, prog="python -m scotyard_baselines.capture.times")
    try:
        if not 1 <= command.detectives <= MOST_DETECTIVES:
            raise ValueError(f"detectives is {command.detectives}: give a whole number from 1 to {MOST_DETECTIVES}")
        report(Board.named(command.board), command.detectives)
    except ValueError as error:
        print(f"capture: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
