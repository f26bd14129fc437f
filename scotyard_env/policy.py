"""Policy, Decision, and look-up by name.

A policy is anything with ``act(view, rng) -> Decision``, dataclass or not. Wherever one is asked for, an object will
do, a class or function that makes one, or a name. Names are

- those of the entry-point group ``scotyard_env.policies``, which any installed package can fill: ``"greedy"``;
- ``"scheme:rest"``, where the entry-point group ``scotyard_env.policy_schemes`` has the scheme: ``"sb3:model.zip"``;
- ``"module:name"`` of what is in a module and not installed.

Parameters follow: ``"minimax:depth=3,particles=8"``, ``"module:name:depth=3"``. What a policy says of itself, none of
which it must: ``sides``, those it can play, both if it says nothing; ``check_fit(board, rules, side)``, which raises a
``PolicyError`` where it cannot play; ``files``, the paths of files whose content decides how it plays.
"""

import contextlib
import copy
import dataclasses
import importlib
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Literal, Protocol, TypeGuard, TypeVar, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.parameters import check_parameters, parameter_types, parse_parameters
from scotyard_env.plugins import Group, PluginError, needing
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views

Side = Literal["mr_x", "detectives"]
SIDES: tuple[Side, ...] = get_args(Side)


class PolicyError(ValueError):
    """A policy that does not exist, or not with these parameters."""


Weighed = tuple[tuple[int, float], ...]  # actions, each with a number
MOST_TOLD = 300  # items of a list that a decision tells beside its action: more than any seat has actions
LARGEST = 1e100  # number that it tells


@dataclasses.dataclass(frozen=True)
class Decision:
    """An action and, where the policy knows them, what it thinks of it."""

    action: int
    value: float | None = None  # how good the policy takes its position to be, in its own unit
    candidates: Weighed = ()  # the actions it weighed, each once with the number that ranks them, best first
    probabilities: Weighed = ()  # of a policy that draws: those of all actions that it might have played
    plan: tuple[int, ...] = ()  # of a policy that plans for the team: an action of every seat from the one to move on
    terms: tuple[tuple[str, float], ...] = ()  # named parts that add up to the value

    @property
    def gap(self) -> float | None:
        """What the action is worth more than the runner-up, 0 if that is worth more; without candidates, by chance."""
        numbers = dict(self.candidates or self.probabilities)
        own = numbers.pop(self.action, None)
        return max(0.0, own - max(numbers.values())) if own is not None and numbers else None

    @property
    def confidence(self) -> float | None:
        """How clear the choice was, from 0 to 1: the gap as a share of best less worst candidate, 1 with only one.

        Without candidates it is the probability of what was drawn.
        """
        if not self.candidates:
            return dict(self.probabilities).get(self.action)
        values = [value for _, value in self.candidates]
        spread = max(values) - min(values)
        if self.gap is None:
            return 1.0 if len(values) == 1 and self.candidates[0][0] == self.action else None
        return self.gap / spread if 0.0 < spread < math.inf else 0.0


def clean_decision(given: Any) -> Decision:
    """Take a decision apart once, so that nothing in it can change or raise later; refuse what is none.

    What a policy tells beside its action is left out where it is odd.
    """
    if not issubclass(type(given), Decision):
        raise PolicyError(f"gave {_show(given)}, which is no Decision")
    action = given.action
    if not _is_action(action):
        raise PolicyError(f"played an illegal move: {_show(action)} is not an action, which is an int")
    return Decision(
        operator.index(action),
        _number(given.value),
        tuple((operator.index(one), number) for one, number in _pairs(given.candidates) if _is_action(one)),
        tuple((operator.index(one), number) for one, number in _pairs(given.probabilities) if _is_action(one)),
        tuple(operator.index(one) for one in _items(given.plan) if _is_action(one)),
        tuple((name, number) for name, number in _pairs(given.terms) if type(name) is str),
    )


def _is_action(thing: object) -> bool:
    return isinstance(thing, int | np.integer) and not isinstance(thing, bool)


def _items(given: object) -> tuple[Any, ...]:
    """Return what a policy lists beside its action; nothing if it is no plain tuple."""
    return given[:MOST_TOLD] if type(given) is tuple else ()


def _pairs(given: object) -> Iterator[tuple[Any, float]]:
    """Give the pairs that a policy lists beside its action and whose second part is a number."""
    for item in _items(given):
        if type(item) is tuple and len(item) == 2 and (number := _number(item[1])) is not None:
            yield item[0], number


