"""Writes the signatures of registered operators for the targets that call kernels at random.

    operator_table.py SCHEMAS OUT FUNCTIONS...

Each operator becomes a row of its name and one letter for each argument, as `random_call.h` explains them.
"""

from __future__ import annotations

import pathlib
import sys

from executorch.kernels.codegen.functions import Function, load_functions, load_schemas, merge
from executorch.kernels.codegen.schema import Argument

#: Schema type to letter; optional ones have a `?` behind it.
LETTERS = {
    "Tensor": "t",
    "Tensor[]": "l",
    "Tensor?[]": "p",
    "Scalar": "c",
    "Scalar[]": "C",
    "int": "i",
    "int[]": "I",
    "float": "d",
    "float[]": "D",
    "bool": "b",
    "bool[]": "B",
    "str": "s",
    "ScalarType": "y",
    "MemoryFormat": "m",
    "Layout": "m",
    "Device": "i",
}
WRITTEN = {"Tensor": "o", "Tensor[]": "O"}


def letters(argument: Argument) -> str:
    """What stands for an argument."""
    if argument.written:
        return WRITTEN[argument.type]
    if argument.type in LETTERS:
        return LETTERS[argument.type]
    return LETTERS[argument.type.removesuffix("?")] + "?"


def row(function: Function) -> str:
    signature = "".join(letters(argument) for argument in function.schema.parameters)
    return f'    {{"{function.schema.full_name}", "{signature}"}},'


def main(arguments: list[str]) -> None:
    schemas = load_schemas(pathlib.Path(arguments[0]))
    functions = merge([load_functions(pathlib.Path(path), schemas) for path in arguments[2:]])
    rows = "\n".join(sorted({row(function) for function in functions}))
    pathlib.Path(arguments[1]).write_text(
        "// Made by operator_table.py.\n#include <executorch/tests/fuzz/random_call.h>\n\n"
        f"extern const executorch::fuzz::Operator kOperators[] = {{\n{rows}\n}};\n"
        f"extern const size_t kNumOperators = {len(set(rows.splitlines()))};\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
