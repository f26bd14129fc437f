"""A pursuit in the open, solved: where one, two or three detectives catch a Mr. X whom they see, and how soon.

Tickets are unlimited, Mr. X must move and may take the ferry, and a Mr. X who cannot move is caught. The detectives
move at the same time, so that one may step where another leaves. The solution comes from retrograde analysis: where a
team wins in t rounds is worked out, as sets of stations of Mr. X, from where teams win in t - 1.
"""

import itertools
from collections.abc import Iterator
from math import comb

import numpy as np
from numpy.typing import NDArray

from scotyard_env.arrays import sort_ascending
from scotyard_env.board import Board
from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK, WORDS, add, clear, count, has

MOST_DETECTIVES = 3  # London has 1.3 million teams of three and 64 million of four


def list_teams(board: Board, detectives: int) -> NDArray[np.int16]:
    """List the teams, stations ascending within each, in the order of ``rank``: shape (teams, detectives)."""
    stations = range(board.stations, 0, -1)
    teams = np.fromiter(
        itertools.chain.from_iterable(itertools.combinations(stations, detectives)),
        np.int16,
        detectives * comb(board.stations, detectives),
    )
    return np.ascontiguousarray(teams.reshape(-1, detectives)[::-1, ::-1])


def win_sets(board: Board, teams: NDArray[np.int16], may_stay: bool = False) -> Iterator[NDArray[np.uint64]]:
    """Yield for t = 1, 2, ... the stations of Mr. X at which each team, to move, catches him within t rounds.

    Shape (teams, WORDS), the same array every time; it ends when a round adds nothing.
    """
    first, to = _walks(board, may_stay)
    won = np.zeros((len(teams), WORDS), np.uint64)
    lost = np.zeros((len(teams), WORDS), np.uint64)  # where Mr. X, to move, is caught within t - 1 rounds
    is_new = np.ones(len(teams), np.bool_)  # the last round added stations to the team's
    scratch = np.zeros((2, MOST_DETECTIVES), np.int64), np.zeros(WORDS, np.uint64)
    while take_back(board.arrays, first, to, teams, won, lost, is_new, *scratch):
        yield won


def _walks(board: Board, may_stay: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List where a detective may walk to from station s: ``to[first[s] : first[s + 1]]``; where nowhere, it stays."""
    reached: list[set[int]] = [{station} if may_stay else set() for station in range(board.stations + 1)]
    for a, b, transport in board.links:
        if transport != "ferry":
            reached[a].add(b)
            reached[b].add(a)
    lists = [sorted(stations) or [station] for station, stations in enumerate(reached)]
    return np.cumsum([0, *map(len, lists)]), np.array([*itertools.chain.from_iterable(lists)], np.int64)


@kernel
def take_back(board, first, to, teams, won, lost, is_new, places, taken):
    """Take all teams one round back; tell whether any of them wins at more stations."""
    for index in range(len(teams)):
        if is_new[index]:
            mark_lost(board, teams[index], won[index], lost[index], taken)
    is_any = False
    for index in range(len(teams)):
        before = count(won[index])
        if before < board.stations:
            mark_won(first, to, teams[index], lost, won[index], places)
        is_new[index] = count(won[index]) > before
        is_any = is_any or is_new[index]
    return is_any


@kernel
def mark_lost(board, team, won, lost, taken):
    """Mark the stations from which Mr. X, to move, cannot but step onto one that is won; those of the team are none."""
    clear(taken)
    for station in team:
        add(taken, station)
    for x in range(1, board.stations + 1):
        if not has(lost, x) and not has(taken, x) and is_lost(board.reach[BLACK, x], won, taken):
            add(lost, x)


@kernel
def is_lost(exits, won, taken):
    """Tell whether every exit is won or taken."""
    for word in range(WORDS):
        if exits[word] & ~(won[word] | taken[word]) != 0:
            return False
    return True


@kernel
def mark_won(first, to, team, lost, won, places):
    """Mark the stations on which a team catches Mr. X with its next move, or after one at which he is lost."""
    for station in team:
        for row in range(first[station], first[station + 1]):
            add(won, to[row])
    rows, moved = places[0], places[1]
    for member in range(len(team)):
        rows[member] = first[team[member]]
    is_more = True
    while is_more:
        for member in range(len(team)):
            moved[member] = to[rows[member]]
        sort_ascending(moved, len(team))
        if is_apart(moved, len(team)):
            index = rank(moved, len(team))
            for word in range(WORDS):
                won[word] |= lost[index, word]
        is_more = turn(first, team, rows)


@kernel
def turn(first, team, rows):
    """Go on to the next joint move of a team, as an odometer does; tell whether there is one."""
    for member in range(len(team)):
        rows[member] += 1
        if rows[member] < first[team[member] + 1]:
            return True
        rows[member] = first[team[member]]
    return False


@kernel
def is_apart(team, size):
    """Tell whether the stations of a sorted team are all different."""
    for member in range(1, size):
        if team[member - 1] == team[member]:
            return False
    return True


@kernel
def rank(team, size):
    """Number a sorted team of up to three: those with a lower highest station come first."""
    number = team[0] - 1
    if size > 1:
        number += (team[1] - 1) * (team[1] - 2) // 2
    if size > 2:
        number += (team[2] - 1) * (team[2] - 2) * (team[2] - 3) // 6
    return number
