"""Policy, Decision, and look-up by name: anything with ``act`` plays.

Policies are found through the entry-point group ``scotyard_env.policies``, which any installed package can fill. An
entry point gives a frozen dataclass whose fields are the policy's parameters and whose ``sides`` names the sides it
can play.
"""

import ast
import dataclasses
import functools
import importlib
import importlib.metadata
from collections.abc import Callable, Iterator
from types import UnionType
from typing import Any, Literal, Protocol, Union, get_args, get_origin, get_type_hints, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scotyard_env.view import View, Views

ENTRY_POINTS = "scotyard_env.policies"
Side = Literal["mr_x", "detectives"]
SIDES: tuple[Side, ...] = get_args(Side)


class PolicyError(ValueError):
    """A policy that does not exist, or not with these parameters."""


@dataclasses.dataclass(frozen=True)
class Decision:
    """An action and, where the policy knows them, what it thinks of it."""

    action: int
    value: float | None = None  # how good the policy takes its position to be, in its own unit
    confidence: float | None = None  # gap to the runner-up
    candidates: tuple[tuple[int, float], ...] = ()  # actions it weighed with their values, best first


@runtime_checkable
class Policy(Protocol):
    """Anything that chooses an action of the seat to move from what that seat may know; chance is the argument."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action."""
        ...


@runtime_checkable
class BatchPolicy(Policy, Protocol):
    """A policy fast enough to be the opponent in thousands of games at once."""

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        ...


def make_policy(policy: str | Policy, side: Side | None = None, **parameters: Any) -> Policy:
    """Make a policy from its name, ``"minimax"`` or ``"minimax:depth=3,particles=8"``; an object passes through.

    One that is not installed is named by its module and by what makes it there, ``"module:factory"``; parameters may
    follow, ``"module:factory:depth=3"``. With a side given, a policy that cannot play it is refused.
    """
    if isinstance(policy, str):
        name, _, text = policy.partition(":")
        factory, _, rest = text.partition(":")
        if name not in _entry_points() and factory.isidentifier():
            made = build_policy(
                policy, _import(policy, name, factory), {**_parse_parameters(policy, rest), **parameters}
            )
        else:
            made = build_policy(name, policy_class(name), {**_parse_parameters(policy, text), **parameters})
    elif parameters or not isinstance(policy, Policy):
        raise PolicyError(f"{policy!r} is not a policy: give a name, or an object with act(view, rng)")
    else:
        made = policy
    if side is not None and side not in sides_of(made):
        able = ", ".join(policy_names(side))
        raise PolicyError(f"policy {policy!r} plays {' and '.join(sides_of(made))}, not {side}: {side} can be {able}")
    return made


def nest(name: str) -> str:
    """Return a policy's name as a parameter of another policy takes it: + stands for the commas in it."""
    return name.replace(",", "+")


def make_nested(policy: str | Policy, side: Side | None = None) -> Policy:
    """Make a policy that is a parameter of another one, from an object or from its name as ``nest`` writes it."""
    return make_policy(policy.replace("+", ",") if isinstance(policy, str) else policy, side)


def sides_of(policy: object) -> tuple[Side, ...]:
    """Tell which sides a policy, or a class of policies, can play: what its ``sides`` says, both if it says nothing."""
    sides: tuple[Side, ...] = getattr(policy, "sides", SIDES)
    return sides


def policy_names(side: Side | None = None) -> tuple[str, ...]:
    """List the policies that are installed, all or those for one side."""
    factories = _entry_points()
    return tuple(name for name in factories if side is None or side in sides_of(factories[name].load()))


def policy_class(name: str) -> type[Any]:
    """Look up the class of a policy by name."""
    found = _entry_points()
    if name not in found:
        exist = f"there are {', '.join(found)}" if found else "none are installed: pip install scotyard-env"
        raise PolicyError(f"there is no policy {name!r}: {exist}")
    loaded: type[Any] = found[name].load()
    return loaded


@functools.cache
def _entry_points() -> dict[str, importlib.metadata.EntryPoint]:
    return {entry.name: entry for entry in sorted(importlib.metadata.entry_points(group=ENTRY_POINTS))}


def build_policy(name: str, factory: Callable[..., Any], parameters: dict[str, Any]) -> Policy:
    """Call what makes a policy; parameters that it does not have, or not of this type, are refused by name."""
    if isinstance(factory, type) and dataclasses.is_dataclass(factory):
        _check_parameters(name, factory, parameters)
    try:
        made = factory(**parameters)
    except Exception as error:  # whatever a module of the user's may do
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise PolicyError(f"policy {name!r} cannot be made: {kind}{error}") from error
    if not isinstance(made, Policy) or isinstance(made, type):
        raise PolicyError(f"policy {name!r} gave {made!r}: it should give an object with act(view, rng)")
    return made


def _import(policy: str, module: str, factory: str) -> Callable[..., Any]:
    """Import what makes a policy in a module that is not ours."""
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), factory)
    except Exception as error:  # whatever a module of the user's may do
        raise PolicyError(f"policy {policy!r} cannot be made: {type(error).__name__}: {error}") from error
    return found


def _check_parameters(name: str, factory: type[Any], parameters: dict[str, Any]) -> None:
    fields = {field.name for field in dataclasses.fields(factory) if field.init}
    kinds = parameter_types(factory)
    for parameter, value in parameters.items():
        if parameter not in fields:
            exist = f"it has {', '.join(kinds)}" if kinds else "it has none"
            raise PolicyError(f"policy {name!r} has no parameter {parameter!r}: {exist}")
        if not any(_is_of(value, kind) for kind in kinds[parameter]):
            wanted = " or ".join(kind.__name__ for kind in kinds[parameter]).replace("NoneType", "None")
            raise PolicyError(f"policy {name!r}: {parameter} is {value!r}, give a value of type {wanted}")


def parameter_types(factory: type[Any]) -> dict[str, tuple[type, ...]]:
    """Return by name the types that each parameter of a dataclass may have; ``object`` where anything will do."""
    try:
        hints = get_type_hints(factory)
    except Exception:  # annotations may be any text
        hints = {}
    fields = [field for field in dataclasses.fields(factory) if field.init]
    return {field.name: tuple(_kinds_of(hints.get(field.name, object))) for field in fields}


def _kinds_of(hint: Any) -> Iterator[type]:
    """List the plain types of an annotation such as ``float | None``; of a Literal, those of its values."""
    if get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _kinds_of(part)
    elif get_origin(hint) is Literal:
        yield from dict.fromkeys(type(value) for value in get_args(hint))
    else:
        yield hint if hint in (bool, int, float, str, type(None)) else object


def _is_of(value: object, kind: type) -> bool:
    """Tell whether a value is of a type; whole numbers pass for real ones, but True and False for no number."""
    if isinstance(value, bool) and kind in (int, float):
        return False
    return isinstance(value, int | float if kind is float else kind)


def _parse_parameters(policy: str, text: str) -> dict[str, Any]:
    """Read ``depth=3,ordering=False``; what is no Python literal is taken as text."""
    parameters: dict[str, Any] = {}
    for piece in filter(None, text.split(",")):
        name, equals, value = piece.partition("=")
        if not equals or not name or not value:
            raise PolicyError(f"{piece!r} in {policy!r} is not a parameter: write name:parameter=value,parameter=value")
        try:
            parameters[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            parameters[name] = value
    return parameters
