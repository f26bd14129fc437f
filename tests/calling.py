"""Calling a command as its user does, in this process."""

from __future__ import annotations

import sys

import pytest

from scotyard_env import cli


def call(monkeypatch: pytest.MonkeyPatch, line: str) -> int:
    """Run ``scotyard`` with the words of a line; return its exit code."""
    monkeypatch.setattr(sys, "argv", ["scotyard", *line.split()])
    try:
        cli.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0
