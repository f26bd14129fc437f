"""Scotland Yard under its PettingZoo name: ``from scotyard_env import scotland_yard_v0``."""

from scotyard_env.aec import env, parallel_env, raw_env

__all__ = ["env", "parallel_env", "raw_env"]
