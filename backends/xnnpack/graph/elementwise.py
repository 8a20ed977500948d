"""Operators that treat every element alike, in whatever layout their inputs come."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import shape_of
from executorch.backends.xnnpack.graph.constants import DEQUANTIZE, QUANTIZE
from executorch.backends.xnnpack.graph.conversions import is_cast
from executorch.backends.xnnpack.graph.fusion import clamp_limits
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.graph.orders import Order
from executorch.backends.xnnpack.serialization import schema
from executorch.dialects import meta_keys
from executorch.partitioner.selection.partition_proposals import operator_name

BINARY: dict[str, Any] = {
    "aten.add.Tensor": schema.XNNAdd,
    "aten.div.Tensor": schema.XNNDiv,
    "aten.maximum.default": schema.XNNMaximum,
    "aten.minimum.default": schema.XNNMinimum,
    "aten.mul.Tensor": schema.XNNMultiply,
    "aten.sub.Tensor": schema.XNNSubtract,
}

#: With a number as the second operand.
BINARY_WITH_NUMBER: dict[str, Any] = {
    "aten.add.Scalar": schema.XNNAdd,
    "aten.div.Scalar": schema.XNNDiv,
    "aten.mul.Scalar": schema.XNNMultiply,
    "aten.sub.Scalar": schema.XNNSubtract,
}

UNARY: dict[str, Any] = {
    "aten.abs.default": schema.XNNAbs,
    "aten.ceil.default": schema.XNNCeiling,
    "aten.cos.default": schema.XNNCos,
    "aten.exp.default": schema.XNNExp,
    "aten.floor.default": schema.XNNFloor,
    "aten.hardswish.default": schema.XNNHardswish,
    "aten.log.default": schema.XNNLog,
    "aten.neg.default": schema.XNNNegate,
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


def operand(operator: Operator, node: Node, layout: Layout) -> int:
    """An input of an operator that broadcasts: constants of lower rank get leading ones before they are permuted."""
    tensor = operator.builder.tensor_of(operator.source(node))
    rank = len(shape_of(operator.node))
    if tensor is None or tensor.dim() in (0, rank) or layout is Layout.PLAIN:
        return operator.input(node, layout if len(shape_of(node)) == rank else Layout.PLAIN)
    aligned = tensor.reshape([1] * (rank - tensor.dim()) + list(tensor.shape))
    return operator.builder.constant(aligned.permute(layout.axes(rank)), operator.input_type(node))


@lowers(*BINARY, order=Order.SAME)
def binary(operator: Operator) -> None:
    inputs = list(operator.node.args[:2])
    layout = operator.layout
    first, second = (operand(operator, node, layout) for node in inputs)
    made = BINARY[operator_name(operator.node.target)]
    result = operator.output(layout)
    operator.add(made(input1_id=first, input2_id=second, output_id=result))


@lowers(*BINARY_WITH_NUMBER, order=Order.SAME)
def binary_with_number(operator: Operator) -> None:
    source, number = operator.node.args[:2]
    layout = operator.layout
    second = torch.tensor([number], dtype=operator.result.meta[meta_keys.VAL].dtype)
    made = BINARY_WITH_NUMBER[operator_name(operator.node.target)]
    operator.add(
        made(
            input1_id=operator.input(source, layout),  # type: ignore[arg-type]
            input2_id=operator.builder.constant(second),
            output_id=operator.output(layout),
        )
    )


def _unary(operator: Operator, made: Any, **fields: Any) -> None:
    layout = operator.layout
    source = operator.input(operator.node.args[0], layout)
    operator.add(made(input_id=source, output_id=operator.output(layout), **fields))


@lowers(*UNARY, order=Order.SAME)
def unary(operator: Operator) -> None:
    _unary(operator, UNARY[operator_name(operator.node.target)])


@lowers(QUANTIZE, DEQUANTIZE, order=Order.SAME)
def convert(operator: Operator) -> None:
    """Between floating-point numbers and integers, where no operator does it on its way."""
    _unary(operator, schema.XNNConvert)


@lowers(*CLAMPS, order=Order.SAME)
def clamp(operator: Operator) -> None:
    operator.limits = clamp_limits(operator.node)
    _unary(operator, schema.XNNClamp)


@lowers("aten.leaky_relu.default", order=Order.SAME)
def leaky_relu(operator: Operator) -> None:
    _unary(operator, schema.XNNLeakyReLU, negative_slope=float(operator.argument(1, "negative_slope", 0.01)))


@lowers("aten.elu.default", order=Order.SAME)
def elu(operator: Operator) -> None:
    _unary(operator, schema.XNNELU, alpha=float(operator.argument(1, "alpha", 1.0)))


@lowers(*COPIES, order=lambda node: Order.SAME if is_cast(node) else Order.ALIAS)
def copy(operator: Operator) -> None:
    if is_cast(operator.node):
        _unary(operator, schema.XNNConvert)
    else:
        operator.builder.same(operator.result, operator.source(operator.node.args[0]))


@lowers("aten.prelu.default", order=Order.CHANNELS_LAST)
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


@lowers("recovered.gelu")
def recovered_gelu(operator: Operator) -> None:
    """A GELU that the model spells out; its order is that of the formula's last node."""
    assert operator.recovered is not None
    layout = operator.layout
    source = operator.input(operator.recovered.source, layout)
    operator.add(schema.XNNGelu(input_id=source, output_id=operator.output(layout)))


