"""What the passes of this package share about quantization, sizes and permutations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from torch.fx import Node

from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import arguments, is_call
from executorch.ir.values import tensor_of
from executorch.ir.views import PERMUTES, TRANSPOSES

#: By name: it is defined where layouts are chosen.
_LAYOUT_PERMUTATION = "channels_last::permute_copy"
#: The quantization operators that treat every element alike.
PER_TENSOR_QUANTIZATIONS = ("quantize_per_tensor", "dequantize_per_tensor")


def is_quantization(node: Node, names: Sequence[str] = PER_TENSOR_QUANTIZATIONS) -> bool:
    """Whether ``node`` calls an operator of ``quantized_decomposed`` with one of these names."""
    op = aten_op(node.target) if node.op == "call_function" else None
    return (
        op is not None and op.namespace == "quantized_decomposed" and op._schema.name.split("::")[1] in names
    )


def same_shape(left: Sequence[Any] | None, right: Sequence[Any] | None) -> bool:
    """Whether sizes are known to be equal, compared as expressions: no guard comes of it."""
    return left is not None and right is not None and [str(size) for size in left] == [str(s) for s in right]


def permutation_of(node: Any) -> list[int] | None:
    """What a permutation or a transposition does, as ``dims`` of ``permute``, none negative; None for other nodes."""
    value = tensor_of(node)
    if value is None:
        return None
    rank = value.dim()
    if is_call(node, *PERMUTES) or _is_layout_permutation(node):
        return [dim % rank for dim in arguments(node)["dims"]] if rank else []
    if is_call(node, *TRANSPOSES):
        dims = list(range(rank))
        if rank:
            first, second = (arguments(node)[name] % rank for name in ("dim0", "dim1"))
            dims[first], dims[second] = dims[second], dims[first]
        return dims
    return None


def _is_layout_permutation(node: Node) -> bool:
    op = aten_op(node.target) if node.op == "call_function" else None
    return op is not None and op._schema.name == _LAYOUT_PERMUTATION


def inverse(dims: Sequence[int]) -> list[int]:
    """The permutation that undoes ``dims``."""
    found = [0] * len(dims)
    for position, dim in enumerate(dims):
        found[dim] = position
    return found


def view_arguments(node: Node, sizes: Sequence[Any]) -> list[Any] | None:
    """Sizes for a ``view`` that replaces ``node``: numbers, and at most one unknown size, as -1.

    None where two sizes are unknown: a symbol cannot stand in the arguments of a call without a node behind it.
    """
    numbers = [int(size) if not isinstance(size, torch.SymInt) else None for size in sizes]
    if sum(number is None for number in numbers) > 1 or (None in numbers and 0 in numbers):
        return None
    return [-1 if number is None else number for number in numbers]
