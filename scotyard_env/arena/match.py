"""One game between named policies with a seed."""

import dataclasses
from collections.abc import Callable

import numpy as np

from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.policy import Decision, Policy, make_policy
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X


@dataclasses.dataclass(frozen=True)
class Match:
    """A finished game, who played it and the seed that decides it."""

    mr_x: Policy
    detectives: Policy
    seed: int
    game: Game


def play_match(
    mr_x: str | Policy,
    detectives: str | Policy,
    *,
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
    seed: int = 0,
    watch: Callable[[Game, int, Decision], None] | None = None,
) -> Match:
    """Play one game between two policies; watch, if given, is called after every action with seat and decision.

    The seed deals as ``Game(seed=seed)`` does, and each side draws its chances from a stream of its own.
    """
    game = Game(board, rules, seed=seed)
    players = (make_policy(mr_x, side="mr_x"), make_policy(detectives, side="detectives"))
    chances = tuple(np.random.default_rng([seed, 1 + side]) for side in range(len(players)))
    while game.winner is None:
        seat = game.seat
        side = 0 if seat == MR_X else 1
        decision = players[side].act(game.view(seat), chances[side])
        game.play(decision.action)
        if watch is not None:
            watch(game, seat, decision)
    return Match(*players, seed, game)
