"""Writes entries of a table of element types for given operators, as selective builds read them.

The table of this compiler's verifier is written by :mod:`executorch.dialects.gen_dtype_table`.
"""

import functools
from collections.abc import Iterable, Iterator
from typing import IO, Any

import torch

from executorch.dialects.dtype_runner import SAMPLE_INPUT, DtypeRunner
from executorch.exir.published.dialects.edge.dtype.supported import regular_tensor_dtypes_to_str
from executorch.exir.published.dialects.edge.spec.utils import (
    get_names_for_args_with_dtype,
    get_torch_op_overload,
    is_tensor_val,
    type_aggregrate,
)


def get_func_schema(op_name_may_with_overload: str) -> torch._C.FunctionSchema:
    """The schema of ``add.Tensor`` or ``aten::add.Tensor``.

    Raises:
        AttributeError: there is no such operator.
    """
    name = op_name_may_with_overload.removeprefix("aten::")
    base, _, overload = name.partition(".")
    return get_torch_op_overload("aten", base, overload or None)._schema


def get_func_name_yaml(func_schema: torch._C.FunctionSchema) -> str:
    """``aten::add.Tensor``; the overload ``default`` is left out."""
    overload = func_schema.overload_name
    return f"{func_schema.name}.{overload}" if overload else func_schema.name


def in_legal_edge_type(vals: Iterable[Any]) -> bool:
    """Whether all tensors, also those in lists, have types that tables name."""
    for value in vals:
        tensors = value if isinstance(value, (list, tuple)) else [value]
        if is_tensor_val(value) and any(item.dtype not in regular_tensor_dtypes_to_str for item in tensors):
            return False
    return True


