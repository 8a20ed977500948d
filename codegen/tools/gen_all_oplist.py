"""Command line: joins selections of several models into one.

    python -m executorch.codegen.tools.gen_all_oplist --model_file_list_path @LIST --output_dir DIR

LIST is a file that names the selections, one a line; DIR/selected_operators.yaml is written.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from functools import reduce
from pathlib import Path
from typing import Any

import yaml
from torchgen.selective_build.selector import SelectiveBuilder, combine_selective_builders

# Where Buck puts what a target makes: .../gen/CELL/HASH/PACKAGE/__TARGET__/out.
_BUCK_OUT = re.compile(r"buck-out/v2/gen/[^/]+/[0-9a-f]+/(?P<package>.+)/__(?P<target>[^/]+)__(/|$)")


def throw_if_any_op_includes_overloads(selective_builder: SelectiveBuilder) -> None:
    """Refuses a selection that takes all overloads of an operator.

    Raises:
        Exception: with the names of these operators.
    """
    names = [name for name, op in selective_builder.operators.items() if op.include_all_overloads]
    if names:
        raise Exception(
            "Operators that include all overloads are not allowed since --allow-include-all-overloads "
            f"was not specified: {', '.join(names)}"
        )


def resolve_model_file_path_to_buck_target(model_file_path: str) -> str:
    """The Buck target that made a file, `//package:target`; the path itself where Buck did not."""
    match = _BUCK_OUT.search(os.path.realpath(model_file_path))
    return f"//{match['package']}:{match['target']}" if match else model_file_path


def _raise_if_check_prim_ops_fail(options: argparse.Namespace) -> None:
    """Refuses more than one target that registers the prim operators.

    Raises:
        Exception: with the targets.
    """
    if not options.DEBUG_ONLY_check_prim_ops:
        return
    targets = [target for target in re.split(r"[\s,]+", options.DEBUG_ONLY_check_prim_ops) if target]
    if len(targets) > 1:
        raise Exception(
            f"The prim operators are registered by {len(targets)} targets, of which a binary takes one: "
            + ", ".join(targets)
        )


def _selected_ops_model_dict_is_empty(model_dict: dict[str, Any]) -> bool:
    """Whether a selection's document selects nothing."""
    return not any(
        model_dict.get(key)
        for key in (
            "build_features",
            "custom_classes",
            "et_kernel_metadata",
            "include_all_non_op_selectives",
            "include_all_operators",
            "kernel_metadata",
            "operators",
        )
    )


def _listed_files(list_path: str) -> list[str]:
    if os.path.isfile(list_path):
        return [list_path]
    assert list_path.startswith("@") and os.path.isfile(list_path[1:]), (
        "model_file_list_path is not a valid file path, or it doesn't start with '@'."
    )
    return Path(list_path[1:]).read_text().split()


def _selections(directory_or_file: str) -> list[str]:
    """A selection's file, or those in a directory."""
    if os.path.isdir(directory_or_file):
        return sorted(str(path) for path in Path(directory_or_file).glob("*.yaml"))
    return [directory_or_file]


def _raise_if_overlapping(used_by: dict[str, list[str]]) -> None:
    for operator, files in used_by.items():
        if len(files) > 1:
            targets = [resolve_model_file_path_to_buck_target(file) for file in files]
            raise Exception(
                f"Operator {operator} is used in {len(files)} models: {' and '.join(targets)}; "
                "let one of them select it, or leave --check-ops-not-overlapping out"
            )


def main(argv: list[Any]) -> None:
    """The command line; `argv` are its arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "--output-dir", "--output_dir", required=True, help="where selected_operators.yaml goes"
    )
    parser.add_argument(
        "--model-file-list-path",
        "--model_file_list_path",
        required=True,
        help="@FILE, which lists the selections one a line; or a selection",
    )
    parser.add_argument(
        "--allow-include-all-overloads",
        "--allow_include_all_overloads",
        action="store_true",
        help="accept selections that take all overloads of an operator",
    )
    parser.add_argument(
        "--check-ops-not-overlapping",
        "--check_ops_not_overlapping",
        action="store_true",
        help="refuse an operator that several selections have",
    )
    parser.add_argument(
        "--DEBUG-ONLY-check-prim-ops",
        "--DEBUG_ONLY_check_prim_ops",
        help="targets that register the prim operators: refuse more than one",
    )
    options = parser.parse_args(argv)
    _raise_if_check_prim_ops_fail(options)

    builders = []
    used_by: dict[str, list[str]] = {}
    for name in _listed_files(options.model_file_list_path):
        for file in _selections(name):
            document = yaml.safe_load(Path(file).read_text())
            if not document or _selected_ops_model_dict_is_empty(document):
                continue
            for operator_info in (document.get("operators") or {}).values():
                # Of several selections: which one asked. A single one says itself who did.
                if options.model_file_list_path.startswith("@"):
                    operator_info["debug_info"] = [file]
            builder = SelectiveBuilder.from_yaml_dict(document)
            builders.append(builder)
            for operator in builder.operators:
                used_by.setdefault(operator, []).append(file)
    if options.check_ops_not_overlapping:
        _raise_if_overlapping(used_by)

    joined = reduce(combine_selective_builders, builders, SelectiveBuilder.from_yaml_dict({}))
    if not options.allow_include_all_overloads:
        throw_if_any_op_includes_overloads(joined)
    document = joined.to_dict()
    os.makedirs(options.output_dir, exist_ok=True)
    with open(os.path.join(options.output_dir, "selected_operators.yaml"), "w") as file_object:
        yaml.safe_dump(document, file_object, default_flow_style=False)


if __name__ == "__main__":
    main(sys.argv[1:])
