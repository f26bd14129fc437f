"""Ranges of numbers: what a parameter may be, written where it is declared and checked when it is given.

@dataclass(frozen=True)
class Player:
    rounds: Annotated[int, Range(1, 24)] = 3
    uniform_mix: Share = 0.6

    def __post_init__(self) -> None:
        check_ranges(self)
"""

import dataclasses
import functools
import numbers
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

LARGE = 1e9  # no weight and no price is larger: whatever is added up of them stays finite


class Range(NamedTuple):
    """The least and the most that a number may be."""

    least: float
    most: float

    def __str__(self) -> str:
        return f"from {_plain(self.least)} to {_plain(self.most)}"


Finite = Annotated[float, Range(-LARGE, LARGE)]
Price = Annotated[float, Range(0.0, LARGE)]
Share = Annotated[float, Range(0.0, 1.0)]
Discount = Annotated[float, Range(0.001, 0.999)]  # what a round more leaves of something's worth
Seconds = Annotated[float, Range(0.001, 3600)]  # to think about a move: less is over before it begins
Count = Annotated[int, Range(1, 10_000)]
Threads = Annotated[int, Range(1, 256)]
Seed = Annotated[int, Range(0, 2**32 - 1)]  # which every library takes


class Bounded(NamedTuple):
    """A field with a range."""

    name: str
    kind: Any  # of number
    range: Range
    is_optional: bool  # None will do

    def read(self, value: Any) -> int | float | None:
        """Return a number as a plain int or float; refuse what is no number of the range."""
        if value is None and self.is_optional:
            return None
        is_number = isinstance(value, self.kind) and not isinstance(value, bool)
        if not is_number or not self.range.least <= value <= self.range.most:
            what = "a whole number" if self.kind is numbers.Integral else "a number"
            none = ", or None" if self.is_optional else ""
            raise ValueError(f"{self.name} is {value!r}: give {what} {self.range}{none}")
        return int(value) if self.kind is numbers.Integral else float(value)


def check_ranges(made: object) -> None:
    """Refuse an object of a dataclass of which a number is outside the range that its field is annotated with.

    A whole number becomes a float where the field is one: for an int, kernels would be compiled once more.
    """
    for field in bounded_fields(type(made)):  # type: ignore[arg-type]  # a class is hashable
        object.__setattr__(made, field.name, field.read(getattr(made, field.name)))  # made may be frozen


@functools.lru_cache(maxsize=256)
def bounded_fields(made: type[Any]) -> tuple[Bounded, ...]:
    """List the fields of a dataclass that are annotated with a range."""
    hints = get_type_hints(made, include_extras=True)
    found = (_bound(field.name, hints[field.name]) for field in dataclasses.fields(made))
    return tuple(field for field in found if field is not None)


def _bound(name: str, hint: Any) -> Bounded | None:
    """Return the range of a field annotated with one such as ``Share``, or with one or None; else None."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for part in parts:
        if get_origin(part) is Annotated:
            kind, *about = get_args(part)
            ranges = [one for one in about if isinstance(one, Range)]
            if ranges:
                return Bounded(name, numbers.Integral if kind is int else numbers.Real, ranges[0], NoneType in parts)
    return None


def check_choices(made: object) -> None:
    """Refuse an object of a dataclass of which a value is none of those that its field, a Literal, lists.

    None is fine where it is allowed beside them.
    """
    for name, hint in get_type_hints(type(made)).items():
        parts, value = (hint, *get_args(hint)), getattr(made, name)
        choices = [choice for part in parts if get_origin(part) is Literal for choice in get_args(part)]
        if choices and value not in choices and not (value is None and NoneType in parts):
            raise ValueError(f"there is no {name} {value!r}: there are {', '.join(map(str, choices))}")


def _plain(number: float) -> str:
    return f"{int(number):_}" if number == int(number) else f"{number:g}"