class test_case_generator:
    """Example calls of an operator that torch has none for: tensors of random numbers.

    Args:
        preset_types: element type that is asked for, to those of the tensors.
        test_case_size: shape of each tensor.
        *args, **kwargs: what is passed behind the tensors.
    """

    __test__ = False  # its name is that of a test

    def __init__(
        self,
        preset_types: dict[torch.dtype, list[torch.dtype]],
        test_case_size: list[list[int]],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        self.preset_types = preset_types
        self.test_case_size = test_case_size
        self.args = args
        self.kwargs = kwargs

    def get_sample_input(self, dtype: torch.dtype) -> Iterator[tuple[list[Any], dict[str, Any]]]:
        """One call for the type; none if it is not among the preset ones."""
        if dtype in self.preset_types:
            pairs = zip(self.test_case_size, self.preset_types[dtype], strict=True)
            tensors = [torch.randn(size).to(kind) for size, kind in pairs]
            yield [*tensors, *self.args], dict(self.kwargs)


preset_test_case_generators = {
    "aten::lift_fresh_copy": test_case_generator(
        {dtype: [dtype] for dtype in regular_tensor_dtypes_to_str}, [[3, 4, 10]]
    )
}
_NAMES_IN_TORCH = {"_to_copy": "to"}
#: torch's examples of it mix casts to some types with copies to devices and layouts; tables are about types.
_CAST = "to"


@functools.cache
def _torch_examples() -> dict[str, Any]:
    """Name of an operator to torch's own description of how to test it, read when somebody asks.

    The module that has it needs the package ``expecttest``, which torch's wheel does not require.
    """
    from torch.testing._internal.common_methods_invocations import op_db

    return {info.name: info for info in op_db}


def get_test_gen_key(op_name: str) -> str:
    """The name under which :func:`get_sample_input` knows ``aten::add``.

    Raises:
        LookupError: it does not know the operator.
    """
    if op_name in preset_test_case_generators:
        return op_name
    name = op_name.removeprefix("aten::")
    for key in (name, _NAMES_IN_TORCH.get(name, name), name.strip("_"), name.removesuffix("_copy")):
        if key in _torch_examples():
            return key
    raise LookupError(f"Can not find operator {op_name} in the opdb of torch")


def get_sample_input(
    key: str, overload_name: str, edge_type: torch.dtype
) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Example calls: arguments by position, and by keyword.

    Args:
        key: of :func:`get_test_gen_key`.
        overload_name: torch's examples are for all overloads.
        edge_type: of the tensors; no calls for a type that the operator does not take on the CPU.
    """
    del overload_name
    if key in preset_test_case_generators:
        yield from preset_test_case_generators[key].get_sample_input(edge_type)
        return
    if key == _CAST:
        for dtype in regular_tensor_dtypes_to_str:
            yield [torch.randn(3, 4).to(edge_type)], {"dtype": dtype}
        return
    info = _torch_examples()[key]
    if edge_type in info.supported_dtypes("cpu"):
        for sample in info.sample_inputs("cpu", edge_type, requires_grad=False):
            yield [sample.input, *sample.args], sample.kwargs


class EdgeOpYamlInfo:
    """An operator's entry.

    Args:
        func_name: ``aten::add.Tensor``.
        tensor_variable_names: what has a type, results as ``__ret_<i>``.
        allowed_types: combinations that the operator takes: a name of a type for each of these.
        inherits: the operator that the entry is for; or else
        custom: the one that it defines.

    Raises:
        AssertionError: both, or none of the two.
    """

    def __init__(
        self,
        func_name: str,
        tensor_variable_names: list[str],
        allowed_types: "set[tuple[str, ...]]",
        inherits: str = "",
        custom: str = "",
    ) -> None:
        self.func_name = func_name
        self.tensor_variable_names = tensor_variable_names
        self.inherits = inherits
        self.custom = custom
        self.type_alias, self.type_constraint = type_aggregrate(allowed_types)
        assert bool(inherits) != bool(custom), (
            "Must set one and only one of the inherits and custom attribute."
        )

    def to_yaml(self) -> dict[str, Any]:
        """The entry as plain objects."""
        return {
            "func": self.func_name,
            "namespace": "edge",
            **({"inherits": self.inherits} if self.inherits else {"custom": self.custom}),
            "type_alias": {f"T{index}": list(types) for index, types in enumerate(self.type_alias)},
            "type_constraint": [
                {name: f"T{number}" for name, number in zip(self.tensor_variable_names, row, strict=True)}
                for row in self.type_constraint
            ],
        }

    def __str__(self) -> str:
        fields = ("tensor_variable_names", "inherits", "custom", "type_alias", "type_constraint")
        lines = [f"{field}: {getattr(self, field)}" for field in fields]
        return "\n".join(["", "op_yaml_info: ", f"name: {self.func_name}", *lines, ""])


class EdgeYamlInfo:
    """Entries of several operators."""

    def __init__(self) -> None:
        self.all_op_yaml_info: list[EdgeOpYamlInfo] = []

    def append(self, op_yaml_info: EdgeOpYamlInfo) -> None:
        """Adds an entry."""
        self.all_op_yaml_info.append(op_yaml_info)

    def to_yaml(self, yaml_stream: IO[str]) -> list[str]:
        """Writes the entries by name; returns the names of operators without any combination, which are left out."""
        left_out = []
        for info in sorted(self.all_op_yaml_info, key=lambda item: item.func_name):
            if not info.type_constraint:
                left_out.append(info.func_name)
                continue
            entry = info.to_yaml()
            key = "inherits" if info.inherits else "custom"
            lines = [
                f"- func: {entry['func']}",
                "  namespace: edge",
                f"  {key}: {entry[key]}",
                "  type_alias:",
            ]
            lines += [f"    {alias}: [{', '.join(types)}]" for alias, types in entry["type_alias"].items()]
            lines.append("  type_constraint:")
            for row in entry["type_constraint"]:
                pairs = [f"{name}: {alias}" for name, alias in row.items()]
                lines += [f"  - {pairs[0]}", *(f"    {pair}" for pair in pairs[1:])]
            yaml_stream.write("\n".join(lines) + "\n")
        return left_out


def try_all_dtypes_input_samples(op_name: str) -> "set[tuple[str, ...]]":
    """The combinations of types that torch computes ``add.Tensor`` in, those of the results last."""
    found = set()
    for success, _, types, _, _ in DtypeRunner().run(op_name, SAMPLE_INPUT[op_name]):
        names = [None if dtype is None else regular_tensor_dtypes_to_str.get(dtype) for dtype in types]
        if success and all(name is not None for name in names):
            found.add(tuple(str(name) for name in names))
    return found


def gen_op_yaml(op_name: str) -> "EdgeOpYamlInfo | None":
    """The entry of ``add.Tensor``; None for an operator that there is no example call of."""
    if op_name not in SAMPLE_INPUT:
        return None
    schema = get_func_schema(op_name)
    names = get_names_for_args_with_dtype(op_name, schema)
    func = get_func_name_yaml(schema)
    return EdgeOpYamlInfo(func, names, try_all_dtypes_input_samples(op_name), inherits=func)


def gen_edge_yaml(op_names: list[str], yaml_out_stream: IO[str]) -> list[str]:
    """Writes the entries of operators; returns the names of those that have none."""
    entries = EdgeYamlInfo()
    unknown = []
    for op_name in op_names:
        entry = gen_op_yaml(op_name)
        if entry is None:
            unknown.append(op_name)
        else:
            entries.append(entry)
    return unknown + entries.to_yaml(yaml_out_stream)
