"""The folder of a tournament: config.json, results.jsonl with one line per finished match, and the replays.

Nothing in it is ever mixed: a folder whose config.json says something else is refused, as is a line of another
tournament. A line is appended and flushed when its match ends, after its replay, so that a stop at any moment leaves
whole matches and at most one torn line, which is dropped.
"""

import contextlib
import errno
import json
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from scotyard_env.arena.config import Config, tell_apart
from scotyard_env.arena.contenders import UNKNOWN
from scotyard_env.arena.deals import deal_game
from scotyard_env.arena.referee import Outcome, Setting
from scotyard_env.arena.replays import replay_path, write_replay
from scotyard_env.arena.result import Key, Result
from scotyard_env.files import write_whole
from scotyard_env.json_files import parse_json, read_json, read_lines
from scotyard_env.wording import brief, short_name

CONFIG, RESULTS, TRACEBACKS = "config.json", "results.jsonl", "tracebacks.jsonl"
SYNC = 1.0  # seconds after which what was written is pressed to the disk


class FolderError(ValueError):
    """A folder that holds another tournament, or none."""


def read_config(path: Path) -> Config:
    """Read the configuration of a tournament's folder."""
    file = path / CONFIG
    if not path.is_dir():
        raise FolderError(
            f"{path} is no folder: give that of a tournament" if path.exists() else f"{path}: there is no such folder"
        )
    if not file.exists():
        raise FolderError(f"{path} holds no tournament: there is no {CONFIG} in it")
    try:
        stored = read_json(file)
    except ValueError as error:
        raise FolderError(f"{file} cannot be read: {brief(error)}") from error
    try:
        return Config.from_json(stored)
    except ValueError as error:
        raise FolderError(f"{file} is of no tournament that can be read: {brief(error)}") from error


def read_results(path: Path) -> tuple[list[Result], int]:
    """Read every whole line of a folder's results, and tell how many bytes they take; what follows them is torn."""
    file = path / RESULTS
    results: list[Result] = []
    length = 0
    torn: ValueError | None = None
    try:
        for line in read_lines(file) if file.exists() else ():
            if torn is not None:
                raise FolderError(f"{file}, line {len(results) + 1} is not a result: {brief(torn)}") from torn
            try:
                if not line.endswith(b"\n"):
                    raise ValueError("the line has no end")
                results.append(Result.from_line(line))
                length += len(line)
            except ValueError as error:
                torn = error
    except FolderError:
        raise
    except ValueError as error:
        raise FolderError(f"{file} cannot be read: {brief(error)}") from error
    return results, length


def read_tracebacks(path: Path) -> dict[str, str]:
    """Read the tracebacks of what policies raised, by the names that results give them; what is damaged is left out."""
    file, found = path / TRACEBACKS, dict[str, str]()
    with contextlib.suppress(ValueError, OSError):
        for line in read_lines(file):
            with contextlib.suppress(ValueError):
                stored = parse_json(line)
                if isinstance(stored, dict):
                    found |= {name: text for name, text in stored.items() if isinstance(text, str)}
    return found


class Folder:
    """An open folder that results are written to; one process at a time has it."""

    def __init__(self, path: Path, setting: Setting, *, games: int, keep_replays: bool = True) -> None:
        self.path = path = path.absolute()  # a policy may change the folder that this process is in
        self.words: list[str] = []  # what a user should know of what was found
        self.keeps_replays = keep_replays
        self._synced = time.monotonic()
        config = Config.of(setting, games)
        _check_known(config)
        make_folder(path)
        self._file = open_alone(path / RESULTS)
        try:
            _agree(path, config)
            self.results = self._recover(setting, games)
            self._tracebacks = set(read_tracebacks(path))
        except BaseException:
            self.close()
            raise

    def add(self, outcome: Outcome) -> None:
        """Keep a match: its replay first, then its line."""
        result = outcome.result
        if self.keeps_replays and outcome.replay is not None:
            write_replay(self.path, result.key, outcome.replay)
        if result.traceback is not None and outcome.traceback is not None:
            self._keep_traceback(result.traceback, outcome.traceback)
        self._file.write(result.to_line().encode() + b"\n")
        self._file.flush()
        self.results.append(result)
        if time.monotonic() - self._synced > SYNC:
            self._press()

    def _keep_traceback(self, name: str, traceback: str) -> None:
        """Keep a traceback unless it leads where one has led before."""
        if name not in self._tracebacks:
            self._tracebacks.add(name)
            with (self.path / TRACEBACKS).open("a", encoding="utf-8") as file:
                file.write(json.dumps({name: traceback}) + "\n")

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
            self._file = open_alone(self.path / RESULTS)
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


