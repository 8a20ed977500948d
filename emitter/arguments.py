"""Arguments of operators as values: the operator's schema says what a Python object means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Node

from executorch.dialects.torch_types import OpOverload
from executorch.emitter.errors import EmissionError
from executorch.emitter.values import ValueTable

Lookup = Callable[[Node], Any]
"""Node -> its value number, or the list of value numbers of a node with several results."""


def call_arguments(node: Node, op: OpOverload) -> list[tuple[Any, torch.Argument]]:
    """The arguments of a call in the order of the operator's schema, defaults filled in.

    Raises:
        EmissionError: an argument without a default is missing.
    """
    result = []
    for position, argument in enumerate(op._schema.arguments):
        if not argument.kwarg_only and position < len(node.args):
            value: Any = node.args[position]
        elif argument.name in node.kwargs:
            value = node.kwargs[argument.name]
        elif argument.has_default_value():
            value = argument.default_value
        else:
            raise EmissionError(f"the call of {op.name()} lacks the argument {argument.name!r}")
        result.append((value, argument))
    return result


def argument_value(value: Any, kind: Any, table: ValueTable, lookup: Lookup) -> int:
    """The value number for an argument of the schema type `kind`."""
    if isinstance(kind, torch.OptionalType):
        return (
            table.constant(None)
            if value is None
            else argument_value(value, kind.getElementType(), table, lookup)
        )
    if isinstance(kind, torch.ListType):
        return _list_value(value, kind.getElementType(), table, lookup)
    if isinstance(value, Node):
        return _single(value, lookup)
    if isinstance(kind, torch.FloatType) and isinstance(value, int) and not isinstance(value, bool):
        return table.constant(float(value))
    if isinstance(kind, torch.BoolType) and isinstance(value, int):
        return table.constant(bool(value))
    return table.constant(value)


def _single(node: Node, lookup: Lookup) -> int:
    number = lookup(node)
    if not isinstance(number, int):
        raise EmissionError(f"{node.name} has several results where one is expected")
    return number


def _list_value(value: Any, element: Any, table: ValueTable, lookup: Lookup) -> int:
    if value is None:
        return table.constant(None)
    if isinstance(value, Node):
        # A node with several tensors as its result, passed on as a whole.
        numbers = lookup(value)
        return numbers if isinstance(numbers, int) else table.tensor_list(numbers)
    items: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
    if isinstance(element, torch.OptionalType) and isinstance(element.getElementType(), torch.TensorType):
        return table.optional_tensor_list([None if item is None else _single(item, lookup) for item in items])
    if isinstance(element, torch.TensorType):
        return table.tensor_list([_single(item, lookup) for item in items])
    if isinstance(element, (torch.IntType, torch.SymIntType)):
        return table.int_list([argument_value(item, element, table, lookup) for item in items])
    if any(isinstance(item, Node) for item in items):
        raise EmissionError(f"a list of {element} cannot hold values that are computed at run time")
    if isinstance(element, torch.FloatType):
        return table.double_list(items)
    if isinstance(element, torch.BoolType):
        return table.bool_list(items)
    return _scalar_list(items, table)


def _scalar_list(items: Sequence[Any], table: ValueTable) -> int:
    """A list of numbers of any kind becomes the list of the kind that all of them have."""
    if all(isinstance(item, bool) for item in items):
        return table.bool_list(items)
    if all(isinstance(item, int) for item in items):
        return table.int_list([table.constant(item) for item in items])
    if all(isinstance(item, (int, float)) for item in items):
        return table.double_list(items)
    raise EmissionError(f"a program cannot hold the list {list(items)!r}")
