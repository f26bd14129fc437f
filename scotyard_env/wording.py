"""Names and other texts of anybody's, as they can be written into a table, a page or a line."""

import hashlib
import re
import unicodedata

FORFEITED = "!"  # marks policies and pairings with forfeited matches
LONGEST_NAME = 60  # characters of a name in a table
LONGEST_MESSAGE = 300  # characters of what an error says
MARKDOWN = re.compile(r"([|`<\\])")
ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")  # in memory, other than which the same thing looks the same again


def printable(text: str) -> str:
    """Write characters that steer a terminal, turn the direction of writing or cannot be encoded as their codes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if one in "\n\t" or _is_harmless(one) else f"\\u{ord(one):04x}" for one in text)


def one_line(text: str, longest: int) -> str:
    """Return a text as one line that can be written anywhere, cut if it is long."""
    shown = " ".join(ADDRESS.sub("", printable(text[: 4 * longest])).split())
    return shown if len(shown) <= longest else shown[: longest - 3] + "..."


def brief(error: BaseException) -> str:
    """Return what an error says, as one line of some length."""
    if isinstance(error, OSError) and error.strerror is not None:
        return error.strerror  # which file it is about stands before it
    told = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
    return one_line(told, LONGEST_MESSAGE)


def short_name(name: str) -> str:
    """Return a name as it stands in tables and figures; other names stay other names."""
    shown = " ".join(printable(name).split())
    if len(shown) <= LONGEST_NAME:
        return shown or repr(name)
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{shown[: LONGEST_NAME - 9]}...{digest}"


def markdown(text: str) -> str:
    """Write a text so that Markdown takes it as it is."""
    return MARKDOWN.sub(r"\\\1", text)


def _is_harmless(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn")
