"""What installed packages add under a name: entry points, of which a bad one stands in nobody's way.

Ours come before those of other packages, and who has a name keeps it. Finding imports nothing. What cannot be loaded is
left out of a listing with a ``PluginWarning``, once, and refused with the same sentence by who asks for it by name.
"""

import contextlib
import functools
import importlib.metadata
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from typing import Any

OURS = "scotyard-env"  # the distribution whose names nobody else's can take


class PluginError(ValueError):
    """Something that an installed package adds and that cannot be used."""


class PluginWarning(UserWarning):
    """Something that an installed package adds is left out."""


def list_entries(group: str) -> list[EntryPoint]:
    """List the entry points of a group, ours before those of other packages."""
    return sorted(importlib.metadata.entry_points(group=group), key=_precedence)


def introduce(noun: str, entry: EntryPoint) -> str:
    """Name an entry point and the package that it comes from; dots in a name stand for blanks."""
    return f"the {noun} {entry.name.replace('.', ' ')!r} of {_distribution(entry)}"


def load(noun: str, entry: EntryPoint, user: str | None = None) -> Any:
    """Import what an entry point names; user is what needs it, in the sentence about a library that is missing."""
    told = introduce(noun, entry)
    try:
        with needing(user or told, entry):
            return entry.load()
    except PluginError:
        raise
    except (Exception, SystemExit) as error:  # whatever somebody's module may do
        raise PluginError(f"{told} cannot be loaded: {type(error).__name__}: {error}") from error


@contextlib.contextmanager
def needing(user: str, entry: EntryPoint) -> Iterator[None]:
    """Say of a library that is missing that it is, and which extra of the entry point's package brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("", entry.module.partition(".")[0]):
            raise
        wanted = f"{_distribution(entry)}[{','.join(entry.extras)}]"
        hint = f": pip install '{wanted}'" if entry.extras else ", which is not installed"
        raise PluginError(f"{user} needs {missing}{hint}") from error


class Group:
    """The things of one kind that installed packages add, such as policies."""

    def __init__(self, name: str, noun: str, check: Callable[[Any], None] = lambda _: None) -> None:
        self.name = name  # of the entry points
        self.noun = noun  # what one of them is called
        self._check = check  # raises ValueError("should be ...") if what was loaded is no such thing
        self._find = functools.lru_cache(maxsize=1)(self._find_on)
        self._load_all = functools.lru_cache(maxsize=1)(self._load_all_on)

    def find(self) -> dict[str, EntryPoint]:
        """Return the entry points by name, sorted; of two with one name the first."""
        return self._find(tuple(sys.path))  # a package may come to the path while we run

    def load(self, name: str) -> Any:
        """Return what a name stands for."""
        entry = self.find()[name]
        loaded = load(self.noun, entry)
        try:
            self._check(loaded)
        except ValueError as error:
            raise PluginError(f"{introduce(self.noun, entry)} is no {self.noun}: {entry.value} {error}") from error
        return loaded

    def load_all(self) -> dict[str, Any]:
        """Return by name all that can be loaded."""
        return self._load_all(tuple(sys.path))

    def _find_on(self, path: tuple[str, ...]) -> dict[str, EntryPoint]:
        found: dict[str, EntryPoint] = {}
        for entry in list_entries(self.name):
            if entry.name in found:
                before = introduce(self.noun, found[entry.name])
                _warn(f"{introduce(self.noun, entry)} is left out: {before} was there before")
            else:
                found[entry.name] = entry
        return dict(sorted(found.items()))

    def _load_all_on(self, path: tuple[str, ...]) -> dict[str, Any]:
        loaded = {}
        for name in self.find():
            try:
                loaded[name] = self.load(name)
            except PluginError as error:
                _warn(str(error))
        return loaded


def _warn(sentence: str) -> None:
    warnings.warn(sentence, PluginWarning, stacklevel=2)


def _precedence(entry: EntryPoint) -> tuple[bool, str, str]:
    return _distribution(entry) != OURS, _distribution(entry), entry.name


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unknown package"
