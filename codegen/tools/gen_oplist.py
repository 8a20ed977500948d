"""Command line: the operators that a binary needs, from one source, as yaml for the other tools.

The source is a program (`--model_file_path`), a `functions.yaml` (`--ops_schema_yaml_path`), a list of names
(`--root_ops`), names with kernel keys (`--ops_dict`), or everything (`--include_all_operators`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from enum import IntEnum
from pathlib import Path
from typing import Any

import yaml
from torchgen.selective_build.selector import merge_et_kernel_metadata

from executorch.codegen.tools import selective_build
from executorch.schema.scalar_type import ScalarType as FileType

_PLAIN = ["Byte", "Char", "Short", "Int", "Long", "Float", "Double", "Bool"]
_QUANTIZED = ["QInt8", "QUInt8", "QInt32", "QUInt4X2", "QUInt2X4"]
#: Dtypes that a call of an operator may have, with their numbers in the file format.
ScalarType = IntEnum(  # type: ignore[misc]
    "ScalarType", {name: FileType[name.upper()] for name in (*_PLAIN, *_QUANTIZED)}, module=__name__
)


class KernelType(IntEnum):
    """Kinds of values that a kernel key has a part for, with their numbers in the file format."""

    TENSOR = 5
    TENSOR_LIST = 10
    OPTIONAL_TENSOR_LIST = 11


def _read_program(model_file: str) -> selective_build._Program:
    with open(model_file, "rb") as file:
        return selective_build._get_program_from_buffer(file.read())


def _get_operators(model_file: str) -> list[str]:
    """Names with overloads of the operators of a `.pte` file."""
    return selective_build._get_program_operators(_read_program(model_file))


def _get_kernel_metadata_for_model(model_file: str) -> dict[str, list[str]]:
    """For each operator that a `.pte` file calls, the keys of its calls."""
    calls = selective_build._get_io_metadata_for_program_operators(_read_program(model_file))
    found: dict[str, list[str]] = {}
    for name, arguments in calls.items():
        kinds = list(KernelType)
        keys = {
            "v1/"
            + "|".join(
                f"{meta.dtype};{','.join(map(str, meta.dim_order))}"
                for meta in call
                if meta.kernel_type in kinds
            )
            for call in arguments
        }
        found[name] = sorted(keys)
    return found


def _get_et_kernel_metadata_from_ops_yaml(ops_yaml_path: str) -> dict[str, list[str]]:
    """The operators of a `functions.yaml` or a custom operators' yaml, each for all tensors."""
    with open(ops_yaml_path) as file:
        entries = yaml.safe_load(file)
    if entries and not (isinstance(entries, list) and all(_names_one(entry) for entry in entries)):
        raise ValueError(
            f"{ops_yaml_path} is no list of operators: each entry is `- op: NAME` or `- func: SCHEMA`, as in a functions.yaml "
            "(what this program writes, a table `operators`, is its result)"
        )
    return {_qualified(entry): ["default"] for entry in entries or []}


def _names_one(entry: Any) -> bool:
    return isinstance(entry, dict) and any(isinstance(entry.get(key), str) for key in ("op", "func"))


def _qualified(entry: dict[str, Any]) -> str:
    name = entry.get("op") or entry["func"].split("(", 1)[0]
    return name if "::" in name else f"aten::{name}"


def create_kernel_key(maybe_kernel_key: str) -> str:
    """The key that a text stands for: `default`, a key itself (`v1/...`), or the name of a dtype.

    Raises:
        Exception: it is none of these.
    """
    if maybe_kernel_key == "default" or maybe_kernel_key.startswith("v1"):
        return maybe_kernel_key
    if maybe_kernel_key not in ScalarType.__members__:
        raise Exception(f"Unknown dtype: {maybe_kernel_key}")
    return f"v1/{int(ScalarType[maybe_kernel_key])};"


