"""What decides how a policy plays, told apart by content: two that differ in anything have different digests.

Values are taken apart down to numbers and texts, so that neither the order of a set nor where something lies in memory
counts. Of code that is not ours the bytecode counts, with the defaults, closures and globals it uses; ours, Python's
and that of other libraries goes by name.
"""

import functools
import hashlib
import sys
import sysconfig
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

OURS = ("scotyard_env", "scotyard_baselines", "scotyard_training")
_LIBRARIES = tuple(str(Path(sysconfig.get_path(name)).resolve()) for name in ("purelib", "platlib", "stdlib"))
_FUNCTIONS: Any = types.FunctionType | types.MethodType | types.BuiltinFunctionType | functools.partial
_WRAPPERS: Any = property | classmethod | staticmethod | functools.cached_property
_SLOTS: Any = types.MemberDescriptorType | types.GetSetDescriptorType | types.WrapperDescriptorType
_SLOTS |= types.MethodDescriptorType | types.ClassMethodDescriptorType | types.MethodWrapperType
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_OF_NO_MATTER = (
    "__dict__",
    "__weakref__",
    "__doc__",
    "__module__",
    "__annotations__",
    "__dataclass_fields__",
    "_abc_impl",
)


class ContentError(ValueError):
    """Something that cannot be told from another of its kind by its content."""


def digest(value: object) -> str:
    """Return a short text that differs for different contents."""
    package = _package(value if isinstance(value, type) else type(value))
    try:
        return Reader(package).read(value).hex()[:16]
    except ContentError:
        raise
    except RecursionError:
        raise ContentError("it is nested too deeply") from None
    except Exception as error:  # whatever its own way to be taken apart may raise
        raise ContentError(f"{type(error).__name__}: {error}") from error


