"""How fast the arena plays: greedy against greedy, classic London, replays saved."""

import statistics
import tempfile
import time
from pathlib import Path

from bench.timing import REPEATS
from scotyard_env.arena.engine import Engine
from scotyard_env.arena.folder import Folder
from scotyard_env.arena.tournament import complete, make_setting

GAMES = 300
PAIRS = 5  # of runs with one worker and with two


def play(engine: Engine, games: int) -> tuple[float, float]:
    """Play so many matches into a folder; give the seconds they took, and those of the policies' thinking.

    A few matches go before, so that workers are there and warm.
    """
    setting = make_setting("greedy", "greedy", games=games)
    start = warm = 0.0

    def note(done: int, _: int) -> None:
        nonlocal start, warm
        if done == games // 10:
            start, warm = time.perf_counter(), done

    with tempfile.TemporaryDirectory() as out, Folder(Path(out), setting, games=games) as folder:
        complete(folder, setting, games, engine, note)
        seconds = time.perf_counter() - start
        thinking = sum(sum(result.seconds) for result in folder.results[int(warm) :])
    return seconds, thinking


def measure() -> dict[str, float]:
    """Take every figure."""
    played = GAMES - GAMES // 10
    alone = [play(Engine(), GAMES) for _ in range(REPEATS)]
    gains = []
    for _ in range(PAIRS):  # one right after the other, so that noise hits both
        one, _ = play(Engine(workers=1), 4 * GAMES)
        two, _ = play(Engine(workers=2), 4 * GAMES)
        gains.append(one / two)
    return {
        "arena_matches_per_s": max(played / seconds for seconds, _ in alone),
        "arena_share_outside_policies": min(1 - thinking / seconds for seconds, thinking in alone),
        "arena_two_workers": statistics.median(gains),
    }
