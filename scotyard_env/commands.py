"""The commands of ``scotyard``: what one is, how it is found and how it is run.

A command is a frozen dataclass whose fields are its arguments, read by tyro, with a method ``run(self) -> None``. It is
found through the entry-point group ``scotyard_env.commands``, which any installed package can fill; dots make groups::

    [project.entry-points."scotyard_env.commands"]
    robustness = "scotyard_baselines.commands.robustness:Command"
    "train.ppo" = "scotyard_training.ppo:Command [train]"  # scotyard train ppo; needs the extra `train` of its package

Only the module of the command that is asked for is imported. A module that is to run by itself too, by
``python -m my_package.my_command``, ends with ``run_module(Command)`` under ``if __name__ == "__main__":``.
"""

import ast
import contextlib
import dataclasses
import difflib
import functools
import importlib.machinery
import operator
import re
import shlex
import sys
import types
import typing
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Protocol, TypeVar, Union, cast

import tyro
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

import scotyard_env
from scotyard_env.plugins import PluginError, PluginWarning, introduce, list_entries, load, needing

ENTRY_POINTS = "scotyard_env.commands"
NAME = re.compile(r"\w[\w-]*(\.\w[\w-]*)*")
WRONG_USE, FORFEITED, INTERRUPTED = 2, 3, 130  # exit codes
NONE_INSTALLED = "none is installed: install scotyard-env again, in a clone by pip install -e ."


class Command(Protocol):
    """What is done when a command is called; its fields are its arguments."""

    def run(self) -> None:
        """Do it."""
        ...


class CommandError(ValueError):
    """A command that does not exist."""


# Finding


@dataclasses.dataclass(frozen=True)
class Listing:
    """The commands that are installed, and what is wrong with those that cannot be used."""

    entries: dict[str, EntryPoint]  # by the words that call them, such as "train ppo"
    warnings: tuple[str, ...]

    def within(self, group: str) -> dict[str, EntryPoint]:
        """Return the commands of a group, all of them for ``""``."""
        return {words: entry for words, entry in self.entries.items() if not group or words.startswith(f"{group} ")}


def find_commands() -> Listing:
    """Find the installed commands by name without importing them; ours come before those of other packages."""
    entries: dict[str, EntryPoint] = {}
    left_out = []
    for entry in list_entries(ENTRY_POINTS):
        words = entry.name.replace(".", " ")
        told = f"{introduce('command', entry)} is left out"
        if other := next((other for other in entries if _collide(words, other)), None):
            left_out.append(f"{told}: {introduce('command', entries[other])} was there before")
        elif not NAME.fullmatch(entry.name):
            left_out.append(f"{told}: a name is words with dots between them")
        else:
            entries[words] = entry
    return Listing(dict(sorted(entries.items())), tuple(left_out))


def load_command(words: str, entry: EntryPoint) -> type[Command]:
    """Import the command that some words call."""
    loaded = load("command", entry, f"scotyard {words}")
    if not isinstance(loaded, type) or not dataclasses.is_dataclass(loaded) or not callable(getattr(loaded, "run", 0)):
        told = f"{introduce('command', entry)} is no command"
        raise PluginError(f"{told}: {entry.value} should be a dataclass with run(self)")
    return cast(type[Command], loaded)


def summarise(entry: EntryPoint) -> str | None:
    """Return the first line of a command's docstring, read from its file without importing it; None without a file."""
    file = _find_file(entry.module)
    if file is None:
        return None
    try:
        module = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    classes = [one for one in module.body if isinstance(one, ast.ClassDef) and one.name == entry.attr]
    text = ast.get_docstring(classes[0] if classes else module) or ""
    return text.partition("\n")[0]


def _find_file(module: str) -> Path | None:
    """Find the source of a module; the packages it is in are not imported either."""
    path: Sequence[str] | None = None
    spec: importlib.machinery.ModuleSpec | None = None
    parts = module.split(".")
    for depth in range(len(parts)):
        name = ".".join(parts[: depth + 1])
        finders = (finder for finder in sys.meta_path if hasattr(finder, "find_spec"))
        spec = next((found for finder in finders if (found := finder.find_spec(name, path)) is not None), None)
        if spec is None:
            return None
        path = spec.submodule_search_locations
    return None if spec is None or spec.origin is None else Path(spec.origin)


def _collide(one: str, other: str) -> bool:
    """Tell whether two commands have one name, or the one has the name of a group that the other is in."""
    return one == other or one.startswith(f"{other} ") or other.startswith(f"{one} ")


# Reading arguments

Read = TypeVar("Read")
READING = ConstructorRegistry()


@READING.primitive_rule
def _read_optional(info: PrimitiveTypeInfo) -> Any:
    """Read what may be left out as what it is otherwise: None is what leaving it out means, and nothing to type."""
    kinds = typing.get_args(info.type)
    if info.type_origin not in (Union, types.UnionType) or types.NoneType not in kinds:
        return None
    given: Any = functools.reduce(operator.or_, (kind for kind in kinds if kind is not types.NoneType))
    read = ConstructorRegistry.get_primitive_spec(PrimitiveTypeInfo.make(given, info.markers))
    return _with_none(read) if isinstance(read, PrimitiveConstructorSpec) else read


