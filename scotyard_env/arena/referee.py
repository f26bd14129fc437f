"""What every worker does: play the matches of a tournament that it is handed, come what may."""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scotyard_env.arena.contenders import Contender
from scotyard_env.arena.deals import deal_game
from scotyard_env.arena.forfeit import ForfeitError
from scotyard_env.arena.guard import Guard, Listener
from scotyard_env.arena.match import Clock, play_out
from scotyard_env.arena.result import Key, Result, sum_up
from scotyard_env.board import Board
from scotyard_env.game import Game, IllegalMoveError
from scotyard_env.policy import SIDES, Policy, Side, apart_from
from scotyard_env.replay import Replay
from scotyard_env.rng import side_rngs
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X

HANGS = 3  # matches in a row in which a policy had to be stopped, after which it is asked no more


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

    @property
    def sides(self) -> tuple[tuple[Contender, ...], tuple[Contender, ...]]:
        """The contenders by side."""
        return self.mr_x, self.detectives

    def lane(self, key: Key) -> tuple[str | None, str | None]:
        """Name the strangers of a match: those in one process have the same, so that a stranger is alone with ours."""
        strangers = [{one.name for one in side if one.is_stranger} for side in self.sides]
        mr_x, detectives = (name if name in strangers[side] else None for side, name in enumerate(key[:2]))
        return mr_x, detectives

    def blame(self, key: Key, side: int) -> Side:
        """Tell who is to blame for what was done to a process: the stranger; if there are two or none, this side."""
        mr_x, detectives = self.lane(key)
        if (mr_x is None) != (detectives is None):
            side = 0 if detectives is None else 1
        return SIDES[side]


class Course(NamedTuple):
    """How a match went."""

    game: Game
    clock: Clock
    forfeit: ForfeitError | None


class Outcome(NamedTuple):
    """A match that was played."""

    result: Result
    replay: str | None  # one line; None if it is where it belongs already
    traceback: str | None = None  # of what a policy raised


class Referee:
    """Plays matches of one tournament; makes its policies when they are first wanted."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        objects = [one.source for one in setting.mr_x]
        apart = [dataclasses.replace(one, source=apart_from(one.source, objects)) for one in setting.detectives]
        self._contenders = tuple({one.name: one for one in side} for side in (setting.mr_x, apart))
        self._players: dict[tuple[int, str], Policy] = {}  # by side and name
        self._hangs = Hangs()

    def play(self, key: Key) -> Outcome:
        """Play one match in this process; who raises, plays an illegal move or takes too long forfeits it."""
        forfeit = self._hangs.find(key)
        if forfeit is not None:
            return take_down(self.setting, key, [], Clock(), forfeit)
        course = self.run(key)
        self._hangs.note(key, course.forfeit)
        return conclude(key, course)

    def run(self, key: Key, listener: Listener | None = None) -> Course:
        """Play one match and tell how it went."""
        setting, clock, forfeit = self.setting, Clock(), None
        game = deal_game(setting.board, setting.rules, setting.seed, key.number)
        rngs = side_rngs(setting.seed, key.number)
        has_strangers = any(setting.lane(key))
        with Guard(move_limit=setting.move_limit, listener=listener, has_strangers=has_strangers) as guard:
            try:
                players = self._player(0, key.mr_x, guard), self._player(1, key.detectives, guard)
                play_out(game, players, rngs, clock, guard=guard)
            except ForfeitError as error:
                forfeit = error
        return Course(game, clock, forfeit)

    def _player(self, side: int, name: str, guard: Guard) -> Policy:
        """Return a policy; before its first match here it is made and decides once, which may take it longer.

        So compiling is no part of its thinking time. That game is not the one of the match, and tells nothing of it.
        """
        if (side, name) not in self._players:
            contender = self._contenders[side][name]
            policy = guard.call(side, contender.make, is_start=True, doing="could not be made: ")
            _rehearse(side, policy, Game(self.setting.board, self.setting.rules, seed=0), guard)
            self._players[side, name] = policy
        return self._players[side, name]


def _rehearse(side: int, policy: Policy, game: Game, guard: Guard) -> None:
    while game.winner is None and (game.seat != MR_X) != side:
        game.play(game.legal[0])
    if game.winner is None:
        view, rng = game.view(game.seat), np.random.default_rng(side)
        try:
            guard.call(side, lambda: policy.act(view, rng), is_start=True)
        except ForfeitError as error:
            if error.is_hang:
                raise
    if guard.listener is not None:
        guard.listener.end(None)


class Hangs:
    """Who had to be stopped in match after match, and so is not asked again: the limit is not paid for each match."""

    def __init__(self) -> None:
        self._in_a_row: Counter[tuple[int, str]] = Counter()  # by side and name
        self._reasons: dict[tuple[int, str], str] = {}

    def note(self, key: Key, forfeit: ForfeitError | None, times: int = 1) -> None:
        """Note how a match ended: a policy that came back starts from 0."""
        for player in enumerate((key.mr_x, key.detectives)):
            if forfeit is None or not forfeit.is_hang:
                self._in_a_row[player] = 0
            elif forfeit.side == SIDES[player[0]]:
                self._in_a_row[player] += times
                self._reasons[player] = f"was not asked again after it {forfeit.reason}"

    def find(self, key: Key) -> ForfeitError | None:
        """Return the forfeit of a side that is not asked again, if there is one in this match."""
        for player in enumerate((key.mr_x, key.detectives)):
            if self._in_a_row[player] >= HANGS:
                return ForfeitError(SIDES[player[0]], self._reasons[player])
        return None


def conclude(key: Key, course: Course) -> Outcome:
    """Take down a match that is over."""
    replay = Replay.of(course.game)
    traceback = None if course.forfeit is None else course.forfeit.traceback
    return Outcome(sum_up(key, course.game, replay, course.clock, course.forfeit), replay.to_line(), traceback)


def take_down(setting: Setting, key: Key, actions: list[int], clock: Clock, forfeit: ForfeitError | None) -> Outcome:
    """Take down a match that others played or did not end, from its actions: they are played again by our rules."""
    game = deal_game(setting.board, setting.rules, setting.seed, key.number)
    try:
        for action in actions:
            game.play(action)
        is_whole = forfeit is not None or game.winner is not None
    except IllegalMoveError:
        is_whole = False
    if not is_whole:
        forfeit = ForfeitError(
            setting.blame(key, int(game.seat != MR_X)), "changed the rules of the match in its process"
        )
    return conclude(key, Course(game, clock, forfeit))
