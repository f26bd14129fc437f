"""Code of kernels that is typed and lowered, but not yet optimised: it waits to be linked into what Python calls."""

from typing import Any

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.runtime import rtsys


class InnerLibrary(JITCodeLibrary):
    """The code of one kernel, with the libraries that it calls beside it instead of inside it."""

    def describe(self, kernel: tuple[str, str], argument_types: tuple[Any, ...], symbol: str) -> None:
        """Say whose code this is, for which arguments, and by which name others link it."""
        self.kernel, self.argument_types, self.symbol = kernel, argument_types, symbol

    def add_linking_library(self, library: Any) -> None:
        """Take down a library that this code calls."""
        if not isinstance(library, InnerLibrary):
            library._ensure_finalized()
        if library not in self._linking_libraries:
            self._linking_libraries.append(library)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Tidy up what was written; what Python calls is optimised as a whole, and sooner if there is less of it."""
        ll_module.data_layout = self._codegen._data_layout
        passes = llvm.create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.run(ll_module, llvm.create_pass_builder(self._codegen._tm, llvm.create_pipeline_tuning_options()))

    def _get_module_for_linking(self) -> Any:
        """Return the code for others to link; here nobody else has a use for it, so that it need not be copied."""
        if self._shared_module is None:
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"  # each who links it may inline it and drop the rest
            self._shared_module = self._final_module
        return self._shared_module

    def finalize(self) -> None:
        """Close the library; nothing is optimised, and no machine code is made."""
        self._raise_if_finalized()
        self._finalized = True

    @property
    def callees(self) -> list["InnerLibrary"]:
        """The libraries of the other kernels that this one calls."""
        return [library for library in self._linking_libraries if isinstance(library, InnerLibrary)]

    @property
    def helpers(self) -> list[Any]:
        """The libraries that Numba made for what this kernel uses of Python and NumPy."""
        return [library for library in self._linking_libraries if not isinstance(library, InnerLibrary)]

    def everything(self) -> list[Any]:
        """List this library and all that it needs, however deep, each once and after all those that call it.

        The order matters: the linker leaves out what nobody has asked for yet.
        """
        found: dict[Any, None] = {}
        self._visit(found)
        inner = [library for library in reversed(found) if isinstance(library, InnerLibrary)]
        return inner + [library for library in found if not isinstance(library, InnerLibrary)]

    def _visit(self, found: dict[Any, None]) -> None:
        for library in self.callees:
            if library not in found:
                library._visit(found)
        found.update(dict.fromkeys([*self.helpers, self]))

    def bitcode(self) -> bytes:
        """Return the code of this kernel, with Numba's helpers and without other kernels."""
        module = self._get_module_for_linking()
        if helpers := [library for library in self.helpers if library is not rtsys.library]:
            module = module.clone()
            for library in helpers:
                module.link_in(library._get_module_for_linking(), preserve=True)
        code: bytes = module.as_bitcode()
        return code

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, code: bytes, callees: list["InnerLibrary"]) -> "InnerLibrary":
        """Make the library again from its code and from the kernels that it calls."""
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(code)
        library._linking_libraries = [*callees, rtsys.library]
        library._finalized = True
        return library
