"""Registration of custom operators with PyTorch, so that a model that calls them can be exported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchgen import dest
from torchgen.api.types import DispatcherSignature
from torchgen.context import method_with_native_function
from torchgen.model import BaseTy, BaseType, DispatchKey, NativeFunction, Return
from torchgen.utils import Target

if TYPE_CHECKING:
    from torchgen.selective_build.selector import SelectiveBuilder

    from executorch.codegen.model import ETKernelIndex

_TENSOR = BaseType(BaseTy.Tensor)


@dataclass(frozen=True)
class ComputeNativeFunctionStub:
    """Writes a function with an operator's signature that computes nothing."""

    @method_with_native_function
    def __call__(self, f: NativeFunction) -> str | None:
        """The function; it gives back what it was given where it has to give back anything.

        Raises:
            Exception: the result is neither nothing nor tensors.
        """
        signature = DispatcherSignature.from_schema(
            f.func, prefix=f"wrapper_CPU_{f.func.name.overload_name}_", symint=False
        )
        returns = f.func.returns
        if not returns:
            body = ""
        elif all(r.type == _TENSOR for r in returns):
            results = _results(f, returns)
            body = f"return {results[0]};"
            if len(results) > 1:
                types = f"{dest_type('at::Tensor', returns)}"
                body = f"return ::std::tuple<{types}>(\n                {', '.join(results)}\n            );"
        else:
            raise Exception(f"Can't handle this return type {f.func}: a stub gives back tensors or nothing")
        return f"\n{signature.defn()} {{\n    {body}\n}}\n    "


def dest_type(tensor: str, returns: Sequence[Return]) -> str:
    """The C++ types of results, which are references where they were written."""
    return ", ".join(f"{tensor} &" if r.is_write else tensor for r in returns)


def _results(f: NativeFunction, returns: Sequence[Return]) -> list[str]:
    """What stands for each result: an output or `self` that was written, a tensor argument, or an empty tensor."""
    arguments = f.func.arguments
    if arguments.out:
        return [argument.name for argument in arguments.out]
    if len(returns) == 1:
        tensors = [argument.name for argument in f.func.schema_order_arguments() if argument.type == _TENSOR]
        written = [argument.name for argument in f.func.schema_order_arguments() if argument.is_write]
        return [(written or tensors or ["at::Tensor()"])[0]]
    return ["at::Tensor()"] * len(returns)


def gen_custom_ops_registration(
    *,
    native_functions: Sequence[NativeFunction],
    selector: SelectiveBuilder,
    kernel_index: ETKernelIndex,
    rocm: bool,
) -> tuple[str, str]:
    """The C++ that registers custom operators for the CPU.

    Args:
        native_functions: the operators.
        selector: which of them.
        kernel_index: their kernels; of each, the one for all tensors is registered.
        rocm: whether PyTorch is built for ROCm.

    Returns:
        Wrappers of the kernels, and the blocks that register them, by namespace.
    """
    key = DispatchKey.CPU
    backend_index = kernel_index._to_backend_index()
    namespaces: dict[str, list[NativeFunction]] = defaultdict(list)
    for function in native_functions:
        namespaces[function.namespace].append(function)

    def generate(target: Target, functions: list[NativeFunction]) -> list[str]:
        register = dest.RegisterDispatchKey(
            backend_index,
            target,
            selector,
            rocm=rocm,
            symint=False,
            class_method_name=None,
            skip_dispatcher_op_registration=False,
        )
        return [text for function in functions for text in register(function)]

    wrappers = [
        text for functions in namespaces.values() for text in generate(Target.ANONYMOUS_DEFINITION, functions)
    ]
    blocks = ""
    for namespace, functions in namespaces.items():
        registrations = generate(Target.REGISTRATION, functions)
        if registrations:
            body = "\n".join(registrations)
            blocks += f"\nTORCH_LIBRARY_IMPL({namespace}, {key}, m) {{\n{body}\n}}"
    return "\n".join(wrappers), blocks
