"""Reading of `functions.yaml`: which kernels implement which operators.

An entry names an operator with `op` (its schema is PyTorch's) or with `func` (the schema itself, for operators
that PyTorch does not know), and lists its kernels::

    - op: add.out
      kernels:
        - arg_meta: null
          kernel_name: torch::executor::add_out

A kernel with `arg_meta: null` takes all tensors. Any other takes the dtypes and dim orders that `arg_meta` gives
for each tensor argument, as names of the entry's `type_alias` and `dim_order_alias`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from executorch.kernels.codegen.schema import Schema, SchemaError, canonical_name, parse_schema
from executorch.schema.element_types import CPP_NAMES

SCHEMAS = Path(__file__).with_name("aten_schemas.txt")

# As kernel keys have them: the numbers of the file format.
_DTYPE_NUMBERS = {name: number for number, name in CPP_NAMES.items()}

_ENTRY_KEYS = {"op", "func", "kernels", "type_alias", "dim_order_alias", "variants", "tags"}


class FunctionsError(ValueError):
    """A `functions.yaml` that is not right. The message names file, operator and what was expected."""


@dataclass(frozen=True)
class KernelEntry:
    """A kernel: a C++ function, and the keys that it is registered with (`None`: for all tensors)."""

    function: str
    keys: tuple[str | None, ...]


@dataclass(frozen=True)
class Function:
    """An operator with its kernels."""

    schema: Schema
    kernels: tuple[KernelEntry, ...]


def load_schemas(path: Path = SCHEMAS) -> dict[str, str]:
    """Schema texts of PyTorch's operators by canonical name."""
    lines = path.read_text().splitlines()
    return {
        canonical_name(line.split("(", 1)[0]): line for line in lines if line and not line.startswith("#")
    }


def native_function(kernel_name: str) -> str:
    """The C++ function that a `kernel_name` stands for: `ns::f` is `ns::native::f`."""
    namespace, separator, function = kernel_name.rpartition("::")
    if not separator or not function.isidentifier():
        raise FunctionsError(
            f"kernel_name {kernel_name!r} needs a namespace, such as torch::executor::add_out"
        )
    return f"{namespace}::native::{function}"


def _choices(meta: Any, aliases: dict[str, list[Any]], what: str) -> tuple[str | None, list[Any]]:
    """An entry of `arg_meta`: the alias it names (or None) and the values that it may have."""
    if isinstance(meta, str) and meta in aliases:
        return meta, aliases[meta]
    if (what == "dtype" and meta in _DTYPE_NUMBERS) or (what == "dim order" and isinstance(meta, list)):
        return None, [meta]
    raise FunctionsError(f"{meta!r} is neither a {what} nor an alias; the aliases are {sorted(aliases)}")


def kernel_keys(
    schema: Schema, entry: dict[str, Any], arg_meta: dict[str, Any] | None
) -> tuple[str | None, ...]:
    """The registry keys of a kernel: one for each combination of the aliases' values.

    An alias has the same value wherever `arg_meta` names it.
    """
    if arg_meta is None:
        return (None,)
    tensors = [a.name for a in schema.arguments if a.is_tensor]
    if set(arg_meta) != set(tensors):
        raise FunctionsError(f"arg_meta is for {sorted(arg_meta)}; the tensors are {tensors}")
    types = {name: list(values) for name, values in entry.get("type_alias", {}).items()}
    orders = {name: list(values) for name, values in entry.get("dim_order_alias", {}).items()}
    slots: list[tuple[tuple[str, str], list[Any]]] = []
    for name in tensors:
        if not isinstance(arg_meta[name], list) or len(arg_meta[name]) != 2:
            raise FunctionsError(f"arg_meta of {name} must be [dtype, dim order]")
        for what, table, meta in (
            ("dtype", types, arg_meta[name][0]),
            ("dim order", orders, arg_meta[name][1]),
        ):
            alias, values = _choices(meta, table, what)
            slots.append(((what, alias if alias is not None else name), values))
    variables = dict(slots)
    keys = []
    for combination in itertools.product(*variables.values()):
        chosen = dict(zip(variables, combination, strict=True))
        groups = []
        for dtype_slot, order_slot in zip(slots[::2], slots[1::2], strict=True):
            dtype = chosen[dtype_slot[0]]
            if dtype not in _DTYPE_NUMBERS:
                raise FunctionsError(f"{dtype!r} is not a dtype")
            order = ",".join(str(dim) for dim in chosen[order_slot[0]])
            groups.append(f"{_DTYPE_NUMBERS[dtype]};{order}")
        keys.append("v1/" + "|".join(groups))
    return tuple(keys)


