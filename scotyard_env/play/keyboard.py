"""Lines from a person at a terminal, with editing and completion where there is readline, or from a script."""

import contextlib
import io
import sys
from collections.abc import Callable, Iterator

from scotyard_env.notation import LETTERS, describe_action
from scotyard_env.play.advice import COMMANDS
from scotyard_env.play.reading import FARE_WORDS, MisreadError, advance, is_same_turn, look_ahead, read_moves
from scotyard_env.view import View
from scotyard_env.wording import printable

Complete = Callable[[str], list[str]]  # what is typed of a line so far -> what its last word may become


def accept_anything() -> None:
    """Let bytes that are no text be read as what they look like, to be refused as such; before the first line."""
    with contextlib.suppress(io.UnsupportedOperation):
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")


def ask(prompt: str, complete: Complete) -> str:
    """Return the next line; ``EOFError`` where there is none, ``KeyboardInterrupt`` for Ctrl-C.

    What a script says is written down as if it had been typed.
    """
    with completing(complete):
        line = input(prompt)
    if not sys.stdin.isatty():
        print(printable(line))
    return line.strip()


@contextlib.contextmanager
def completing(complete: Complete) -> Iterator[None]:
    """Let the Tab key complete the last word of a line; where there is no readline, it does not."""
    try:
        import readline
    except ImportError:
        yield
        return

    def offer(_: str, number: int) -> str | None:
        offered = complete(readline.get_line_buffer()[: readline.get_endidx()])
        return f"{offered[number]} " if number < len(offered) else None

    readline.set_completer_delims(" ,;\t")
    readline.set_completer(offer)
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)


def complete_line(view: View, typed: str) -> list[str]:
    """Return what the last word of a line may become: a move that is legal after those before it, or a command."""
    before, word = _split_last(typed.lower())
    *words, last = before.split() or [""]
    fare = FARE_WORDS.get(last)  # as in "taxi 8", of which the station is to be completed
    moves, ahead = before if fare is None else " ".join(words), look_ahead(view)
    try:
        for action in read_moves(view, moves) if moves else ():
            advance(ahead, action)
    except MisreadError:
        return []
    if not is_same_turn(view, ahead):
        return []
    offered = [*_move_words(ahead), *([] if before else COMMANDS)] if fare is None else _stations_by(ahead, fare)
    return [each for each in offered if each.startswith(word)]


def _split_last(typed: str) -> tuple[str, str]:
    """Divide what is typed into the words before the last and the last, which may be empty."""
    start = max(typed.rfind(delimiter) for delimiter in " ,;\t") + 1
    return typed[:start].strip(), typed[start:]


def _stations_by(view: View, fare: int) -> list[str]:
    told = (describe_action(view.board, action) for action in view.legal)
    return [str(one.station) for one in told if one.station is not None and one.text[0] == LETTERS[fare]]


def _move_words(view: View) -> list[str]:
    """List the legal moves as t88 and as 88."""
    told = [describe_action(view.board, action) for action in view.legal]
    stations = dict.fromkeys(str(one.station) for one in told if one.station is not None)
    return [*(one.text.lower() for one in told), *stations]