def _number(value: Any) -> float | None:
    """Return a number that a policy may give beside its action; None if it is none, or far too large."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    return float(value) if is_number and abs(value) < LARGEST else None


def _show(thing: object) -> str:
    try:
        return repr(thing)
    except BaseException:  # its own
        return "something that raises when it is shown"


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


_Kind = TypeVar("_Kind")
PolicyLike = str | Policy | Callable[..., Policy]  # whatever a policy can be asked for as


def make_policy(policy: PolicyLike, side: Side | None = None, **parameters: Any) -> Policy:
    """Make a policy from its name, or from a class or function that gives one; an object passes through.

    With a side given, a policy that cannot play it is refused.
    """
    made = _make_named(policy, parameters) if isinstance(policy, str) else build_policy(None, policy, parameters)
    if side is not None and side not in sides_of(made):
        able = ", ".join(policy_names(side))
        raise PolicyError(f"policy {policy!r} plays {' and '.join(sides_of(made))}, not {side}: {side} can be {able}")
    return made


def _make_named(policy: str, parameters: dict[str, Any]) -> Policy:
    """Make a policy from its name: an installed one, else by a scheme, else from a module."""
    name, colon, text = policy.partition(":")
    if name in POLICIES.find() or not colon:
        return build_policy(name, _take(policy, policy_factory(name)), {**_parse(policy, text), **parameters})
    if name in SCHEMES.find():
        return _make_by_scheme(policy, name, text, parameters)
    attribute, _, rest = text.partition(":")
    if not attribute.isidentifier():
        policy_factory(name)  # which says what there is
    found = _import(policy, name, attribute)
    return build_policy(policy, _take(policy, found), {**_parse(policy, rest), **parameters})


def _make_by_scheme(policy: str, scheme: str, text: str, parameters: dict[str, Any]) -> Policy:
    """Make a policy from the text behind its scheme: the first parameter, then others if the scheme takes any."""
    factory = _load(SCHEMES, scheme)
    first, *others = parameter_types(factory)
    split = re.fullmatch(r"(.*?):(\w+=.*)", text) if others else None
    if split is not None:
        text, parameters = split[1], {**_parse(policy, split[2]), **parameters}
    if not text:
        raise PolicyError(f"{policy!r} names no {first}: write {scheme}:{first.upper()}")
    return build_policy(policy, factory, {first: text, **parameters}, SCHEMES.find()[scheme])


def nest(name: str) -> str:
    """Return a policy's name as a parameter of another policy takes it: + stands for the commas in it, ++ for a +."""
    return name.replace("+", "++").replace(",", "+")


def make_nested(policy: PolicyLike, side: Side | None = None) -> Policy:
    """Make a policy that is a parameter of another one, from an object or from its name as ``nest`` writes it."""
    if isinstance(policy, str):
        policy = re.sub(r"\+\+?", lambda plus: "," if plus[0] == "+" else "+", policy)
    return make_policy(policy, side)


def check_nested(parameter: str, policy: PolicyLike, side: Side) -> None:
    """Refuse a policy that cannot be made or cannot play a side, by the name of the parameter that it is."""
    try:
        make_nested(policy, side)
    except PolicyError as error:
        raise PolicyError(f"{parameter} is {policy!r}: {error}") from error


def apart_from(policy: _Kind, others: Iterable[object]) -> _Kind:
    """Return a policy that shares no memory with those of the other side: itself, or a copy if it is one of them."""
    if not any(policy is other for other in others):
        return policy
    return _copy(policy, "plays both sides", "give each an own one")


def copy_for_thread(policy: _Kind) -> _Kind:
    """Return a policy that decides alike and shares no memory with this one, which is asked in another thread."""
    return _copy(policy, "is asked by several threads", "give threads=1")


def _copy(policy: _Kind, why: str, remedy: str) -> _Kind:
    try:
        return copy.deepcopy(policy)
    except Exception as error:  # whatever its own way to be copied may raise
        raised = f"{type(error).__name__}: {error}"
        raise PolicyError(f"{policy!r} {why} and cannot be copied ({raised}): {remedy}") from error


def sides_of(policy: object) -> tuple[Side, ...]:
    """Tell which sides a policy, or a class of policies, can play: what its ``sides`` says, both if it says nothing."""
    try:
        sides = getattr(policy, "sides", SIDES)
        if isinstance(policy, type) and hasattr(sides, "__get__"):
            return SIDES  # a property, which only an object of the class can tell
        told = (sides,) if isinstance(sides, str) else tuple(sides)
    except Exception as error:  # whatever a policy of the user's may do
        raise PolicyError(f"{_title(policy)} cannot say its sides: {type(error).__name__}: {error}") from error
    if not told or not set(told) <= set(SIDES):
        raise PolicyError(f"the sides of {_title(policy)} are {sides!r}: give some of {', '.join(SIDES)}")
    return told


