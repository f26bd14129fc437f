"""What happened at every table, on disk: nothing is acknowledged before it is there, and a restart goes on from it.

A table has a file: a first line that says how it began, then a line for each event. A few threads write, each for some
of the tables, so that events that come together wait for the disk once, and files for each other hardly at all. A torn
last line, of a server that was killed while it wrote, was never acknowledged and is dropped.
"""

import asyncio
import contextlib
import json
import os
import queue
import re
import threading
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from scotyard_env.arena.folder import open_alone
from scotyard_env.json_files import parse_json, read_lines
from scotyard_env.replay import Replay
from scotyard_env.web.seating import POLICY, Setup, read_setup
from scotyard_env.web.table import Event, Table
from scotyard_env.wording import brief

FORMAT = "scotyard-table-1"
ENDING = ".table.jsonl"
WRITERS = 8  # threads
LOCK = "lock"  # held while a journal is open
NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")  # of a table


class JournalError(ValueError):
    """A file that holds no table."""


class _Entry(NamedTuple):
    """Lines that wait to be written, and who waits for them."""

    path: Path
    lines: bytes
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[None]"


class Journal:
    """The folder of the tables; one process at a time has it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._alone = open_alone(folder / LOCK)
        self._writers = [_Writer() for _ in range(WRITERS)]

    async def begin(self, name: str, table: Table) -> None:
        """Keep how a table began; return when it is on disk."""
        first = {
            "format": FORMAT,
            "setup": table.setup.to_dict(),
            "secret": table.secret.hex(),
            "keys": table.keys,
            "start": table.start.to_line(),
        }
        await self.append(name, [first])

    async def append(self, name: str, events: Iterable[Event]) -> None:
        """Keep events of a table; return when they are on disk."""
        lines = "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)
        loop = asyncio.get_running_loop()
        entry = _Entry(self._path(name), lines.encode(), loop, loop.create_future())
        self._writers[zlib.crc32(name.encode()) % WRITERS].entries.put(entry)
        await entry.done

    def names(self) -> list[str]:
        """List the tables that are kept."""
        found = (file.name.removesuffix(ENDING) for file in sorted(self.folder.glob(f"*{ENDING}")))
        return [name for name in found if NAME.fullmatch(name)]

    def touched(self, name: str) -> float:
        """Tell when a table was written to last, in seconds; what is no table was never."""
        try:
            return self._path(name).stat().st_mtime
        except OSError:
            return 0.0

    def load(self, name: str) -> Table:
        """Bring a table back as it was after its last whole line; what follows that line is cut off."""
        path = self._path(name)
        try:
            table, length = _read(path)
            if length < path.stat().st_size:
                os.truncate(path, length)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise JournalError(f"{path} cannot be read: {brief(error)}") from error
        return table

    def close(self) -> None:
        """Write what waits, stop, and let others have the folder."""
        for writer in self._writers:
            writer.entries.put(None)
        for writer in self._writers:
            writer.thread.join()
        self._alone.close()

    def _path(self, name: str) -> Path:
        if not NAME.fullmatch(name):
            raise JournalError("this is no name of a table")
        return self.folder / f"{name}{ENDING}"


class _Writer:
    """A thread that writes, and what waits for it."""

    def __init__(self) -> None:
        self.entries: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._write, name="journal", daemon=True)
        self.thread.start()

    def _write(self) -> None:
        """Write what waits, file by file, each pressed to the disk once; then tell who waited."""
        while (entry := self.entries.get()) is not None:
            waiting = [entry]
            while not self.entries.empty():
                if (more := self.entries.get()) is None:
                    self.entries.put(None)  # the last one, for the loop above
                    break
                waiting.append(more)
            for path in dict.fromkeys(entry.path for entry in waiting):
                _commit(path, [entry for entry in waiting if entry.path == path])


def _commit(path: Path, entries: list[_Entry]) -> None:
    """Append lines to a file, press them to the disk and tell who waited, or why it failed."""
    error: OSError | None = None
    try:
        _append(path, b"".join(entry.lines for entry in entries))
    except OSError as raised:
        error = raised
    for entry in entries:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more, but others may
            entry.loop.call_soon_threadsafe(_tell, entry.done, error)


def _append(path: Path, lines: bytes) -> None:
    """Append lines to a file and press them to the disk; what fails leaves the file as it was, or none."""
    before = path.stat().st_size if path.exists() else None
    try:
        with open(path, "ab", opener=_open_private) as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        if before is None:
            _sync_folder(path.parent)
    except OSError:
        with contextlib.suppress(OSError):  # then a torn line stays, which is cut off when the file is read
            path.unlink() if before is None else os.truncate(path, before)
        raise


def _open_private(path: str, flags: int) -> int:
    """Open a file that only its owner may read if it is new: secrets are in it."""
    return os.open(path, flags, 0o600)


def _tell(done: "asyncio.Future[None]", error: OSError | None) -> None:
    if not done.done():
        done.set_result(None) if error is None else done.set_exception(error)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(path: Path) -> tuple[Table, int]:
    """Read a table, and tell how many bytes its whole lines take."""
    table: Table | None = None
    length = 0
    for line in read_lines(path):
        if not line.endswith(b"\n"):
            break
        fields = parse_json(line)
        if not isinstance(fields, dict) or not isinstance(fields.get("move", ""), str):
            raise ValueError("a line of it is no event")
        if table is None:
            table = _begin(fields)
        else:
            table.apply(fields)
        length += len(line)
    if table is None:
        raise ValueError("it holds no table")
    return table, length


def _begin(fields: dict[str, Any]) -> Table:
    if fields.get("format") != FORMAT:
        raise ValueError(f'it lacks "format": "{FORMAT}"')
    setup, keys, start = _read_players(fields["setup"]), fields["keys"], Replay.from_line(fields["start"])
    if start.board.name != setup.board or start.rules.detectives != len(setup.players) - 1 or start.moves:
        raise ValueError("its game is not that of its players")
    if not isinstance(keys, dict) or not all(isinstance(kept, str) and kept.isascii() for kept in keys.values()):
        raise ValueError("its keys are no digests of tokens")
    return Table(setup, bytes.fromhex(fields["secret"]), keys, start)


def _read_players(fields: Any) -> Setup:
    """Read who sits at a table; policies may have any name, since others may be offered now."""
    players = fields.get("players") if isinstance(fields, dict) else None
    named = {one.removeprefix(POLICY) for one in players if isinstance(one, str)} if isinstance(players, list) else ()
    return read_setup(fields, named)
