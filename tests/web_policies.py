"""Policies that misbehave at a table: one sleeps, one leaves its process, one raises."""

from __future__ import annotations

import os
import time

import numpy as np

from scotyard_env.policy import Decision
from scotyard_env.view import View


class Sleeper:
    """Takes its time."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Sleep."""
        time.sleep(60)
        return Decision(view.legal[0])


class Leaver:
    """Ends its process."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Leave."""
        os._exit(3)


class Raises:
    """Divides by zero."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Raise."""
        raise ZeroDivisionError
