"""What a policy decides in some positions, as a short text: it changes when the policy plays differently.

Our own code has no digest in a record (content.py goes by its name), and a version covers many states of it. So what
is kept of our policies for long is kept with this. Other people's policies have the digest of their code instead, and
are never asked here.
"""

import functools
import hashlib
from typing import Any

import numpy as np

from scotyard_env.arena.contenders import Contender
from scotyard_env.board import Board
from scotyard_env.policy import Side
from scotyard_env.ruleset import RuleSet
from scotyard_env.testing.positions import Spot, collect_spots

GAMES, SPOTS = 12, 4  # of random moves, and positions of each at most: 48 decisions


def take_fingerprint(contender: Contender, board: Board, rules: RuleSet) -> str | None:
    """Return what one of our policies decides, as a short text; None of a policy that is not ours.

    One that thinks by the clock is asked without it, so that a busy machine, or another version, changes nothing.
    """
    if contender.is_stranger:
        return None
    policy: Any = contender.make()
    if getattr(policy, "is_timed", False):
        policy = policy.without_clock()
    told = hashlib.sha256()
    for number, spot in enumerate(_find_spots(board, rules, contender.side)):
        told.update(f"{policy.act(spot.view, np.random.default_rng([11, number])).action} ".encode())
    return told.hexdigest()[:16]


@functools.lru_cache(maxsize=16)
def _find_spots(board: Board, rules: RuleSet, side: Side) -> list[Spot]:
    """Return positions of games of random moves in which a side is to move."""
    return [spot for seed in range(GAMES) for spot in collect_spots((board, rules), (side,), SPOTS, seed)]
