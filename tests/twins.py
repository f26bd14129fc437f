"""Games that look the same to the table, with Mr. X on other stations: what others are told of them must be equal."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from scotyard_env.game import Game
from scotyard_env.replay import Replay
from scotyard_env.view import PublicMove, public_move


def seen_by_all(replay: Replay) -> list[PublicMove]:
    """List what the table saw of every action."""
    game, seen = replay.game(0), []
    for move in replay.moves:
        seat = game.seat
        game.play(move)
        seen.append(public_move(game.board, game.state, seat, game.actions[-1]))
    return seen


def ways(game: Game, seen: list[PublicMove]) -> Iterator[Game]:
    """Give every game that goes on from here and looks as this to the table, Mr. X's last choices changing first."""
    if not seen:
        yield game
        return
    seat = game.seat
    for action in reversed(game.legal) if game.winner is None else ():
        after = game.clone()
        after.play(action)
        if public_move(game.board, after.state, seat, action) == seen[0]:
            yield from ways(after, seen[1:])


def twin_of(replay: Replay) -> Replay:
    """Find a game that looked the same to the table, with Mr. X on other stations."""
    for station in replay.possible:
        start = dataclasses.replace(replay, stations=(station, *replay.stations[1:]), moves=(), winner=None)
        for game in ways(start.game(0), seen_by_all(replay)):
            if tuple(game.moves) != replay.moves and game.possible == replay.game().possible:
                return Replay.of(game)
    raise AssertionError("Mr. X could not have been elsewhere")
