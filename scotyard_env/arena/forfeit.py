"""How a policy loses a match without being beaten, in words that fit into any table."""

import hashlib
import traceback

from scotyard_env.game import Game
from scotyard_env.policy import Side
from scotyard_env.wording import one_line, printable

LONGEST_REASON = 200  # characters of a forfeit's reason that are kept
LONGEST_TRACEBACK = 6000  # characters, from its end


class ForfeitError(ValueError):
    """A policy that raised, gave something that is no legal action, or thought for too long."""

    def __init__(self, side: Side, reason: str, traceback: str | None = None, *, is_hang: bool = False) -> None:
        self.side = side
        self.reason = one_line(reason, LONGEST_REASON)
        self.traceback = traceback  # of what it raised
        self.is_hang = is_hang  # it did not come back and had to be stopped
        self.game: Game | None = None  # as far as it went, where somebody has it
        super().__init__(f"the policy of {side} {self.reason}")

    def __reduce__(self) -> tuple[type["ForfeitError"], tuple[Side, str, str | None]]:
        return type(self), (self.side, self.reason, self.traceback)


def late(move_limit: float) -> str:
    """Say that a move took too long; not how long, so that the record is the same wherever it was noticed."""
    return f"took longer than {move_limit:g} s for a move"


def forfeit_by_raising(side: Side, error: BaseException, doing: str = "") -> ForfeitError:
    """Return the forfeit of a policy that raised, even if what it raised cannot be shown."""
    try:
        reason = f"raised {type(error).__name__}: {error}".removesuffix(": ")
    except BaseException:  # its own __str__, or the name of its class
        reason = "raised an exception that raises when it is shown"
    return ForfeitError(side, doing + reason, _show_traceback(error))


def _show_traceback(error: BaseException) -> str | None:
    """Return the traceback from the policy's own frame on."""
    own = error.__traceback__
    while own is not None and own.tb_frame.f_globals.get("__name__", "").startswith(__package__):
        own = own.tb_next
    try:
        shown = "".join(traceback.format_exception(BaseException, error, own))
    except BaseException:  # an exception can spoil even this
        return None
    return printable(shown[-LONGEST_TRACEBACK:])


def traceback_id(shown: str) -> str:
    """Return a short text for where a traceback leads: the same for the same frames, whatever was said there."""
    frames = [line for line in shown.splitlines() if line.startswith("  File ")]
    return hashlib.sha256("\n".join(frames).encode()).hexdigest()[:12]
