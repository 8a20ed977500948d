"""Convolutions of rows, images and volumes, on channels-last values.

XNNPACK has images. A row is one of height 1. A volume is read as images, of its frames or over its frames; where a filter
reaches over both, it is a sum of such of its frames, each over the frames that it meets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from executorch.backends.xnnpack.graph.builder import sizes_of
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.graph.orders import Order
from executorch.backends.xnnpack.graph.spatial import three
from executorch.backends.xnnpack.graph.weights import Weight, bias_of, filter_of, weight_of
from executorch.backends.xnnpack.serialization import schema
from executorch.passes.optimization.batch_norm import folded


def in_one_row(values: Sequence[int], spatial: int, filler: int) -> list[int]:
    """The arguments of a one-dimensional convolution as those of a two-dimensional one of height 1."""
    given = list(values) * (spatial if len(values) == 1 else 1)
    return [filler, *given] if spatial == 1 else given


def is_depthwise(groups: int, weight_shape: Sequence[int], transposed: bool) -> bool:
    """Whether each input channel has filters of its own."""
    return groups > 1 and weight_shape[1] == 1 and not transposed


@dataclass(frozen=True)
class _Window:
    """How a filter moves over an image, vertically first.

    Attributes:
        stride, dilation: in pixels.
        margins: zeros on the top, on the right, at the bottom, on the left.
        adjustment: rows and columns that a transposed convolution adds.
    """

    stride: Sequence[int]
    dilation: Sequence[int]
    margins: tuple[int, int, int, int]
    adjustment: Sequence[int] = (0, 0)


@dataclass(frozen=True)
class _Filters:
    """What is multiplied with.

    Attributes:
        known: the weight as the model has it.
        weight: of an image, in the order of the model's dimensions.
        bias: None for none.
        groups: of channels.
        transposed: whether the first dimension of ``weight`` are the inputs.
    """

    known: Weight
    weight: torch.Tensor
    bias: torch.Tensor | None
    groups: int
    transposed: bool = False


@lowers("aten.convolution.default", order=Order.CHANNELS_LAST)
def convolution(operator: Operator) -> None:
    source, weight_node, bias_node = operator.node.args[:3]
    stride, padding, dilation, transposed, adjustment, groups = operator.node.args[3:9]
    known = weight_of(operator, weight_node)
    weight, bias = _weight_and_bias(operator, known.tensor, bias_node, transposed)
    spatial = weight.dim() - 2
    if spatial == 3:
        _convolve_volume(operator, _Filters(known, weight, bias, groups))
        return
    top, left = in_one_row(padding, spatial, 0)
    margins = operator.plan.margins.get(operator.node)
    more = (0, 0, 0, 0) if margins is None else (margins.top, margins.right, margins.bottom, margins.left)
    window = _Window(
        in_one_row(stride, spatial, 1),
        in_one_row(dilation, spatial, 1),
        (top + more[0], left + more[1], top + more[2], left + more[3]),
        in_one_row(adjustment, spatial, 0) if transposed else (0, 0),
    )
    first, result = _rows_in_and_out(operator, source, spatial)
    filters = _Filters(known, weight.unsqueeze(2) if spatial == 1 else weight, bias, groups, transposed)
    operator.add(_convolved(operator, filters, window, first, result))
    if spatial == 1:
        target = operator.output(Layout.CHANNELS_LAST)
        shape = Layout.CHANNELS_LAST.arrange(sizes_of(operator.result))
        operator.builder.reshape(result, shape, operator.output_type, target)


def _convolved(operator: Operator, filters: _Filters, window: _Window, first: int, result: int) -> Any:
    """The node that convolves images: ``result`` from ``first``."""
    weight, groups, transposed = filters.weight, filters.groups, filters.transposed
    depthwise = is_depthwise(groups, weight.shape, transposed)
    size = tuple(weight.shape[2:])
    outputs = weight.shape[1] * groups if transposed else weight.shape[0]
    inputs = weight.shape[0] if transposed else weight.shape[1] * groups
    arranged = weight.permute((1, 2, 3, 0) if depthwise else (0, 2, 3, 1))
    if transposed:
        # (inputs, outputs of a group, ...): XNNPACK has all outputs first, each with the inputs of its group.
        grouped = weight.reshape(groups, -1, *weight.shape[1:])
        arranged = grouped.permute(0, 2, 3, 4, 1).reshape(outputs, *size, inputs // groups)
    made: Any = schema.XNNConv2d
    made = schema.XNNConvTranspose2d if transposed else schema.XNNDepthwiseConv2d if depthwise else made
    return made(
        padding_top=window.margins[0],
        padding_right=window.margins[1],
        padding_bottom=window.margins[2],
        padding_left=window.margins[3],
        kernel_height=size[0],
        kernel_width=size[1],
        subsampling_height=window.stride[0],
        subsampling_width=window.stride[1],
        dilation_height=window.dilation[0],
        dilation_width=window.dilation[1],
        group_input_channels=inputs // groups,
        group_output_channels=outputs // groups,
        groups=groups,
        adjustment_height=window.adjustment[0],
        adjustment_width=window.adjustment[1],
        input1_id=first,
        filter_id=filter_of(operator.builder, filters.known, arranged, 3 if depthwise else 0),
        bias_id=bias_of(operator, filters.known, operator.node.args[0], filters.bias),
        output_id=result,
    )


def _weight_and_bias(
    operator: Operator, weight: torch.Tensor, bias_node: Any, transposed: bool
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Those of a convolution, with the batch norm behind it folded in."""
    builder = operator.builder
    bias = None if bias_node is None else builder.tensor_of(bias_node)
    if operator.node in operator.fusions.batch_norm:
        channel = 1 if transposed else 0
        weight, bias = folded(
            weight, bias, operator.fusions.batch_norm[operator.node], builder.constants, channel
        )
    # XNNPACK convolves in half precision with weights that it is given in single precision.
    if weight.dtype is torch.float16:
        weight, bias = weight.float(), None if bias is None else bias.float()
    return weight, bias


