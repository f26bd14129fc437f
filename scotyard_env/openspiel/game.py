"""``python_scotland_yard``: the game as OpenSpiel loads it, on any board by any rules.

Parameters, all of which may be left out:

- ``board``: a name, or a file that ends in .json; London, or the board of the rules, if left out;
- ``rules``: a name, or such a file; those of the board if left out;
- ``detectives``: how many, 0 = as the rules say;
- ``reveals``: the log entries at which Mr. X shows himself, such as ``"3 8 13"``, or ``"none"``; as the rules say if
  left out. A lone entry in the text of a game is written ``reveals=at 3``, as OpenSpiel takes ``3`` for a number.

Mr. X gets 1 if he survives and -1 if not, the detectives the opposite. The deal is drawn card by card, so that chance
is explicit on every board: London has 13 million deals, but never more than 18 cards to draw from.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pyspiel

from scotyard_env.board import Board
from scotyard_env.openspiel.observer import ScotlandYardObserver
from scotyard_env.openspiel.state import ScotlandYardState
from scotyard_env.rules import action_count
from scotyard_env.ruleset import RuleSet, RuleSetError, look_up, resolve

GAME_NAME = "python_scotland_yard"
PARAMETERS = {"board": "", "rules": "", "detectives": 0, "reveals": ""}  # "" and 0: nothing was asked for
NEVER = "none"  # as reveals: Mr. X never shows himself
AT = "at "  # before reveals, so that a single one is no number to OpenSpiel

GAME_TYPE = pyspiel.GameType(
    short_name=GAME_NAME,
    long_name="Python Scotland Yard",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification=PARAMETERS,
)


class ScotlandYardGame(pyspiel.Game):
    """Scotland Yard on one board by one rule set; ``ScotlandYardGame.of(board, rules)`` takes objects."""

    def __init__(self, params: Mapping[str, Any] | None = None, setting: tuple[Board, RuleSet] | None = None) -> None:
        given = dict(params or {})
        self.board, self.rules = read_parameters(given) if setting is None else setting
        super().__init__(GAME_TYPE, _describe(self.board, self.rules), _write_parameters(given))

    @classmethod
    def of(cls, board: str | Board | None = None, rules: str | RuleSet | None = None) -> "ScotlandYardGame":
        """Return the game on a board by a rule set, names or objects."""
        return cls(setting=resolve(board, rules))

    def new_initial_state(self) -> ScotlandYardState:
        """Return a game of which no card is drawn yet."""
        return ScotlandYardState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> ScotlandYardObserver:
        """Return what writes observations of one kind."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return ScotlandYardObserver(self.board, self.rules, kind, params)

    def max_chance_nodes_in_history(self) -> int:
        """Return how many cards are drawn."""
        return 1 + self.rules.detectives


def read_parameters(params: Mapping[str, Any]) -> tuple[Board, RuleSet]:
    """Look up the board and the rules that the parameters of a game ask for."""
    board, rules = look_up(params.get("board") or None, params.get("rules") or None)
    if reveals := params.get("reveals"):
        rules = dataclasses.replace(rules, reveals=_read_reveals(reveals))
    return resolve(board, rules, params.get("detectives") or None)


def _read_reveals(text: str) -> tuple[int, ...]:
    if text == NEVER:
        return ()
    words = text.removeprefix(AT).split()
    if not words or not all(word.isdecimal() for word in words):
        raise RuleSetError(f"reveals is {text!r}: give log entries with blanks between them, such as '3 8', or {NEVER}")
    return tuple(map(int, words))


def _write_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters as they can be read again from the text of a game."""
    if (reveals := params.get("reveals")) and reveals != NEVER:
        return {**params, "reveals": AT + reveals.removeprefix(AT)}
    return params


def _describe(board: Board, rules: RuleSet) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=int(action_count(board.arrays)),
        max_chance_outcomes=board.stations + 1,  # an outcome is a station, and there is no station 0
        num_players=2,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=rules.most_actions,
    )


if GAME_NAME not in pyspiel.registered_names():
    pyspiel.register_game(GAME_TYPE, ScotlandYardGame)
