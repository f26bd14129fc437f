"""Games played on from moments of a game: all of a step as one batch, by policies that see what seats may see."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from scotyard_env.batch import Batch
from scotyard_env.belief import sample_particles, weigh
from scotyard_env.duel import play_batch
from scotyard_env.game import Game
from scotyard_env.policy import Policy
from scotyard_env.rng import policy_rng
from scotyard_env.state import DETECTIVES_WIN, MR_X, SPECTATOR, new_states
from scotyard_env.view import View, imagine

Curve = Literal["truth", "table"]
CURVES: tuple[Curve, ...] = get_args(Curve)


class Share(NamedTuple):
    """So many games from a moment, by one curve."""

    at: int
    curve: Curve
    games: int


class Players(NamedTuple):
    """Who plays the games on, and the belief by which the table's stations are drawn."""

    mr_x: Policy
    detectives: Policy
    belief: str


def play_on(moments: Sequence[Game], shares: Sequence[Share], players: Players, key: str) -> list[int]:
    """Play the games of a step to their end; return how many of each share the detectives win.

    The same key plays the same games. The moments are games that still go on.
    """
    first = moments[shares[0].at]
    states = np.concatenate([_begin(moments[one.at], one, players.belief, key) for one in shares])
    batch = Batch.copies(first.board, first.rules, first.state, len(states))
    batch.states[:] = states
    play_batch(batch, players.mr_x, players.detectives, (policy_rng(key, "mr_x"), policy_rng(key, "detectives")))
    ends = np.cumsum([one.games for one in shares])[:-1]
    return [int((part == DETECTIVES_WIN).sum()) for part in np.split(batch.winners, ends)]


def _begin(game: Game, share: Share, belief: str, key: str) -> NDArray[np.void]:
    """Return the states that a share begins with: as it was, or with Mr. X where the table had to reckon with him."""
    states = new_states(share.games)
    states[:] = game.state
    if share.curve == "table":
        rng = policy_rng(key, share.at, "stations")
        view = game.view(SPECTATOR)
        for index, station in enumerate(sample_particles(table_belief(view, belief), share.games, rng)):
            states[index] = imagine(view.state, int(station))
    return states


def table_belief(view: View, belief: str) -> NDArray[np.float64]:
    """Return how likely Mr. X is at each station for the table: by a belief, within what is possible."""
    weights = np.zeros(view.board.stations + 1)
    possible = view.possible
    weights[possible] = weigh(view, belief)[possible]
    if weights.sum() <= 0.0:  # a belief that excludes what has happened
        weights[possible] = 1.0
    weights /= weights.sum()
    return weights


def hit_chance(game: Game, after: Game, belief: str) -> float:
    """Return how likely it was for the table that a detective's move would find Mr. X."""
    station = after.stations[game.seat]
    moved = game.seat != MR_X and station != game.stations[game.seat]
    return float(table_belief(game.view(SPECTATOR), belief)[station]) if moved else 0.0


def list_steps(moments: Sequence[Game], rollouts: int, coarse: int, size: int) -> Iterator[list[Share]]:
    """Plan the steps: the beginnings of rounds first, then all moments, then all with as many games as are wanted.

    A share has at most ``coarse`` games in the first two passes; a step has about ``size`` games.
    """
    going = [at for at, game in enumerate(moments) if game.winner is None]
    first = min(coarse, rollouts)
    starts = [at for at in going if _begins_round(moments, at) or at == going[-1]]
    rest = [at for at in going if at not in starts]
    for ats, games in ((starts, first), (rest, first), (going, rollouts - first)):
        shares = [Share(at, curve, games) for at in ats for curve in CURVES]
        many = max(1, size // max(1, games))
        if games:
            yield from (shares[begin : begin + many] for begin in range(0, len(shares), many))


def _begins_round(moments: Sequence[Game], at: int) -> bool:
    return at == 0 or (moments[at].seat == MR_X and moments[at - 1].seat != MR_X)