def side_of(view: View) -> Side:
    """Return the side whose turn it is."""
    return "mr_x" if view.seat == MR_X else "detectives"


def check_fit(policy: Policy, board: Board, rules: RuleSet, side: Side) -> None:
    """Refuse a policy that says of itself that it cannot play a side on this board by these rules."""
    check = getattr(policy, "check_fit", None)
    if check is not None:
        check(board, rules, side)


def files_of(policy: Policy) -> tuple[Path, ...]:
    """List the files whose content decides how a policy plays: what its ``files`` says, none if it says nothing."""
    return tuple(Path(file) for file in getattr(policy, "files", ()))


def _parse(policy: str, text: str) -> dict[str, Any]:
    try:
        return parse_parameters(policy, text)
    except ValueError as error:
        raise PolicyError(str(error)) from error


# Finding


def policy_names(side: Side | None = None) -> tuple[str, ...]:
    """List the policies that are installed and can be loaded, all or those for one side."""
    return tuple(name for name, made in POLICIES.load_all().items() if side is None or side in policy_sides(made))


def policy_factory(name: str) -> Any:
    """Look up by name what an installed package has as a policy: a class or function that makes it, or an object."""
    found = POLICIES.find()
    if name not in found:
        exist = f"there are {', '.join(found)}" if found else "none are installed: pip install scotyard-env"
        raise PolicyError(f"there is no policy {name!r}: {exist}")
    return _load(POLICIES, name)


def _load(group: Group, name: str) -> Any:
    try:
        return group.load(name)
    except PluginError as error:
        raise PolicyError(str(error)) from error


def policy_sides(found: Any) -> tuple[Side, ...]:
    """Tell the sides of what is installed; a function that says nothing of them is asked for a policy."""
    if not inspect.isroutine(found) or hasattr(found, "sides"):
        return sides_of(found)
    try:
        return sides_of(build_policy(None, found, {}))
    except PolicyError:  # it may need parameters
        return SIDES


def _check_policy(found: Any) -> None:
    """Refuse what is no policy and can give none."""
    if not is_made(found) and (not callable(found) or (isinstance(found, type) and not hasattr(found, "act"))):
        raise PolicyError("should have act(view, rng), or be a function that gives what has it")
    sides_of(found)


def _check_scheme(found: Any) -> None:
    if not callable(found) or not parameter_types(found):
        raise PolicyError("should be a class or function that takes the text behind the scheme")


POLICIES = Group("scotyard_env.policies", "policy", _check_policy)
SCHEMES = Group("scotyard_env.policy_schemes", "scheme", _check_scheme)


# Making


def build_policy(name: str | None, factory: Any, parameters: dict[str, Any], entry: EntryPoint | None = None) -> Policy:
    """Call what makes a policy; parameters that it does not have, or not of this type, are refused by name.

    Of a library that is missing, the entry point that the policy comes from tells what brings it.
    """
    name = _title(factory) if name is None else name
    if is_made(factory):
        if parameters:
            raise PolicyError(f"policy {name!r} is made already: it takes no parameters")
        return factory
    if not callable(factory):
        raise PolicyError(f"{factory!r} is not a policy: give a name, or an object with act(view, rng)")
    try:
        check_parameters(name, factory, parameters)
    except ValueError as error:
        raise PolicyError(str(error)) from error
    try:
        with contextlib.nullcontext() if entry is None else needing("it", entry):
            made = factory(**parameters)
    except Exception as error:  # whatever a module of the user's may do
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise PolicyError(f"policy {name!r} cannot be made: {kind}{error}") from error
    if not is_made(made):
        raise PolicyError(f"policy {name!r} gave {made!r}: it should give an object with act(view, rng)")
    return made


def is_made(policy: object) -> TypeGuard[Policy]:
    """Tell an object that plays from the class of such objects, which has ``act`` too."""
    return isinstance(policy, Policy) and not isinstance(policy, type)


def _title(policy: object) -> str:
    return str(getattr(policy, "__qualname__", type(policy).__qualname__))


def _import(policy: str, module: str, name: str) -> Any:
    """Import what a module that is not ours has as a policy."""
    try:
        return getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as error:  # whatever a module of the user's may do
        raise PolicyError(f"policy {policy!r} cannot be made: {type(error).__name__}: {error}") from error


def _take(policy: str, found: Any) -> Any:
    """Return what was found under a name; of an object a copy, so that two who ask for it share no memory."""
    try:
        return copy.deepcopy(found) if is_made(found) else found
    except Exception as error:
        raise PolicyError(f"policy {policy!r} cannot be copied: {type(error).__name__}: {error}") from error
