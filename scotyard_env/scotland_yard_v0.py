"""Scotland Yard under its PettingZoo name: ``from scotyard_env import scotland_yard_v0``."""

from scotyard_env.aec import env, raw_env
from scotyard_env.parallel import parallel_env

__all__ = ["env", "parallel_env", "raw_env"]
