"""Scotland Yard, complete, for research: one fast game, PettingZoo and Gymnasium environments, baselines and an arena."""

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {  # public name -> the module it lives in, imported when the name is first used
    "Board": "board",
    "BoardError": "board",
    "Decision": "policy",
    "Game": "game",
    "IllegalMoveError": "game",
    "Policy": "policy",
    "PositionError": "game",
    "Replay": "replay",
    "ReplayError": "replay",
    "RuleSet": "ruleset",
    "RuleSetError": "ruleset",
    "Spectator": "game",
    "View": "view",
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
