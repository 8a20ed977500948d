"""Weights and biases of products, in floating point or quantized with their scales."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import ElementType, GraphBuilder, quantized_type
from executorch.backends.xnnpack.graph.dynamic import DynamicWeight, weight_form
from executorch.backends.xnnpack.graph.lowering import Operator
from executorch.backends.xnnpack.graph.quantized import parameters_of, weight_parameters_of
from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import INVALID_ID

_FOUR_BITS_OFFSET = 8
_BIAS_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class Weight:
    """A constant weight as the model has it.

    Attributes:
        tensor: floating-point numbers, or int8 that ``scales`` makes such numbers of.
        scales: None; one number for all; one for each output.
    """

    tensor: torch.Tensor
    scales: torch.Tensor | None = None


def channel_scales(scales: torch.Tensor, dimension: int, builder: GraphBuilder) -> schema.PerChannelQuant:
    """Scales for each slice along ``dimension``, stored as a constant."""
    stored = builder.data(scales.to(torch.float32))
    return schema.PerChannelQuant(channel_dim=dimension, scale_buffer_idx=stored, num_scales=scales.numel())


def weight_of(operator: Operator, node: Node) -> Weight:
    """The weight that ``node`` stands for: as integers where the operator works on such."""
    builder = operator.builder
    if operator.dynamic is not None:
        assert operator.product is not None
        form = weight_form(node, builder.constants, last=False, dimension=operator.product.output_dimension)
        assert form is not None
        return Weight(form.tensor, form.scales[:, 0])
    if operator.quantized is None:
        return Weight(_known(builder, node))
    values = _known(builder, node.args[0])
    parameters = weight_parameters_of(node)
    if parameters is not None:
        return Weight(values, torch.tensor(parameters.scale))
    return Weight(values, _known(builder, node.args[1]).reshape(-1))


def filter_of(builder: GraphBuilder, weight: Weight, tensor: torch.Tensor, dimension: int) -> int:
    """The value of a weight whose dimensions were permuted to ``tensor``; outputs are now its ``dimension``."""
    types = schema.XNNDatatype
    if weight.scales is None:
        return builder.constant(tensor)
    if weight.scales.dim() == 0:
        return builder.constant(tensor, quantized_type(types.xnn_datatype_qint8, weight.scales.item()))
    scales = channel_scales(weight.scales, dimension, builder)
    return builder.constant(tensor, ElementType(types.xnn_datatype_qcint8, scales))


def bias_of(operator: Operator, weight: Weight, source: Node, bias: torch.Tensor | None) -> int:
    """The value of a bias; for integers in units of the input's scale times the weight's."""
    builder = operator.builder
    types = schema.XNNDatatype
    if bias is None:
        return INVALID_ID
    if operator.quantized is None or weight.scales is None:
        # Products in bfloat16 add up floats, and begin with the bias.
        return builder.constant(bias.float() if bias.dtype is torch.bfloat16 else bias)
    parameters = parameters_of(source)
    assert parameters is not None
    scales = weight.scales.double() * parameters.scale
    units = torch.round(bias.detach().double() / scales).clamp(-_BIAS_LIMIT, _BIAS_LIMIT).to(torch.int32)
    if scales.dim() == 0:
        return builder.constant(units, quantized_type(types.xnn_datatype_qint32, scales.item()))
    kind = ElementType(types.xnn_datatype_qcint32, channel_scales(scales, 0, builder))
    return builder.constant(units, kind)


def dynamic_filter(builder: GraphBuilder, weight: DynamicWeight) -> int:
    """The value of a weight for an input that is quantized at run time."""
    types = schema.XNNDatatype
    if weight.bits == 8:
        scales = channel_scales(weight.scales[:, 0], 0, builder)
        return builder.constant(weight.tensor, ElementType(types.xnn_datatype_qcint8, scales))
    shape = weight.shape
    packed = weight.tensor if weight.is_paired else pack_four_bits(weight.tensor)
    if weight.scales.shape[1] == 1:
        scales = channel_scales(weight.scales[:, 0], 0, builder)
        return builder.constant(packed, ElementType(types.xnn_datatype_qcint4, scales), shape, is_final=True)
    groups = schema.PerChannelGroupQuant(
        channel_dim=0,
        group_size=weight.group_size,
        scale_buffer_idx=builder.data(weight.scales.to(torch.bfloat16)),
        num_scales=weight.scales.numel(),
    )
    return builder.constant(packed, ElementType(types.xnn_datatype_qbint4, groups), shape, is_final=True)


def pack_four_bits(tensor: torch.Tensor) -> torch.Tensor:
    """Two elements of -8 to 7 in a byte, the first in the low half, each plus 8."""
    # Wider elements would be memory of the whole weight.
    halves = tensor.to(torch.int8).contiguous().view(torch.uint8).reshape(-1, 2)
    packed = halves[:, 0] & 15
    packed |= halves[:, 1] << 4
    # 8 more is the highest bit turned of a number in two's complement.
    packed ^= _FOUR_BITS_OFFSET | _FOUR_BITS_OFFSET << 4
    return packed


def _known(builder: GraphBuilder, node: object) -> torch.Tensor:
    tensor = builder.tensor_of(node)  # type: ignore[arg-type]
    assert tensor is not None
    return tensor.detach()
