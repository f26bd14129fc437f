"""What detectives can do against a Mr. X whom they see: ``scotyard capture --board london``.

Prints what one and two detectives can do, and the cop number: how many there must be, so that from some stations of
theirs they catch him wherever he is. ``--detectives 3`` goes on to three.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.retrograde import MOST_DETECTIVES, list_teams, win_sets
from scotyard_env.board import Board
from scotyard_env.commands import run_module
from scotyard_env.state import WORDS, station_list, station_set


@dataclass(frozen=True)
class Command:
    """Solve the pursuit of a visible Mr. X, and print the cop number."""

    board: str = "london"
    """Name of a board."""
    detectives: int = 2
    """How many there are at most; three take minutes on London."""

    def run(self) -> None:
        """Print what one detective and more can do, and the cop number."""
        if not 1 <= self.detectives <= MOST_DETECTIVES:
            raise ValueError(f"detectives is {self.detectives}: give a whole number from 1 to {MOST_DETECTIVES}")
        report(Board.named(self.board), self.detectives)


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
    """Return each team as a set of stations."""
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


if __name__ == "__main__":
    run_module(Command)
