"""Two sides at one table: policies against policies, or a learner against them, as the Gymnasium shells share it.

A learner decides whenever a seat of its side is to move: Mr. X twice in a double move, the detectives one after the
other. Everything up to its next decision happens inside ``step``, so the reward of the whole interval goes to the
decision that it belongs to. The opponent may be a pool: each game draws one policy of it when it is dealt.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from scotyard_env.batch import Batch, Games, Part
from scotyard_env.board import Board
from scotyard_env.game import IllegalMoveError
from scotyard_env.lockstep import sort_out
from scotyard_env.policy import (
    SIDES,
    Policy,
    PolicyError,
    PolicyLike,
    Side,
    apart_from,
    check_fit,
    copy_for_thread,
    make_policy,
)
from scotyard_env.rng import Rngs
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import DETECTIVES_WIN, MR_X, PLAYING
from scotyard_env.view import View, Views

Opponent = PolicyLike | Iterable[PolicyLike] | Mapping[PolicyLike, float]
Hook = Callable[[Side, Games], None]
_LOG = logging.getLogger(__name__)
_MORE = "more would give Mr. X away, and is logged at level DEBUG"
_REWARDS = {"mr_x": np.array([0.0, 1.0, -1.0]), "detectives": np.array([0.0, -1.0, 1.0])}  # PLAYING, MR_X_WINS, ...


class Pool:
    """The policies that may play a side, with their weights."""

    def __init__(self, opponent: Opponent, side: Side) -> None:
        members = list(_weigh(opponent))
        if not members:
            raise PolicyError(f"no opponent given: name a policy for {side}, or several")
        self.policies = [make_policy(policy, side=side) for policy, _ in members]
        weights = np.array([float(weight) for _, weight in members])
        if not np.isfinite(weights).all() or (weights < 0).any() or weights.sum() == 0:
            raise PolicyError(
                f"weights of a pool are {weights.tolist()}: give numbers of at least 0, not all of them 0"
            )
        self.weights = weights / weights.sum()

    def draw(self, games: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the number of a policy for each of so many games."""
        if len(self.policies) == 1:
            return np.zeros(games, np.int64)
        return rng.choice(len(self.policies), size=games, p=self.weights)


def _weigh(opponent: Opponent) -> Iterable[tuple[PolicyLike, float]]:
    """List policies with their weights; one that is named twice without a weight counts twice."""
    if isinstance(opponent, str) or hasattr(opponent, "act") or callable(opponent):
        return [(cast(PolicyLike, opponent), 1.0)]
    if isinstance(opponent, Mapping):
        return opponent.items()
    if not isinstance(opponent, Iterable):
        raise PolicyError(f"opponent is {opponent!r}: give a policy or its name, several, or a dict with weights")
    return [(policy, 1.0) for policy in opponent]


