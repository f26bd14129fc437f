"""Games recorded from an independent implementation, with every legal choice of every turn.

They are not part of the repository. The environment variable SCOTYARD_REFERENCE_GAMES names the file (gzipped JSON
lines); without it, `shared/traces/reference_games.jsonl.gz` beside the project folder is tried.
"""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import TypedDict

import pytest

VARIABLE = "SCOTYARD_REFERENCE_GAMES"
BESIDE_THE_PROJECT = Path(__file__).resolve().parents[2] / "shared" / "traces" / "reference_games.jsonl.gz"
KINDS = ("standard5", "standard_n", "lowtickets", "rounds")


class ReferenceTurn(TypedDict):
    """One turn; a detective who is stuck has none. A double move with both halves is one turn, "2x T102 B127"."""

    seat: int
    legal: list[str]  # sorted
    move: str  # the choice made
    stations: list[int]  # after the move, by seat
    tickets: list[list[int]]  # after the move, by seat: taxi, bus, underground, black, double


class ReferenceGame(TypedDict):
    """One game; spent detective tickets are handed over, and only the log limits its length."""

    id: int
    kind: str  # one of KINDS
    log_entries: int
    reveals: list[int]
    stations: list[int]  # at the start, by seat, 0 = Mr. X
    tickets: list[list[int]]  # at the start
    turns: list[ReferenceTurn]  # empty if the game is over before the first turn
    log: list[str]  # at the end: "T", or "T@45" where Mr. X was revealed
    winner: str  # "mr_x" or "detectives"


def reference_games(kind: str | None = None) -> list[ReferenceGame]:
    """Load the games of one kind, or all; skip the running test if there are none on this machine."""
    path = Path(os.environ.get(VARIABLE, BESIDE_THE_PROJECT))
    if not path.is_file():
        pytest.skip(f"no reference games at {path}; set {VARIABLE} to their file")
    return [game for game in _load(path) if kind in (None, game["kind"])]


@cache
def _load(path: Path) -> list[ReferenceGame]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
