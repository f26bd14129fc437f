"""Tables that commands of their own measure: what they print is kept with the fingerprints of the policies in it."""

import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.table_plan import Measure
from scotyard_env.arena.contenders import read_contenders
from scotyard_env.arena.score_file import Player, read_record, write_record
from scotyard_env.policy import make_policy, sides_of
from scotyard_env.ruleset import resolve

FORMAT = "scotyard-measure-1"


def run_measure(measure: Measure, folder: Path, deadline: float | None) -> bool:
    """Run a command unless what it printed is kept and still holds; tell whether there is what it prints."""
    path, asked = folder / f"{measure.name}.json", describe(measure)
    if path.exists() and {**read_record(path, FORMAT), "printed": ""} == {**asked, "printed": ""}:
        return True
    if deadline is not None and time.monotonic() >= deadline:
        return False
    print(f"tables: {shlex.join(measure.command)}", file=sys.stderr, flush=True)
    module = [sys.executable, "-m", "scotyard_env.cli", *measure.command[1:]]
    left = None if deadline is None else max(1.0, deadline - time.monotonic())
    try:
        done = subprocess.run(module, stdout=subprocess.PIPE, text=True, timeout=left)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode != 0:
        return False
    write_record(path, {**asked, "printed": done.stdout})
    return True


def describe(measure: Measure) -> dict[str, Any]:
    """Return what decides what a command prints: its words, and how the policies that it names play on London."""
    board, rules = resolve("london", "classic")
    players = [
        Player.of(read_contenders(name, side)[0], board, rules).to_json()
        for name in measure.policies
        for side in sides_of(make_policy(name))
    ]
    return {"format": FORMAT, "command": shlex.join(measure.command), "players": players}


def read_measure(folder: Path, measure: Measure) -> list[str] | None:
    """Return the paragraphs that a command has printed, and the command; None if nothing is kept."""
    path = folder / f"{measure.name}.json"
    if not path.exists():
        return None
    stored = read_record(path, FORMAT)
    paragraphs = [part for part in stored["printed"].strip().split("\n\n") if not part.startswith("#")]
    made = [] if any(part.startswith("Made by") for part in paragraphs) else [f"Made by `{stored['command']}`"]
    return [*paragraphs, *made]
