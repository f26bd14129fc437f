"""What a policy may find changed in its process through another one's doing, and how it is put back."""

import contextlib
import locale
import logging
import os
import sys
import warnings
from typing import Any

import numpy as np


class ProcessState:
    """The state of this process that any code in it can change, as it was when this was made."""

    def __init__(self) -> None:
        with contextlib.suppress(OSError):  # a folder may be gone
            self._folder = os.getcwd()
        self._environment = dict(os.environ)
        self._path = list(sys.path)
        self._streams = sys.stdin, sys.stdout, sys.stderr
        self._recursion_limit = sys.getrecursionlimit()
        self._filters: list[Any] = list(warnings.filters)
        self._locale = locale.setlocale(locale.LC_ALL)
        self._log_levels = logging.root.level, logging.root.manager.disable
        self._log_handlers = list(logging.root.handlers)
        self._float_errors = np.geterr()

    def restore(self) -> None:
        """Put back what has changed since."""
        self.restore_recursion_limit()
        sys.stdin, sys.stdout, sys.stderr = self._streams
        sys.path[:] = self._path
        warnings.resetwarnings()
        warnings.filters.extend(self._filters)  # type: ignore[attr-defined]  # a list, whatever its type says
        logging.root.level, logging.root.manager.disable = self._log_levels
        logging.root.handlers[:] = self._log_handlers
        np.seterr(**self._float_errors)
        if os.environ != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        with contextlib.suppress(OSError, AttributeError, locale.Error):
            locale.setlocale(locale.LC_ALL, self._locale)
            os.chdir(self._folder)

    def restore_recursion_limit(self) -> None:
        """Put back a limit that was lowered: the other side's next call would run into it."""
        if sys.getrecursionlimit() < self._recursion_limit:
            sys.setrecursionlimit(self._recursion_limit)
