"""Scotland Yard in OpenSpiel: importing this registers the game ``python_scotland_yard``.

game = pyspiel.load_game("python_scotland_yard", {"board": "glasses"})

Player 0 is Mr. X, player 1 the detectives together. Policies go both ways: ours are bots and policies of OpenSpiel
(bots.py), its policies and bots are ours (policies.py).
"""

try:
    import pyspiel as _  # noqa: F401  # is it there?
except ModuleNotFoundError as error:
    wanted = "scotyard_env.openspiel needs OpenSpiel: pip install 'scotyard-env[openspiel]'"
    raise ModuleNotFoundError(wanted, name=error.name) from error

from scotyard_env.openspiel.bots import BehaviourPolicy, ScotlandYardBot
from scotyard_env.openspiel.game import GAME_NAME, ScotlandYardGame
from scotyard_env.openspiel.observer import ScotlandYardObserver
from scotyard_env.openspiel.policies import Ismcts, OpenSpielBot, OpenSpielPolicy
from scotyard_env.openspiel.state import ScotlandYardState
from scotyard_env.openspiel.worlds import Resampler

__all__ = [
    "GAME_NAME",
    "BehaviourPolicy",
    "Ismcts",
    "OpenSpielBot",
    "OpenSpielPolicy",
    "Resampler",
    "ScotlandYardBot",
    "ScotlandYardGame",
    "ScotlandYardObserver",
    "ScotlandYardState",
]
