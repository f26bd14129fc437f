"""The two ways into a kernel: from Python, and from another kernel."""

import weakref
from collections.abc import Callable
from typing import Any

from numba.core import compiler, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler
from numba.core.imputils import lower_cast
from numba.core.registry import CPUDispatcher
from numba.core.typing.templates import make_concrete_template

from scotyard_env.compiler import progress
from scotyard_env.compiler.disk_cache import DiskCache
from scotyard_env.compiler.library import InnerLibrary
from scotyard_env.compiler.pipeline import KernelPipeline, hastened

OPTIONS = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True}
_inner_kernels: "weakref.WeakValueDictionary[tuple[str, str], InnerKernel]" = weakref.WeakValueDictionary()


class Kernel(CPUDispatcher):
    """A kernel as Python calls it: its code and that of all it calls, optimised as a whole."""

    def __init__(self, function: Callable[..., Any], digest: str) -> None:
        super().__init__(function, targetoptions=OPTIONS)
        self.digest = digest
        self.inner = InnerKernel(function, digest)
        self._compiler = _OuterCompiler(self, self._compiler)
        self._cache = DiskCache(function, digest)

    @property
    def _numba_type_(self) -> Any:
        """The type that other kernels see, which is that of the inner kernel."""
        return self.inner._type


class InnerKernel(CPUDispatcher):
    """A kernel as other kernels call it; there is no machine code behind it for Python to call."""

    def __init__(self, function: Callable[..., Any], digest: str) -> None:
        super().__init__(function, targetoptions={**OPTIONS, "no_cpython_wrapper": True})
        self._compiler = _InnerCompiler(self, self._compiler)
        self._cache = _InnerDiskCache(self, digest)
        _inner_kernels[_name_of(self)] = self

    def add_overload(self, cres: Any) -> None:
        """Keep what was compiled, for kernels alone."""
        self.overloads[tuple(cres.signature.args)] = cres

    def compiled_for(self, kinds: tuple[Any, ...]) -> Any:
        """Return what the kernel is compiled to for some types of arguments."""
        if kinds not in self.overloads:
            with global_compiler_lock, self._compiling_counter:  # that it counts is how Numba notices recursion
                self._compile(kinds)
        return self.overloads[kinds]

    def _compile(self, kinds: tuple[Any, ...]) -> None:
        """Load or compile the kernel; as Numba does it, but without the timers that it sets for every function."""
        result = self._cache.load_overload(kinds, self.targetctx)
        is_new = result is None
        if is_new:
            result = self._compiler.compile(kinds, None)
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.add_overload(result)
        if is_new:
            self._cache.save_overload(kinds, result)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the signature for a call with arguments of some types, compiled for the widest of their kind."""
        pysig, folded = self._compiler.fold_argument_types(args, kws)
        compiled = self.compiled_for(tuple(widen(kind) for kind in folded))
        name = self.py_func.__name__
        template = make_concrete_template(f"CallTemplate({name})", key=name, signatures=[compiled.signature])
        return template, pysig, folded, {}


def widen(kind: Any) -> Any:
    """Return the type that a call from another kernel is compiled for: of a constant its type, of whole numbers int64.

    So 0, -1 and stations of one, two or eight bytes do not each compile all that is below the call; nor do arrays in
    records, whose type would have their length in it.
    """
    wide = types.unliteral(kind)
    if isinstance(wide, types.NestedArray):
        return types.Array(wide.dtype, wide.ndim, wide.layout)
    return types.int64 if isinstance(wide, types.Integer) and wide.signed else wide


@lower_cast(types.NestedArray, types.Array)  # type: ignore[untyped-decorator]
def _take_out_of_record(_context: Any, _builder: Any, _kind: Any, _wide: Any, array: Any) -> Any:
    """Pass an array in a record as any other: to compiled code they look the same."""
    return array


class _Compiler(_FunctionCompiler):
    """Numba's compiler of a function, which knows the dispatcher that it works for."""

    def __init__(self, kernel: Kernel | InnerKernel, plain: Any) -> None:
        super().__init__(plain.py_func, plain.targetdescr, plain.targetoptions, plain.locals, plain.pipeline_class)
        self._kernel = weakref.proxy(kernel)


class _OuterCompiler(_Compiler):
    """Makes of an inner kernel what Python calls."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        """Link the inner kernel with all that it calls, add a wrapper for Python, and make machine code."""
        with progress.compiling(self._kernel), hastened():
            lowered = self._kernel.inner.compiled_for(args)
            self.targetdescr.target_context.refresh()  # or it cannot unpack tuples where all inner kernels were on disk
            context = self.targetdescr.target_context.subtarget(enable_nrt=True)  # to hand arrays to Python
            library = context.codegen().create_library(lowered.fndesc.qualname)
            library.enable_object_caching()
            for needed in lowered.library.everything():
                library.add_linking_library(needed)
            with context.push_code_library(library):
                context.create_cpython_wrapper(
                    library, lowered.fndesc, lowered.environment, lowered.call_helper, release_gil=True
                )
            function = context.get_executable(library, lowered.fndesc, lowered.environment)
            return lowered._replace(library=library, entry_point=function, metadata={})


class _InnerCompiler(_Compiler):
    """Types and lowers a kernel, and stops there."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        """Write the code of the kernel into a library of its own; nobody optimises it there."""
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = True
        context = self.targetdescr.target_context
        library = InnerLibrary(context.codegen(), self.py_func.__qualname__)
        result = compiler.compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=self.locals,
            library=library,
            pipeline_class=KernelPipeline,
        )
        library.finalize()
        library.describe(_name_of(self._kernel), args, result.fndesc.mangled_name)
        progress.lowered()
        return result._replace(entry_point=_Key())


class _InnerDiskCache(DiskCache):
    """The code on disk of a kernel as others call it: not optimised, and without that of the kernels it calls."""

    def __init__(self, kernel: InnerKernel, digest: str) -> None:
        super().__init__(kernel.py_func, digest, "inner")
        self._kernel = weakref.proxy(kernel)

    def _reduce(self, result: Any) -> Any:
        library = result.library
        calls = [(callee.kernel, callee.argument_types, callee.symbol) for callee in library.callees]
        result.fndesc.typemap = result.fndesc.calltypes = None  # not needed again, and large
        return library.name, library.bitcode(), calls, result.fndesc, result.environment, result.signature

    def _rebuild(self, content: Any, context: Any) -> Any:
        """Make the result again, unless a kernel that it calls was compiled anew since, perhaps by another process."""
        name, code, calls, fndesc, environment, signature = content
        callees = []
        for called, kinds, symbol in calls:
            callee = _inner_kernels[called].compiled_for(kinds).library
            if callee.symbol != symbol:
                return None
            callees.append(callee)
        library = InnerLibrary.from_bitcode(context.codegen(), name, code, callees)
        library.describe(_name_of(self._kernel), signature.args, fndesc.mangled_name)
        progress.lowered()
        return compiler.compile_result(
            typing_context=context.typing_context,
            target_context=context,
            entry_point=_Key(),
            library=library,
            signature=signature,
            objectmode=False,
            lifted=(),
            fndesc=fndesc,
            environment=environment,
            metadata={},
        )


class _Key:
    """What stands for an inner kernel where Numba wants a function: it only tells one from another."""


def _name_of(kernel: Any) -> tuple[str, str]:
    return kernel.py_func.__module__, kernel.py_func.__qualname__