def digest_file(path: str | Path) -> str:
    """Return a short text that differs for files with different bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


class Reader:
    """Takes things apart; what is met again on the way is told by where it was met first."""

    def __init__(self, package: str) -> None:
        self._package = package  # of the policy: its own code counts wherever it is installed
        self._met: dict[int, int] = {}
        self._kept: list[object] = []  # so that no two things have one id

    def read(self, value: Any) -> bytes:
        """Return the digest of a value."""
        if type(value) in _PLAIN:
            return _hash(type(value).__name__, repr(value))
        if id(value) in self._met:
            return _hash("met before", str(self._met[id(value)]))
        self._met[id(value)] = len(self._met)
        self._kept.append(value)
        for kinds, read in self._ways():
            if isinstance(value, kinds):
                return read(value)
        return self._read_object(value)

    def _ways(self) -> tuple[tuple[Any, Callable[[Any], bytes]], ...]:
        return (
            (types.ModuleType, lambda module: _hash("module", module.__name__)),
            (type, self._read_class),
            (types.CodeType, lambda code: self._read_code(code, {})),
            (_FUNCTIONS, self._read_function),
            (_WRAPPERS, self._read_wrapper),
            (_SLOTS, lambda slot: _hash("slot", slot.__qualname__)),
            (set | frozenset, lambda items: _hash("set", *sorted(Reader(self._package).read(one) for one in items))),
            (np.ndarray, self._read_array),
            (dict | types.MappingProxyType, self._read_mapping),
            (list | tuple, lambda items: _hash(type(items).__name__, *map(self.read, items))),
            (Path, lambda path: _hash("path", str(path))),
        )

    def _read_array(self, array: Any) -> bytes:
        content = self.read(array.tolist()) if array.dtype.hasobject else np.ascontiguousarray(array).tobytes()
        return _hash("array", str(array.dtype), str(array.shape), content)

    def _read_mapping(self, mapping: Mapping[Any, Any]) -> bytes:
        pairs = ((Reader(self._package).read(key), value) for key, value in mapping.items())
        return _hash("mapping", *(part for key, value in sorted(pairs, key=_first) for part in (key, self.read(value))))

    def _read_object(self, value: object) -> bytes:
        """Take an object apart as pickling does: its class, what it is made from and its state."""
        if hasattr(value, "detach"):  # a tensor
            return self._read_array(np.asarray(value.detach().cpu()))
        wrapped = getattr(value, "py_func", getattr(value, "__wrapped__", None))
        if isinstance(wrapped, types.FunctionType):  # a function that is compiled or remembers
            return _hash(type(value).__name__, self.read(wrapped))
        parts = value.__reduce_ex__(4)
        if isinstance(parts, str):
            return _hash("global", type(value).__module__, parts)
        factory, arguments, *rest = parts
        state, items, pairs = (*rest, None, None, None)[:3]
        if isinstance(state, dict):  # what it has worked out and remembers does not count
            state = {name: one for name, one in state.items() if not _is_remembered(value, name)}
        told = (type(value), factory, arguments, state, list(items or ()), list(pairs or ()))
        return _hash("object", *map(self.read, told))

    def _read_class(self, kind: type) -> bytes:
        """Take a class apart: its name, and if the code is the user's, what it and its ancestors define."""
        name = f"{kind.__module__}.{kind.__qualname__}"
        if not self._is_users(kind.__module__):
            return _hash("class", name)
        own = {key: one for key, one in vars(kind).items() if key not in _OF_NO_MATTER}
        return _hash("class", name, *map(self.read, kind.__mro__[1:]), self._read_mapping(own))

    def _read_function(self, function: Any) -> bytes:
        if isinstance(function, types.MethodType):
            return _hash("method", self.read(function.__self__), self.read(function.__func__))
        if isinstance(function, functools.partial):
            return _hash("partial", *map(self.read, (function.func, function.args, function.keywords)))
        name = f"{function.__module__}.{function.__qualname__}"
        if isinstance(function, types.BuiltinFunctionType) or not self._is_users(function.__module__):
            return _hash("function", name)
        cells = [_content_of(cell) for cell in function.__closure__ or ()]
        code = self._read_code(function.__code__, function.__globals__)
        return _hash("function", name, code, *map(self.read, (function.__defaults__, function.__kwdefaults__, cells)))

    def _read_wrapper(self, wrapper: Any) -> bytes:
        names = ("fget", "fset", "fdel", "func", "__func__")
        return _hash(type(wrapper).__name__, *(self.read(getattr(wrapper, name, None)) for name in names))

    def _read_code(self, code: types.CodeType, scope: Mapping[str, Any]) -> bytes:
        """Take code apart: instructions, constants, and the globals that it names."""
        constants = [
            self._read_code(one, scope) if isinstance(one, types.CodeType) else self.read(one) for one in code.co_consts
        ]
        names = " ".join((*code.co_names, *code.co_varnames, *code.co_freevars))
        used = {name: scope[name] for name in code.co_names if name in scope}
        for module in [one for one in used.values() if isinstance(one, types.ModuleType)]:
            if self._is_users(module.__name__):
                found = {name: getattr(module, name) for name in code.co_names if hasattr(module, name)}
                used |= {f"{module.__name__}.{name}": one for name, one in found.items()}
        read = [part for name in sorted(used) for part in (name.encode(), self._read_global(used[name]))]
        return _hash("code", code.co_code, names, *constants, *read)

    def _read_global(self, value: object) -> bytes:
        """Read what code refers to; of a lock and the like only what it is, as it decides nothing."""
        try:
            return self.read(value)
        except TypeError:
            return _hash("not read", type(value).__qualname__)

    def _is_users(self, module: str | None) -> bool:
        """Tell whether a module is the user's own, whose code no version speaks for."""
        top = (module or "").partition(".")[0]
        if top in OURS or top in sys.stdlib_module_names - {"__main__"}:
            return False
        file = getattr(sys.modules.get(module or ""), "__file__", None)
        return top == self._package or file is None or not str(Path(file).resolve()).startswith(_LIBRARIES)


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _first(pair: tuple[bytes, Any]) -> bytes:
    return pair[0]


def _is_remembered(value: object, name: str) -> bool:
    return isinstance(getattr(type(value), name, None), functools.cached_property)


def _content_of(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was put into it yet
        return None


def _hash(kind: str, *parts: str | bytes) -> bytes:
    whole = hashlib.sha256(kind.encode())
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        whole.update(len(content).to_bytes(8, "big") + content)
    return whole.digest()
