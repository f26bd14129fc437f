"""n games in lock-step: one array of records, stepped by compiled loops, every seat driven by the caller.

    batch = Batch(1024, seed=0)
    while learning:
        actions = choose(batch.views())         # one for the seat to move of each game
        winners = batch.step(actions)           # PLAYING, MR_X_WINS or DETECTIVES_WIN; what is over is dealt anew

For one side against policies, with observations and rewards, see vector.py.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.encode import Encoder
from scotyard_env.game import IllegalMoveError, check_seed
from scotyard_env.kernel import kernel
from scotyard_env.playing import ALL_LEGAL, explain_illegal, judge_rows, play_rows
from scotyard_env.rng import side_rngs
from scotyard_env.rules import deal
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
from scotyard_env.view import View, Views, redact_rows

Games = NDArray[np.int64]  # numbers of games in a batch, each at most once
MOST_DEALS = 1000  # that may be over before anybody has moved, in a row; then it is the rules' fault


class Batch:
    """Many games at once, each waiting for an action of its seat to move.

    ``rng`` deals the games and is for nobody else; ``rngs`` are for the policies of the two sides, Mr. X's first.
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
    ) -> None:
        if not isinstance(num_games, int | np.integer) or isinstance(num_games, bool) or num_games < 1:
            raise ValueError(f"num_games is {num_games!r}: give a whole number of at least 1")
        self._set_up(*resolve(board, rules, detectives), num_games, check_illegal(illegal))
        self.reset(seed)

    @classmethod
    def copies(cls, board: Board, rules: RuleSet, state: State, num_games: int) -> "Batch":
        """Return a batch of so many copies of one game, to be played on from where it stands."""
        batch = cls.__new__(cls)
        batch._set_up(board, rules, num_games)
        batch.states[:] = state
        return batch

    def _set_up(self, board: Board, rules: RuleSet, num_games: int, illegal: Illegal = "raise") -> None:
        self.board, self.rules = board, rules
        self.states = new_states(num_games)
        self._keep_at_hand()
        self._all = np.arange(num_games)
        self._views = new_states(num_games)
        self._seen = np.zeros(num_games, np.bool_)
        self._is_warned = False
        self.illegal = illegal
        self.illegal_actions = np.zeros(num_games, np.int64)  # that each game was given since the reset
        self.rng, self.rngs = np.random.default_rng(), side_rngs(None)

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
            self.rng, self.rngs = np.random.default_rng(seed), side_rngs(seed)
        self.illegal_actions[:] = 0
        self.deal(self._all)

    def deal(self, games: Games) -> None:
        """Deal some of the games anew, and again if one is over before anybody has moved."""
        games = self._check_games(games)
        for _ in range(MOST_DEALS):
            deal_rows(*self._arrays, games, self.rng.random((len(games), MAX_SEATS)))
            games = games[self.winners[games] != PLAYING]
            if len(games) == 0:
                return
        what = f"rule set {self.rules.name!r} on board {self.board.name!r}"
        raise RuleSetError(f"{what}: {MOST_DEALS} deals in a row were over before anybody had moved")

    def play(self, games: Games, actions: NDArray[np.integer[Any]]) -> None:
        """Play one action in each of some games; if one is not legal, raise and change nothing."""
        games = self._check_games(games)
        actions = self._check_shape(actions, len(games))
        wrong = play_rows(*self._arrays, games, actions)
        if wrong != ALL_LEGAL:
            raise IllegalMoveError(self._explain(games[wrong], actions[wrong]))

    def submit(self, games: Games, actions: NDArray[np.integer[Any]]) -> str | None:
        """Play one action in each of some games; an illegal one raises or forfeits its game, as ``illegal`` says.

        Return what is wrong with the first that forfeits its game; None if none does.
        """
        if self.illegal == "raise":
            self.play(games, actions)
            return None
        games, legal = self._check_games(games), self.are_legal(games, actions)
        problem, forfeited = None, games[~legal]
        if len(forfeited):
            problem = self._explain(forfeited[0], np.asarray(actions)[~legal][0])
            self.illegal_actions[forfeited] += 1
            playing = forfeited[self.winners[forfeited] == PLAYING]
            self.winners[playing] = np.where(self.seats[playing] == MR_X, DETECTIVES_WIN, MR_X_WINS)
        self.play(games[legal], np.asarray(actions)[legal])
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
        self.warn_once(self.submit(self._all, actions), stacklevel=2)
        winners = self.winners.copy()
        ended = np.flatnonzero(winners)
        if len(ended):
            self.deal(ended)
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
        views = np.empty(len(games), STATE)  # every byte of which is written; nobody sees what others were shown
        redact_rows(self.states, games, self._check_viewers(games, viewers), views)
        return Views(self.board, self.rules, views)

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
        viewers = self._check_viewers(games, viewers)
        redact_rows(self.states, games, viewers, self._views)
        encoder.write(self._views[: len(games)], viewers, games, arrays, written)

    def _check_games(self, games: Games | None) -> Games:
        """Refuse games that are not there or come twice: compiled loops trust these numbers."""
        if games is None or games is self._all:
            return self._all
        given = np.asarray(games)
        if given.ndim == 1 and (np.issubdtype(given.dtype, np.integer) or given.size == 0):
            given = given.astype(np.int64, copy=False)
            if are_games(given, self._seen):
                return given
        raise ValueError(f"games are {games!r}: give numbers from 0 to {len(self) - 1}, each at most once")

    def _check_viewers(self, games: Games, viewers: NDArray[np.integer[Any]] | None) -> NDArray[np.int64]:
        """Refuse viewers that have no seat; the seats to move if left out."""
        if viewers is None:
            seats: NDArray[np.int64] = self.seats[games].astype(np.int64)
            return seats
        given = np.asarray(viewers)
        are_seats = (
            np.issubdtype(given.dtype, np.integer) and not ((given < SPECTATOR) | (given > self.rules.detectives)).any()
        )
        if given.shape == games.shape and are_seats:
            return given.astype(np.int64, copy=False)
        wanted = f"{len(games)} seats from 0 (Mr. X) to {self.rules.detectives}, or {SPECTATOR} for a spectator"
        raise ValueError(f"viewers are {viewers!r}: give {wanted}")

    def _check_shape(self, actions: NDArray[np.integer[Any]], games: int) -> NDArray[np.int64]:
        given = np.asarray(actions)
        if given.shape != (games,) or not np.issubdtype(given.dtype, np.integer):
            raise ValueError(f"actions are {given.dtype} of shape {given.shape}: give {games} integers")
        return given.astype(np.int64, copy=False)


@kernel
def are_games(games, seen):
    """Return whether all these numbers are there and none comes twice; seen has room for all games and stays blank."""
    checked = 0
    while checked < len(games) and 0 <= games[checked] < len(seen) and not seen[games[checked]]:
        seen[games[checked]] = True
        checked += 1
    for index in range(checked):
        seen[games[index]] = False
    return checked == len(games)


@kernel
def deal_rows(boards, rules, states, games, draws):
    """Deal some games."""
    for index in range(len(games)):
        deal(boards[0], rules[0], states[games[index]], draws[index])
