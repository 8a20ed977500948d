"""The C++ of kernels: declarations, functions that call them, entries of the table that registers them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchgen.api import cpp as aten_cpp
from torchgen.api.types import CppSignature, CppSignatureGroup
from torchgen.context import (
    method_with_native_function,
    method_with_nested_native_function,
    native_function_manager,
)
from torchgen.model import BackendIndex, BackendMetadata, NativeFunction, NativeFunctionsGroup, Variant
from torchgen.utils import mapMaybe

from executorch.codegen.api import et_cpp
from executorch.codegen.api.types import ExecutorchCppSignature, contextArg
from executorch.codegen.api.unboxing import Unboxing

if TYPE_CHECKING:
    from torchgen.selective_build.selector import SelectiveBuilder

    from executorch.codegen.model import ETKernelIndex, ETKernelKey


def _sig_decl_wrapper(sig: CppSignature | ExecutorchCppSignature) -> str:
    """A declaration with the context in front, which PyTorch's signatures have not."""
    if isinstance(sig, ExecutorchCppSignature):
        return sig.decl()
    parameters = ", ".join([contextArg.decl(), *(argument.decl() for argument in sig.arguments())])
    returns = aten_cpp.returns_type(sig.func.returns, symint=False).cpp_type()
    return f"{returns} {sig.name()}({parameters})"


def static_dispatch(
    sig: CppSignature | ExecutorchCppSignature, f: NativeFunction, backend_indices: list[BackendIndex]
) -> str:
    """A function that calls the kernel of an operator; nothing if there is none or if PyTorch generates it.

    Args:
        sig: the function's signature.
        f: the operator.
        backend_indices: where its kernel may be.
    """
    if not backend_indices or f.manual_kernel_registration:
        return ""
    kernels = [index.get_kernel(f) for index in backend_indices if index.has_kernel(f)]
    found = [kernel for kernel in kernels if kernel is not None and kernel.kernel]
    if len(found) == 1:
        call = ", ".join(argument.name for argument in sig.arguments())
        body = f"return ::{found[0].cpp_namespace}::{found[0].kernel}({call});"
    else:
        body = (
            f'ET_ASSERT_UNREACHABLE_MSG("there are {len(found)} kernels of {f.func.name} for all tensors");'
        )
    return f"""
// {f.namespace}::{f.func}
TORCH_API inline {_sig_decl_wrapper(sig)} {{
    {body}
}}
"""


@dataclass(frozen=True)
class ComputeFunction:
    """Writes the function that an operator is called by from C++.

    Attributes:
        static_dispatch_backend_indices: where kernels are.
        selector: which operators.
        use_aten_lib: PyTorch's types and kernels are meant.
        is_custom_op: whether an operator is not PyTorch's.
    """

    static_dispatch_backend_indices: list[BackendIndex]
    selector: SelectiveBuilder
    use_aten_lib: bool
    is_custom_op: Callable[[NativeFunction], bool]

    @method_with_native_function
    def __call__(self, f: NativeFunction) -> str | None:
        """The function; None if the operator is not selected."""
        if not self.selector.is_root_operator(f"{f.namespace}::{f.func.name}"):
            return None
        if not self.use_aten_lib:
            return static_dispatch(
                ExecutorchCppSignature.from_native_function(f), f, self.static_dispatch_backend_indices
            )
        group = CppSignatureGroup.from_native_function(f, method=False, fallback_binding=f.manual_cpp_binding)
        signature = group.most_faithful_signature()
        if self.is_custom_op(f):
            return static_dispatch(signature, f, self.static_dispatch_backend_indices)
        arguments = [argument.name for argument in signature.arguments()]
        if Variant.function in f.variants:
            call = f"at::{signature.name()}({', '.join(arguments)})"
        else:
            call = f"{arguments[0]}.{signature.name()}({', '.join(arguments[1:])})"
        return f"""
// {f.namespace}::{f.func}
TORCH_API inline {_sig_decl_wrapper(signature)} {{
    return {call};
}}
"""


