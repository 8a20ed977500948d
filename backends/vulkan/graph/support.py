"""Whether the delegate takes a node, and why not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.constants import Constants, name_of
from executorch.backends.transforms.operands import tensors_of
from executorch.backends.vulkan.op_registry import SIZES, OpFeatures, vulkan_supported_ops
from executorch.dialects.dim_order import dim_order_of
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound

#: What shaders have sizes and strides for.
MOST_DIMENSIONS = 6
#: Elements of a tensor are numbered by 32 bits, with a sign.
_MOST_ELEMENTS = 2**31 - 1


def is_size(node: Node) -> bool:
    """Whether a node makes an integer that is known when the program runs."""
    return node.target in SIZES or name_of(node) == "aten.sym_size.int"


def refusal(node: Node, constants: Constants, options: Any) -> str | None:
    """Why a node is not taken, None if it is.

    Args:
        node: a call.
        constants: of the program.
        options: of the partitioner.
    """
    if node.target in SIZES:
        return None
    row = vulkan_supported_ops.get(name_of(node))
    if row is None or row.inserted:
        return f"{name_of(node)} is not in the table of Vulkan's operators"
    if any(constants.changes(one) for one in node.all_input_nodes):
        return "it reads state that the program writes; such state stays outside"
    values = [*tensors_of(node), *(one for source in node.all_input_nodes for one in tensors_of(source))]
    return (
        _wrong_shapes(values)
        or _wrong_resize(row, values, options)
        or _wrong_types(row, node, constants, options)
        or next((why for check in row.checks if (why := check(node, constants)) is not None), None)
    )


def _wrong_shapes(values: Iterable[torch.Tensor]) -> str | None:
    for value in values:
        if value.dim() > MOST_DIMENSIONS:
            return f"{value.dim()} dimensions; there are {MOST_DIMENSIONS} at most"
        bounds = [upper_bound(size) for size in value.shape]
        if None in bounds:
            return f"sizes {tuple(value.shape)} have no upper bound. Way out: torch.export.Dim(..., max=...)"
        elements = 1
        for bound in bounds:
            elements *= bound or 0
        if elements == 0:
            return "a tensor has no elements"
        if elements > _MOST_ELEMENTS:
            return f"a tensor of {elements} elements; there are {_MOST_ELEMENTS} at most"
        if dim_order_of(value.shape, value.stride()) != tuple(range(value.dim())):
            return f"a tensor of strides {value.stride()}; tensors of the delegate are contiguous"
    return None


def _wrong_resize(row: OpFeatures, values: Iterable[torch.Tensor], options: Any) -> str | None:
    if row.resize:
        return None
    if options.require_dynamic_shapes:
        return "it has no support for dynamic shapes, which require_dynamic_shapes asks for"
    if any(not isinstance(size, int) for value in values for size in value.shape):
        return "its sizes change from run to run, which it has no support for"
    return None


def _wrong_types(row: OpFeatures, node: Node, constants: Constants, options: Any) -> str | None:
    others = dict(row.others)
    kinds: set[torch.dtype] = set()
    for position, argument in enumerate(node.args):
        sources = argument if isinstance(argument, list | tuple) else [argument]
        read = [one for source in sources if isinstance(source, Node) for one in tensors_of(source)]
        for value in read:
            if value.dtype not in others.get(position, row.dtypes):
                return (
                    f"an operand of type {value.dtype}; it takes {_listed(others.get(position, row.dtypes))}"
                )
            if position not in others:
                kinds.add(value.dtype)
    if len(kinds) > 1:
        return f"operands of types {_listed(kinds)}; all must have one"
    made = {one.dtype for one in tensors_of(node)}
    if not made <= set(row.results or row.dtypes):
        return f"a result of type {_listed(made)}; it makes {_listed(row.results or row.dtypes)}"
    if not row.results and kinds and not made <= kinds:
        return f"a result of type {_listed(made)} of operands of type {_listed(kinds)}"
    return _unwanted(kinds | made, options)


def _unwanted(kinds: set[torch.dtype], options: Any) -> str | None:
    if options.skip_bool_tensors and torch.bool in kinds:
        return "a tensor of type torch.bool, which skip_bool_tensors leaves outside"
    if not options.downcast_64_bit and torch.int64 in kinds:
        return "a tensor of type torch.int64, which has 32 bits in the delegate; downcast_64_bit=False leaves it outside"
    return None


def _listed(kinds: Iterable[torch.dtype]) -> str:
    return ", ".join(sorted(str(one) for one in kinds))