def _rows_in_and_out(operator: Operator, source: Any, spatial: int) -> tuple[int, int]:
    """The input and the result of a convolution, of height 1 where the model's has one spatial dimension."""
    builder = operator.builder
    if operator.dynamic is not None:
        quantized = builder.dynamic(operator.dynamic.source, Layout.CHANNELS_LAST, 3)
        return quantized, operator.output(Layout.CHANNELS_LAST)
    first = operator.input(source, Layout.CHANNELS_LAST)
    if spatial == 2:
        return first, operator.output(Layout.CHANNELS_LAST)
    batch, channels, length = sizes_of(operator.source(source))
    row = builder.reshape(first, [batch, 1, length, channels], operator.input_type(source))
    batch, channels, length = sizes_of(operator.result)
    return row, builder.value([batch, 1, length, channels], operator.output_type)


def is_of_frames(weight: Sequence[int], stride: Sequence[int], padding: Sequence[int]) -> bool:
    """Whether a convolution of volumes does the same to each frame, and nothing over them."""
    return weight[2] == 1 and stride[0] == 1 and padding[0] == 0


def is_over_frames(weight: Sequence[int], stride: Sequence[int], padding: Sequence[int]) -> bool:
    """Whether a convolution of volumes does the same to each pixel, over its frames."""
    return tuple(weight[3:]) == (1, 1) and tuple(stride[1:]) == (1, 1) and tuple(padding[1:]) == (0, 0)


def _convolve_volume(operator: Operator, filters: _Filters) -> None:
    """Of channels-last volumes: samples, frames, height, width, channels."""
    builder, kind, weight = operator.builder, operator.output_type, filters.weight
    source: Any = operator.node.args[0]
    stride, padding, dilation = map(three, operator.node.args[3:6])
    samples, channels, frames, height, width = sizes_of(source)
    outputs, new_frames, new_height, new_width = sizes_of(operator.result)[1:]
    first = operator.input(source, Layout.CHANNELS_LAST)
    if is_over_frames(weight.shape, stride, padding):
        window = _Window((stride[0], 1), (dilation[0], 1), (padding[0], 0, padding[0], 0))
        parts = [builder.reshape(first, [samples, frames, height * width, channels], kind)]
        weights = [weight.flatten(3)]
        after = [samples, new_frames, height * width, outputs]
    else:
        window = _Window(stride[1:], dilation[1:], (padding[1], padding[2]) * 2)
        met = [first] if is_of_frames(weight.shape, stride, padding) else _met_frames(operator, first)
        before = [samples * new_frames, height, width, channels]
        parts = [builder.reshape(one, before, kind) for one in met]
        weights = list(weight.unbind(2))
        after = [samples * new_frames, new_height, new_width, outputs]
    total = None
    for number, (part, one) in enumerate(zip(parts, weights, strict=True)):
        limits = operator.limits if number == len(parts) - 1 else None
        made = builder.value(after, kind)
        of_part = replace(filters, weight=one, bias=filters.bias if total is None else None)
        node = _convolved(operator, of_part, window, part, made)
        builder.add(node, operator.node, limits if total is None else None)
        if total is not None:
            first, made = made, builder.value(after, kind)
            node = schema.XNNAdd(input1_id=total, input2_id=first, output_id=made)
            builder.add(node, operator.node, limits)
        total = made
    assert total is not None
    target = operator.output(Layout.CHANNELS_LAST)
    builder.reshape(total, Layout.CHANNELS_LAST.arrange(sizes_of(operator.result)), kind, target)


def _met_frames(operator: Operator, volume: int) -> list[int]:
    """For each place of the filter along the frames, those that it meets, one for each frame of the result.

    Steps become a dimension of their own: XNNPACK's slices have none.
    """
    builder, kind = operator.builder, operator.output_type
    source: Any = operator.node.args[0]
    step, margin, apart = (three(values)[0] for values in operator.node.args[3:6])
    samples, frames, height, width, channels = Layout.CHANNELS_LAST.arrange(sizes_of(source))
    met, places = sizes_of(operator.result)[2], sizes_of(operator.node.args[1])[2]
    first_of = [divmod(place * apart, step) for place in range(places)]
    needed = max(-(-(frames + 2 * margin) // step), first_of[-1][0] + met) * step
    if needed > frames:
        before, behind = [0] * 5, [0] * 5
        before[1], behind[1] = margin, needed - frames - margin
        padded = builder.value([samples, needed, height, width, channels], kind)
        pad = schema.XNNStaticConstantPad(
            pre_paddings=before,
            post_paddings=behind,
            padding_value=0.0,
            input_id=volume,
            output_id=padded,
        )
        builder.add(pad, operator.node)
        volume = padded
    if step > 1:
        volume = builder.reshape(volume, [samples, needed // step, step, height, width * channels], kind)
    slices = []
    for start, within in first_of:
        shape = [samples, met, height, width, channels]
        shape = shape if step == 1 else [samples, met, 1, height, width * channels]
        part = builder.value(shape, kind)
        node = schema.XNNStaticSlice(
            num_dims=5,
            offsets=[0, start, within, 0, 0],
            sizes=[0, met, int(step > 1), 0, 0],
            input_id=volume,
            output_id=part,
        )
        builder.add(node, operator.node)
        slices.append(part)
    return slices
