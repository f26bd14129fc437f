"""What is being compiled and how far it is: told to the log ``scotyard_env.compiler`` and to whoever listens."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

Listener = Callable[[str, int, int], None]  # told the kernel that Python called, how many steps are done, of how many
_log = logging.getLogger("scotyard_env.compiler")
_listeners: list[Listener] = []
_current: list[tuple[str, int, int]] = []  # the kernel that is being compiled, as listeners are told of it


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have somebody told whenever code is compiled: at every step, and at the end with all steps done."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextlib.contextmanager
def compiling(kernel: Any) -> Iterator[None]:
    """Tell that a kernel is being compiled: one step for each kernel that it needs, and one for its machine code."""
    name = kernel.py_func.__qualname__
    total = sum(not found.inner.overloads for found in _needed(kernel)) + 1
    _log.info("compiling %s with %d kernels that it calls", name, total - 1)
    _current.append((name, 0, total))
    try:
        _tell()
        yield
    finally:
        _current[-1] = name, total, total
        _tell()
        _current.pop()


def lowered() -> None:
    """Tell that one of the kernels that are needed is done."""
    if _current:
        name, done, total = _current[-1]
        _current[-1] = name, min(done + 1, total - 1), total
        _tell()


def _tell() -> None:
    for listener in _listeners:
        listener(*_current[-1])


def _needed(kernel: Any) -> list[Any]:
    """List a kernel and all that it calls, however deep, as its source names them."""
    found = {id(kernel): kernel}
    waiting = [kernel]
    while waiting:
        function = waiting.pop().py_func
        for called in _named(function.__code__.co_names, function.__globals__):
            if hasattr(called, "inner") and id(called) not in found:
                found[id(called)] = called
                waiting.append(called)
    return list(found.values())


def _named(names: tuple[str, ...], known: dict[str, Any]) -> Iterator[Any]:
    """List what some names stand for, as themselves or in a module that is named beside them."""
    for value in [known[name] for name in names if name in known]:
        if isinstance(value, ModuleType):
            yield from (getattr(value, name) for name in names if hasattr(value, name))
        else:
            yield value
