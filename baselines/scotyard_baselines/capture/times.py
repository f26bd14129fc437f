"""Exact capture times: how many rounds two detectives need for a Mr. X whom they see, if both sides play their best.

retrograde.py solves it; the table of a board as large as London is kept on disk. Everybody must move.
"""

import functools
import inspect

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture import retrograde
from scotyard_baselines.capture.disk_cache import load_or_make
from scotyard_baselines.capture.retrograde import list_teams, win_sets
from scotyard_env.board import Board
from scotyard_env.packing import freeze
from scotyard_env.state import MAX_DETECTIVES

NEVER = 255  # these two do not catch him at all
LONG = 24  # whoever compares or adds up times takes longer ones for this
MAX_PAIRS = MAX_DETECTIVES * (MAX_DETECTIVES - 1) // 2
WORTH_KEEPING = 64  # stations: smaller boards are solved as fast as read


@functools.lru_cache(maxsize=4)
def capture_times(board: Board) -> NDArray[np.uint8]:
    """Return times[a, b, x]: rounds until detectives on a and b, who are to move, catch Mr. X on x; or NEVER."""
    if board.stations < WORTH_KEEPING:
        times = _solve(board)
    else:
        origin = board.to_text() + inspect.getsource(retrograde) + inspect.getsource(_solve)
        shape = (board.stations + 1,) * 3
        times = load_or_make(f"capture_{board.signature}.times", origin, shape, functools.partial(_solve, board))
    return freeze(times)


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
