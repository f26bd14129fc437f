"""The folder of a tournament: config.json, results.jsonl with one line per finished match, and the replays.

Nothing in it is ever mixed: a folder whose config.json says something else is refused, as is a line of another
tournament. A line is appended and flushed when its match ends, after its replay, so that a stop at any moment leaves
whole matches and at most one torn line, which is dropped.
"""

import contextlib
import hashlib
import json
import os
import platform
import time
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from scotyard_env.arena.deals import deal_game
from scotyard_env.arena.referee import Outcome, Setting
from scotyard_env.arena.replays import replay_path, write_replay
from scotyard_env.arena.result import Key, Result
from scotyard_env.board import Board
from scotyard_env.files import write_whole
from scotyard_env.policy import SIDES
from scotyard_env.ruleset import RuleSet

FORMAT = "scotyard-tournament-1"
CONFIG, RESULTS = "config.json", "results.jsonl"
SYNC = 1.0  # seconds after which what was written is pressed to the disk
LIBRARIES = ("numba", "numpy", "scotyard-env")


class FolderError(ValueError):
    """A folder that holds another tournament, or none."""


def configure(setting: Setting, games: int) -> dict[str, Any]:
    """Write down everything that is needed to run a tournament again."""
    board = setting.board
    is_named = board.name in Board.names() and board == Board.named(board.name)
    return {
        "format": FORMAT,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "board": board.name if is_named else board.to_dict(),
        "board_signature": board.signature,
        "rules": json.loads(json.dumps(setting.rules.to_dict())),
        "rules_signature": sign(setting.rules),
        "mr_x": [contender.describe() for contender in setting.mr_x],
        "detectives": [contender.describe() for contender in setting.detectives],
        "seed": setting.seed,
        "move_limit": setting.move_limit,
        "games": games,
    }


def sign(rules: RuleSet) -> str:
    """Give a short text that differs for different rules."""
    return hashlib.sha256(json.dumps(rules.to_dict(), sort_keys=True).encode()).hexdigest()[:16]


def read_config(path: Path) -> dict[str, Any]:
    """Read the configuration of a tournament's folder."""
    if not (path / CONFIG).exists():
        raise FolderError(f"{path} holds no tournament: there is no {CONFIG} in it")
    try:
        config: dict[str, Any] = json.loads((path / CONFIG).read_text(encoding="utf-8"))
    except ValueError as error:
        raise FolderError(f"{path / CONFIG} cannot be read: {error}") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise FolderError(f'{path / CONFIG} is of no tournament: it lacks "format": "{FORMAT}"')
    return config


def read_results(path: Path) -> tuple[list[Result], int]:
    """Read every whole line of a folder's results, and tell how many bytes they take; what follows them is torn."""
    file = path / RESULTS
    content = file.read_bytes() if file.exists() else b""
    results: list[Result] = []
    length = 0
    lines = content.splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        try:
            if not line.endswith(b"\n"):
                raise ValueError("the line has no end")
            results.append(Result.from_line(line.decode()))
        except ValueError as error:
            if number == len(lines):
                break
            raise FolderError(f"{file}, line {number} is not a result: {error}") from error
        length += len(line)
    return results, length


