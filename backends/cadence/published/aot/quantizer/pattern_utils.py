"""What the ``fuse`` of a pattern of one's own is written with, under the names of released versions.

The three that fuse put an operator in the place of ``quant_node``; they return None, and change nothing, where the
integers do not fit the operator.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch.fx import GraphModule, Node

from executorch.backends.cadence.quantizer.integers import dequantized, quantization
from executorch.backends.cadence.quantizer.pattern import QuantizationPattern
from executorch.backends.cadence.quantizer.patterns import fused_convolution, fused_layer, fused_product
from executorch.dialects.torch_types import OpOverload
from executorch.ir.rewriter import is_call, new_call

Q_PER_TENSOR: Final = torch.ops.quantized_decomposed.quantize_per_tensor.default
DQ_PER_TENSOR: Final = torch.ops.quantized_decomposed.dequantize_per_tensor.default


def find_quant_user(node: Node) -> Node | None:
    """The first quantization of the value of a node."""
    return next((user for user in node.users if is_call(user, Q_PER_TENSOR)), None)


def insert_node_with_meta(
    gm: GraphModule,
    op: OpOverload,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    insert_before: Node,
    like_node: Node,
) -> Node:
    """A call before a node, with its own value, whose origin is that of ``like_node``."""
    with gm.graph.inserting_before(insert_before):
        return new_call(like_node, op, args, kwargs)


def fuse_conv(
    pattern: QuantizationPattern,
    gm: GraphModule,
    conv_node: Node,
    dq_input: Node,
    dq_weight: Node,
    quant_node: Node,
) -> Node | None:
    """The pattern's operator, with the arguments of ``quantized_conv2d_nchw.per_tensor``, for a convolution."""
    output = quantization(quant_node)
    if output is None:
        return None
    x, weight = dequantized(dq_input), dequantized(dq_weight)
    return fused_convolution(pattern.replacement_op(), conv_node, x, weight, output)


def fuse_linear(
    gm: GraphModule,
    dq_input: Node,
    dq_weight: Node,
    dq_bias: Node | None,
    quant_node: Node,
    op_node: Node,
    replacement_op: OpOverload,
    weight_q: Node | None = None,
) -> Node | None:
    """An operator with the arguments of ``quantized_linear.per_tensor``.

    Args:
        weight_q: the integers of the weight as ``[outputs, inputs]``, where those of ``dq_weight`` are not.
    """
    x, weight, output = dequantized(dq_input), dequantized(dq_weight), quantization(quant_node)
    if weight is None or output is None:
        return None
    weight = weight if weight_q is None else weight._replace(node=weight_q)
    return fused_layer(replacement_op, x, weight, dq_bias, output)


def fuse_matmul(
    gm: GraphModule, anchor_node: Node, dq0: Node, dq1: Node, quant_node: Node, replacement_op: OpOverload
) -> Node | None:
    """An operator with the arguments of ``quantized_matmul``."""
    output = quantization(quant_node)
    return (
        None if output is None else fused_product(replacement_op, dequantized(dq0), dequantized(dq1), output)
    )
