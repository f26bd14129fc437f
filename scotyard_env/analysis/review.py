"""Analysing a game, step by step: opinions first, then chances, coarse and then finer; what was done is kept."""

import contextlib
import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path

from scotyard_env.analysis.judges import Wanted, choose_judges
from scotyard_env.analysis.opinions import ask_all
from scotyard_env.analysis.record import (
    MOST_ROLLOUTS,
    ROLLOUTS,
    AnalysisError,
    Record,
    digest_game,
    digest_task,
    load_record,
)
from scotyard_env.analysis.rollouts import CURVES, Curve, Players, Share, hit_chance, list_steps, play_on
from scotyard_env.analysis.swing import Decision
from scotyard_env.game import Game
from scotyard_env.policy import make_policy, side_of
from scotyard_env.replay import Replay
from scotyard_env.state import MR_X

COARSE = 32  # games from a moment in the first passes
STEP = 256  # games of a step, about: as long as a page waits for news
ENDING = ".analysis.json"


def analyse(
    replay: Replay, wanted: Wanted | None = None, rollouts: int = ROLLOUTS, folder: Path | None = None
) -> Iterator[Record]:
    """Analyse a game; give what is known after every step, all of it last.

    Every step is kept in the folder, if there is one: a later call goes on there, and comes to the same result.
    """
    wanted = wanted or Wanted()
    check_rollouts(rollouts)
    moments = list_moments(replay)
    record = find_kept(replay, wanted, rollouts, folder)
    if record is None:
        record = begin(replay, moments, wanted, rollouts)
        _keep(record, folder)
    yield record
    judges, steps = record.judges, plan(moments, rollouts)
    players = Players(make_policy(judges.mr_x, "mr_x"), make_policy(judges.detectives, "detectives"), judges.belief)
    for number in range(record.steps, record.planned):
        won = play_on(moments, steps[number], players, f"{record.task}/{number}")
        record = _add(record, steps[number], won)
        _keep(record, folder)
        yield record


def check_rollouts(rollouts: int) -> None:
    """Refuse a number of games from a moment that tells nothing, or that never ends."""
    if not 1 <= rollouts <= MOST_ROLLOUTS:
        raise AnalysisError(f"rollouts is {rollouts}: give a whole number from 1 to {MOST_ROLLOUTS}")


def begin(replay: Replay, moments: list[Game], wanted: Wanted, rollouts: int) -> Record:
    """Choose the judges, ask for their opinions, and plan what is to be played."""
    judges = choose_judges(replay, wanted)
    nothing: dict[Curve, list[tuple[int, int]]] = {curve: [(0, 0)] * len(moments) for curve in CURVES}
    opinions = ask_all(moments, replay.moves, judges)
    task, planned = digest_task(replay, wanted, rollouts), len(plan(moments, rollouts))
    return Record(digest_game(replay), task, judges, rollouts, 0, planned, nothing, opinions)


def plan(moments: list[Game], rollouts: int) -> list[list[Share]]:
    """List the steps of an analysis."""
    return list(list_steps(moments, rollouts, COARSE, STEP))


def find_kept(replay: Replay, wanted: Wanted, rollouts: int, folder: Path | None) -> Record | None:
    """Return what is kept of an analysis; a damaged file counts as none, and is replaced."""
    task = digest_task(replay, wanted, rollouts)
    with contextlib.suppress(AnalysisError, OSError):
        record = None if folder is None else load_record(folder / f"{task}{ENDING}", replay)
        planned = len(plan(list_moments(replay), rollouts))
        if record is not None and (record.task, record.rollouts, record.planned) == (task, rollouts, planned):
            return record
    return None


def list_moments(replay: Replay) -> list[Game]:
    """List the game at every moment, the start first."""
    return [game.clone() for game in replay.games()]


def list_decisions(replay: Replay, belief: str) -> list[Decision]:
    """List the decisions of a game that could have been others."""
    moments = list_moments(replay)
    found = []
    for at, (game, after) in enumerate(itertools.pairwise(moments)):
        if len(game.legal) > 1:
            is_capture = game.seat != MR_X and after.winner == "detectives"
            hit = 0.0 if is_capture else hit_chance(game, after, belief)
            found.append(Decision(at, side_of(game.view(game.seat)), hit, is_capture))
    return found


def _add(record: Record, shares: list[Share], won: list[int]) -> Record:
    counts = {curve: list(record.counts[curve]) for curve in CURVES}
    for (at, curve, games), wins in zip(shares, won, strict=True):
        before = counts[curve][at]
        counts[curve][at] = before[0] + wins, before[1] + games
    return dataclasses.replace(record, steps=record.steps + 1, counts=counts)


def _keep(record: Record, folder: Path | None) -> None:
    if folder is not None:
        record.save(folder / f"{record.task}{ENDING}", sync=False)
