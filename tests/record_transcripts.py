"""Write down what is said to and by examples/bot.py in whole games: ``python tests/record_transcripts.py``.

A line that begins with > goes to the program, one that begins with < comes from it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from scotyard_env.game import Game
from scotyard_env.policy import side_of
from scotyard_env.state import MR_X
from scotyard_env.wire import frame, from_line, hello, to_line

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "examples" / "transcripts"
GAMES = {"glasses_detectives": ("glasses", "detectives"), "docklands_mr_x": ("docklands", "mr_x")}


def transcribe(board: str, side: str) -> Iterator[str]:
    """Play a game of the example against chance; give every line of their talk."""
    game, rng = Game(board, seed=2), np.random.default_rng(2)
    bot = [sys.executable, str(ROOT / "examples" / "bot.py")]
    with subprocess.Popen(bot, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        greeting = to_line(hello(game.board, game.rules, "mr_x" if side == "mr_x" else "detectives"))
        yield f"> {greeting.decode()}"
        program.stdin.write(greeting)
        while game.winner is None:
            if (game.seat == MR_X) != (side == "mr_x"):
                game.play(int(rng.choice(game.legal)))
                continue
            view = game.view(game.seat)
            assert side_of(view) == side
            question = to_line({"type": "decide", "seed": int(rng.integers(2**32)), "frame": frame(view)})
            yield f"> {question.decode()}"
            program.stdin.write(question)
            program.stdin.flush()
            answer = program.stdout.readline()
            yield f"< {answer.decode()}"
            game.play(from_line(answer)["move"])


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, (board, side) in GAMES.items():
        (FOLDER / f"{name}.txt").write_text("".join(transcribe(board, side)), encoding="utf-8")
