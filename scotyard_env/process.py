"""A program in any language as a policy, ``"process:./my_program --flag"``: it speaks lines of JSON.

It reads a hello, then a message for every decision, and answers each with a line such as ``{"move": "T45"}``; how it is
asked is in outside.py. It is started at the first decision, and killed with all that it has started when the policy is
no more, also where this process is killed itself.
"""

import dataclasses
import os
import select
import shlex
import shutil
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

from scotyard_env import process_guard
from scotyard_env.outside import LONGEST_ANSWER, OutsideError, OutsidePolicy, Talk, read_move

KEPT = 2_000  # bytes of what a program says on its standard error
UNASKED = "the program said more than it was asked: give one line for each decision"
PATIENCE = 5.0  # seconds for a program that is killed to be gone


@dataclasses.dataclass(frozen=True)
class ProcessPolicy(OutsidePolicy):
    """Let a program of its own decide, in any language: lines of JSON on its standard input and output."""

    command: str

    def __post_init__(self) -> None:
        if os.name != "posix":
            raise ValueError("programs as policies need a system like Linux or macOS")
        if not self.words:
            raise ValueError("it names no program")
        if shutil.which(self.words[0]) is None:
            raise ValueError(f"there is no program {self.words[0]!r} that can be run")

    @property
    def words(self) -> list[str]:
        """The program and its arguments."""
        return shlex.split(self.command)

    @property
    def files(self) -> tuple[Path, ...]:
        """The program and those of its arguments that are files: what is in them decides how it plays."""
        named = [shutil.which(self.words[0]) or self.words[0], *self.words[1:]]
        return tuple(path for path in map(Path, named) if path.is_file())

    def begin(self) -> Talk:
        """Start the program."""
        return Program(self.words)


class Program(Talk):
    """A program that runs."""

    def __init__(self, words: list[str]) -> None:
        lifeline, ours = os.pipe()
        try:
            guard = [sys.executable, "-I", "-S", str(process_guard.__file__), str(lifeline)]
            self._child = subprocess.Popen(
                [*guard, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(lifeline,),
                start_new_session=True,  # Ctrl-C is for us, who then end it
            )
        finally:
            os.close(lifeline)
        self._tail = bytearray()
        self._listener = threading.Thread(target=_listen, args=(self._child.stderr, self._tail), daemon=True)
        self._listener.start()
        super().__init__(weakref.finalize(self, _end, self._child, ours))

    def ask(self, messages: list[bytes]) -> bytes:
        """Send messages and wait for a line."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        if self.has_begun and select.select([self._child.stdout], [], [], 0)[0]:
            raise self._explain_end() if not os.read(self._child.stdout.fileno(), 1) else OutsideError(UNASKED)
        try:
            self._child.stdin.write(b"".join(messages))
            self._child.stdin.flush()
        except BrokenPipeError:
            raise self._explain_end() from None
        return self._read_line(self._child.stdout.fileno())

    def _read_line(self, stream: int) -> bytes:
        answer = b""
        while b"\n" not in answer:
            some = os.read(stream, LONGEST_ANSWER)
            answer += some
            if not some:
                raise self._explain_end()
            if len(answer) > LONGEST_ANSWER:
                raise OutsideError(f"the program answered more than {LONGEST_ANSWER} bytes")
        line, _, rest = answer.partition(b"\n")
        if rest:
            read_move(line)  # which says more of what is no answer at all
            raise OutsideError(UNASKED)
        return line

    def _explain_end(self) -> OutsideError:
        """Say how the program ended, and what it said last on its standard error."""
        self.close()
        self._listener.join(PATIENCE)
        said = self._tail.decode(errors="replace").strip().splitlines()
        last = f": {said[-1]}" if said else ""
        return OutsideError(f"the program ended with code {self._child.returncode}{last}")


def _listen(stream: Any, tail: bytearray) -> None:
    """Keep the last of what a program says on its standard error, so that it never waits for somebody to read it."""
    while some := stream.read1():
        tail += some
        del tail[:-KEPT]


def _end(child: "subprocess.Popen[bytes]", lifeline: int) -> None:
    """Close the streams of a program and have it killed by its guard, with all that it has started."""
    os.close(lifeline)
    child.wait(PATIENCE)
    for stream in (child.stdin, child.stdout):
        try:
            if stream is not None:
                stream.close()
        except BrokenPipeError:  # what was left to be written
            pass
