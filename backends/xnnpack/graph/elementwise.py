"""Operators that treat every element alike, in whatever layout their inputs come."""

from __future__ import annotations

import math
from typing import Any

from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import shape_of
from executorch.backends.xnnpack.graph.constants import DEQUANTIZE, QUANTIZE
from executorch.backends.xnnpack.graph.fusion import clamp_limits
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.serialization import schema
from executorch.partitioner.partition_proposals import operator_name

BINARY: dict[str, Any] = {
    "aten.add.Tensor": schema.XNNAdd,
    "aten.div.Tensor": schema.XNNDiv,
    "aten.maximum.default": schema.XNNMaximum,
    "aten.minimum.default": schema.XNNMinimum,
    "aten.mul.Tensor": schema.XNNMultiply,
    "aten.sub.Tensor": schema.XNNSubtract,
}

UNARY: dict[str, Any] = {
    "aten.abs.default": schema.XNNAbs,
    "aten.ceil.default": schema.XNNCeiling,
    "aten.cos.default": schema.XNNCos,
    "aten.exp.default": schema.XNNExp,
    "aten.floor.default": schema.XNNFloor,
    "aten.gelu.default": schema.XNNGelu,
    "aten.hardswish.default": schema.XNNHardswish,
    "aten.log.default": schema.XNNLog,
    "aten.neg.default": schema.XNNNegate,
    "aten.pow.Tensor_Scalar": schema.XNNSquare,
    "aten.rsqrt.default": schema.XNNReciprocalSquareRoot,
    "aten.sigmoid.default": schema.XNNSigmoid,
    "aten.sin.default": schema.XNNSin,
    "aten.sqrt.default": schema.XNNSquareRoot,
    "aten.tanh.default": schema.XNNTanh,
}

CLAMPS = ("aten.relu.default", "aten.hardtanh.default", "aten.clamp.default")

#: The value of these is the value of their input.
COPIES = (
    "aten.alias_copy.default",
    "aten.clone.default",
    "dim_order_ops._clone_dim_order.default",
    "dim_order_ops._to_dim_order_copy.default",
)


def layout_of(operator: Operator, inputs: list[Node]) -> Layout:
    """Channels last if some input exists in that layout only, and all can be brought into it."""
    rank = len(shape_of(operator.node))
    builder = operator.builder
    fits = all(
        len(shape_of(node)) == rank or builder.tensor_of(node) is not None or math.prod(shape_of(node)) == 1
        for node in inputs
    )
    wanted = any(
        Layout.CHANNELS_LAST in builder.layouts(node) and Layout.PLAIN not in builder.layouts(node)
        for node in map(operator.source, inputs)
        if builder.tensor_of(node) is None
    )
    return Layout.CHANNELS_LAST if fits and wanted else Layout.PLAIN


def operand(operator: Operator, node: Node, layout: Layout) -> int:
    """An input of an operator that broadcasts: constants of lower rank get leading ones before they are permuted."""
    tensor = operator.builder.tensor_of(operator.source(node))
    rank = len(shape_of(operator.node))
    if tensor is None or tensor.dim() in (0, rank) or layout is Layout.PLAIN:
        return operator.input(node, layout if len(shape_of(node)) == rank else Layout.PLAIN)
    aligned = tensor.reshape([1] * (rank - tensor.dim()) + list(tensor.shape))
    return operator.builder.constant(aligned.permute(layout.axes(rank)), operator.input_type(node))


@lowers(*BINARY)
def binary(operator: Operator) -> None:
    inputs = list(operator.node.args[:2])
    layout = layout_of(operator, inputs)
    first, second = (operand(operator, node, layout) for node in inputs)
    made = BINARY[operator_name(operator.node.target)]
    result = operator.output(layout)
    operator.add(made(input1_id=first, input2_id=second, output_id=result))


def _unary(operator: Operator, made: Any, **fields: Any) -> None:
    layout = layout_of(operator, [operator.node.args[0]])
    source = operator.input(operator.node.args[0], layout)
    operator.add(made(input_id=source, output_id=operator.output(layout), **fields))


@lowers(*UNARY)
def unary(operator: Operator) -> None:
    _unary(operator, UNARY[operator_name(operator.node.target)])


@lowers(QUANTIZE, DEQUANTIZE)
def convert(operator: Operator) -> None:
    """Between floating-point numbers and integers, where no operator does it on its way."""
    _unary(operator, schema.XNNConvert)


@lowers(*CLAMPS)
def clamp(operator: Operator) -> None:
    operator.limits = clamp_limits(operator.node)
    _unary(operator, schema.XNNClamp)


@lowers("aten.leaky_relu.default")
def leaky_relu(operator: Operator) -> None:
    _unary(operator, schema.XNNLeakyReLU, negative_slope=float(operator.argument(1, "negative_slope", 0.01)))


@lowers("aten.elu.default")
def elu(operator: Operator) -> None:
    _unary(operator, schema.XNNELU, alpha=float(operator.argument(1, "alpha", 1.0)))


@lowers(*COPIES)
def copy(operator: Operator) -> None:
    operator.builder.same(operator.result, operator.source(operator.node.args[0]))


@lowers("aten.prelu.default")
def prelu(operator: Operator) -> None:
    node, slope = operator.node.args[:2]
    tensor = operator.builder.tensor_of(slope)
    assert tensor is not None  # PreluConfig asks for it.
    rank = len(shape_of(node))
    layout = Layout.CHANNELS_LAST if rank > 2 else Layout.PLAIN
    source = operator.input(node, layout)
    slopes = operator.builder.constant(tensor.reshape(-1))
    operator.add(
        schema.XNNPReLU(
            input1_id=source,
            input2_id=slopes,
            output_id=operator.output(layout),
        )
    )
