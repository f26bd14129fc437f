"""One game between named policies with a seed."""

import dataclasses
from collections.abc import Callable

from scotyard_env.arena.forfeit import ForfeitError
from scotyard_env.arena.guard import Guard
from scotyard_env.board import Board
from scotyard_env.game import Game, IllegalMoveError
from scotyard_env.policy import SIDES, Decision, Policy, PolicyLike, apart_from, check_fit, make_policy
from scotyard_env.rng import Rngs, side_rngs
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X
from scotyard_env.view import View

Watch = Callable[[Game, View, Decision], None]  # called after every action: the game, what the mover knew, its decision


@dataclasses.dataclass(frozen=True)
class Match:
    """A finished game, who played it and the seed that decides it."""

    mr_x: Policy
    detectives: Policy
    seed: int
    game: Game


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
    """Play one game between two policies; watch, if given, is called after every action with the decision.

    The seed deals as ``Game(seed=seed)`` does, and each side has an rng of its own. One object for both sides is copied
    for the detectives. A policy that fails raises ``ForfeitError``, which has the game so far.
    """
    game = Game(board, rules, seed=seed)
    hider, hunters = make_policy(mr_x, side="mr_x"), make_policy(detectives, side="detectives")
    players = hider, apart_from(hunters, [hider])
    for player, side in zip(players, SIDES, strict=True):
        check_fit(player, game.board, game.rules, side)
    try:
        play_out(game, players, side_rngs(seed), Clock(), watch=watch)
    except ForfeitError as error:
        error.game = game
        raise
    return Match(*players, seed, game)


def play_out(
    game: Game,
    players: tuple[Policy, Policy],
    rngs: Rngs,
    clock: Clock,
    *,
    watch: Watch | None = None,
    guard: Guard | None = None,
) -> None:
    """Play a game to its end, Mr. X's policy first of the two; one that fails raises ``ForfeitError``."""
    if guard is None:
        with Guard() as own:
            play_out(game, players, rngs, clock, watch=watch, guard=own)
        return
    while game.winner is None:
        seat = game.seat
        side = 0 if seat == MR_X else 1
        view = game.view(seat)
        seen = view if watch is None else game.view(seat)  # the policy may change its own
        if seat == 1:
            clock.possible.append(sum(word.bit_count() for word in view.states["possible"][0].tolist()))
        decision, seconds = guard.ask(side, players[side], view, rngs[side])
        clock.seconds[side] += seconds
        clock.decisions[side] += 1
        try:
            game.play(decision.action)
        except IllegalMoveError as error:
            raise ForfeitError(SIDES[side], f"played an illegal move: {error}") from error
        if guard.listener is not None:
            guard.listener.end(decision.action)
        if watch is not None:
            watch(game, seen, decision)
