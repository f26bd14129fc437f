"""What every worker does: play the matches of a tournament that it is handed, come what may."""

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from scotyard_env.arena.contenders import Contender
from scotyard_env.arena.deals import deal_game, make_rngs
from scotyard_env.arena.match import Clock, ForfeitError, Listener, play_out
from scotyard_env.arena.result import Key, Result, sum_up
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.policy import Policy, Side
from scotyard_env.replay import Replay
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X

REHEARSAL = 120.0  # seconds that a policy may take to compile, on top of its move limit


@dataclasses.dataclass(frozen=True)
class Setting:
    """All that decides the matches of a tournament."""

    board: Board
    rules: RuleSet
    mr_x: tuple[Contender, ...]
    detectives: tuple[Contender, ...]
    seed: int
    move_limit: float | None  # seconds; None = no limit

    def keys(self, games: int) -> Iterator[Key]:
        """List the matches: each deal for every pairing, then the next, so that a part of them is a fair sample."""
        for number in range(games):
            for mr_x in self.mr_x:
                for detectives in self.detectives:
                    yield Key(mr_x.name, detectives.name, number)


class Outcome(NamedTuple):
    """A match that was played."""

    result: Result
    replay: str | None  # one line; None if it is where it belongs already


class Referee:
    """Plays matches of one tournament; makes its policies once."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._players: tuple[dict[str, Policy], dict[str, Policy]] = (
            {contender.name: contender.make() for contender in setting.mr_x},
            {contender.name: contender.make() for contender in setting.detectives},
        )
        self._rehearsed: set[tuple[int, str]] = set()  # side and name

    def play(self, key: Key, listener: Listener | None = None) -> Outcome:
        """Play one match; who raises, plays an illegal move or takes too long forfeits it."""
        setting, clock, forfeit = self.setting, Clock(), None
        game = deal_game(setting.board, setting.rules, setting.seed, key.number)
        players = (self._players[0][key.mr_x], self._players[1][key.detectives])
        rngs = make_rngs(setting.seed, key.number)
        if not self._rehearsed.issuperset(enumerate((key.mr_x, key.detectives))):
            self._rehearse(game.clone(), key, players, listener)
        try:
            play_out(game, players, rngs, clock, move_limit=setting.move_limit, listener=listener)
        except ForfeitError as error:
            forfeit = error
        return conclude(key, game, clock, forfeit)

    def _rehearse(self, game: Game, key: Key, players: tuple[Policy, Policy], listener: Listener | None) -> None:
        """Let each side decide once before its first match here, so that compiling is no part of its thinking time."""
        for side, name in enumerate((key.mr_x, key.detectives)):
            while game.winner is None and (game.seat != MR_X) != side:
                game.play(game.legal[0])
            if game.winner is None and (side, name) not in self._rehearsed:
                self._rehearsed.add((side, name))
                if listener is not None:
                    listener.begin(side, REHEARSAL)
                with contextlib.suppress(Exception):  # it will fail again where it counts
                    players[side].act(game.view(game.seat), np.random.default_rng(0))
                if listener is not None:
                    listener.end(None)


def conclude(key: Key, game: Game, clock: Clock, forfeit: ForfeitError | None) -> Outcome:
    """Take down a match that is over."""
    replay = Replay.of(game)
    return Outcome(sum_up(key, game, replay, clock, forfeit), replay.to_line())


def adjudicate(setting: Setting, key: Key, actions: list[Any], side: Side, reason: str) -> Outcome:
    """Take down a match whose worker is no more, from the actions that are known of it."""
    game = deal_game(setting.board, setting.rules, setting.seed, key.number)
    for action in actions:
        game.play(int(action))
    return conclude(key, game, Clock(), ForfeitError(side, reason))