def _with_none(read: PrimitiveConstructorSpec[Any]) -> PrimitiveConstructorSpec[Any]:
    """Let None be the default of an argument."""
    return dataclasses.replace(
        read,
        is_instance=lambda value: value is None or read.is_instance(value),
        str_from_instance=lambda value: ["None"] if value is None else read.str_from_instance(value),
    )


# Running


@dataclasses.dataclass(frozen=True)
class Call:
    """A command with the arguments that it is called with."""

    words: str  # that name the command, such as "train ppo"
    entry: EntryPoint
    arguments: tuple[str, ...]  # that are left for the command itself

    def read(self) -> Command:
        """Import the command and read its arguments; what cannot be read exits with code 2."""
        return read_arguments(load_command(self.words, self.entry), f"scotyard {self.words}", self.arguments)

    def run(self) -> None:
        """Read the arguments and do what the command does."""
        command = self.read()
        with needing(f"scotyard {self.words}", self.entry):
            command.run()


def read_arguments(command: type[Read], prog: str | None = None, arguments: Sequence[str] | None = None) -> Read:
    """Read the arguments of a command, by default those of this process; what cannot be read exits with code 2."""
    with READING:
        return tyro.cli(command, prog=prog, args=arguments)


def find_call(arguments: Sequence[str]) -> Call:
    """Find the command that some arguments call; asked for help, the version or a group alone, print that and exit."""
    listing = find_commands()
    for sentence in listing.warnings:
        warn(sentence)
    words = ""
    for position, word in enumerate(arguments):
        if word == "--version" and not words:
            print(f"scotyard_env {scotyard_env.__version__}")
            sys.exit(0)
        if word in ("-h", "--help"):
            print(describe(listing, words))
            sys.exit(0)
        called = f"{words} {word}".strip()
        if called in listing.entries:
            return Call(called, listing.entries[called], tuple(arguments[position + 1 :]))
        if not listing.within(called):
            raise CommandError(_explain_unknown(listing, words, word))
        words = called
    print(describe(listing, words), file=sys.stderr)
    sys.exit(WRONG_USE)


def describe(listing: Listing, group: str = "") -> str:
    """List the commands, or those of a group, with a line for each."""
    told = {words: summarise(entry) for words, entry in listing.within(group).items()}
    broken = [listing.entries[words] for words, line in told.items() if line is None]
    for entry in broken:
        warn(f"{introduce('command', entry)} is broken: there is no module {entry.module} that can be read")
    width = max((len(words) for words in told), default=0) + 2
    lines = [f"  {words:{width}}{line}" for words, line in told.items() if line is not None]
    lines = lines or [f"  {NONE_INSTALLED}"]
    head = f"usage: {' '.join(['scotyard', *group.split()])} COMMAND [arguments]"
    more = f"{' '.join(['scotyard', *group.split()])} COMMAND --help lists the arguments of a command."
    last = [] if group else ["scotyard --version prints the version."]
    return "\n".join([head, "", *lines, "", more, *last])


def warn(sentence: str) -> None:
    """Tell the user of something that does not stop the command."""
    print(f"scotyard: warning: {sentence}", file=sys.stderr)


def write_call(words: str, command: Any) -> str:
    """Write the call of ``scotyard`` that gives a command with these arguments; defaults are left out."""
    call = ["scotyard", *words.split()]
    for field in dataclasses.fields(command):
        value, flag = getattr(command, field.name), field.name.replace("_", "-")
        if value == field.default:
            continue
        if isinstance(value, bool):
            call.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            call += [f"--{flag}", *map(str, value if isinstance(value, tuple) else (value,))]
    return shlex.join(call)


def run_module(command: type[Command]) -> None:
    """Run a command as ``python -m`` does its module, by the arguments of this process."""
    spec = sys.modules["__main__"].__spec__
    prog = f"python -m {spec.name}" if spec is not None else None
    run_safely(lambda: read_arguments(command, prog).run())


def run_safely(run: Callable[[], None]) -> None:
    """Run something, and say what is compiled for it; what a user got wrong is one line and exit code 2."""
    from scotyard_env.status_line import StatusLine

    try:
        with _plain_warnings(), StatusLine().compiling():
            run()
    except BrokenPipeError:  # whoever reads the output has seen enough
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        from scotyard_env.render import RenderError  # takes its time to import

        if not isinstance(error, ValueError | OSError | RenderError):
            raise
        print(f"scotyard: {_explain(error)}", file=sys.stderr)
        sys.exit(WRONG_USE)


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show that something is left out as the command tells all it has to tell: in one line."""
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, PluginWarning):
                warn(str(message))
            else:
                shown(message, category, *where, **more)

        warnings.showwarning = show
        yield


def _explain(error: Exception) -> str:
    """Say what went wrong; of a file, which one and what about it."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).splitlines())


def _explain_unknown(listing: Listing, group: str, word: str) -> str:
    """Say that there is no such command, and which one may be meant."""
    depth = len(group.split())
    exist = sorted({words.split()[depth] for words in listing.within(group)})
    close = difflib.get_close_matches(word, exist, n=1)
    others = f"there are {', '.join(exist)}" if exist else NONE_INSTALLED
    hint = f"did you mean {' '.join([*group.split(), close[0]])}?" if close else others
    return f"there is no command {' '.join([*group.split(), word])!r}: {hint}"
