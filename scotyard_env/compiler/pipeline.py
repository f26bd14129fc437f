"""Numba's way from the source of a kernel to its code, without the steps that a plain kernel has no use for.

Most kernels are loops over numbers in records and arrays that they were given: they make no arrays, hold no functions
and raise nothing. Then nobody need look for what they do not contain, nor count references to their arrays.
"""

import contextlib
import dis
import gc
from collections.abc import Callable, Iterator
from typing import Any

from numba.core import ir, types, untyped_passes
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import (
    DumpParforDiagnostics,
    NativeLowering,
    NopythonRewrites,
    NoPythonSupportedFeatureValidation,
)

NOT_PLAIN = {"MAKE_FUNCTION", "RAISE_VARARGS", "BEFORE_WITH", "LOAD_SPECIAL", "YIELD_VALUE"}  # instructions of Python
UNNEEDED = {  # steps for closures, ``with``, exceptions, ``literally``, inlined functions and parallel loops
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    NoPythonSupportedFeatureValidation,
    DumpParforDiagnostics,
}
SHARING = {"getattr", "getitem", "static_getitem", "cast", "phi"}  # expressions whose arrays are parts of others
_found: dict[int, tuple[Any, dict[Any, Any]]] = {}  # by operator, what it is for operands of some types


class KernelPipeline(CompilerBase):
    """The steps for a kernel: all of Numba's, or only those that a plain one needs."""

    def define_pipelines(self) -> list[Any]:
        """Return the steps, as Numba asks for them."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        if is_plain(self.state.func_id.func):
            kept = [(step, word) for step, word in steps.passes if step not in UNNEEDED]
            steps.passes = [(_REPLACED.get(step, step), word) for step, word in kept]
            steps.finalize()
        return [steps]


def is_plain(function: Callable[..., Any]) -> bool:
    """Return whether a function does without functions of its own, exceptions, ``with``, and hints to Numba."""
    instructions = {instruction.opname for instruction in dis.get_instructions(function)}
    return not instructions & NOT_PLAIN and not {"literally", "literal_unroll"} & set(function.__code__.co_names)


def makes_objects(state: Any) -> bool:
    """Return whether a typed kernel makes or returns anything that has its references counted, such as an array."""
    return any(_is_counted(state, kind) for kind in (state.return_type, *_made(state)))


def _made(state: Any) -> Iterator[Any]:
    """List the types of all that a kernel makes, whatever is only a part of something else left out."""
    for block in state.func_ir.blocks.values():
        for assignment in block.find_insts(ir.Assign):
            value = assignment.value
            if isinstance(value, ir.Expr) and (value.op not in SHARING or _picks(state, value)):
                yield state.typemap[assignment.target.name]


def _picks(state: Any, value: Any) -> bool:
    """Return whether an expression copies the elements that an array of indices names."""
    signature = state.calltypes.get(value)
    return signature is not None and any(isinstance(kind, types.Array) for kind in signature.args[1:])


def _is_counted(state: Any, kind: Any) -> bool:
    model: Any = state.targetctx.data_model_manager[kind]
    return bool(model.contains_nrt_meminfo())


@register_pass(mutates_CFG=True, analysis_only=False)
class _Rewrites(NopythonRewrites):
    """Fuse operations on whole arrays, where there are any."""

    _name = "kernel_rewrites"

    def run_pass(self, state: Any) -> bool:
        return bool(super().run_pass(state)) if makes_objects(state) else False


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    """Write the code of a kernel; who makes nothing counts no references, which is a good part of the code."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        context = state.targetctx
        if not makes_objects(state):
            state.targetctx = context.subtarget(enable_nrt=False)
        try:
            return bool(super().run_pass(state))
        finally:
            state.targetctx = context


_REPLACED = {NopythonRewrites: _Rewrites, NativeLowering: _Lowering}


@contextlib.contextmanager
def hastened() -> Iterator[None]:
    """Let Numba look up an operator for operands of some types once, and Python wait with the collection of garbage."""
    collects = gc.isenabled()
    gc.disable()
    types.Function.get_call_type = _find_operator
    try:
        yield
    finally:
        del types.Function.get_call_type  # the one of its parent is back
        if collects:
            gc.enable()


def _find_operator(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a function for arguments of some types; that of a built-in one from memory."""
    look_up = super(types.Function, function).get_call_type
    if kws or getattr(function.typing_key, "__module__", None) not in ("_operator", "builtins"):
        return look_up(context, args, kws)
    _, known = _found.setdefault(id(function), (function, {}))  # kept, so that no other gets its number
    if args not in known:
        known[args] = look_up(context, args, kws)
    return known[args]
