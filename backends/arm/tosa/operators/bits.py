"""Truths, and the bits of integers."""

from __future__ import annotations

import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.lowering import Lowering
from executorch.backends.arm.tosa.graph.registry import plain
from executorch.backends.arm.tosa.operators.elementwise import elementwise, same_types
from executorch.dialects import meta_keys

_LOGICAL = {"and": "AND", "or": "OR", "xor": "XOR"}


@plain(*[f"aten.logical_{name}.default" for name in _LOGICAL], dtypes=(torch.bool,))
def logical(low: Lowering, node: Node) -> None:
    name = "LOGICAL_" + _LOGICAL[str(node.target).split(".")[1].split("_")[1]]
    elementwise(low, node, node.args[:2], lambda x, y: low.builder.binary(name, x, y))


_BITS = (torch.bool, torch.int8, torch.int16, torch.int32)


@plain(
    *[f"aten.bitwise_{name}.{form}" for name in _LOGICAL for form in ("Tensor", "Scalar")],
    dtypes=_BITS,
    refusals=(same_types,),
    conditions="integers: profile INT",
    needs_int=True,
)
def bitwise(low: Lowering, node: Node) -> None:
    name = _LOGICAL[str(node.target).split(".")[1].split("_")[1]]
    kind = "LOGICAL_" if node.meta[meta_keys.VAL].dtype is torch.bool else "BITWISE_"
    elementwise(low, node, node.args[:2], lambda x, y: low.builder.binary(kind + name, x, y))


@plain("aten.logical_not.default", dtypes=(torch.bool,))
@plain("aten.bitwise_not.default", dtypes=_BITS, conditions="integers: profile INT", needs_int=True)
def invert(low: Lowering, node: Node) -> None:
    name = "LOGICAL_NOT" if node.meta[meta_keys.VAL].dtype is torch.bool else "BITWISE_NOT"
    elementwise(low, node, node.args[:1], lambda x: low.builder.unary(name, x))


_SHIFTED = (torch.int8, torch.int16, torch.int32)


def _shifts_within(node: Node) -> str | None:
    """PyTorch takes any number of bits, TOSA those that there are."""
    by, bits = node.args[1], torch.iinfo(node.meta[meta_keys.VAL].dtype).bits
    if isinstance(by, int) and not 0 <= by < bits:
        return f"a shift by {by}, of which TOSA takes 0 to {bits - 1}; the result is a constant"
    return None


@plain(
    *[
        f"aten.bitwise_{way}_shift.{form}"
        for way in ("left", "right")
        for form in ("Tensor", "Tensor_Scalar")
    ],
    dtypes=_SHIFTED,
    refusals=(same_types, _shifts_within),
    conditions="by less than the bits that there are",
)
def shift(low: Lowering, node: Node) -> None:
    b = low.builder
    left = "left" in str(node.target)
    elementwise(
        low,
        node,
        node.args[:2],
        lambda x, y: b.binary("LOGICAL_LEFT_SHIFT", x, y) if left else b.shift_right(x, y),
    )
