"""Write down anew what every policy decides in the stored positions: ``python tests/record_decisions.py``.

``decisions.json`` holds twenty positions a side, as replays of all boards, and for every policy its moves and values
there. Whoever changes a policy on purpose runs this, and says in the commit which policies have changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from scotyard_env.notation import action_text
from scotyard_env.policy import make_policy
from scotyard_env.replay import Replay
from scotyard_env.view import View

FILE = Path(__file__).with_name("decisions.json")


def read() -> dict[str, Any]:
    """Read the stored positions and decisions."""
    stored: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return stored


def views_of(positions: list[dict[str, Any]]) -> list[View]:
    """Return what the seat to move sees at the end of each replay."""
    games = [Replay.from_line(json.dumps(position)).game() for position in positions]
    return [game.view(game.seat) for game in games]


def decide(policy: str, views: list[View]) -> list[tuple[str, float | None]]:
    """Return the move and the value of a policy's decision in each view, each with an rng of its own."""
    player, made = make_policy(policy), []
    for number, view in enumerate(views):
        decision = player.act(view, np.random.default_rng([7, number]))
        made.append((action_text(view.board, decision.action), decision.value))
    return made


def main() -> None:
    """Write the file again, a line for each position and each policy."""
    stored = read()
    views = {side: views_of(positions) for side, positions in stored["positions"].items()}
    for policy, sides in stored["decisions"].items():
        for side in sides:
            sides[side] = decide(policy, views[side])
    FILE.write_text(write(stored), encoding="utf-8")


def write(stored: dict[str, Any]) -> str:
    """Lay the file out so that a changed decision is a changed line."""
    positions = ",\n".join(
        f'  "{side}": [\n' + ",\n".join(f"   {json.dumps(position)}" for position in games) + "\n  ]"
        for side, games in stored["positions"].items()
    )
    decisions = ",\n".join(
        f"  {json.dumps(policy)}: {{\n"
        + ",\n".join(f'   "{side}": {json.dumps(made)}' for side, made in sides.items())
        + "\n  }"
        for policy, sides in stored["decisions"].items()
    )
    return f'{{\n "positions": {{\n{positions}\n }},\n "decisions": {{\n{decisions}\n }}\n}}\n'


if __name__ == "__main__":
    main()
