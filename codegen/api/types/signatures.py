"""The C++ signature of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchgen.api import cpp as aten_cpp

from executorch.codegen.api import et_cpp
from executorch.codegen.api.cpp_types import contextArg

if TYPE_CHECKING:
    from torchgen.api.types import Binding, CType
    from torchgen.model import FunctionSchema, NativeFunction


@dataclass(frozen=True)
class ExecutorchCppSignature:
    """What declares, defines and calls a kernel.

    Attributes:
        func: the operator's schema.
        cpp_no_default_args: arguments whose default the C++ leaves out.
        prefix: put before the name.
    """

    func: FunctionSchema
    cpp_no_default_args: set[str]
    prefix: str = ""

    def arguments(self, *, include_context: bool = True) -> list[Binding]:
        """The parameters in order; the first is the context that kernels report errors to."""
        bindings = et_cpp.arguments(
            self.func.arguments,
            faithful=True,
            method=False,
            cpp_no_default_args=self.cpp_no_default_args,
        )
        return [contextArg, *bindings] if include_context else bindings

    def name(self) -> str:
        """The function's name: `add`, `add_outf` for one with output arguments."""
        return self.prefix + aten_cpp.name(self.func, faithful_name_for_out_overloads=True)

    def decl(self, name: str | None = None, *, include_context: bool = True) -> str:
        """A declaration, with defaults."""
        parameters = ", ".join(binding.decl() for binding in self.arguments(include_context=include_context))
        return f"{self.returns_type().cpp_type()} {name or self.name()}({parameters})"

    def defn(self, name: str | None = None) -> str:
        """The head of a definition, without defaults."""
        parameters = ", ".join(binding.defn() for binding in self.arguments())
        return f"{self.returns_type().cpp_type()} {name or self.name()}({parameters})"

    def returns_type(self) -> CType:
        return et_cpp.returns_type(self.func.returns)

    @staticmethod
    def from_native_function(f: NativeFunction, *, prefix: str = "") -> ExecutorchCppSignature:
        """The signature of an operator's kernel."""
        return ExecutorchCppSignature(func=f.func, prefix=prefix, cpp_no_default_args=f.cpp_no_default_args)
