"""Versions of the report: the switches that each of them has."""

from typing import NamedTuple, TypeVar

Switches = TypeVar("Switches", bound=NamedTuple)


def fill_in(version: Switches, policy: object) -> Switches:
    """Return the switches of a version, but for those that a policy was given: whose field of that name is not None."""
    given = {name: getattr(policy, name) for name in version._fields}
    return version._replace(**{name: value for name, value in given.items() if value is not None})