def decide(policy: Policy, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
    """Ask a policy for an action in each of many views, in one call if it can."""
    act_batch = getattr(policy, "act_batch", None)
    if act_batch is not None:
        return np.asarray(act_batch(views, rng))
    each = (View(views.board, views.rules, state, int(state.seat)) for state in views.states)
    return np.array([policy.act(view, rng).action for view in each])


def play_batch(
    batch: Batch,
    mr_x: Policy,
    detectives: Policy,
    rngs: Rngs,
    before: Hook | None = None,
    after: Hook | None = None,
    is_going: Callable[[Batch], NDArray[np.bool_]] | None = None,
) -> None:
    """Play all games of a batch to their end, one turn of Mr. X and one of a detective at a time.

    Each side draws from its own rng: ``batch.rngs`` where nothing else is wanted. The hooks are called with the side
    and the games it is to play in: before it decides, and after it has played. Games that are not going, if that is
    asked, are left as they are.
    """
    players = mr_x, apart_from(detectives, [mr_x])
    while len(going := np.flatnonzero(_are_going(batch, is_going))):
        is_his = batch.seats[going] == MR_X  # before either side moves: each moves once
        turns = going[is_his], going[~is_his]
        for side, policy, rng, games in zip(SIDES, players, rngs, turns, strict=True):
            if len(games):
                if before is not None:
                    before(side, games)
                batch.play(games, decide(policy, batch.views(games), rng))
                if after is not None:
                    after(side, games)


def _are_going(batch: Batch, is_going: Callable[[Batch], NDArray[np.bool_]] | None) -> NDArray[np.bool_]:
    playing: NDArray[np.bool_] = batch.winners == PLAYING
    return playing if is_going is None else playing & is_going(batch)


def play_games(
    mr_x: PolicyLike,
    detectives: PolicyLike,
    games: int,
    seed: int,
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
) -> int:
    """Play games between two policies or names of policies as one batch; count those that the detectives win."""
    batch = Batch(games, board, rules, seed=seed)
    players = make_policy(mr_x, side="mr_x"), make_policy(detectives, side="detectives")
    for policy, side in zip(players, SIDES, strict=True):
        check_fit(policy, batch.board, batch.rules, side)
    play_batch(batch, *players, batch.rngs)
    return int((batch.winners == DETECTIVES_WIN).sum())


class Duel:
    """Games of a learner's side against a pool of policies."""

    def __init__(self, batch: Batch, side: Side, opponent: Opponent) -> None:
        if side not in SIDES:
            raise ValueError(f"there is no side {side!r}: there are {' and '.join(SIDES)}")
        self.batch = batch
        self.side = side
        self.other: Side = SIDES[1 - SIDES.index(side)]
        self.pool = Pool(opponent, self.other)
        for policy in self.pool.policies:
            check_fit(policy, batch.board, batch.rules, self.other)
        self.playing = np.zeros(len(batch), np.int64)  # the policy of the pool that each game drew
        self.deciders = np.zeros(len(batch), np.int64)  # the seat that decided last in each game
        self._tables = [self.pool.policies]  # the opponents, once for each thread
        for _ in range(min(batch.threads, len(batch.parts)) - 1):
            self._tables.append([copy_for_thread(policy) for policy in self.pool.policies])

    def begin(self) -> None:
        """Draw opponents for all games, which were just dealt, and let them play up to the learner's first decision."""
        for part in self.batch.parts:
            self._draw(part, part.games)
            self._answer(part, part.games, self.pool.policies)
        self.deciders[:] = self.batch.seats

    def step(self, actions: NDArray[np.integer[Any]], settle: Callable[[Games], None] | None = None) -> str | None:
        """Play the learner's action in every game, then the opponents' up to its next decision or the end.

        An illegal action raises or forfeits its game, as the batch says; return what is wrong with the first of these.
        Games that are over stay so; or, if there is somebody to settle them, are handed over to that and dealt anew.
        """
        given = self.batch.check_actions(actions)
        problems = self.batch.share(lambda part: self.step_part(part, given[part.rows], settle))
        return next(filter(None, problems), None)

    def step_part(
        self, part: Part, actions: NDArray[np.int64], settle: Callable[[Games], None] | None = None
    ) -> str | None:
        """Do the same for one part of the games, with actions that the batch has checked."""
        self.deciders[part.rows] = self.batch.seats[part.rows]
        problem = self.batch.submit(part, actions)
        opponents = self._tables.pop()
        try:
            self._answer(part, part.games, opponents, settle)
        finally:
            self._tables.append(opponents)
        return problem

    def rewards(self, games: Games) -> NDArray[np.float64]:
        """Return +1 for each of some games that the learner has won, -1 if it has lost, 0 while the game goes on."""
        return _REWARDS[self.side][self.batch.winners[games]]

    def _draw(self, part: Part, games: Games) -> None:
        """Draw opponents for games of a part just dealt."""
        self.playing[games] = self.pool.draw(len(games), part.rng)

    def _answer(
        self, part: Part, games: Games, opponents: list[Policy], settle: Callable[[Games], None] | None = None
    ) -> None:
        """Let the opponents play in some games of a part until the learner is to decide or the game is over."""
        rng = part.rngs[SIDES.index(self.other)]
        while len(games):
            over, waiting = self._sort_out(games)
            if settle is not None and len(over):
                settle(over)
                self.batch.deal(over, part.rng)
                self._draw(part, over)
                _, waiting = self._sort_out(games)
            games = waiting
            for number, policy in enumerate(opponents):
                theirs = games if len(opponents) == 1 else games[self.playing[games] == number]
                if len(theirs):
                    self._play(policy, theirs, rng)

    def _sort_out(self, games: Games) -> tuple[Games, Games]:
        """List those of some games that are over, and those that wait for an opponent."""
        over, waiting = np.empty(len(games), np.int64), np.empty(len(games), np.int64)
        ended, playing = sort_out(self.batch.states, games, self.other == "mr_x", over, waiting)
        return over[:ended], waiting[:playing]

    def _play(self, policy: Policy, games: Games, rng: np.random.Generator) -> None:
        """Let a policy of the pool play; if Mr. X's fails, the learner is told nothing that would give him away."""
        try:
            actions = decide(policy, self.batch.views(games), rng)
        except Exception as error:
            if self.other == "detectives":  # Mr. X knows where he is
                raise
            _LOG.debug("an opponent failed", exc_info=True)
            failure: Exception = PolicyError(f"opponent {type(policy).__name__} raised {type(error).__name__}: {_MORE}")
        else:
            try:
                self.batch.play(games, actions)
                return
            except ValueError as error:  # an illegal action, or none at all: too few, or no integers
                if self.other == "detectives":
                    raise IllegalMoveError(f"opponent {policy!r} played an illegal action: {error}") from error
                _LOG.debug("an opponent failed", exc_info=True)
                failure = IllegalMoveError(f"opponent {type(policy).__name__} played an illegal action: {_MORE}")
        raise failure  # out here, where what has failed does not come along as its context