#: ``gelu(x, approximate="tanh")`` is ``x * sigmoid(x * (_LINEAR + _CUBIC * x * x))``.
_LINEAR = 2 * math.sqrt(2 / math.pi)
_CUBIC = _LINEAR * 0.044715


@lowers("aten.gelu.default", order=Order.SAME)
def gelu(operator: Operator) -> None:
    """Exact, or its approximation in a form with as few passes over the elements as XNNPACK's nodes allow."""
    if operator.argument(1, "approximate", "none") == "none":
        _unary(operator, schema.XNNGelu)
        return
    builder, layout = operator.builder, operator.layout
    kind = operator.output_type
    shape = layout.arrange(shape_of(operator.result))
    dtype = operator.result.meta[meta_keys.VAL].dtype
    source = operator.input(operator.node.args[0], layout)
    linear, cubic = (builder.constant(torch.tensor([number], dtype=dtype)) for number in (_LINEAR, _CUBIC))
    values = [builder.value(shape, kind) for _ in range(5)]
    builder.add(schema.XNNSquare(input_id=source, output_id=values[0]), operator.node)
    builder.add(schema.XNNMultiply(input1_id=values[0], input2_id=cubic, output_id=values[1]), operator.node)
    builder.add(schema.XNNAdd(input1_id=values[1], input2_id=linear, output_id=values[2]), operator.node)
    builder.add(schema.XNNMultiply(input1_id=values[2], input2_id=source, output_id=values[3]), operator.node)
    builder.add(schema.XNNSigmoid(input_id=values[3], output_id=values[4]), operator.node)
    operator.add(schema.XNNMultiply(input1_id=source, input2_id=values[4], output_id=operator.output(layout)))


_POWERS = {2.0: schema.XNNSquare, 0.5: schema.XNNSquareRoot, -0.5: schema.XNNReciprocalSquareRoot}


@lowers("aten.pow.Tensor_Scalar", order=Order.SAME)
def power(operator: Operator) -> None:
    """Squares, cubes and square roots."""
    exponent = float(operator.node.args[1])
    if exponent in _POWERS:
        _unary(operator, _POWERS[exponent])
        return
    layout = operator.layout
    source = operator.input(operator.node.args[0], layout)
    square = operator.builder.value(layout.arrange(shape_of(operator.result)), operator.output_type)
    operator.builder.add(schema.XNNSquare(input_id=source, output_id=square), operator.node)
    operator.add(schema.XNNMultiply(input1_id=square, input2_id=source, output_id=operator.output(layout)))
