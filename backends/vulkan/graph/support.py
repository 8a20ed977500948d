"""Whether the delegate takes a node, and why not."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.constants import Constants
from executorch.backends.transforms.operands import results_read
from executorch.backends.transforms.refusals import (
    changing_sizes,
    operand_types,
    tensors_around,
    wrong_shapes,
    wrong_types,
)
from executorch.backends.vulkan.graph.call import called, is_empty
from executorch.backends.vulkan.graph.complex_numbers import has_complex, wrong_complex
from executorch.backends.vulkan.op_registry import SIZES, OpFeatures, vulkan_supported_ops

#: What shaders have sizes and strides for.
MOST_DIMENSIONS = 6
#: Elements of a tensor are numbered by 32 bits, with a sign.
_MOST_ELEMENTS = 2**31 - 1
#: Of calls that read or write state which the delegate cannot have.
STATE_OUTSIDE = (
    "it reads or writes state of the program that not only one delegate does; such state stays outside"
)


def is_size(node: Node) -> bool:
    """Whether a node makes an integer that is known when the program runs."""
    return node.target in SIZES or called(node) in ("aten.sym_size.int", "aten._local_scalar_dense.default")


def refusal(node: Node, constants: Constants, options: Any, held: Container[Node] = ()) -> str | None:
    """Why a node is not taken, None if it is.

    Args:
        node: a call.
        constants: of the program.
        options: of the partitioner.
        held: state that the delegate would hold.
    """
    if node.target in SIZES:
        return None
    row = vulkan_supported_ops.get(called(node))
    if row is None or row.inserted:
        return f"{called(node)} is not in the table of Vulkan's operators"
    if any(constants.changes(one) and one not in held for one in node.all_input_nodes):
        return STATE_OUTSIDE
    values = tensors_around(node)
    if row.takes_empty:
        values = [*results_read(node), *(one for one in values if not is_empty(one))]
    kinds = operand_types(node, dict(row.others)) | {one.dtype for one in results_read(node)}
    parts = 2 if has_complex(node) else 1
    return (
        wrong_shapes(values, MOST_DIMENSIONS - (parts - 1), _MOST_ELEMENTS // parts)
        or _wrong_resize(row, values, options)
        or _wrong_operands(node, row, constants)
        or _unwanted(kinds, options)
        or next((why for check in row.checks if (why := check(node, constants)) is not None), None)
    )


def _wrong_operands(node: Node, row: OpFeatures, constants: Constants) -> str | None:
    if not has_complex(node):
        return wrong_types(node, row.dtypes, row.results, row.others)
    return wrong_complex(node, constants) if row.pairs is not None else "it has none of complex numbers"


def _wrong_resize(row: OpFeatures, values: Iterable[torch.Tensor], options: Any) -> str | None:
    if row.resize:
        return None
    if options.require_dynamic_shapes:
        return "it has no support for dynamic shapes, which require_dynamic_shapes asks for"
    if changing_sizes(values):
        return "its sizes change from run to run, which it has no support for"
    return None


def _unwanted(kinds: set[torch.dtype], options: Any) -> str | None:
    if options.skip_bool_tensors and torch.bool in kinds:
        return "a tensor of type torch.bool, which skip_bool_tensors leaves outside"
    if not options.downcast_64_bit and torch.int64 in kinds:
        return "a tensor of type torch.int64, which has 32 bits in the delegate; downcast_64_bit=False leaves it outside"
    return None
