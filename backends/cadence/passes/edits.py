"""What the passes of this package share: operators of both namespaces, constant fills, and calls that stand for others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from torch.fx import Node

import executorch.backends.cadence.ops.operators  # noqa: F401 (registers cadence)
from executorch.dialects.ops import ops
from executorch.ir.rewriter import arguments, call_like, is_call, replace
from executorch.ir.values import tensor_of

EDGE = ops.edge
ATEN = torch.ops.aten

#: Of one scale and one zero point, with the same arguments in both namespaces.
QUANTIZES = (
    EDGE.quantized_decomposed.quantize_per_tensor.default,
    EDGE.cadence.quantize_per_tensor.default,
)
DEQUANTIZES = (
    EDGE.quantized_decomposed.dequantize_per_tensor.default,
    EDGE.cadence.dequantize_per_tensor.default,
)
#: How many arguments behind the input say how integers are to be read: scale, zero point, limits and type.
PARAMETERS = 5


def parameters(node: Node) -> tuple[Any, ...]:
    """Scale, zero point, limits and type of a quantization per tensor."""
    return tuple(list(arguments(node).values())[1 : 1 + PARAMETERS])


def is_one_of(node: Any, targets: Sequence[Any]) -> bool:
    """Whether a node calls one of these edge operators."""
    return isinstance(node, Node) and node.op == "call_function" and node.target in targets


def shape(node: Any) -> list[int] | None:
    """The sizes of a node's tensor; None where it has none, or where one is a symbol."""
    value = tensor_of(node)
    if value is None or any(isinstance(size, torch.SymInt) for size in value.shape):
        return None
    return list(value.shape)


def dtype(node: Any) -> torch.dtype:
    """The element type of a node's tensor."""
    value = tensor_of(node)
    assert value is not None, node
    return value.dtype


def filled(node: Any) -> int | float | bool | None:
    """The number in all places of a tensor that the graph fills; None for other nodes."""
    if not is_call(node, ATEN.full.default):
        return None
    number = arguments(node)["fill_value"]
    return number if isinstance(number, (int, float)) else None


def full(before: Node, sizes: Sequence[int], number: Any, kind: torch.dtype) -> Node:
    """A tensor with one number in all places, made before a node."""
    return call_like(before, ATEN.full.default, (list(sizes), number), {"dtype": kind})


def view(before: Node, source: Any, sizes: Sequence[int]) -> Node:
    """A tensor in another shape, made before a node."""
    return call_like(before, ATEN.view_copy.default, (source, list(sizes)))


def permute(before: Node, source: Any, dims: Sequence[int]) -> Node:
    """A tensor with its dimensions in another order, made before a node."""
    return call_like(before, ATEN.permute_copy.default, (source, list(dims)))


def transpose(before: Node, source: Any, first: int, second: int) -> Node:
    """A tensor with two dimensions exchanged, made before a node."""
    return call_like(before, ATEN.transpose_copy.int, (source, first, second))


def stand_in(node: Node, new: Node) -> Node:
    """Puts a call of the same value in the place of a node; it inherits all that was noted of that one."""
    new.meta = dict(node.meta)
    replace(node, new)
    return new


def put(node: Node, op: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Node:
    """Puts a call of another operator of the same value in the place of a node; see :func:`stand_in`."""
    return stand_in(node, call_like(node, op, args, kwargs))


def fixed_point(factor: float) -> tuple[int, int]:
    """A factor as ``multiplier / 2**31 * 2**shift``, as quantized kernels take it."""
    mantissa, exponent = math.frexp(factor)
    multiplier = round(mantissa * (1 << 31))
    if multiplier == 1 << 31:
        return multiplier // 2, exponent + 1
    return multiplier, exponent
