"""Command line: from operators' yaml to the C++ that declares and registers their kernels.

    python -m executorch.codegen.gen --functions-yaml-path functions.yaml --install-dir out

`functions.yaml` names operators of PyTorch's with `op`; `--custom-ops-yaml-path` takes operators of one's own with
`func`. PyTorch's schemas come with its generator package unless `--aten-yaml-path` and `--tags-path` say otherwise.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import torchgen
import yaml
from torchgen.gen import LineLoader, get_custom_build_selector, parse_native_yaml_struct, parse_tags_yaml
from torchgen.model import BackendMetadata, DispatchKey, FunctionSchema, NativeFunction, OperatorName
from torchgen.selective_build.selector import SelectiveBuilder
from torchgen.utils import NamespaceHelper

from executorch.codegen.files import gen_custom_ops, gen_headers, gen_unboxing, make_file_manager
from executorch.codegen.kernels import (
    ComputeCodegenUnboxedKernels,
    ComputeFunction,
    _sig_decl_wrapper,
    compute_native_function_declaration,
    gen_functions_declarations,
    get_ns_grouped_kernels,
    static_dispatch,
)
from executorch.codegen.model import ETKernelIndex, ETParsedYaml
from executorch.codegen.parse import ET_FIELDS, parse_et_yaml, parse_et_yaml_struct, strip_et_fields

#: Of kernels that are named without one.
DEFAULT_KERNEL_NAMESPACE = "at::native"

_ATEN = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"

__all__ = [
    "DEFAULT_KERNEL_NAMESPACE",
    "ET_FIELDS",
    "ComputeCodegenUnboxedKernels",
    "ComputeFunction",
    "_sig_decl_wrapper",
    "compute_native_function_declaration",
    "gen_custom_ops",
    "gen_functions_declarations",
    "gen_headers",
    "gen_unboxing",
    "get_ns_grouped_kernels",
    "main",
    "parse_yaml",
    "parse_yaml_files",
    "static_dispatch",
    "translate_native_yaml",
]


def _load(path: str) -> list[dict[str, Any]]:
    with open(path) as file:
        return yaml.load(file, Loader=LineLoader) or []


def _generated_schemas(aten_yaml_path: str, tags_yaml_path: str) -> dict[OperatorName, FunctionSchema]:
    """All schemas, with those of the variants that PyTorch generates, which its file does not list; takes seconds."""
    entries = _load(aten_yaml_path)
    strip_et_fields(entries)
    parsed = parse_native_yaml_struct(entries, parse_tags_yaml(tags_yaml_path), None, aten_yaml_path)
    return {function.func.name: function.func for function in parsed.native_functions}


def translate_native_yaml(
    tags_yaml_path: str,
    aten_yaml_path: str,
    native_yaml_path: str | None,
    use_aten_lib: bool,
    out_file: TextIO,
) -> None:
    """Writes a `functions.yaml` with the schemas of PyTorch's operators in place of their names.

    Args:
        tags_yaml_path: PyTorch's list of tags.
        aten_yaml_path: PyTorch's `native_functions.yaml`.
        native_yaml_path: the `functions.yaml`; entries with `func` stay as they are, those with
            `op` and no kernels have those of `aten_yaml_path`.
        use_aten_lib: PyTorch's own kernels are meant, so its yaml is written as it is.
        out_file: where to write.

    Raises:
        AssertionError: an operator is not PyTorch's.
    """
    if use_aten_lib:
        with open(aten_yaml_path) as file:
            out_file.write(file.read())
        return
    schemas: dict[OperatorName, FunctionSchema] = {}
    kernels: dict[OperatorName, dict[str, Any]] = {}
    for entry in _load(aten_yaml_path):
        schema = FunctionSchema.parse(
            NamespaceHelper.from_namespaced_entity(entry["func"], max_level=1).entity_name
        )
        schemas[schema.name] = schema
        kernels[schema.name] = {field: entry[field] for field in ET_FIELDS if field in entry}
    if not native_yaml_path or not os.path.isfile(native_yaml_path) or not os.path.getsize(native_yaml_path):
        return
    entries = []
    listed = yaml.safe_load(Path(native_yaml_path).read_text()) or []
    names = [OperatorName.parse(entry["op"].rpartition("::")[2]) for entry in listed if "op" in entry]
    if any(name not in schemas for name in names):
        schemas = _generated_schemas(aten_yaml_path, tags_yaml_path) | schemas
    for entry in listed:
        if "op" in entry:
            helper = NamespaceHelper.from_namespaced_entity(entry.pop("op"), max_level=1)
            name = OperatorName.parse(helper.entity_name)
            namespace = helper.get_cpp_namespace()
            assert name in schemas, f"no operator of PyTorch is called {name}: give its schema with `func`"
            prefix = f"{namespace}::" if namespace and namespace != "aten" else ""
            entry["func"] = f"{prefix}{schemas[name]}"
            entry.setdefault("variants", "function")
            if "kernels" not in entry:
                entry.update(kernels.get(name, {}))
        entries.append(entry)
    yaml.safe_dump(entries, out_file, width=1000)


def parse_yaml(
    path: str | None,
    tags_yaml_path: str,
    function_filter: Callable[[NativeFunction], bool],
    skip_native_fns_gen: bool = False,
) -> tuple[list[NativeFunction], dict[DispatchKey, dict[OperatorName, BackendMetadata]] | ETKernelIndex]:
    """Operators of a file whose entries have schemas, those that pass a filter.

    Returns:
        The operators; and their kernels, as an index if the file has `kernels`, as PyTorch's tables by dispatch
        key if it has `dispatch`.
    """
    if not path or not os.path.isfile(path) or not os.path.getsize(path):
        return [], ETKernelIndex({})
    entries = _load(path)
    if any(field in entry for entry in entries for field in ET_FIELDS):
        functions, _ = parse_et_yaml(path, tags_yaml_path, None, skip_native_fns_gen)
        chosen = [function for function in functions if function_filter(function)]
        names = {function.func.name for function in chosen}
        index = parse_et_yaml_struct(entries).index
        return chosen, ETKernelIndex({name: kernels for name, kernels in index.items() if name in names})
    parsed = parse_native_yaml_struct(
        entries, parse_tags_yaml(tags_yaml_path), None, path, skip_native_fns_gen
    )
    chosen = [function for function in parsed.native_functions if function_filter(function)]
    names = {function.func.name for function in chosen}
    tables = {
        key: {name: metadata for name, metadata in table.index.items() if name in names}
        for key, table in parsed.backend_indices.items()
    }
    return chosen, tables


def _as_index(
    kernels: dict[DispatchKey, dict[OperatorName, BackendMetadata]] | ETKernelIndex,
) -> ETKernelIndex:
    return kernels if isinstance(kernels, ETKernelIndex) else ETKernelIndex.from_backend_indices(kernels)


def parse_yaml_files(
    tags_yaml_path: str,
    aten_yaml_path: str,
    native_yaml_path: str | None,
    custom_ops_yaml_path: str | None,
    selector: SelectiveBuilder,
    use_aten_lib: bool,
) -> tuple[ETParsedYaml, ETParsedYaml | None]:
    """Reads all files.

    Args:
        tags_yaml_path: PyTorch's list of tags.
        aten_yaml_path: PyTorch's `native_functions.yaml`.
        native_yaml_path: the `functions.yaml`.
        custom_ops_yaml_path: operators of one's own.
        selector: which operators.
        use_aten_lib: PyTorch's own kernels are meant.

    Returns:
        Everything, and the custom operators among it (None if there are none).
    """
    import tempfile

    def selected(function: NativeFunction) -> bool:
        return selector.is_native_function_selected(function)

    with tempfile.TemporaryDirectory() as directory:
        translated = os.path.join(directory, "translated.yaml")
        with open(translated, "w") as file:
            translate_native_yaml(tags_yaml_path, aten_yaml_path, native_yaml_path, use_aten_lib, file)
        functions, kernels = parse_yaml(translated, tags_yaml_path, selected, not use_aten_lib)
        index = _as_index(kernels)
        custom = None
        if (
            custom_ops_yaml_path
            and os.path.isfile(custom_ops_yaml_path)
            and os.path.getsize(custom_ops_yaml_path)
        ):
            custom_functions, custom_kernels = parse_yaml(
                custom_ops_yaml_path, tags_yaml_path, selected, True
            )
            custom_index = _as_index(custom_kernels)
            custom = ETParsedYaml(custom_functions, custom_index)
            functions = functions + custom_functions
            index = ETKernelIndex.merge_indices(index, custom_index)
    return ETParsedYaml(functions, index), custom


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    _add_sources(parser)
    _add_products(parser)
    return parser


def _add_sources(parser: argparse.ArgumentParser) -> None:
    """What is read, and which of its operators are kept."""
    parser.add_argument(
        "-s",
        "--source-path",
        default=str(Path(__file__).parent),
        help="directory with `templates`; default: this package",
    )
    parser.add_argument("--functions-yaml-path", "--functions_yaml_path", help="the functions.yaml")
    parser.add_argument("--custom-ops-yaml-path", "--custom_ops_yaml_path", help="operators of one's own")
    parser.add_argument(
        "--aten-yaml-path",
        "--aten_yaml_path",
        default=str(_ATEN / "native_functions.yaml"),
        help="PyTorch's native_functions.yaml; default: its generator's",
    )
    parser.add_argument(
        "--tags-path", default=str(_ATEN / "tags.yaml"), help="PyTorch's tags.yaml; default: its generator's"
    )
    parser.add_argument(
        "--op-registration-whitelist",
        "--op_registration_whitelist",
        nargs="*",
        help="operators to keep, without overloads: aten::add custom::foo",
    )
    parser.add_argument("--op-selection-yaml-path", "--op_selection_yaml_path", help="a selection to keep")


def _add_products(parser: argparse.ArgumentParser) -> None:
    """What is written, and where."""
    parser.add_argument(
        "-d", "--install-dir", "--install_dir", default="build/generated", help="where files go"
    )
    parser.add_argument("-o", "--output-dependencies", help="also write which files were written, for CMake")
    parser.add_argument("--dry-run", action="store_true", help="write nothing but the list of files")
    parser.add_argument(
        "--static-dispatch-backend",
        "--static_dispatch_backend",
        nargs="*",
        help="accepted: kernels are always called directly",
    )
    parser.add_argument("--rocm", action="store_true", help="PyTorch is built for ROCm")
    parser.add_argument(
        "--use-aten-lib", "--use_aten_lib", action="store_true", help="call PyTorch's kernels"
    )
    parser.add_argument(
        "--manual-registration",
        "--manual_registration",
        action="store_true",
        help="register when register_all_kernels() is called, not before main",
    )
    parser.add_argument(
        "--generate",
        nargs="*",
        choices=["headers", "sources"],
        default=["headers", "sources"],
        help="which files",
    )
    parser.add_argument(
        "--add-exception-boundary",
        "--add_exception_boundary",
        action="store_true",
        help="make an exception of a kernel a failure of the call",
    )


def main() -> None:
    """The command line."""
    options = _parser().parse_args()
    assert options.functions_yaml_path or options.custom_ops_yaml_path, (
        "nothing to generate: give --functions-yaml-path or --custom-ops-yaml-path"
    )
    selector = get_custom_build_selector(options.op_registration_whitelist, options.op_selection_yaml_path)
    parsed, custom = parse_yaml_files(
        options.tags_path,
        options.aten_yaml_path,
        options.functions_yaml_path,
        options.custom_ops_yaml_path,
        selector,
        options.use_aten_lib,
    )
    manager = make_file_manager(options)
    custom_functions = custom.native_functions if custom else []
    if "headers" in options.generate:
        gen_headers(
            native_functions=parsed.native_functions,
            gen_custom_ops_header=bool(options.custom_ops_yaml_path),
            custom_ops_native_functions=custom_functions,
            selector=selector,
            kernel_index=parsed.kernel_index,
            cpu_fm=manager,
            use_aten_lib=options.use_aten_lib,
        )
    if "sources" in options.generate:
        gen_unboxing(
            native_functions=parsed.native_functions,
            cpu_fm=manager,
            selector=selector,
            use_aten_lib=options.use_aten_lib,
            kernel_index=parsed.kernel_index,
            manual_registration=options.manual_registration,
            add_exception_boundary=options.add_exception_boundary,
        )
        if custom_functions:
            gen_custom_ops(
                native_functions=custom_functions,
                selector=selector,
                kernel_index=parsed.kernel_index,
                cpu_fm=manager,
                rocm=options.rocm,
            )
    if options.output_dependencies:
        path = Path(options.output_dependencies).resolve()
        manager.write_outputs(path.stem, str(path))


if __name__ == "__main__":
    main()
