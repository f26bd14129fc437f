"""Calling a command as its user does, in this process."""

from __future__ import annotations

import sys

import pytest

from scotyard_env import cli


def refuse(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str) -> str:
    """Run ``scotyard`` with words that are wrong; return what it says, which is one line."""
    assert call(monkeypatch, line) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def call(monkeypatch: pytest.MonkeyPatch, line: str) -> int:
    """Run ``scotyard`` with the words of a line; return its exit code."""
    monkeypatch.setattr(sys, "argv", ["scotyard", *line.split()])
    try:
        cli.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0
