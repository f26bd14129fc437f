"""Whom a learner plays: a text such as ``random,greedy,hider@2,runs/ppo/best.npz`` as policies with weights."""

import re
from collections.abc import Hashable, Iterable
from pathlib import Path

from scotyard_env.arena.contenders import split_names
from scotyard_env.policy import SIDES, Policy, PolicyError, PolicyLike, Side, make_policy

MAX_OPPONENTS = 64  # members of a pool that the critic can tell apart


def other_side(side: Side) -> Side:
    """Return the side that plays against this one."""
    if side not in SIDES:
        raise ValueError(f"there is no side {side!r}: there are {' and '.join(SIDES)}")
    return SIDES[1 - SIDES.index(side)]


def read_opponents(text: str, side: Side) -> dict[PolicyLike, float]:
    """Read names of policies and files of weights for a side, separated by commas, each with ``@weight`` if not 1.

    A policy that cannot be a key of a dict, as a dataclass that is not frozen, stands in the pool by its name.
    """
    pool: dict[PolicyLike, float] = {}
    for piece in split_names(text):
        weighed = re.fullmatch(r"(.*)@([-0-9.]+)", piece)
        name, weight = weighed.groups() if weighed else (piece, "1")
        try:
            policy = read_policy(name, side)
            pool[policy if isinstance(policy, Hashable) else full_name(name)] = float(weight)
        except ValueError as error:
            raise PolicyError(f"{piece!r} in {text!r} is no opponent: {error}") from error
    if not 0 < len(pool) <= MAX_OPPONENTS:
        given = f"{len(pool)} opponents" if pool else "no opponent"
        raise PolicyError(f"{given} given: name 1 to {MAX_OPPONENTS} policies for {side}, such as random,greedy@2")
    return pool


def read_policy(name: str, side: Side) -> Policy:
    """Return the policy of a name, or of a file of weights."""
    return make_policy(full_name(name), side=side)


def full_name(name: str) -> str:
    """Return the name of a policy as every command takes it; the scheme of a file of weights may be left out here."""
    return f"file:{name}" if name.endswith(".npz") and ":" not in name else name


def names_of(policies: Iterable[Policy]) -> list[str]:
    """Return a name of each policy for a table or a curve; the second of a name ends in _2, and so on."""
    names: list[str] = []
    for policy in policies:
        file = getattr(policy, "file", None)
        name = type(policy).__name__.lower() if file is None else Path(file).stem
        alike = sum(re.fullmatch(rf"{re.escape(name)}(_\d+)?", other) is not None for other in names)
        names.append(f"{name}_{alike + 1}" if alike else name)
    return names
