"""n games in lock-step: one array of records, stepped by compiled loops, every seat driven by the caller.

    batch = Batch(1024, seed=0)
    while learning:
        actions = choose(batch.views())         # one for the seat to move of each game
        winners = batch.step(actions)           # PLAYING, MR_X_WINS or DETECTIVES_WIN; what is over is dealt anew

For one side against policies, with observations and rewards, see vector.py.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.encode import Encoder
from scotyard_env.game import IllegalMoveError, check_seed
from scotyard_env.kernel import kernel
from scotyard_env.notation import NotationError, action_text
from scotyard_env.rules import apply, deal, is_legal
from scotyard_env.ruleset import RuleSet, resolve
from scotyard_env.state import MAX_SEATS, PLAYING, SEATS, new_states
from scotyard_env.view import Views, redact_rows

Games = NDArray[np.int64]  # numbers of games in a batch


class Batch:
    """Many games at once, each waiting for an action of its seat to move."""

    def __init__(
        self,
        num_games: int,
        board: str | Board | None = None,
        rules: str | RuleSet | None = None,
        *,
        detectives: int | None = None,
        seed: int | None = None,
    ) -> None:
        if not isinstance(num_games, int | np.integer) or isinstance(num_games, bool) or num_games < 1:
            raise ValueError(f"num_games is {num_games!r}: give a whole number of at least 1")
        self.board, self.rules = resolve(board, rules, detectives)
        self.states = new_states(num_games)
        self._arrays = self.board.packed, self.rules.packed(self.board), self.states
        self._all = np.arange(num_games)
        self._views = new_states(num_games)
        self.reset(seed)

    def __len__(self) -> int:
        return len(self.states)

    @property
    def seats(self) -> NDArray[np.int8]:
        """The seat to move in each game."""
        return self.states["seat"]

    @property
    def winners(self) -> NDArray[np.int8]:
        """PLAYING, MR_X_WINS or DETECTIVES_WIN for each game."""
        return self.states["winner"]

    def reset(self, seed: int | None = None) -> None:
        """Deal every game anew; the same seed and actions play the same games."""
        check_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.deal(self._all)

    def deal(self, games: Games) -> None:
        """Deal some of the games anew."""
        deal_rows(*self._arrays, games, self.rng.random((len(games), MAX_SEATS)))

    def play(self, games: Games, actions: NDArray[np.integer[Any]]) -> None:
        """Play one action in each of some games; if one is not legal, raise and change nothing."""
        actions = self._check_shape(actions, len(games))
        wrong = find_illegal(*self._arrays, games, actions)
        if wrong >= 0:
            raise IllegalMoveError(self._explain(int(games[wrong]), int(actions[wrong])))
        apply_rows(*self._arrays, games, actions)

    def step(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.int8]:
        """Play one action in every game and give the winners; a game that is over is dealt anew at once."""
        self.play(self._all, actions)
        winners = self.winners.copy()
        ended = np.flatnonzero(winners)
        if len(ended):
            self.deal(ended)
        return winners

    def are_legal(self, games: Games, actions: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Tell of one action in each of some games whether it is legal."""
        legal = np.empty(len(games), np.bool_)
        judge_rows(*self._arrays, games, self._check_shape(actions, len(games)), legal)
        return legal

    def views(self, games: Games | None = None, viewers: NDArray[np.int64] | None = None) -> Views:
        """Give what each viewer, the seat to move if left out, may know of its game; good until the next call."""
        games = self._all if games is None else games
        viewers = self.seats[games].astype(np.int64) if viewers is None else viewers
        redact_rows(self.states, games, viewers, self._views)
        return Views(self.board, self.rules, self._views[: len(games)])

    def observe(
        self,
        encoder: Encoder,
        arrays: dict[str, NDArray[Any]],
        games: Games | None = None,
        viewers: NDArray[np.int64] | None = None,
    ) -> None:
        """Write the observation of each game by its viewer, the seat to move if left out, into the game's row."""
        games = self._all if games is None else games
        viewers = self.seats[games].astype(np.int64) if viewers is None else viewers
        encoder.write(self.views(games, viewers).states, viewers, games, arrays)

    def _check_shape(self, actions: NDArray[np.integer[Any]], games: int) -> NDArray[np.int64]:
        given = np.asarray(actions)
        if given.shape != (games,) or not np.issubdtype(given.dtype, np.integer):
            raise ValueError(f"actions are {given.dtype} of shape {given.shape}: give {games} integers")
        return given.astype(np.int64, copy=False)

    def _explain(self, game: int, action: int) -> str:
        state = self.states[game]
        if state.winner != PLAYING:
            return f"game {game} is over"
        try:
            text = action_text(self.board, action)
        except NotationError as error:
            text = str(error)
        return f"game {game}: {text} is not open to {SEATS[state.seat]}, which stands on {state.station[state.seat]}"


@kernel
def deal_rows(boards, rules, states, games, draws):
    """Deal some games."""
    for index in range(len(games)):
        deal(boards[0], rules[0], states[games[index]], draws[index])


@kernel
def find_illegal(boards, rules, states, games, actions):
    """Find the first of some games whose action is not legal; -1 if there is none."""
    for index in range(len(games)):
        if not is_legal(boards[0], rules[0], states[games[index]], actions[index]):
            return index
    return -1


@kernel
def judge_rows(boards, rules, states, games, actions, legal):
    """Write of some games whether their actions are legal."""
    for index in range(len(games)):
        legal[index] = is_legal(boards[0], rules[0], states[games[index]], actions[index])


@kernel
def apply_rows(boards, rules, states, games, actions):
    """Carry out a legal action in each of some games."""
    for index in range(len(games)):
        apply(boards[0], rules[0], states[games[index]], actions[index])
