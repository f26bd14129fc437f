"""OpenSpiel's policies and bots as ours: they are asked with a state that is made of a view.

A view does not say everything that a state of OpenSpiel has. What the viewer cannot know, such as the path of Mr. X, is
drawn, so that no policy learns a secret. The past path of Mr. X does not matter to what follows, but an information
state contains it: where there are few paths, a policy is asked on each of them, and its answers are averaged by the
probability that it takes that path. Its play is then the same against everybody. Where there are many, one path is
drawn. Of a detective's journey that several tickets would have paid for, one is taken (history.py).
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from open_spiel.python.algorithms import ismcts, mcts

from scotyard_env.behaviour import Probabilities
from scotyard_env.belief import belief_names
from scotyard_env.board import Board
from scotyard_env.explanation import Explains
from scotyard_env.openspiel.game import ScotlandYardGame
from scotyard_env.openspiel.state import ScotlandYardState
from scotyard_env.openspiel.worlds import NO_ACTION, Past, Path, Resampler, state_of
from scotyard_env.policy import SIDES, Decision, PolicyError, Side
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X
from scotyard_env.view import View

SEEDS = 2**31  # what NumPy's old generators, which OpenSpiel uses, take


@functools.lru_cache(maxsize=8)
def game_of(board: Board, rules: RuleSet) -> ScotlandYardGame:
    """Return the game of OpenSpiel on a board by a rule set."""
    return ScotlandYardGame.of(board, rules)


@dataclasses.dataclass(frozen=True)
class OpenSpielPolicy(Explains):
    """Play what a policy of OpenSpiel says: anything with ``action_probabilities(state)``."""

    policy: Any
    sides: tuple[Side, ...] = SIDES
    most_paths: int = 100  # of Mr. X, on all of which he is asked

    def __post_init__(self) -> None:
        if not hasattr(self.policy, "action_probabilities"):
            raise PolicyError(f"{self.policy!r} is no policy of OpenSpiel: it should have action_probabilities(state)")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Draw an action by its probability."""
        told = self._ask_on_paths(view, rng) if view.seat == MR_X else self._ask(self._imagine(view, rng))
        actions, shares = zip(*sorted(told.items()), strict=True)
        action = int(actions[rng.choice(len(actions), p=shares)])
        return Decision(action, probabilities=tuple(zip(actions, shares, strict=True)))

    def _imagine(self, view: View, rng: np.random.Generator) -> ScotlandYardState:
        return state_of(game_of(view.board, view.rules), view, rng)

    def _ask(self, state: ScotlandYardState) -> Probabilities:
        """Return the probabilities of the legal actions."""
        told = self.policy.action_probabilities(state)
        known = {action: max(0.0, float(told.get(action, 0.0))) for action in state.legal_actions()}
        if (total := sum(known.values())) <= 0.0:
            raise PolicyError(f"{self.policy!r} knows nothing of {state.information_state_string()!r}")
        return {action: share / total for action, share in known.items()}

    def _ask_on_paths(self, view: View, rng: np.random.Generator) -> Probabilities:
        """Return the mean of what it says on all paths of Mr. X, weighed by its probability of each."""
        past = Past(view)
        paths, end = past.find_paths(), view.stations[MR_X]
        if paths.counts[-1][end] > self.most_paths:
            return self._ask(self._imagine(view, rng))
        answers = [self._ask_on_path(past, view, path) for path in paths.list_to(end)]
        if not any(reach for reach, _ in answers):  # it would never have come here
            answers = [(1.0, told) for _, told in answers]
        total = sum(reach for reach, _ in answers)
        return {action: sum(reach * told[action] for reach, told in answers) / total for action in answers[0][1]}

    def _ask_on_path(self, past: Past, view: View, path: Path) -> tuple[float, Probabilities]:
        """Return the probability that it takes a path as far as that is up to it, and what it says at its end."""
        reach = 1.0
        moments = past.play(game_of(view.board, view.rules), path)
        for state, action in moments:
            if action == NO_ACTION:
                return reach, self._ask(state)
            if state.game.seat == MR_X:
                reach *= self._ask(state)[action]
        raise AssertionError("a game that is played again ends with now")


@dataclasses.dataclass(frozen=True)
class OpenSpielBot(Explains):
    """Let a bot of OpenSpiel decide, made anew for each decision by ``make_bot(game, player, seed)``."""

    make_bot: Callable[[Any, int, int], Any]
    sides: tuple[Side, ...] = SIDES

    def __post_init__(self) -> None:
        if not callable(self.make_bot):
            raise PolicyError(f"{self.make_bot!r} makes no bot: give a function of the game, the player and a seed")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Ask the bot."""
        state = state_of(game_of(view.board, view.rules), view, rng)
        bot = self.make_bot(state.get_game(), state.current_player(), int(rng.integers(SEEDS)))
        return Decision(int(bot.step(state)))


@dataclasses.dataclass(frozen=True)
class Ismcts(Explains):
    """Search with OpenSpiel's ISMCTS, worlds drawn from where Mr. X may be, values by random rollouts."""

    simulations: int = 100
    uct_c: float = 2.0  # how much exploration is worth
    rollouts: int = 1  # for each evaluation
    belief: str = "paths"  # by which worlds are drawn

    def __post_init__(self) -> None:
        if self.simulations < 1 or self.rollouts < 1:
            raise ValueError(f"simulations={self.simulations}, rollouts={self.rollouts}: give at least 1 of each")
        if self.belief not in belief_names():
            raise ValueError(f"there is no belief {self.belief!r}: there are {', '.join(belief_names())}")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Search, and choose the action that was visited most."""
        return OpenSpielBot(self.make_bot).act(view, rng)

    def make_bot(self, game: Any, player: int, seed: int) -> Any:
        """Return OpenSpiel's own bot with these settings and our resampler."""
        own, rollouts, worlds = np.random.SeedSequence(seed).generate_state(3).tolist()
        evaluator = mcts.RandomRolloutEvaluator(self.rollouts, np.random.RandomState(rollouts))
        random_state = np.random.RandomState(own)
        bot = ismcts.ISMCTSBot(game, evaluator, self.uct_c, self.simulations, random_state=random_state)
        bot.set_resampler(Resampler(worlds, self.belief))
        return bot
