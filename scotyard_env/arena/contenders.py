"""Who takes part in a tournament: policies with a name each, and what a record must say of them."""

import dataclasses
import json
import pickle
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scotyard_env.arena.content import OURS, ContentError, digest, digest_file
from scotyard_env.policy import Policy, PolicyError, PolicyLike, Side, files_of, make_policy
from scotyard_env.wording import one_line

UNKNOWN = "unknown"  # begins the content of a policy that cannot be told from another
Entry = (
    PolicyLike | Iterable[PolicyLike] | Mapping[str, PolicyLike]
)  # one, some, or some with the names they shall have


@dataclasses.dataclass(frozen=True)
class Contender:
    """A policy on one side of a tournament and the name under which its results stand."""

    name: str
    source: PolicyLike | bytes  # bytes: the policy itself, pickled
    side: Side
    is_stranger: bool = True  # it brings code that is not ours, which may do anything to the process it plays in

    def make(self) -> Policy:
        """Make the policy; that its module ends the process is no reason to end this one."""
        source = pickle.loads(self.source) if isinstance(self.source, bytes) else self.source
        try:
            return make_policy(source, side=self.side)
        except (SystemExit, GeneratorExit) as error:
            raise PolicyError(f"policy {self.name!r} cannot be made: it raised {type(error).__name__}") from error

    def pack(self) -> "Contender":
        """Return it as it can be sent to another process, where the policy is unpacked when it is made."""
        if isinstance(self.source, str | bytes):
            return self
        return dataclasses.replace(self, source=pickle.dumps(self.source))

    def describe(self) -> "Description":
        """Return what decides how it plays: how it was asked for, its class, its parameters, its content."""
        policy = self.make()
        kind = type(policy)
        try:
            parameters, content = _parameters(policy), _content(policy)
        except ContentError as error:
            parameters, content = {}, f"{UNKNOWN}: {one_line(str(error), 100)}"
        return Description(
            name=self.name,
            spec=self.source if isinstance(self.source, str) else None,
            path=f"{kind.__module__}:{kind.__qualname__}",
            parameters=parameters,
            is_timed=bool(getattr(policy, "is_timed", False)),
            content=content,
        )


@dataclasses.dataclass(frozen=True)
class Description:
    """What a record says of a policy that took part."""

    name: str
    spec: str | None  # how it was asked for; None if it was an object
    path: str  # of its class, "module:Class"; in JSON "class"
    parameters: dict[str, Any]  # as JSON brings them back; of what is no dataclass, a digest of its state
    is_timed: bool  # it thinks by the clock, so that the same seed need not give the same match
    content: str | None = None  # digest of its code if that is not ours, and of its files; None if there are none

    def __str__(self) -> str:
        told = [f"{name}={value}" for name, value in self.parameters.items()]
        return f"{self.name}({', '.join(told if self.content is None else [*told, f'content {self.content}'])})"

    @property
    def essence(self) -> "Description":
        """The same without what does not decide how it plays; a baseline of 0.1.0 by the path that it has today."""
        path = f"scotyard_{self.path}" if self.is_of_0_1_0 else self.path
        return dataclasses.replace(self, path=path, spec=None, is_timed=False)

    @property
    def is_of_0_1_0(self) -> bool:
        """Whether it is one of our own, from when they were imported as ``baselines``; a user's own says so itself."""
        return self.path.startswith("baselines.") and self.spec is not None and not self.spec.startswith("baselines.")

    def to_json(self) -> dict[str, Any]:
        """Write the description as JSON has it."""
        parts = {"name": self.name, "spec": self.spec, "class": self.path}
        content = {} if self.content is None else {"content": self.content}
        return {**parts, "parameters": self.parameters, "is_timed": self.is_timed, **content}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Description":
        """Read a description; ValueError says what is wrong with it."""
        kinds = {
            "name": str,
            "spec": str | None,
            "class": str,
            "parameters": dict,
            "is_timed": bool,
            "content": str | None,
        }
        for name, kind in kinds.items():
            if not isinstance(stored.get(name), kind):
                raise ValueError(f"the {name} of a policy cannot be {one_line(repr(stored.get(name)), 80)}")
        return cls(
            name=stored["name"],
            spec=stored.get("spec"),
            path=stored["class"],
            parameters=stored["parameters"],
            is_timed=stored["is_timed"],
            content=stored.get("content"),
        )