def selected_keys(
    selector: SelectiveBuilder, f: NativeFunction, keys: list[ETKernelKey]
) -> list[ETKernelKey]:
    """Those of an operator's keys that a selection wants.

    Raises:
        Exception: the selection wants a key that is not there, nor a kernel for all tensors.
    """
    name = f"{f.namespace}::{f.func.name}"
    if not selector.et_kernel_metadata or "default" in selector.et_kernel_metadata.get(name, ()):
        return keys
    wanted = set(selector.et_get_selected_kernels(name, [key.to_native_string() for key in keys]))
    return [key for key in keys if key.to_native_string() in wanted]


_BOUNDARY = """
        } catch (const std::exception& ex) {
          ET_LOG(Error, "Kernel threw an exception: %s", ex.what());
          context.fail(torch::executor::Error::Internal);
        }"""


@dataclass(frozen=True)
class ComputeCodegenUnboxedKernels:
    """Writes an entry of the table of kernels: a function that takes its arguments from a stack.

    Attributes:
        selector: which operators.
        use_aten_lib: PyTorch's types and kernels are meant.
        add_exception_boundary: an exception becomes a failure of the call.
    """

    selector: SelectiveBuilder
    use_aten_lib: bool
    add_exception_boundary: bool

    @method_with_nested_native_function
    def __call__(
        self,
        unbox_kernel_entry: tuple[NativeFunction, tuple[ETKernelKey | list[ETKernelKey], BackendMetadata]],
    ) -> str:
        """The entries of an operator's kernel, one for each key; nothing if the operator is not selected.

        Of a list of keys those are taken that the selection wants.

        Raises:
            Exception: the selection wants a key that is not there, nor a kernel for all tensors.
        """
        f, (kernel_keys, metadata) = unbox_kernel_entry
        if not self.selector.is_root_operator(f"{f.namespace}::{f.func.name}"):
            return ""
        keys = [kernel_keys]
        if isinstance(kernel_keys, list):
            keys = selected_keys(self.selector, f, kernel_keys)
        return "\n".join(self._entry(f, key, metadata) for key in keys)

    def _entry(self, f: NativeFunction, kernel_key: ETKernelKey, metadata: BackendMetadata) -> str:
        signature: CppSignature | ExecutorchCppSignature
        if self.use_aten_lib:
            signature = CppSignatureGroup.from_native_function(
                f, method=False, fallback_binding=f.manual_cpp_binding
            ).most_faithful_signature()
            arguments = signature.arguments()
            unboxing = Unboxing(_aten_argument_type)
            returns = aten_cpp.returns_type(f.func.returns, symint=False).cpp_type()
            kernel = f"torch::executor::{f.namespace}::{signature.name()}"
        else:
            signature = ExecutorchCppSignature.from_native_function(f)
            arguments = signature.arguments(include_context=False)
            unboxing = Unboxing(et_cpp.argumenttype_type)
            returns = signature.returns_type().cpp_type()
            kernel = f"{metadata.cpp_namespace}::{metadata.kernel}"
        bindings, lines = unboxing.convert_arguments(arguments)
        call = "context, " + ", ".join(binding.name for binding in bindings)
        invoke, store, output = _call_and_store(f, f"{kernel}({call});", returns, len(bindings))
        key = "" if kernel_key.default else f'"{kernel_key.to_native_string()}",\n    '
        expected = len(bindings) + 1
        return f"""
Kernel(
    "{f.namespace}::{f.func.name}",
    {key}[]({contextArg.defn()}, Span<EValue*> stack) {{
        ET_KERNEL_CHECK_MSG(context, stack.size() == {expected}, InvalidProgram, /*void*/, \
"Expected %" ET_PRIsize_t "args received %" ET_PRIsize_t, (size_t){expected}, stack.size());
        {_indented(lines)}

{"        try {" if self.add_exception_boundary else ""}
        internal::EventTracerProfileOpScope event_tracer_op_scope(context.internal_event_tracer(), \
"native_call_{f.func.name}");
        EXECUTORCH_SCOPE_PROF("native_call_{f.func.name}");
        {invoke}
        {store}
        {_log(output)}
{_BOUNDARY if self.add_exception_boundary else _NEWLINE}
    }}
),
"""


