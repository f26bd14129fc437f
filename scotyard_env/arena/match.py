"""One game between named policies with a seed."""

import dataclasses
import time
from collections.abc import Callable
from typing import Protocol

import numpy as np

from scotyard_env.board import Board
from scotyard_env.game import Game, IllegalMoveError
from scotyard_env.policy import SIDES, Decision, Policy, PolicyLike, Side, check_fit, make_policy
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X

Watch = Callable[[Game, int, Decision], None]  # called after every action with the game, the seat and its decision
LONGEST_REASON = 200  # characters of a forfeit's reason that are kept


@dataclasses.dataclass(frozen=True)
class Match:
    """A finished game, who played it and the seed that decides it."""

    mr_x: Policy
    detectives: Policy
    seed: int
    game: Game


class ForfeitError(ValueError):
    """A policy that raised, gave something that is no legal action, or thought for too long."""

    def __init__(self, side: Side, reason: str) -> None:
        reason = " ".join(reason.split())
        self.side = side
        self.reason = reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 3] + "..."
        super().__init__(f"the policy of {side} {self.reason}")


class Listener(Protocol):
    """Somebody who must know how far a match is even if it never ends, such as whoever looks after the worker."""

    def begin(self, side: int, allowance: float = 0.0) -> None:
        """A side starts to think, and may do so for some seconds more than the move limit."""

    def end(self, action: int | None) -> None:
        """It has played this; None if it was a rehearsal."""


@dataclasses.dataclass
class Clock:
    """What a match took: thinking time and decisions by side, sizes of the possible set by round."""

    seconds: list[float] = dataclasses.field(default_factory=lambda: [0.0, 0.0])
    decisions: list[int] = dataclasses.field(default_factory=lambda: [0, 0])
    possible: list[int] = dataclasses.field(default_factory=list)  # after Mr. X's turn of every round


def play_match(
    mr_x: PolicyLike,
    detectives: PolicyLike,
    *,
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
    seed: int = 0,
    watch: Watch | None = None,
) -> Match:
    """Play one game between two policies; watch, if given, is called after every action with seat and decision.

    The seed deals as ``Game(seed=seed)`` does, and each side has an rng of its own. A policy that
    fails raises ``ForfeitError``.
    """
    game = Game(board, rules, seed=seed)
    players = (make_policy(mr_x, side="mr_x"), make_policy(detectives, side="detectives"))
    for player, side in zip(players, SIDES, strict=True):
        check_fit(player, game.board, game.rules, side)
    rngs = (np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2]))
    play_out(game, players, rngs, Clock(), watch=watch)
    return Match(*players, seed, game)


def play_out(
    game: Game,
    players: tuple[Policy, Policy],
    rngs: tuple[np.random.Generator, np.random.Generator],
    clock: Clock,
    *,
    move_limit: float | None = None,
    watch: Watch | None = None,
    listener: Listener | None = None,
) -> None:
    """Play a game to its end, Mr. X's policy first of the two; one that fails raises ``ForfeitError``."""
    while game.winner is None:
        seat = game.seat
        side = 0 if seat == MR_X else 1
        view = game.view(seat)
        if seat == 1:
            clock.possible.append(sum(word.bit_count() for word in view.states["possible"][0].tolist()))
        if listener is not None:
            listener.begin(side)
        start = time.perf_counter()
        try:
            decision = players[side].act(view, rngs[side])
        except Exception as error:
            raise ForfeitError(SIDES[side], f"raised {type(error).__name__}: {error}") from error
        seconds = time.perf_counter() - start
        clock.seconds[side] += seconds
        clock.decisions[side] += 1
        if move_limit is not None and seconds > move_limit:
            raise ForfeitError(SIDES[side], late(move_limit))
        _play(game, side, decision)
        if listener is not None:
            listener.end(decision.action)
        if watch is not None:
            watch(game, seat, decision)


def late(move_limit: float) -> str:
    """Say that a move took too long; not how long, so that the record is the same wherever it was noticed."""
    return f"took longer than {move_limit:g} s for a move"


def _play(game: Game, side: int, decision: object) -> None:
    if not isinstance(decision, Decision):
        raise ForfeitError(SIDES[side], f"gave {decision!r}, which is no Decision")
    try:
        game.play(decision.action)
    except IllegalMoveError as error:
        raise ForfeitError(SIDES[side], f"played an illegal move: {error}") from error
