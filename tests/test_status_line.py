"""A command says what it is busy with, on a terminal in a line that goes away, elsewhere in one line that stays."""

from __future__ import annotations

import io
import threading

import numpy as np
import pytest

from scotyard_env import status_line
from scotyard_env.compiler import progress
from scotyard_env.game import Game
from scotyard_env.policy import Decision
from scotyard_env.status_line import CLEAR, FIRST_USE, Announced, StatusLine
from scotyard_env.view import View


class Terminal(io.StringIO):
    """A stream that takes itself for a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def terminal_can_do_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


def compile_something() -> None:
    """Tell of three steps, as the compiler does."""
    for done in range(3):
        for listener in progress._listeners:
            listener("search", done, 2)


def test_a_terminal_shows_what_is_compiled_and_how_far_it_is_and_is_clean_at_the_end() -> None:
    stream = Terminal()
    with StatusLine(stream).compiling():
        compile_something()
    compile_something()  # nobody listens any more
    assert stream.getvalue() == f"{CLEAR}{FIRST_USE}: search, 0 of 2{CLEAR}{FIRST_USE}: search, 1 of 2{CLEAR}"


def test_elsewhere_one_line_says_that_something_is_compiled() -> None:
    stream = io.StringIO()
    with StatusLine(stream).compiling():
        compile_something()
        compile_something()
    assert stream.getvalue() == f"{FIRST_USE} ...\n"


def test_a_terminal_that_cannot_overwrite_is_sent_no_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    line = StatusLine(stream)
    with line.compiling(), line.thinking("somebody"):
        compile_something()
    assert stream.getvalue() == f"{FIRST_USE} ...\n"


class Slow:
    """A policy that thinks until it is told that somebody has noticed."""

    def __init__(self, is_noticed: threading.Event) -> None:
        self._is_noticed = is_noticed

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        self._is_noticed.wait(20)
        return Decision(view.legal[0])


def test_long_thoughts_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    is_noticed = threading.Event()

    class Noticing(Terminal):
        def write(self, text: str) -> int:
            if "slow is thinking" in text:
                is_noticed.set()
            return super().write(text)

    monkeypatch.setattr(status_line, "PATIENCE", 0.01)
    stream = Noticing()
    view = Game("docklands", seed=1).view(0)
    decision = Announced(Slow(is_noticed), "slow", StatusLine(stream)).act(view, np.random.default_rng(0))
    assert decision.action == view.legal[0]
    assert is_noticed.is_set()
    assert stream.getvalue().endswith(CLEAR)