_NEWLINE = "\n"


def _indented(lines: list[str]) -> str:
    return "\n\t".join(lines)


def _log(outputs: list[int]) -> str:
    log = "internal::event_tracer_log_evalue(context.internal_event_tracer(), *stack[{}]);"
    return "\n        ".join(log.format(index) for index in outputs)


def _aten_argument_type(t: object, *, mutable: bool, binds: str) -> object:
    return aten_cpp.argumenttype_type(t, mutable=mutable, binds=binds)  # type: ignore[arg-type]


def _call_and_store(f: NativeFunction, call: str, returns: str, count: int) -> tuple[str, str, list[int]]:
    """The call, what keeps its result, and the places on the stack that it wrote."""
    if f.func.arguments.out:
        first = count - len(f.func.arguments.out)
        return call, "", list(range(first, count))
    if not f.func.returns:
        return call, "", []
    return f"{returns} result_ = {call}", f"*stack[{count}] = EValue(result_);", [count]


def compute_native_function_declaration(
    g: NativeFunctionsGroup | NativeFunction, kernel_index: ETKernelIndex
) -> list[str]:
    """Declarations of an operator's kernels, without and with the context that most take."""
    assert isinstance(g, NativeFunction), f"one operator is declared at a time, got {type(g).__name__}"
    metadata_list = list(kernel_index.get_kernels(g).values())
    with native_function_manager(g):
        signature = ExecutorchCppSignature.from_native_function(f=g)
        return [
            f"{signature.decl(name=metadata.kernel, include_context=context)};"
            for context in (False, True)
            for metadata in metadata_list
        ]


def _namespace(name: str, body: str) -> str:
    return f"\nnamespace {name} {{\n{body}\n}} // namespace {name}\n        "


def gen_functions_declarations(
    *,
    native_functions: Sequence[NativeFunction],
    kernel_index: ETKernelIndex,
    selector: SelectiveBuilder,
    use_aten_lib: bool,
    custom_ops_native_functions: Sequence[NativeFunction] | None = None,
) -> str:
    """The functions that operators are called by, in a namespace for each of theirs.

    Args:
        native_functions: the operators.
        kernel_index: their kernels; of each, the one for all tensors is called.
        selector: which of them.
        use_aten_lib: PyTorch's types and kernels are meant.
        custom_ops_native_functions: those that are not PyTorch's.
    """
    custom = {function.func.name for function in custom_ops_native_functions or ()}
    compute = ComputeFunction(
        static_dispatch_backend_indices=[kernel_index._to_backend_index()],
        selector=selector,
        use_aten_lib=use_aten_lib,
        is_custom_op=lambda f: f.func.name in custom,
    )
    namespaces: dict[str, list[NativeFunction]] = defaultdict(list)
    for function in native_functions:
        namespaces[function.namespace].append(function)
    return "".join(
        _namespace(name, "\n".join(mapMaybe(compute, functions))) for name, functions in namespaces.items()
    )


def get_ns_grouped_kernels(
    *,
    native_functions: Sequence[NativeFunction],
    kernel_index: ETKernelIndex,
    native_function_decl_gen: Callable[[NativeFunctionsGroup | NativeFunction, ETKernelIndex], list[str]],
) -> dict[str, list[str]]:
    """Declarations of kernels by C++ namespace, each once.

    Args:
        native_functions: the operators.
        kernel_index: their kernels.
        native_function_decl_gen: writes the declarations of an operator's kernels.
    """
    grouped: dict[str, dict[str, None]] = defaultdict(dict)
    for function in native_functions:
        kernels = kernel_index.get_kernels(function)
        for namespace in dict.fromkeys(metadata.cpp_namespace for metadata in kernels.values()):
            own = {key: m for key, m in kernels.items() if m.cpp_namespace == namespace}
            only = type(kernel_index)({function.func.name: own})
            grouped[namespace].update(dict.fromkeys(native_function_decl_gen(function, only)))
    return {namespace: list(texts) for namespace, texts in grouped.items()}
