"""Reading of `functions.yaml` and custom operators' yaml into PyTorch's generator model, with an index of kernels."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import yaml
from torchgen.gen import LineLoader, parse_native_yaml_struct, parse_tags_yaml
from torchgen.model import (
    DEFAULT_KERNEL_NAMESPACE,
    BackendMetadata,
    DispatchKey,
    FunctionSchema,
    NativeFunction,
    OperatorName,
)
from torchgen.utils import NamespaceHelper

from executorch.codegen.model import ETKernelIndex, ETKernelKey

ETParsedYaml = namedtuple("ETParsedYaml", ["native_functions", "et_kernel_indices"])

#: What an entry says beyond PyTorch's own fields.
ET_FIELDS = ["kernels", "type_alias", "dim_order_alias"]


def _without_line(mapping: dict[str, Any] | None) -> dict[str, Any]:
    """A mapping of the file, without the line number that PyTorch's loader puts into each."""
    return {key: value for key, value in (mapping or {}).items() if key != "__line__"}


def _cpp_namespace(namespace: str) -> str:
    """Where the kernels of a namespace are: kernels are functions of its `native`."""
    return f"{namespace}::native" if namespace else DEFAULT_KERNEL_NAMESPACE


def parse_from_yaml(ei: dict[str, object]) -> dict[ETKernelKey, BackendMetadata]:
    """The kernels of one entry."""
    entry: dict[str, Any] = ei
    types = _without_line(entry.get("type_alias"))
    orders = _without_line(entry.get("dim_order_alias"))
    found: dict[ETKernelKey, BackendMetadata] = {}
    for kernel in entry.get("kernels") or []:
        meta = _without_line(kernel.get("arg_meta"))
        helper = NamespaceHelper.from_namespaced_entity(kernel["kernel_name"], max_level=3)
        metadata = BackendMetadata(
            kernel=helper.entity_name,
            structured=False,
            cpp_namespace=_cpp_namespace(helper.get_cpp_namespace()),
        )
        keys = ETKernelKey.gen_from_yaml(meta, types, orders) if meta else [ETKernelKey(default=True)]
        for key in keys:
            assert key not in found, (
                f"Duplicate kernel key: {key.to_native_string()} is for {found[key].kernel} and for "
                f"{kernel['kernel_name']}"
            )
            found[key] = metadata
    return found


def _operator(entry: dict[str, Any]) -> OperatorName:
    """The operator of an entry, given by name (`op`) or by its schema (`func`)."""
    if "op" in entry:
        return OperatorName.parse(entry["op"])
    text = entry["func"]
    helper = NamespaceHelper.from_namespaced_entity(text, max_level=1)
    return FunctionSchema.parse(helper.entity_name).name


def parse_et_yaml_struct(es: object) -> ETKernelIndex:
    """The index of kernels of a file's entries."""
    assert isinstance(es, list), "a yaml of operators is a list of entries"
    return ETKernelIndex({_operator(entry): parse_from_yaml(entry) for entry in es})


def extract_kernel_fields(es: object) -> dict[OperatorName, dict[str, Any]]:
    """For each operator of a file's entries, those of its fields that PyTorch does not know."""
    assert isinstance(es, list), "a yaml of operators is a list of entries"
    fields: dict[OperatorName, dict[str, Any]] = {}
    for entry in es:
        own = {name: entry[name] for name in ET_FIELDS if name in entry}
        if own:
            fields.setdefault(_operator(entry), {}).update(own)
    return fields


def strip_et_fields(es: object) -> None:
    """Takes out of a file's entries what PyTorch does not know."""
    assert isinstance(es, list), "a yaml of operators is a list of entries"
    for entry in es:
        for name in ET_FIELDS:
            entry.pop(name, None)


def _add_what_pytorch_demands(entries: list[dict[str, Any]]) -> None:
    """Says of entries what PyTorch's reader refuses them without, and what says nothing here: a table of kernels for
    `new_...` and `..._like`, a tag for random operators.
    """
    for entry in entries:
        name = _operator(entry)
        base = str(name.name)
        if "dispatch" not in entry and (base.startswith("new_") or base.endswith("_like")):
            entry["dispatch"] = {"CompositeExplicitAutograd": name.unambiguous_name()}
        dropout = "dropout" in entry["func"] and "backward" not in base
        if "tags" not in entry and (dropout or "rand" in base or "Generator" in entry["func"]):
            entry["tags"] = "nondeterministic_seeded"


def parse_et_yaml(
    path: str,
    tags_yaml_path: str,
    ignore_keys: set[DispatchKey] | None = None,
    skip_native_fns_gen: bool = False,
) -> tuple[list[NativeFunction], dict[OperatorName, dict[str, Any]]]:
    """Reads a file in which operators are given by schema.

    Args:
        path: the yaml.
        tags_yaml_path: PyTorch's list of tags.
        ignore_keys: dispatch keys whose kernels do not count.
        skip_native_fns_gen: leaves out variants that PyTorch would generate.

    Returns:
        The operators, and the fields of each that PyTorch does not know.
    """
    with open(path) as file:
        entries = yaml.load(file, Loader=LineLoader)
    fields = extract_kernel_fields(entries)
    strip_et_fields(entries)
    _add_what_pytorch_demands(entries)
    # Not by path: PyTorch's reader would answer for a file that has changed with what it was.
    functions = parse_native_yaml_struct(
        entries, parse_tags_yaml(tags_yaml_path), ignore_keys, path, skip_native_fns_gen
    )
    return functions.native_functions, fields
