"""The files that are generated: templates with their gaps filled."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from torchgen.gen import (
    get_native_function_declarations_from_ns_grouped_kernels,
    get_native_function_schema_registrations,
)
from torchgen.model import BackendMetadata, NativeFunction
from torchgen.utils import FileManager

from executorch.codegen.api.custom_ops import ComputeNativeFunctionStub, gen_custom_ops_registration
from executorch.codegen.kernels import (
    ComputeCodegenUnboxedKernels,
    compute_native_function_declaration,
    gen_functions_declarations,
    get_ns_grouped_kernels,
    selected_keys,
)

if TYPE_CHECKING:
    from torchgen.selective_build.selector import SelectiveBuilder

    from executorch.codegen.model import ETKernelIndex, ETKernelKey


def make_file_manager(options: argparse.Namespace) -> FileManager:
    """What reads templates and writes files, as the command line says."""
    return FileManager(
        install_dir=Path(options.install_dir),
        template_dir=Path(options.source_path) / "templates",
        dry_run=options.dry_run,
    )


def _kernels_of(
    f: NativeFunction, kernel_index: ETKernelIndex, selector: SelectiveBuilder
) -> list[tuple[NativeFunction, tuple[ETKernelKey, BackendMetadata]]]:
    """The kernels of an operator that a selection wants."""
    kernels = kernel_index.get_kernels(f)
    return [(f, (key, kernels[key])) for key in selected_keys(selector, f, list(kernels))]


def gen_unboxing(
    *,
    native_functions: Sequence[NativeFunction],
    cpu_fm: FileManager,
    selector: SelectiveBuilder,
    use_aten_lib: bool,
    kernel_index: ETKernelIndex,
    manual_registration: bool,
    add_exception_boundary: bool = False,
) -> None:
    """Writes the sources that register kernels.

    Args:
        native_functions: the operators.
        cpu_fm: writes files.
        selector: which operators, and which of their kernels.
        use_aten_lib: PyTorch's types and kernels are meant.
        kernel_index: the kernels.
        manual_registration: `register_all_kernels()` registers, not what runs before main.
        add_exception_boundary: an exception of a kernel becomes a failure of the call.
    """
    compute = ComputeCodegenUnboxedKernels(selector, use_aten_lib, add_exception_boundary)
    entries = [
        compute(entry)
        for function in sorted(native_functions, key=lambda f: (f.root_name, str(f.func.name)))
        for entry in _kernels_of(function, kernel_index, selector)
    ]
    environment = {
        "filename": "Everything",
        "fn_header": "Functions.h" if use_aten_lib else "NativeFunctions.h",
        "unboxed_kernels": [entry for entry in entries if entry],
    }
    if manual_registration:
        cpu_fm.write_with_template("RegisterKernels.h", "RegisterKernels.h", dict)
        cpu_fm.write_with_template(
            "RegisterKernelsEverything.cpp", "RegisterKernels.cpp", lambda: environment
        )
        return
    cpu_fm.write_with_template(
        "RegisterCodegenUnboxedKernelsEverything.cpp",
        "RegisterCodegenUnboxedKernels.cpp",
        lambda: environment,
    )


def _declared(
    functions: Sequence[NativeFunction], kernel_index: ETKernelIndex, selector: SelectiveBuilder
) -> list[str]:
    chosen = [f for f in functions if selector.is_root_operator(f"{f.namespace}::{f.func.name}")]
    return get_native_function_declarations_from_ns_grouped_kernels(
        ns_grouped_kernels=get_ns_grouped_kernels(
            native_functions=chosen,
            kernel_index=kernel_index,
            native_function_decl_gen=compute_native_function_declaration,
        )
    )


def gen_headers(
    *,
    native_functions: Sequence[NativeFunction],
    gen_custom_ops_header: bool,
    custom_ops_native_functions: Sequence[NativeFunction],
    selector: SelectiveBuilder,
    kernel_index: ETKernelIndex,
    cpu_fm: FileManager,
    use_aten_lib: bool,
) -> None:
    """Writes `Functions.h` (operators as functions), `NativeFunctions.h` (kernels), and where there are custom
    operators `CustomOpsNativeFunctions.h` (their kernels with PyTorch's types).
    """
    includes = ["#include <ATen/Functions.h>"] if use_aten_lib else []
    if gen_custom_ops_header:
        cpu_fm.write_with_template(
            "CustomOpsNativeFunctions.h",
            "NativeFunctions.h",
            lambda: {
                "nativeFunctions_declarations": _declared(custom_ops_native_functions, kernel_index, selector)
            },
        )
    if use_aten_lib and gen_custom_ops_header:
        includes.append('#include "CustomOpsNativeFunctions.h"')
    if not use_aten_lib:
        includes.append('#include "NativeFunctions.h"')
    cpu_fm.write(
        "Functions.h",
        lambda: {
            "static_dispatch_extra_headers": includes,
            "Functions_declarations": gen_functions_declarations(
                native_functions=native_functions,
                kernel_index=kernel_index,
                selector=selector,
                use_aten_lib=use_aten_lib,
                custom_ops_native_functions=custom_ops_native_functions,
            ),
        },
    )
    cpu_fm.write(
        "NativeFunctions.h",
        lambda: {"nativeFunctions_declarations": _declared(native_functions, kernel_index, selector)},
    )


def gen_custom_ops(
    *,
    native_functions: Sequence[NativeFunction],
    selector: SelectiveBuilder,
    kernel_index: ETKernelIndex,
    cpu_fm: FileManager,
    rocm: bool,
) -> None:
    """Writes the sources that make custom operators known to PyTorch, with their kernels (`RegisterCPUCustomOps.cpp`)
    and with functions that compute nothing (`RegisterCPUStub.cpp`), and their schemas (`RegisterSchema.cpp`).
    """
    wrappers, registrations = gen_custom_ops_registration(
        native_functions=native_functions, selector=selector, kernel_index=kernel_index, rocm=rocm
    )
    stub = ComputeNativeFunctionStub()
    stubs = [stub(function) or "" for function in native_functions]
    template = "RegisterDispatchKeyCustomOps.cpp"
    cpu_fm.write_with_template(
        "RegisterCPUCustomOps.cpp",
        template,
        lambda: {
            "ops_headers": '#include "CustomOpsNativeFunctions.h"',
            "dispatch_anonymous_definitions": wrappers,
            "static_init_dispatch_registrations": registrations,
        },
    )
    cpu_fm.write_with_template(
        "RegisterCPUStub.cpp",
        template,
        lambda: {
            "ops_headers": "",
            "dispatch_anonymous_definitions": stubs,
            "static_init_dispatch_registrations": registrations,
        },
    )
    aten, own = get_native_function_schema_registrations(
        native_functions=native_functions, schema_selector=selector
    )
    cpu_fm.write_with_template(
        "RegisterSchema.cpp",
        "RegisterSchema.cpp",
        lambda: {"schema_registrations": own, "aten_schema_registrations": aten},
    )
