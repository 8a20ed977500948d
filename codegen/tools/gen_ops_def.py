"""Command line: the operators of a program as entries of a yaml with schemas, for a library that is yet to be written."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import torch
import yaml

from executorch.codegen.tools.yaml_util import BlankLineDumper
from executorch.schema.program import Operator, read_program


def get_operators(model_file: str) -> list[Operator]:
    """The operators of a `.pte` file's methods, each once."""
    with open(model_file, "rb") as file:
        program = read_program(file.read())
    found: dict[tuple[str, str], Operator] = {}
    for plan in program.execution_plan:
        for operator in plan.operators:
            found.setdefault((operator.name, operator.overload), operator)
    return list(found.values())


def _schema(operator: Operator) -> str | None:
    """The schema of one of PyTorch's operators; None for others."""
    namespace, _, name = operator.name.partition("::")
    if namespace != "aten":
        return None
    packet = getattr(torch.ops.aten, name, None)
    overload = getattr(packet, operator.overload or "default", None)
    return None if overload is None else str(overload._schema)


def dump_yaml(model_file: str, output_file: str) -> None:
    """Writes an entry for each of PyTorch's operators that a program calls, with the kernel that its name suggests.

    Operators of other namespaces are left out: where they come from, their schemas are written already.
    """
    entries = []
    for operator in get_operators(model_file):
        schema = _schema(operator)
        if schema is not None:
            kernel = "_".join(
                part for part in (operator.name.removeprefix("aten::"), operator.overload) if part
            )
            entries.append(
                {"func": schema, "variants": "function", "dispatch": {"CPU": f"torch::executor::{kernel}"}}
            )
    with open(output_file, "w") as file:
        yaml.dump(
            entries, file, Dumper=BlankLineDumper, default_flow_style=False, sort_keys=False, width=1000
        )


def main(args: list[Any]) -> None:
    """The command line; `args` are its arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--output_path", required=True, help="the yaml to write")
    parser.add_argument("--model_file_path", required=True, help="a .pte file")
    options = parser.parse_args(args)
    dump_yaml(options.model_file_path, options.output_path)


if __name__ == "__main__":
    main(sys.argv[1:])
