"""A game in progress as OpenSpiel plays it: a shell around ``Game`` that translates and decides nothing.

An action is ours, an outcome of chance is the station of the start card that is drawn. Beside the game stand two
texts, which grow with every action: what the table saw of it, and what Mr. X knows of it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pyspiel

from scotyard_env.board import Board
from scotyard_env.dealing import cards_left, next_to_draw, start_with
from scotyard_env.game import Game
from scotyard_env.notation import HIDDEN, action_text, action_texts
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, SEATS, State
from scotyard_env.view import View, public_move

PLAYERS = (MR_X_PLAYER, DETECTIVES_PLAYER) = (0, 1)
RETURNS = {None: [0.0, 0.0], "mr_x": [1.0, -1.0], "detectives": [-1.0, 1.0]}


class ScotlandYardState(pyspiel.State):
    """Cards drawn so far and, once all are, the game."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.cards: tuple[int, ...] = ()  # stations: the detectives', then Mr. X's
        self.seen = ""  # every action as the table saw it
        self.known = ""  # every action as Mr. X knows it
        self._game: Game | None = None
        self._start: State | None = None  # the record to begin with, where it is not up to the cards

    @property
    def _setting(self) -> tuple[Board, RuleSet]:
        game = self.get_game()
        return game.board, game.rules

    @property
    def game(self) -> Game:
        """The game, with the truth in it; there is none before all cards are drawn."""
        if self._game is None:
            raise ValueError("the cards are not all drawn yet: there is no game")
        return self._game

    @property
    def is_dealt(self) -> bool:
        """Whether all cards are drawn."""
        return self._game is not None

    def deal(self, cards: Sequence[int], start: State) -> None:
        """Draw all cards, and begin with a record that need not be one that the rules deal."""
        self._start = start
        for card in cards:
            self.apply_action(card)
        self._start = None

    def view(self, player: int) -> View:
        """Return what a player may know: Mr. X's own view, or that of the detective who moves next."""
        if player == MR_X_PLAYER:
            return self.game.view(MR_X)
        return self.game.view(max(1, self.game.seat))

    def tell(self, is_mr_x: bool) -> str:
        """Tell the whole game so far, as the table saw it or as Mr. X knows it."""
        *detectives, mr_x = self.cards if self.is_dealt else (*self.cards, HIDDEN)
        starts = " ".join(map(str, (mr_x if is_mr_x else HIDDEN, *detectives)))
        over = f"; won by {self.game.winner}" if self.is_terminal() else ""
        return f"starts {starts};{self.known if is_mr_x else self.seen}{over}"

    # What OpenSpiel asks for

    def current_player(self) -> int:
        """Return who decides: a player, chance, or nobody any more."""
        if self._game is None:
            return int(pyspiel.PlayerId.CHANCE)
        if self._game.winner is not None:
            return int(pyspiel.PlayerId.TERMINAL)
        return MR_X_PLAYER if self._game.seat == MR_X else DETECTIVES_PLAYER

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return self._game is not None and self._game.winner is not None

    def returns(self) -> list[float]:
        """Return what Mr. X and the detectives have won."""
        return RETURNS[None if self._game is None else self._game.winner]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """List the cards that may be drawn next, each with its probability."""
        left = cards_left(*self._setting, self.cards)
        return [(card, 1 / len(left)) for card in left]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "ScotlandYardState":
        """Return a state of which a player knows the same, drawn by numbers in [0, 1)."""
        from scotyard_env.openspiel.worlds import Resampler  # which plays states

        return Resampler(int(sampler() * 2**53))(self, player)

    def _legal_actions(self, player: int) -> list[int]:
        return self.game.legal

    def _apply_action(self, action: int) -> None:
        if self._game is None:
            self._draw(action)
        else:
            self._play(self._game, action)

    def _draw(self, card: int) -> None:
        board, rules = self._setting
        if self._start is None and card not in (left := cards_left(board, rules, self.cards)):
            raise ValueError(f"{SEATS[next_to_draw(rules, self.cards)]} cannot draw {card}: there are {left}")
        self.cards = (*self.cards, card)
        if len(self.cards) == 1 + rules.detectives:
            start = start_with(board, rules, self.cards) if self._start is None else self._start
            self._game = Game.from_start(board, rules, start)

    def _play(self, game: Game, action: int) -> None:
        seat = game.seat
        game.play(action)
        self.seen += f" {public_move(game.board, game.state, seat, action).text}"
        self.known += f" {action_texts(game.board)[action]}"

    def _action_to_string(self, player: int, action: int) -> str:
        board, rules = self._setting
        if player == pyspiel.PlayerId.CHANCE:
            return f"{SEATS[next_to_draw(rules, self.cards)]} starts on {action}"
        return action_text(board, action)

    def __str__(self) -> str:
        return self.tell(is_mr_x=True)
