"""Chains of operators that treat every element by itself, which others may be moved past."""

from __future__ import annotations

from typing import Any, Final

import torch
from torch.fx import Node

from executorch.backends.cadence.passes.edits import DEQUANTIZES, EDGE, QUANTIZES, is_one_of
from executorch.dialects.edge_ops import aten_op
from executorch.ir.values import shape_of, tensor_of

#: Elementwise although PyTorch has no such tag on them; each reads one tensor.
ELEMENTWISE: Final = (
    *QUANTIZES,
    *DEQUANTIZES,
    EDGE.cadence.quantized_relu.per_tensor,
    EDGE.cadence.requantize.per_tensor,
    EDGE.aten.hardtanh.default,
    EDGE.aten.clamp.default,
)


def is_unary(node: Any) -> bool:
    """Whether a node makes each element of its result of one element, at the same place, of the one tensor that it reads."""
    if not isinstance(node, Node) or node.op != "call_function" or len(node.all_input_nodes) != 1:
        return False
    source = node.all_input_nodes[0]
    if tensor_of(node) is None or shape_of(node) != shape_of(source) or node.args[0] is not source:
        return False
    op = aten_op(node.target)
    return is_one_of(node, ELEMENTWISE) or (op is not None and torch.Tag.pointwise in op.tags)


__all__ = ["ELEMENTWISE", "is_unary"]