def make_folder(path: Path) -> None:
    """Make a folder unless it is there; refuse one that nothing can be written to, before hours are played for it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise FolderError(f"{path} cannot be a folder: there is a file of that name") from None
    if not os.access(path, os.W_OK):
        raise FolderError(f"{path} may not be written to: take another folder")


def open_alone(path: Path) -> BinaryIO:
    """Open a file to append to it, and hold it as long as it is open: nobody else may write."""
    if path.exists() and not path.is_file():
        raise FolderError(f"{path} is no file: take another folder")
    file = path.open("ab")
    try:
        _lock(file.fileno(), path.parent)
    except BaseException:
        file.close()
        raise
    return file


@contextlib.contextmanager
def hold_folder(path: Path) -> Iterator[None]:
    """Make a folder unless it is there, and hold it meanwhile: no other process that asks for it gets it."""
    make_folder(path)
    if os.name != "posix":  # a folder cannot be opened
        yield
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        _lock(folder, path)
        yield
    finally:
        os.close(folder)


def _lock(opened: int, folder: Path) -> None:
    """Lock an open file or folder as long as it is open; ``FolderError`` if another process has it."""
    with contextlib.suppress(ImportError):  # not on Windows
        import fcntl

        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderError(f"{folder} is in use: another process writes there; wait, or take another") from None
        except OSError as error:
            if error.errno != errno.EBADF:  # NFS locks nothing that is only read, as folders are
                raise


def _check_known(config: Config) -> None:
    """Refuse policies that cannot be told from others: the folder might mix them."""
    for policy in (*config.mr_x, *config.detectives):
        if policy.content is not None and policy.content.startswith(UNKNOWN):
            raise FolderError(
                f"{short_name(policy.name)} cannot be told from another policy by what it holds ({policy.content}),"
                " so a folder might mix the two: play it without a folder, or take out of it what cannot be read"
            )


def _agree(path: Path, config: Config) -> None:
    """Write the configuration if there is none; refuse a folder that has another. More games may be asked for."""
    if not (path / CONFIG).exists():
        if (path / RESULTS).stat().st_size > 0:
            whose = "whose they are cannot be told; take another folder"
            raise FolderError(f"{path} has {RESULTS} but no {CONFIG}: {whose}")
    else:
        there = read_config(path)
        if other := tell_apart(there, config):
            raise FolderError(_refuse(path, there, config, other))
        if there.games > config.games:
            raise FolderError(
                f"{path} holds this tournament with {there.games} games a pairing, not {config.games}:"
                " ask for as many or more, or take another folder"
            )
        if there == config:
            return
    write_whole(path / CONFIG, json.dumps(config.to_json(), indent=2) + "\n")


def _refuse(path: Path, there: Config, here: Config, other: str) -> str:
    """Say why a folder's tournament cannot go on, and what to do."""
    played, plays = (config.versions.get("scotyard-env", "an unknown version") for config in (there, here))
    if played != plays or any(policy.is_of_0_1_0 for policy in (*there.mr_x, *there.detectives)):
        return (
            f"{path} was played by an earlier scotyard-env ({played}) and cannot go on, nothing was changed: {other};"
            f" scotyard report {path} still reads it, take another folder to play"
        )
    return f"{path} holds another tournament, nothing was changed: {other}; take another folder"


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