class Folder:
    """An open folder that results are written to; one process at a time has it."""

    def __init__(self, path: Path, setting: Setting, games: int, keep_replays: bool = True) -> None:
        self.path = path
        self.words: list[str] = []  # what a user should know of what was found
        self.keeps_replays = keep_replays
        self._synced = time.monotonic()
        path.mkdir(parents=True, exist_ok=True)
        self._file = _open_alone(path / RESULTS)
        try:
            _agree(path, configure(setting, games))
            self.results = self._recover(setting, games)
        except BaseException:
            self.close()
            raise

    def add(self, outcome: Outcome) -> None:
        """Keep a match: its replay first, then its line."""
        result = outcome.result
        if self.keeps_replays and outcome.replay is not None:
            write_replay(self.path, result.key, outcome.replay)
        self._file.write(result.to_line().encode() + b"\n")
        self._file.flush()
        self.results.append(result)
        if time.monotonic() - self._synced > SYNC:
            self._press()

    def close(self) -> None:
        """Press everything to the disk and let others have the folder."""
        self._press()
        self._file.close()

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _press(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def _recover(self, setting: Setting, games: int) -> list[Result]:
        """Take over the results that are there and whole; drop the rest from the file."""
        found, length = read_results(self.path)
        keys = set(setting.keys(games))
        _check_own(self.path, setting, found, keys)
        kept = list(self._with_replays(found))
        if kept:
            self.words.append(f"{self.path} has {len(kept)} matches of this tournament already: going on from there")
        if lost := len(found) - len(kept):
            self.words.append(f"{self.path}: {lost} matches have lost their replay and are played again")
            write_whole(self.path / RESULTS, "".join(result.to_line() + "\n" for result in kept))
            self._file.close()
            self._file = _open_alone(self.path / RESULTS)
        elif length < (self.path / RESULTS).stat().st_size:
            self.words.append(
                f"{self.path / RESULTS}: the last line was torn and is dropped; its match is played again"
            )
            self._file.truncate(length)
        return kept

    def _with_replays(self, results: Iterable[Result]) -> Iterator[Result]:
        for result in results:
            file = self.path / replay_path(result.key)
            if not self.keeps_replays or (file.exists() and file.stat().st_size > 0):
                yield result


def _open_alone(path: Path) -> BinaryIO:
    """Open a file to append to it, and hold it as long as it is open: nobody else may write."""
    file = path.open("ab")
    with contextlib.suppress(ImportError):  # not on Windows
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise FolderError(
                f"{path.parent} is in use: another tournament writes there; wait, or take another"
            ) from None
    return file


def _agree(path: Path, config: dict[str, Any]) -> None:
    """Write the configuration if there is none; refuse a folder that has another. More games may be asked for."""
    if not (path / CONFIG).exists():
        if (path / RESULTS).stat().st_size > 0:
            whose = "whose they are cannot be told; take another folder"
            raise FolderError(f"{path} has {RESULTS} but no {CONFIG}: {whose}")
    else:
        there = read_config(path)
        if other := tell_apart(essence(there), essence(config)):
            raise FolderError(f"{path} holds another tournament, nothing was changed: {other}; take another folder")
        if there["games"] > config["games"]:
            raise FolderError(
                f"{path} holds this tournament with {there['games']} games a pairing, not {config['games']}:"
                " ask for as many or more, or take another folder"
            )
        if there == config:
            return
    write_whole(path / CONFIG, json.dumps(config, indent=2) + "\n")


def essence(config: dict[str, Any], policies: bool = True) -> dict[str, Any]:
    """Leave out what does not decide how a match goes: the number of games, and how policies were asked for.

    Told to, leave out the policies altogether.
    """
    deciding = ("name", "class", "parameters")
    kept = {key: value for key, value in config.items() if key not in ("games", "commands", *SIDES)}
    if policies:
        kept |= {side: [{key: policy.get(key) for key in deciding} for policy in config[side]] for side in SIDES}
    return kept


def tell_apart(there: dict[str, Any], here: dict[str, Any]) -> str | None:
    """Say what the first difference between two configurations is, if there is one."""
    for name in {**here, **there}:
        one, other = there.get(name), here.get(name)
        if one != other:
            if isinstance(one, dict) and isinstance(other, dict):
                return f"{name}: {tell_apart(one, other)}"
            return f"{name} is {_brief(one)} there, {_brief(other)} here"
    return None


def _brief(value: Any) -> str:
    """Write a part of a configuration in little room."""
    if isinstance(value, list) and all(isinstance(one, dict) and "parameters" in one for one in value):
        return ", ".join(
            f"{policy['name']}({', '.join(f'{name}={one}' for name, one in policy['parameters'].items())})"
            for policy in value
        )
    return str(value)


def _check_own(path: Path, setting: Setting, results: list[Result], keys: set[Key]) -> None:
    """Refuse lines of another tournament, and lines that are there twice."""
    seen: set[Key] = set()
    starts: dict[int, tuple[int, ...]] = {}
    for line, result in enumerate(results, start=1):
        where = f"{path / RESULTS}, line {line}"
        if result.key not in keys:
            raise FolderError(f"{where} is of another tournament: {tuple(result.key)} is no match of this one")
        if result.key in seen:
            raise FolderError(f"{where} is there twice: {tuple(result.key)}")
        seen.add(result.key)
        if result.number not in starts:
            game = deal_game(setting.board, setting.rules, setting.seed, result.number)
            starts[result.number] = tuple(game.stations)
        if result.stations != starts[result.number]:
            raise FolderError(f"{where} is of another tournament: match {result.number} is not dealt like this")
