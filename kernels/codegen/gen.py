"""Command line of the generator: from `functions.yaml` files to declarations and registration.

Writes `NativeFunctions.h` (the kernels' declarations), `WithoutContext.cc` (their overloads without a context),
`Functions.h` (the operators as C++ functions) and `RegisterKernels.cc` (static registration) into a directory. Several yaml files are merged; of an operator in more
than one, the first file's kernels are taken.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import yaml

from executorch.kernels.codegen import render
from executorch.kernels.codegen.functions import (
    SCHEMAS,
    FunctionsError,
    load_functions,
    load_schemas,
    merge,
    select,
    specialise,
)


def parse_args(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--functions", type=Path, action="append", required=True, help="a functions.yaml; repeatable"
    )
    parser.add_argument("--out-dir", type=Path, required=True)
    parser.add_argument(
        "--header-prefix",
        required=True,
        help="include path of the headers, such as executorch/kernels/portable",
    )
    parser.add_argument(
        "--schemas", type=Path, default=SCHEMAS, help="schemas of the operators named with `op`"
    )
    parser.add_argument(
        "--ops", default="", help="comma-separated operators to keep, such as aten::add.out; default all"
    )
    parser.add_argument("--selection", type=Path, help="keep the operators of this selection as well")
    parser.add_argument(
        "--dtype-selective", action="store_true", help="register for the selection's dtypes only"
    )
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Generates; returns the exit code."""
    args = parse_args(argv)
    try:
        schemas = load_schemas(args.schemas)
        functions = merge([load_functions(path, schemas) for path in args.functions])
        operators = [op for op in args.ops.split(",") if op.strip()]
        chosen: dict[str, set[str]] = {operator.strip(): {"default"} for operator in operators}
        if args.selection is not None:
            metadata = yaml.safe_load(args.selection.read_text())["et_kernel_metadata"]
            for name, keys in metadata.items():
                chosen.setdefault(name, set()).update(keys)
        if args.dtype_selective:
            functions = specialise(functions, chosen)
        elif chosen:
            functions = select(functions, list(chosen))
    except FunctionsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    native_header = f"<{args.header_prefix}/NativeFunctions.h>"
    outputs = {
        "NativeFunctions.h": render.native_functions_header(functions),
        "Functions.h": render.functions_header(functions, native_header),
        "WithoutContext.cc": render.without_context_source(functions, native_header),
        "RegisterKernels.cc": render.register_kernels_source(functions, native_header),
    }
    args.out_dir.mkdir(parents=True, exist_ok=True)
    for name, text in outputs.items():
        (args.out_dir / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
