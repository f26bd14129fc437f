"""n games in lock-step: one array of records, stepped by compiled loops, every seat driven by the caller.

    batch = Batch(1024, seed=0)
    while learning:
        actions = choose(batch.views())         # one for the seat to move of each game
        winners = batch.step(actions)           # PLAYING, MR_X_WINS or DETECTIVES_WIN; what is over is dealt anew

Games go through the compiled loops in parts, which several threads may share out. A part has random numbers of its own,
so that the same games are played however many threads there are. For one side against policies, with observations and
rewards, see vector.py.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.encode import Encoder
from scotyard_env.game import IllegalMoveError, check_seed
from scotyard_env.lockstep import (
    ALL_LEGAL,
    apply_rows,
    are_games,
    deal_rows,
    first_illegal,
    judge_rows,
    list_over,
    play_rows,
    submit_rows,
)
from scotyard_env.playing import explain_illegal
from scotyard_env.rng import Rngs, policy_rng, side_rngs
from scotyard_env.ruleset import RuleSet, RuleSetError, resolve
from scotyard_env.shell import Illegal, check_illegal
from scotyard_env.state import (
    DETECTIVES_WIN,
    MAX_SEATS,
    MR_X,
    MR_X_WINS,
    PLAYING,
    SPECTATOR,
    STATE,
    State,
    new_states,
)
from scotyard_env.threads import check_threads, share
from scotyard_env.view import MOVERS, View, Views, redact_rows

Games = NDArray[np.int64]  # numbers of games in a batch, each at most once
INTEGERS = "iu"  # what NumPy calls the kinds of types of whole numbers
PART = 1024  # games: enough to hide what the calls of a pass cost, few enough to stay near the processor
MOST_DEALS = 1000  # that may be over before anybody has moved, in a row; then it is the rules' fault


class Part(NamedTuple):
    """Games of a batch that one thread plays, next to each other, and the random numbers that are for them alone."""

    games: Games
    rows: slice  # the same as a stretch of an array of all games
    rng: np.random.Generator  # deals the games and is for nobody else
    rngs: Rngs  # for the policies of the two sides, Mr. X's first


def part_rngs(seed: int | None, number: int) -> tuple[np.random.Generator, ...]:
    """Return what deals a part of the games and what the policies of its sides draw from; by chance without a seed."""
    if seed is None or number == 0:  # the first part does not know of others: a small batch has it alone
        return np.random.default_rng(seed), *side_rngs(seed)
    return policy_rng(seed, number, "deal"), *side_rngs(seed, number)


_Result = TypeVar("_Result")


class Batch:
    """Many games at once, each waiting for an action of its seat to move.

    ``rng`` deals the games and is for nobody else; ``rngs`` are for the policies of the two sides, Mr. X's first. They
    are those of the first part of the games.
    """

    def __init__(
        self,
        num_games: int,
        board: str | Board | None = None,
        rules: str | RuleSet | None = None,
        *,
        detectives: int | None = None,
        seed: int | None = None,
        illegal: Illegal = "raise",
        threads: int = 1,
    ) -> None:
        if not isinstance(num_games, int | np.integer) or isinstance(num_games, bool) or num_games < 1:
            raise ValueError(f"num_games is {num_games!r}: give a whole number of at least 1")
        check_illegal(illegal)
        check_threads(threads)
        self._set_up(*resolve(board, rules, detectives), num_games, illegal, threads)
        self.reset(seed)

    @classmethod
    def copies(cls, board: Board, rules: RuleSet, state: State, num_games: int) -> "Batch":
        """Return a batch of so many copies of one game, to be played on from where it stands."""
        batch = cls.__new__(cls)
        batch._set_up(board, rules, num_games)
        batch.states[:] = state
        return batch

    def _set_up(
        self, board: Board, rules: RuleSet, num_games: int, illegal: Illegal = "raise", threads: int = 1
    ) -> None:
        self.board, self.rules = board, rules
        self.illegal, self.threads = illegal, threads
        self.states = new_states(num_games)
        self._keep_at_hand()
        self._all = np.arange(num_games)
        self._legal = np.empty(num_games, np.bool_)  # where kernels write which actions are
        self._seen = np.zeros(num_games, np.bool_)
        self._is_warned = False
        self.illegal_actions = np.zeros(num_games, np.int64)  # that each game was given since the reset
        self.has_illegal = False  # any game was
        self._part(None)

    def _part(self, seed: int | None) -> None:
        """Part the games, with random numbers by a seed or by chance."""
        self.parts: list[Part] = []
        for number, start in enumerate(range(0, len(self), PART)):
            rows = slice(start, min(start + PART, len(self)))
            games = self._all if len(self) <= PART else self._all[rows]
            rng, *rngs = part_rngs(seed, number)
            self.parts.append(Part(games, rows, rng, (rngs[0], rngs[1])))
        self.rng, self.rngs = self.parts[0].rng, self.parts[0].rngs

    def _keep_at_hand(self) -> None:
        self._arrays = self.board.packed, self.rules.packed(self.board), self.states  # what kernels take

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_arrays"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._keep_at_hand()  # NumPy would bring board and rules back as arrays that can be written to

    def __len__(self) -> int:
        return len(self.states)

    @property
    def seats(self) -> NDArray[np.int8]:
        """The seat to move in each game."""
        return self.states["seat"]

    @property
    def games(self) -> Games:
        """The numbers of all games."""
        return self._all

    @property
    def winners(self) -> NDArray[np.int8]:
        """PLAYING, MR_X_WINS or DETECTIVES_WIN for each game."""
        return self.states["winner"]

    def reset(self, seed: int | None = None) -> None:
        """Deal every game anew; the same seed and actions play the same games, and no seed lets chance go on."""
        check_seed(seed)
        if seed is not None:
            self._part(seed)
        self.illegal_actions[:] = 0
        self.has_illegal = False
        for part in self.parts:
            self.deal(part.games, part.rng)

    def share(self, work: Callable[[Part], _Result]) -> list[_Result]:
        """Return what is done to each part of the games, by as many threads as the batch has."""
        return share(self.threads, work, self.parts)

    def deal(self, games: Games, rng: np.random.Generator | None = None) -> None:
        """Deal some of the games anew, and again if one is over before anybody has moved."""
        games, rng = self._check_games(games), self.rng if rng is None else rng
        for _ in range(MOST_DEALS):
            deal_rows(*self._arrays, games, rng.random((len(games), MAX_SEATS)))
            if len(games := self.list_over(games)) == 0:
                return
        what = f"rule set {self.rules.name!r} on board {self.board.name!r}"
        raise RuleSetError(f"{what}: {MOST_DEALS} deals in a row were over before anybody had moved")

    def list_over(self, games: Games) -> Games:
        """List those of some games that are over."""
        found = np.empty(len(games), np.int64)
        return found[: list_over(self.states, games, found)]

    def play(self, games: Games, actions: NDArray[np.integer[Any]]) -> None:
        """Play one action in each of some games; if one is not legal, raise and change nothing."""
        games = self._check_games(games)
        actions = self._check_shape(actions, len(games))
        wrong = play_rows(*self._arrays, games, actions)
        if wrong != ALL_LEGAL:
            raise IllegalMoveError(self._explain(games[wrong], actions[wrong]))

    def check_actions(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return one action for every game as kernels take them; refuse others, and illegal ones if they raise."""
        given = self._check_shape(actions, len(self))
        if self.illegal == "raise":
            wrong = first_illegal(*self._arrays, self._all, given)
            if wrong != ALL_LEGAL:
                raise IllegalMoveError(self._explain(self._all[wrong], given[wrong]))
        return given

    def submit(self, part: Part, actions: NDArray[np.int64]) -> str | None:
        """Play the actions of a part of the games, which ``check_actions`` has seen; an illegal one forfeits its game.

        Return what is wrong with the first that does; None if none does.
        """
        if self.illegal == "raise":  # and none has
            apply_rows(*self._arrays, part.games, actions)
            return None
        legal = self._legal[part.rows]
        if submit_rows(*self._arrays, part.games, actions, legal) == 0:
            return None
        forfeited, refused = part.games[~legal], actions[~legal]
        problem = self._explain(forfeited[0], refused[0])
        self.illegal_actions[forfeited] += 1
        self.has_illegal = True
        playing = forfeited[self.winners[forfeited] == PLAYING]
        self.winners[playing] = np.where(self.seats[playing] == MR_X, DETECTIVES_WIN, MR_X_WINS)
        return problem

    def warn_once(self, problem: str | None, stacklevel: int) -> None:
        """Warn of the first illegal action that forfeits a game; ``illegal_actions`` counts them all."""
        if problem is not None and not self._is_warned:
            self._is_warned = True
            words = (
                "the game is forfeited, as is every one with an illegal action (said once, counted in illegal_actions)"
            )
            warnings.warn(f"{problem}; {words}", stacklevel=1 + stacklevel)

    def _explain(self, game: np.int64, action: np.integer[Any]) -> str:
        """Return why an action cannot be played, to whoever hears it."""
        view = View(self.board, self.rules, self.states[game], SPECTATOR)
        return f"game {game}: {explain_illegal(view, int(action))}"

    def step(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.int8]:
        """Play one action in every game and return the winners; a game that is over is dealt anew at once."""
        given, winners = self.check_actions(actions), np.empty(len(self), np.int8)

        def step(part: Part) -> str | None:
            problem = self.submit(part, given[part.rows])
            winners[part.rows] = self.winners[part.rows]
            if len(over := self.list_over(part.games)):
                self.deal(over, part.rng)
            return problem

        problems = self.share(step)
        self.warn_once(next(filter(None, problems), None), stacklevel=2)
        return winners

    def are_legal(self, games: Games, actions: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return whether one action in each of some games is legal, for each of them."""
        games = self._check_games(games)
        legal = np.empty(len(games), np.bool_)
        judge_rows(*self._arrays, games, self._check_shape(actions, len(games)), legal)
        return legal

    def views(self, games: Games | None = None, viewers: NDArray[np.int64] | None = None) -> Views:
        """Return what each viewer, the seat to move if left out, may know of its game."""
        games = self._check_games(games)
        room = np.empty(len(games) * STATE.itemsize, np.uint8)  # in which nobody sees what others were shown
        views = Views(self.board, self.rules, np.frombuffer(room, STATE))
        views.packed_rules = self._arrays[1]
        redact_rows(self.states, games, self._check_viewers(games, viewers), views.states)
        return views

    def observe(
        self,
        encoder: Encoder,
        arrays: dict[str, NDArray[Any]],
        games: Games | None = None,
        viewers: NDArray[np.int64] | None = None,
        written: NDArray[np.void] | None = None,
    ) -> None:
        """Write the observation of each game by its viewer, the seat to move if left out, into the game's row."""
        games = self._check_games(games)
        encoder.write(self.states, self._check_viewers(games, viewers), games, arrays, written, games)

    def _check_games(self, games: Games | None) -> Games:
        """Refuse games that are not there or come twice: compiled loops trust these numbers."""
        if games is None or games is self._all:
            return self._all
        given = np.asarray(games)
        if given.ndim == 1 and (given.dtype.kind in INTEGERS or given.size == 0):
            given = given.astype(np.int64, copy=False)
            if are_games(given, self._seen):
                return given
        raise ValueError(f"games are {games!r}: give numbers from 0 to {len(self) - 1}, each at most once")

    def _check_viewers(self, games: Games, viewers: NDArray[np.integer[Any]] | None) -> NDArray[np.int64]:
        """Refuse viewers that have no seat; no viewers, which stand for the seats to move, if left out."""
        if viewers is None:
            return MOVERS
        given = np.asarray(viewers)
        are_seats = given.dtype.kind in INTEGERS and not ((given < SPECTATOR) | (given > self.rules.detectives)).any()
        if given.shape == games.shape and are_seats:
            return given.astype(np.int64, copy=False)
        wanted = f"{len(games)} seats from 0 (Mr. X) to {self.rules.detectives}, or {SPECTATOR} for a spectator"
        raise ValueError(f"viewers are {viewers!r}: give {wanted}")

    def _check_shape(self, actions: NDArray[np.integer[Any]], games: int) -> NDArray[np.int64]:
        given = np.asarray(actions)
        if given.shape != (games,) or given.dtype.kind not in INTEGERS:
            raise ValueError(f"actions are {given.dtype} of shape {given.shape}: give {games} integers")
        return given.astype(np.int64, copy=False)
