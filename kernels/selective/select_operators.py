"""Command line: which operators a binary needs, from lists, yaml files and programs together.

Writes a selection, a yaml file with

    operators: names, each with the sources that asked for it
    et_kernel_metadata: names, each with the dtypes and dim orders of the calls; `default` where a source names
        the operator only, so that every kernel of it is needed

and, with `--report`, the same as a table.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import yaml

from executorch.kernels.codegen.schema import canonical_name
from executorch.kernels.selective.model_operators import operators_of

DEFAULT = "default"
# Every binary has them, from another library.
PRIM_OPS = ("executorch_prim::", "aten::sym_", "aten::_local_scalar_dense")


def parse_args(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--ops", default="", help="comma-separated operators, such as aten::add.out")
    parser.add_argument(
        "--yaml", type=Path, action="append", default=[], help="a functions.yaml or a selection; repeatable"
    )
    parser.add_argument("--model", type=Path, action="append", default=[], help="a .pte file; repeatable")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", type=Path)
    return parser.parse_args(argv)


def operators_of_yaml(path: Path) -> dict[str, set[str]]:
    """Operators of a functions.yaml (all of its kernels), or of a selection.

    Raises:
        ValueError: if the file is neither.
    """
    document = yaml.safe_load(path.read_text())
    if isinstance(document, dict) and isinstance(document.get("et_kernel_metadata"), dict):
        return {name: set(keys) for name, keys in document["et_kernel_metadata"].items()}
    if isinstance(document, list) and all(
        isinstance(e, dict) and ("op" in e) != ("func" in e) for e in document
    ):
        names = [entry.get("op") or entry["func"].split("(")[0] for entry in document]
        return {canonical_name(name.strip()): {DEFAULT} for name in names}
    raise ValueError(f"{path}: expected a functions.yaml (a list with `op` or `func`) or a selection")


def collect(ops: list[str], yamls: list[Path], models: list[Path]) -> dict[str, dict[str, set[str]]]:
    """The union: for each operator its `keys` and its `sources`."""
    selected: dict[str, dict[str, set[str]]] = defaultdict(lambda: {"keys": set(), "sources": set()})

    def add(found: dict[str, set[str]], source: str) -> None:
        for name, keys in found.items():
            selected[name]["keys"] |= keys
            selected[name]["sources"].add(source)

    add({canonical_name(op.strip()): {DEFAULT} for op in ops if op.strip()}, "list")
    for path in yamls:
        add(operators_of_yaml(path), path.name)
    for path in models:
        add(
            {
                name: keys
                for name, keys in operators_of(path.read_bytes()).items()
                if not name.startswith(PRIM_OPS)
            },
            path.name,
        )
    return dict(selected)


def to_yaml(selected: dict[str, dict[str, set[str]]]) -> dict[str, Any]:
    """The document of a selection."""
    return {
        "operators": {name: {"sources": sorted(selected[name]["sources"])} for name in sorted(selected)},
        "et_kernel_metadata": {name: sorted(selected[name]["keys"]) for name in sorted(selected)},
    }


def report(selected: dict[str, dict[str, set[str]]]) -> str:
    """The selection for people: operator, how many specialisations, who asked."""
    width = max([len(name) for name in selected] + [8])
    lines = [f"{'operator':{width}}  kernels  from"]
    for name in sorted(selected):
        keys = selected[name]["keys"]
        kernels = "all" if DEFAULT in keys or not keys else str(len(keys))
        lines.append(f"{name:{width}}  {kernels:>7}  {', '.join(sorted(selected[name]['sources']))}")
    lines.append(f"{len(selected)} operators")
    return "\n".join(lines) + "\n"


def main(argv: list[str]) -> int:
    """Selects; returns the exit code."""
    args = parse_args(argv)
    if not args.ops and not args.yaml and not args.model:
        print("error: nothing selects: give --ops, --yaml or --model", file=sys.stderr)
        return 1
    try:
        selected = collect(args.ops.split(","), args.yaml, args.model)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    args.out.write_text(yaml.safe_dump(to_yaml(selected), sort_keys=False))
    if args.report:
        args.report.write_text(report(selected))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