def read_contenders(entry: Entry, side: Side) -> tuple[Contender, ...]:
    """Take the policies of one side, and make sure that they exist, can play it and have different names."""
    named = _name_all(entry)
    if not named:
        raise PolicyError(f"nobody plays {side}: give at least one policy")
    names = [name for name, _ in named]
    for name in names:
        if names.count(name) > 1:
            raise PolicyError(
                f"two policies for {side} are called {name!r}: name each once, or in Python give them names,"
                ' {"mine": policy, ...}'
            )
    contenders = [Contender(name, source, side) for name, source in named]
    return tuple(dataclasses.replace(one, is_stranger=not _is_ours(one.make())) for one in contenders)


def split_names(text: str) -> list[str]:
    """Take a list such as ``"decoy,minimax:depth=3,particles=8,greedy"`` apart: parameters stay with their policy.

    Commas within double quotes separate nothing: ``'process:./bot --levels "1,2",greedy'``.
    """
    names: list[str] = []
    for piece in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', text):
        if names and re.match(r"\s*\w+=", piece):
            names[-1] += f",{piece.strip()}"
        elif piece.strip():
            names.append(piece.strip())
    return names


def _is_ours(value: object) -> bool:
    """Tell whether a policy and the policies in its parameters, objects or names, are ours."""
    if isinstance(value, str):
        return ":" not in value
    if not dataclasses.is_dataclass(value):
        return value is None or isinstance(value, bool | int | float)
    if getattr(value, "is_stranger", False):  # as it says itself
        return False
    values = [getattr(value, field.name) for field in dataclasses.fields(value)]
    return type(value).__module__.partition(".")[0] in OURS and all(map(_is_ours, values))


def _name_all(entry: Entry) -> list[tuple[str, PolicyLike]]:
    if isinstance(entry, Mapping):
        return [(str(name), source) for name, source in entry.items()]
    sources: Iterable[Any] = [entry] if isinstance(entry, str | Policy) or callable(entry) else entry
    return [(source if isinstance(source, str) else _name(source), source) for source in sources]


def _name(policy: object) -> str:
    """Name a policy after itself: a dataclass by its parameters too, anything else by its class or by what makes it."""
    if dataclasses.is_dataclass(policy) and not isinstance(policy, type):
        return repr(policy)
    return str(getattr(policy, "__name__", type(policy).__name__))


def _parameters(policy: object) -> dict[str, Any]:
    """Return the parameters of a dataclass as JSON would bring them back; of anything else, a digest of it all."""
    if not dataclasses.is_dataclass(policy):
        return {"state": digest(policy)}
    return {field.name: _plain(getattr(policy, field.name)) for field in dataclasses.fields(policy)}


def _plain(value: Any) -> Any:
    """Return a parameter as JSON would bring it back; what it cannot hold, as a digest."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return digest(value)


def _content(policy: Policy) -> str | None:
    """Return a digest of what parameters do not say: code that is not ours, files that it reads."""
    told: list[str] = []
    values: list[Any] = []
    if dataclasses.is_dataclass(policy):  # what is none is digested as a whole
        values = [getattr(policy, field.name) for field in dataclasses.fields(policy)]
        told += [] if _is_ours(policy) else [digest(type(policy))]
    named = [Path(value) for value in values if isinstance(value, str | Path) and _is_file(value)]
    told += [digest_file(path) for path in dict.fromkeys((*files_of(policy), *named))]
    return digest(told) if told else None


def _is_file(text: str | Path) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a text that no file can be called
        return False
