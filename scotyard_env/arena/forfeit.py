"""How a policy loses a match without being beaten, in words that fit into any table."""

import re
import traceback
import unicodedata

from scotyard_env.policy import Side

LONGEST_REASON = 200  # characters of a forfeit's reason that are kept
ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")  # in memory, other than which the same thing looks the same again
LONGEST_TRACEBACK = 6000  # characters, from its end


class ForfeitError(ValueError):
    """A policy that raised, gave something that is no legal action, or thought for too long."""

    def __init__(self, side: Side, reason: str, traceback: str | None = None, *, is_hang: bool = False) -> None:
        self.side = side
        self.reason = one_line(reason, LONGEST_REASON)
        self.traceback = traceback  # of what it raised
        self.is_hang = is_hang  # it did not come back and had to be stopped
        super().__init__(f"the policy of {side} {self.reason}")

    def __reduce__(self) -> tuple[type["ForfeitError"], tuple[Side, str, str | None]]:
        return type(self), (self.side, self.reason, self.traceback)


def one_line(text: str, longest: int) -> str:
    """Return a text as one line of characters that can be written anywhere, cut if it is long."""
    shown = " ".join(ADDRESS.sub("", _escape(text[: 4 * longest])).split())
    return shown if len(shown) <= longest else shown[: longest - 3] + "..."


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
    own = None if error.__traceback__ is None else error.__traceback__.tb_next
    try:
        shown = "".join(traceback.format_exception(BaseException, error, own))
    except BaseException:  # an exception can spoil even this
        return None
    return _escape(shown[-LONGEST_TRACEBACK:])


def _escape(text: str) -> str:
    """Write characters that steer a terminal, turn the direction of writing or cannot be encoded as their codes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if one in "\n\t" or _is_harmless(one) else f"\\u{ord(one):04x}" for one in text)


def _is_harmless(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn")
