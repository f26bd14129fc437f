"""Policies that misbehave at a table: one sleeps, one leaves its process, one does so once, one raises."""

from __future__ import annotations

import os
import time
from pathlib import Path

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


class Stumbles:
    """Ends its process the first time, and leaves a file that says so."""

    def __init__(self, marker: str) -> None:
        self.marker = Path(marker)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Leave, or play."""
        if not self.marker.exists():
            self.marker.touch()
            os._exit(3)
        return Decision(view.legal[0])


class Raises:
    """Divides by zero."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Raise."""
        raise ZeroDivisionError
