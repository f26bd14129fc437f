"""The parameters of what makes a policy: which there are, of which types, and as they stand in its name."""

import ast
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def parameters_of(factory: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return by name the parameters of what makes a policy."""
    try:
        parameters = inspect.signature(factory).parameters
    except (TypeError, ValueError):  # such as some that are written in C
        return {}
    return {name: one for name, one in parameters.items() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}


def parameter_types(factory: Callable[..., Any]) -> dict[str, tuple[type, ...]]:
    """Return by name the types that each parameter may have; ``object`` where anything will do."""
    is_plain_class = isinstance(factory, type) and not dataclasses.is_dataclass(factory)
    try:
        hints = get_type_hints(factory.__init__ if is_plain_class else factory)
    except Exception:  # annotations may be any text
        hints = {}
    return {name: tuple(_kinds_of(hints.get(name, object))) for name in parameters_of(factory)}


def parse_parameters(policy: str, text: str) -> dict[str, Any]:
    """Read ``depth=3,ordering=False``; what is no Python literal is taken as text."""
    parameters: dict[str, Any] = {}
    for piece in filter(None, text.split(",")):
        name, equals, value = piece.partition("=")
        if not equals or not name or not value:
            raise ValueError(f"{piece!r} in {policy!r} is not a parameter: write name:parameter=value,parameter=value")
        try:
            parameters[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            parameters[name] = value
    return parameters


def check_parameters(name: str, factory: Callable[..., Any], parameters: dict[str, Any]) -> None:
    """Refuse parameters that a policy of this name does not have, or not of this type."""
    kinds = parameter_types(factory)
    for parameter, value in parameters.items():
        if parameter not in kinds:
            if _takes_any(factory):
                continue
            exist = f"it has {', '.join(kinds)}" if kinds else "it has none"
            raise ValueError(f"policy {name!r} has no parameter {parameter!r}: {exist}")
        if not any(_is_of(value, kind) for kind in kinds[parameter]):
            wanted = " or ".join(kind.__name__ for kind in kinds[parameter]).replace("NoneType", "None")
            raise ValueError(f"policy {name!r}: {parameter} is {value!r}, give a value of type {wanted}")


def _takes_any(factory: Callable[..., Any]) -> bool:
    """Tell whether something takes parameters of all names."""
    try:
        return any(one.kind == one.VAR_KEYWORD for one in inspect.signature(factory).parameters.values())
    except (TypeError, ValueError):  # nobody knows
        return True


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