def _parse_entry(entry: Any, schemas: dict[str, str]) -> Function:
    if not isinstance(entry, dict) or ("op" in entry) == ("func" in entry):
        raise FunctionsError(f"an entry needs either `op` or `func`, got {entry!r}")
    unknown = set(entry) - _ENTRY_KEYS
    if unknown:
        raise FunctionsError(f"unknown keys {sorted(unknown)}; an entry may have {sorted(_ENTRY_KEYS)}")
    if "func" in entry:
        schema = parse_schema(entry["func"])
    else:
        name = canonical_name(entry["op"])
        if name not in schemas:
            raise FunctionsError(
                f"no schema for {name}: give it with `func`, or add it with kernels/codegen/update_schemas.py"
            )
        schema = parse_schema(schemas[name])
    kernels = entry.get("kernels")
    if not isinstance(kernels, list) or not kernels:
        raise FunctionsError("`kernels` must be a list of {arg_meta, kernel_name}")
    parsed = []
    for kernel in kernels:
        if not isinstance(kernel, dict) or "kernel_name" not in kernel:
            raise FunctionsError(f"a kernel needs a kernel_name, got {kernel!r}")
        keys = kernel_keys(schema, entry, kernel.get("arg_meta"))
        parsed.append(KernelEntry(native_function(kernel["kernel_name"]), keys))
    return Function(schema, tuple(parsed))


def load_functions(path: Path, schemas: dict[str, str]) -> list[Function]:
    """Reads a `functions.yaml`.

    Raises:
        FunctionsError: with the file, the operator, and what was expected.
    """
    document = yaml.safe_load(path.read_text())
    if not isinstance(document, list):
        raise FunctionsError(f"{path}: expected a list of operators")
    functions: dict[str, Function] = {}
    for entry in document:
        label = (
            entry.get("op", str(entry.get("func", "")).split("(")[0]) if isinstance(entry, dict) else entry
        )
        try:
            function = _parse_entry(entry, schemas)
        except (FunctionsError, SchemaError) as error:
            raise FunctionsError(f"{path}: {label}: {error}") from None
        name = function.schema.full_name
        if name in functions:
            raise FunctionsError(f"{path}: {name} is listed twice")
        functions[name] = function
    return list(functions.values())


def merge(libraries: list[list[Function]]) -> list[Function]:
    """Joins kernel libraries: of an operator in several, the first library's kernels are taken."""
    merged: dict[str, Function] = {}
    for functions in libraries:
        for function in functions:
            merged.setdefault(function.schema.full_name, function)
    return list(merged.values())


def select(functions: list[Function], operators: list[str]) -> list[Function]:
    """Keeps the named operators.

    Raises:
        FunctionsError: if there is one without kernels.
    """
    wanted = {canonical_name(operator) for operator in operators}
    missing = wanted - {function.schema.full_name for function in functions}
    if missing:
        raise FunctionsError(f"no kernels for the selected operators {', '.join(sorted(missing))}")
    return [function for function in functions if function.schema.full_name in wanted]


def specialise(functions: list[Function], selection: dict[str, set[str]]) -> list[Function]:
    """Keeps the operators of a selection, registered for its keys only (`default` or no keys: as they are).

    Raises:
        FunctionsError: if there is one without kernels.
    """
    kept = []
    for function in select(functions, list(selection)):
        keys = selection[function.schema.full_name]
        if not keys or "default" in keys:
            kept.append(function)
            continue
        own = {key for kernel in function.kernels for key in kernel.keys}
        kernels = []
        for kernel in function.kernels:
            # A general kernel serves what no kernel of its own serves.
            wanted = keys - own if None in kernel.keys else keys & set(kernel.keys)
            if wanted:
                kernels.append(KernelEntry(kernel.function, tuple(sorted(wanted))))
        if kernels:
            kept.append(Function(function.schema, tuple(kernels)))
    return kept