def _dump_yaml(
    op_list: list[str],
    output_path: Path,
    model_name: str | None = None,
    et_kernel_metadata: dict[str, list[str]] | None = None,
    include_all_operators: bool = False,
) -> None:
    """Writes the selection."""
    operators: dict[str, dict[str, object]] = {}
    for name in op_list:
        operators[name] = {
            "is_root_operator": True,
            "is_used_for_training": True,
            "include_all_overloads": False,
            "debug_info": [str(model_name)],
        }
    document: dict[str, object] = {
        "include_all_operators": include_all_operators,
        "operators": operators,
        "custom_classes": [],
        "build_features": [],
        "include_all_non_op_selectives": False,
        "kernel_metadata": {},
        "et_kernel_metadata": et_kernel_metadata or {},
    }
    with open(output_path, "w") as file:
        file.write(yaml.safe_dump(document, default_flow_style=False))


def gen_oplist(
    output_path: Path,
    model_file_path: str | None = None,
    ops_schema_yaml_path: str | None = None,
    root_ops: str | None = None,
    ops_dict: str | None = None,
    include_all_operators: bool = False,
) -> None:
    """Writes the selection of one source.

    Args:
        output_path: the yaml to write.
        model_file_path: a `.pte` file; its operators with the keys of its calls.
        ops_schema_yaml_path: a `functions.yaml`; all of its operators.
        root_ops: names, separated by commas.
        ops_dict: JSON of name -> list of kernel keys.
        include_all_operators: selects everything.

    Raises:
        AssertionError: a file does not exist.
        ValueError: `ops_dict` is no JSON.
    """
    names: list[str] = []
    metadata: dict[str, list[str]] = {}
    source = None
    if root_ops:
        names += [name.strip() for name in root_ops.split(",") if name.strip()]
        metadata = merge_et_kernel_metadata(metadata, {name: ["default"] for name in names})
    if ops_dict:
        keyed = _parse_ops_dict(ops_dict)
        names += list(keyed)
        metadata = merge_et_kernel_metadata(metadata, keyed)
    if model_file_path:
        assert os.path.isfile(model_file_path), (
            f"The value for --model_file_path needs to be a valid file, got {model_file_path}"
        )
        source = model_file_path
        names += _get_operators(model_file_path)
        metadata = merge_et_kernel_metadata(metadata, _get_kernel_metadata_for_model(model_file_path))
    if ops_schema_yaml_path:
        assert os.path.isfile(ops_schema_yaml_path), (
            f"The value for --ops_schema_yaml_path needs to be a valid file, got {ops_schema_yaml_path}"
        )
        source = ops_schema_yaml_path
        listed = _get_et_kernel_metadata_from_ops_yaml(ops_schema_yaml_path)
        names += list(listed)
        metadata = merge_et_kernel_metadata(metadata, listed)
    _dump_yaml(sorted(set(names)), output_path, source, metadata, include_all_operators)


def _parse_ops_dict(text: str) -> dict[str, list[str]]:
    keyed = json.loads(text)
    if not isinstance(keyed, dict):
        raise ValueError(f"ops_dict has to be a JSON object, name -> list of kernel keys, got {text}")
    return {name: [create_kernel_key(key) for key in keys] or ["default"] for name, keys in keyed.items()}


def main(args: list[Any]) -> None:
    """The command line; `args` are its arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--output_path", required=True, type=Path, help="the yaml to write")
    parser.add_argument("--model_file_path", help="a .pte file")
    parser.add_argument("--ops_schema_yaml_path", help="a functions.yaml or a custom operators' yaml")
    parser.add_argument("--root_ops", help="names separated by commas, such as aten::add.out,aten::mm.out")
    parser.add_argument("--ops_dict", help='JSON such as {"aten::add.out": ["v1/6;0,1|6;0,1|6;0,1|6;0,1"]}')
    parser.add_argument(
        "--include-all-operators", "--include_all_operators", action="store_true", help="everything"
    )
    options = parser.parse_args(args)
    try:
        gen_oplist(
            output_path=options.output_path,
            model_file_path=options.model_file_path,
            ops_schema_yaml_path=options.ops_schema_yaml_path,
            root_ops=options.root_ops,
            ops_dict=options.ops_dict,
            include_all_operators=options.include_all_operators,
        )
    except Exception as error:
        command = " ".join(["python -m executorch.codegen.tools.gen_oplist", *map(str, args)])
        raise RuntimeError(f"no operators could be selected: {error}\n  by: {command}") from error


if __name__ == "__main__":
    main(sys.argv[1:])
