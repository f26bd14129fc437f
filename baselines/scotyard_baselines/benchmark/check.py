"""Check a result file: whether it is complete, belongs to a task of today, and can be reproduced here."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scotyard_baselines.benchmark.result import BenchmarkResult, read_result
from scotyard_baselines.benchmark.task import Task, read_tasks
from scotyard_env.arena.contenders import Contender
from scotyard_env.arena.engine import Engine
from scotyard_env.arena.referee import Setting
from scotyard_env.arena.result import Key
from scotyard_env.arena.score import FIRST, Score, digest_moves
from scotyard_env.arena.score_file import Pair, Player
from scotyard_env.policy import SIDES, PolicyError


class Finding(NamedTuple):
    """The outcome of one check of a result."""

    what: str
    holds: bool | None  # None: it cannot be checked here
    why: str = ""

    def __str__(self) -> str:
        word = {True: "ok", False: "NO", None: "--"}[self.holds]
        return f"{word}  {self.what}{f': {self.why}' if self.why else ''}"


def check_file(path: Path, games: int = FIRST, workers: int | None = None) -> Iterator[Finding]:
    """Check a result file, and replay so many matches of every pairing; give each finding as it is made."""
    result = read_result(path)
    yield Finding("the file is as it was written", True)
    task = read_tasks().get(result.task)
    yield from _check_task(result, task)
    if task is None or task.digest != result.task_digest:
        return
    try:
        spec = result.player.description.spec
        if spec is None:
            raise PolicyError("it was an object, not a name")
        setting = task.set_up(result.policy, spec, result.side)
    except (ValueError, OSError) as error:
        yield Finding("the result is reproduced", None, f"the policy cannot be made here: {error}")
        return
    changed = find_changed(result, setting)
    for contender in changed:
        yield Finding(f"{contender.name} plays as it did", False, "its parameters, files or decisions are others")
    if not changed:
        yield Finding("the policies play as they did", True)
    yield from _play_again(result, setting, changed, games, Engine(workers=workers))


def _check_task(result: BenchmarkResult, task: Task | None) -> Iterator[Finding]:
    title = f"{result.task} v{result.task_version}"
    if task is None:
        yield Finding("the task is known", False, f"there is no task {title} here")
    elif task.digest != result.task_digest:
        yield Finding("the task is the one of today", False, f"it was {title}, there is {task.title} here")
    else:
        whole = result.is_whole(task)
        yield Finding(f"all games of {title} are there", whole, "" if whole else "the same command goes on with them")


def find_changed(result: BenchmarkResult, setting: Setting) -> list[Contender]:
    """List the policies that do not play here as they did."""
    changed = []
    for contender in (*setting.mr_x, *setting.detectives):
        there = result.scores.players[contender.side].get(contender.name)
        if there is not None and not there.plays_like(Player.of(contender, setting.board, setting.rules)):
            changed.append(contender)
    return changed


def _play_again(
    result: BenchmarkResult, setting: Setting, changed: list[Contender], games: int, engine: Engine
) -> Iterator[Finding]:
    """Play matches again and compare them with the file."""
    left_out = {(one.side, one.name) for one in changed} | {
        (one.side, one.name) for one in (*setting.mr_x, *setting.detectives) if getattr(one.make(), "is_timed", False)
    }
    pairs = {
        pair: score
        for pair, score in result.scores.pairs.items()
        if not any((side, pair[SIDES.index(side)]) in left_out for side in SIDES)
    }
    if not pairs:
        yield Finding("matches are reproduced", None, "they are of policies that changed or think by the clock")
        return
    wrong = find_differences(pairs, setting, games, engine)
    said = f"matches are reproduced ({min(games, min(score.games for score in pairs.values()))} of each pairing)"
    yield Finding(said, not wrong, "; ".join(wrong[:3]))


def find_differences(pairs: dict[Pair, Score], setting: Setting, games: int, engine: Engine) -> list[str]:
    """Play the first matches of pairings again; list those that went another way."""
    keys = [Key(*pair, number) for pair, score in pairs.items() for number in range(min(games, score.games))]
    wrong = []
    for outcome in engine.play(setting, keys):
        key, score = outcome.result.key, pairs[outcome.result.mr_x, outcome.result.detectives]
        is_same = SIDES[score.won >> key.number & 1] == outcome.result.winner
        if key.number < FIRST:
            is_same = is_same and digest_moves(outcome) == score.first[key.number]
        if not is_same:
            wrong.append(f"match {key.number} of {key.mr_x} v {key.detectives} goes another way")
    return wrong
