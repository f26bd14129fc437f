"""Where a policy is tested: positions of games of random moves on every board, by every edition."""

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.policy import Side
from scotyard_env.ruleset import RuleSet, RuleSetError, resolve
from scotyard_env.state import MAX_DETECTIVES, MR_X
from scotyard_env.view import View

Setting = tuple[Board, RuleSet]


@dataclasses.dataclass(frozen=True)
class Spot:
    """A position of a game of random moves."""

    game: Game
    seed: int  # that dealt the game

    @property
    def view(self) -> View:
        """What the seat to move may know, made anew each time."""
        return self.game.view(self.game.seat)

    def __str__(self) -> str:
        game, count = self.game, self.game.rules.detectives
        team = "1 detective" if count == 1 else f"{count} detectives"
        table = f"{game.board.name} by {game.rules.name} with {team}, seed {self.seed}"
        return f"on {table}, after {' '.join(game.moves) or 'no move'}"


def list_settings() -> Iterator[Setting]:
    """List every board, edition and number of detectives that go together."""
    for board in Board.names():
        for rules in RuleSet.names():
            for detectives in range(1, MAX_DETECTIVES + 1):
                try:
                    yield resolve(board, rules, detectives)
                except RuleSetError:
                    continue


def collect_spots(setting: Setting, sides: Sequence[Side], most: int, seed: int) -> list[Spot]:
    """Play a game of random moves; return so many of its positions in which one of these sides is to move."""
    rng = np.random.default_rng([seed, 1])
    game = Game(*setting, seed=seed)
    met = []
    while game.winner is None:
        if ("mr_x" if game.seat == MR_X else "detectives") in sides:
            met.append(len(game.actions))
        game.play(int(rng.choice(game.legal)))
    kept = sorted(rng.choice(met, min(most, len(met)), replace=False).tolist()) if met else []
    return [_go_back(game, moment, seed) for moment in kept]


def _go_back(game: Game, moment: int, seed: int) -> Spot:
    """Play a game again up to a moment."""
    again = Game.from_start(game.board, game.rules, game.start)
    for action in game.actions[:moment]:
        again.play(action)
    return Spot(again, seed)
