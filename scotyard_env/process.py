"""A program in any language as a policy, ``"process:./my_program --flag"``: it speaks lines of JSON.

It reads a hello, then a message for every decision, and answers each with a line such as ``{"move": "T45"}``; wire.py
says what is in them. Every message holds all that a seat may know, so the program need remember nothing. It is started
at the first decision, and killed with all that it has started when the policy is no more, also where this process is
killed itself.
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
from typing import Any, ClassVar

import numpy as np

from scotyard_env import process_guard
from scotyard_env.explanation import Explains
from scotyard_env.notation import parse_action
from scotyard_env.policy import Decision, side_of
from scotyard_env.view import View
from scotyard_env.wire import WireError, frame, from_line, hello, to_line

LONGEST_ANSWER = 65_536  # bytes, end of line included
LONGEST_QUOTE = 60  # characters of a wrong answer that are quoted
KEPT = 2_000  # bytes of what a program says on its standard error
UNASKED = "the program said more than it was asked: give one line for each decision"
PATIENCE = 5.0  # seconds for a program that is killed to be gone


class ProcessError(ValueError):
    """A program that ended, or answered something that is no answer."""


@dataclasses.dataclass(frozen=True)
class ProcessPolicy(Explains):
    """Let a program of its own decide, in any language: lines of JSON on its standard input and output."""

    is_stranger: ClassVar[bool] = True  # what it does is not up to us
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

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Ask the program, which is started if it is not running."""
        seed = int(rng.integers(2**32))
        program = vars(self).get("_program") or Program(self.words)
        object.__setattr__(self, "_program", None)
        move = program.decide(view, seed)
        object.__setattr__(self, "_program", program)  # one that failed is not asked again: the next game has a new one
        return Decision(parse_action(view.board, move))

    def __getstate__(self) -> dict[str, Any]:
        return {"command": self.command}  # a copy, or one in another process, has a program of its own


class Program:
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
        self._told: tuple[Any, ...] | None = None  # board, rules and side of the last hello
        self._close = weakref.finalize(self, _end, self._child, ours)

    def decide(self, view: View, seed: int) -> str:
        """Ask for a move; where the program fails, end it."""
        games = view.board, view.rules, side_of(view)
        message = to_line({"type": "decide", "seed": seed, "frame": frame(view)})
        try:
            answer = self._ask(message if games == self._told else to_line(hello(*games)) + message)
            self._told = games
            return _read_move(answer)
        except BaseException:
            self._close()
            raise

    def _ask(self, message: bytes) -> bytes:
        """Send a message and wait for a line."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        if self._told is not None and select.select([self._child.stdout], [], [], 0)[0]:
            raise self._explain_end() if not os.read(self._child.stdout.fileno(), 1) else ProcessError(UNASKED)
        try:
            self._child.stdin.write(message)
            self._child.stdin.flush()
        except BrokenPipeError:
            raise self._explain_end() from None
        answer = b""
        while b"\n" not in answer:
            some = os.read(self._child.stdout.fileno(), LONGEST_ANSWER)
            answer += some
            if not some:
                raise self._explain_end()
            if len(answer) > LONGEST_ANSWER:
                raise ProcessError(f"the program answered more than {LONGEST_ANSWER} bytes")
        return answer

    def _explain_end(self) -> ProcessError:
        """Say how the program ended, and what it said last on its standard error."""
        self._close()
        self._listener.join(PATIENCE)
        said = self._tail.decode(errors="replace").strip().splitlines()
        last = f": {said[-1]}" if said else ""
        return ProcessError(f"the program ended with code {self._child.returncode}{last}")


def _read_move(answer: bytes) -> str:
    """Read the move in an answer of one line."""
    line, _, rest = answer.partition(b"\n")
    try:
        move = from_line(line).get("move")
    except WireError:
        move = None
    if not isinstance(move, str):
        shown = line.decode(errors="replace")
        shown = repr(shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}...")
        raise ProcessError(f'the program answered {shown}: give a line such as {{"move": "T45"}}')
    if rest:
        raise ProcessError(UNASKED)
    return move


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
