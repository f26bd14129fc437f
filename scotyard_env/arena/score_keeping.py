"""Playing what a file of scores lacks: stopped at any moment it is whole, and the next time goes on from there."""

import time
from collections.abc import Callable, Mapping

from scotyard_env.arena.engine import Engine
from scotyard_env.arena.referee import Outcome, Setting
from scotyard_env.arena.result import Key
from scotyard_env.arena.score import Score
from scotyard_env.arena.score_file import Pair, Scores
from scotyard_env.arena.tournament import Progress

SAVE = 20.0  # seconds after which what was played is saved


def play_missing(
    scores: Scores,
    setting: Setting,
    wanted: Mapping[Pair, int],
    engine: Engine,
    save: Callable[[], None],
    *,
    progress: Progress | None = None,
    deadline: float | None = None,
) -> bool:
    """Play pairings on until they have as many games as wanted, one pairing after the other; tell whether all have.

    ``save`` is called now and then and at the end, however that comes. ``deadline`` is a time of ``time.monotonic``.
    """
    there, total = sum(min(scores.games(pair), games) for pair, games in wanted.items()), sum(wanted.values())
    missing = [Key(*pair, number) for pair, games in wanted.items() for number in range(scores.games(pair), games)]
    waiting: dict[Key, Outcome] = {}  # matches that ended before an earlier one of their pairing
    saved = time.monotonic()
    try:
        for outcome in engine.play(setting, missing) if missing else ():
            there += 1
            waiting[outcome.result.key] = outcome
            _take_in_turn(scores, outcome.result.key, waiting)
            if progress is not None:
                progress(there, total)
            if time.monotonic() - saved > SAVE:
                save()
                saved = time.monotonic()
            if deadline is not None and time.monotonic() > deadline:
                break
    finally:
        save()
    return all(scores.games(pair) >= games for pair, games in wanted.items())


def _take_in_turn(scores: Scores, key: Key, waiting: dict[Key, Outcome]) -> None:
    """Add the matches of a pairing whose turn it is."""
    pair = key.mr_x, key.detectives
    while (ready := waiting.pop(Key(*pair, scores.games(pair)), None)) is not None:
        scores.pairs[pair] = scores.pairs.get(pair, Score(*pair)).add(ready)
