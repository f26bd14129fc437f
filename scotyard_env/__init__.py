"""Scotland Yard, complete, for research: one fast game, PettingZoo and Gymnasium environments, baselines and an arena.

env = scotyard_env.make()                                    # PettingZoo, all seats
env = scotyard_env.make_solo(side="mr_x", opponent="random") # Gymnasium, one side
envs = scotyard_env.make_vec(1024, side="detectives")        # the same, natively batched
game = scotyard_env.Game(seed=7)                             # just the game
"""

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

__version__ = "0.2.0"

AEC_ID = "scotyard_env/scotland_yard-v0"  # pettingzoo.make("aec", AEC_ID), pettingzoo.make("parallel", AEC_ID)
SOLO_ID = "ScotlandYard-v0"  # gymnasium.make(SOLO_ID, side="mr_x"), gymnasium.make_vec(SOLO_ID, num_envs=64)


def _register() -> None:
    """Make the environments known to PettingZoo and Gymnasium by name; the modules are imported when one is made."""
    if AEC_ID not in pettingzoo.env_registry.registration.aec_registry:
        pettingzoo.register("aec", AEC_ID, "scotyard_env.aec:env")
        pettingzoo.register("parallel", AEC_ID, "scotyard_env.parallel:parallel_env")
    if SOLO_ID not in gymnasium.registry:
        gymnasium.register(
            SOLO_ID,
            entry_point="scotyard_env.solo:ScotlandYardSoloEnv",
            vector_entry_point="scotyard_env.vector:ScotlandYardVectorEnv",
        )


_register()

if TYPE_CHECKING:  # what type checkers and editors see: the names themselves
    from scotyard_env.aec import env as env
    from scotyard_env.aec import make as make
    from scotyard_env.aec import raw_env as raw_env
    from scotyard_env.batch import Batch as Batch
    from scotyard_env.board import Board as Board
    from scotyard_env.game import Game as Game
    from scotyard_env.game import IllegalMoveError as IllegalMoveError
    from scotyard_env.game import PositionError as PositionError
    from scotyard_env.game import Spectator as Spectator
    from scotyard_env.links import BoardError as BoardError
    from scotyard_env.parallel import parallel_env as parallel_env
    from scotyard_env.policy import BatchPolicy as BatchPolicy
    from scotyard_env.policy import Decision as Decision
    from scotyard_env.policy import Policy as Policy
    from scotyard_env.policy import PolicyError as PolicyError
    from scotyard_env.policy import make_policy as make_policy
    from scotyard_env.replay import Replay as Replay
    from scotyard_env.replay import ReplayError as ReplayError
    from scotyard_env.ruleset import RuleSet as RuleSet
    from scotyard_env.ruleset import RuleSetError as RuleSetError
    from scotyard_env.solo import make_solo as make_solo
    from scotyard_env.vector import make_vec as make_vec
    from scotyard_env.view import View as View
    from scotyard_env.view import Views as Views
else:  # what happens: a name's module is imported when the name is first used
    _HOMES = {
        "Batch": "batch",
        "BatchPolicy": "policy",
        "Board": "board",
        "BoardError": "links",
        "Decision": "policy",
        "Game": "game",
        "IllegalMoveError": "game",
        "Policy": "policy",
        "PolicyError": "policy",
        "PositionError": "game",
        "Replay": "replay",
        "ReplayError": "replay",
        "RuleSet": "ruleset",
        "RuleSetError": "ruleset",
        "Spectator": "game",
        "View": "view",
        "Views": "view",
        "env": "aec",
        "make": "aec",
        "make_policy": "policy",
        "make_solo": "solo",
        "make_vec": "vector",
        "parallel_env": "parallel",
        "raw_env": "aec",
    }
    __all__ = ["__version__", *_HOMES]

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'scotyard_env' has no attribute {name!r}")
        value = getattr(importlib.import_module(f"scotyard_env.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
