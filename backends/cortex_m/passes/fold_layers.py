"""Layers with weights, on integers."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.fx import Node

from executorch.backends.cortex_m.ops.arithmetic import WIDE_BITS, quantize_multiplier
from executorch.backends.cortex_m.passes.folding import Call, cortex_m, fold
from executorch.backends.cortex_m.passes.quantized_values import (
    Quant,
    Weight,
    bias_of,
    integers_of,
    weight_of,
)
from executorch.backends.cortex_m.passes.scratch_buffer_sizes import (
    batch_matmul_scratch,
    convolution_scratch,
    depthwise_scratch,
    wide_convolution_scratch,
)
from executorch.backends.cortex_m.target_config import InstructionSet
from executorch.backends.transforms.graph_edit import view_arguments
from executorch.ir.values import sizes_of
from executorch.passes.to_execution.sym_shape_eval_pass import planned_size

_INT32 = torch.iinfo(torch.int32)


def _reals(call: Call, in_scale: float, weight: Weight) -> torch.Tensor:
    """Factors from sums to the output."""
    return in_scale * weight.scales / call.output.scale


def _is_within(call: Call, in_scale: float, weight: Weight, bias: torch.Tensor | None) -> bool:
    """Whether kernels of int16 have the bits for factors and bias; those of int8 always do."""
    if not call.is_wide:
        return True
    most = 0 if bias is None else int(bias.abs().max())
    return float(_reals(call, in_scale, weight).max()) < 1 << (WIDE_BITS - 1) and most < _INT32.max


def _factors(call: Call, in_scale: float, weight: Weight, outputs: int) -> list[torch.Tensor]:
    """Multipliers and shifts, one for each output."""
    reals = _reals(call, in_scale, weight).expand(outputs).tolist()
    pairs = [quantize_multiplier(real) for real in reals]
    return [torch.tensor(part, dtype=torch.int32) for part in zip(*pairs, strict=True)]


def _is_calculated(call: Call, bias: Any) -> bool:
    return bias is not None and bias_of(bias, call.constants) is None


def _bias(call: Call, node: Any, in_scale: float, weight: Weight) -> torch.Tensor | None:
    """The bias as integers of the sums' scale; None if there is none."""
    real = None if node is None else bias_of(node, call.constants)
    if real is None:
        return None
    return (real / (in_scale * weight.scales)).round().clamp(_INT32.min, _INT32.max).to(torch.int32)


def _with_offset(bias: torch.Tensor | None, offset: int, weight: Weight) -> torch.Tensor:
    """The bias and the offset times the sums of weights, which kernels would add up in every call."""
    part = offset * weight.values.sum(1, dtype=torch.int64)
    return (part if bias is None else part + bias).to(torch.int32)


def _plus_bias(call: Call, bias: torch.Tensor | None) -> Node | None:
    return None if bias is None else call.constant(bias, "bias")


@fold("convolution", wide=True)
def convolution(call: Call) -> Node | None:
    """Of images, and of rows as images of height one."""
    value, weight_node, bias_node, stride, padding, dilation, transposed, output_padding, groups = call.args
    have = call.calculable(value)
    weight = weight_of(weight_node, call.constants, 1 if transposed else 0)
    if have is None or weight is None or _is_calculated(call, bias_node):
        return None
    if (transposed and (groups != 1 or call.is_wide)) or not call.has_room(call.output):
        return None
    bias = _bias(call, bias_node, have.quant.scale, weight)
    if not _is_within(call, have.quant.scale, weight, bias):
        return None
    if weight.values.dim() == 4:
        images = _Convolution(have.node, have.quant, weight, bias, stride, padding, dilation, groups)
        return _convolve(call, images, output_padding if transposed else None)
    row = _row_as_image(call, have.node) if weight.values.dim() == 3 else None
    if row is None:
        return None
    weight = Weight(weight.values.unsqueeze(2), weight.scales)
    spread = ([1, *stride], [0, *padding], [1, *dilation])
    images = _Convolution(row, have.quant, weight, bias, *spread, groups, is_nhwc=True)
    return _image_as_row(call, _convolve(call, images, [0, *output_padding] if transposed else None))


def _row_as_image(call: Call, node: Node) -> Node | None:
    """``[n, c, w]`` as ``[n, 1, w, c]``; None where a run tells too many of the sizes."""
    batch, channels, width = sizes_of(node)
    turned = call.transposed(node, [0, 2, 1])
    sizes = view_arguments(turned, [batch, 1, width, channels])
    return None if sizes is None else call.call(torch.ops.aten.view_copy.default, turned, sizes)


def _image_as_row(call: Call, node: Node) -> Node | None:
    batch, _, width, channels = sizes_of(node)
    sizes = view_arguments(node, [batch, width, channels])
    if sizes is None:
        return None
    row = call.call(torch.ops.aten.view_copy.default, node, sizes)
    return call.transposed(row, [0, 2, 1])


class _Convolution(NamedTuple):
    """What is convolved, with the integers' meaning, and how."""

    images: Node
    quant: Quant
    weight: Weight
    bias: torch.Tensor | None
    stride: list[int]
    padding: list[int]
    dilation: list[int]
    groups: int
    is_nhwc: bool = False


def _convolve(call: Call, given: _Convolution, output_padding: list[int] | None) -> Node:
    """The call of the operator; ``output_padding`` is that of a transposed convolution."""
    values, output = given.weight.values, call.output
    outputs = values.shape[0 if output_padding is None else 1]
    multipliers, shifts = _factors(call, given.quant.scale, given.weight, outputs)
    if call.is_wide:
        return _convolve_wide(call, given)
    bias = given.bias
    if bias is None and given.groups != 1:
        # Kernels of CMSIS-NN read one.
        bias = torch.zeros(outputs, dtype=torch.int32)
    tail = (
        -given.quant.zero_point,
        output.zero_point,
        call.constant(multipliers, "multipliers"),
        call.constant(shifts, "shifts"),
        output.low,
        output.high,
    )
    head, geometry = _plus_bias(call, bias), (given.stride, given.padding)
    form = "_nhwc" if given.is_nhwc else ""
    if output_padding is not None:
        kernel = call.constant(values.permute(1, 2, 3, 0), "weight")
        op = getattr(cortex_m, f"quantized_transpose_conv2d{form}").default
        room = call.scratch(convolution_scratch(outputs, values.numel() // outputs))
        spread = (*geometry, output_padding, given.dilation)
        return call.call(op, given.images, kernel, head, *spread, *tail, room, call.scratch(0))
    inputs = sizes_of(given.images)[3 if given.is_nhwc else 1]
    if given.groups == inputs and given.groups > 1:
        kernel = call.constant(values.permute(1, 2, 3, 0), "weight")
        op = getattr(cortex_m, f"quantized_depthwise_conv2d{form}").default
        room = call.scratch(depthwise_scratch(inputs, outputs, values.shape[2] * values.shape[3]))
        spread = (*geometry, given.dilation, outputs // inputs)
        return call.call(op, given.images, kernel, head, *spread, *tail, room)
    kernel = call.constant(values.permute(0, 2, 3, 1), "weight")
    room = call.scratch(convolution_scratch(outputs, values.numel() // outputs))
    op = getattr(cortex_m, f"quantized_conv2d{form}").default
    return call.call(op, given.images, kernel, head, *geometry, given.dilation, *tail, room)


def _wide_tail(call: Call, in_scale: float, weight: Weight) -> tuple[Any, ...]:
    """Factors and bounds of a layer of int16."""
    factors = _factors(call, in_scale, weight, weight.values.shape[0])
    multipliers, shifts = map(call.constant, factors, ("multipliers", "shifts"))
    return multipliers, shifts, call.output.low, call.output.high


def _convolve_wide(call: Call, given: _Convolution) -> Node:
    """Of int16, in any number of groups."""
    values = given.weight.values
    op = getattr(cortex_m, f"quantized_conv2d_int16{'_nhwc' if given.is_nhwc else ''}").default
    return call.call(
        op,
        given.images,
        call.constant(values.permute(0, 2, 3, 1), "weight"),
        _plus_bias(call, given.bias),
        given.stride,
        given.padding,
        given.dilation,
        *_wide_tail(call, given.quant.scale, given.weight),
        call.scratch(wide_convolution_scratch(values[0].numel())),
    )


@fold("linear", wide=True)
def linear(call: Call) -> Node | None:
    value, weight_node, bias_node = (*call.args, None)[:3]
    have = call.calculable(value)
    weight = weight_of(weight_node, call.constants, 0)
    if have is None or weight is None or _is_calculated(call, bias_node) or not call.has_room(call.output):
        return None
    bias = _bias(call, bias_node, have.quant.scale, weight)
    if not _is_within(call, have.quant.scale, weight, bias):
        return None
    if call.is_wide:
        constants = (call.constant(weight.values, "weight"), _plus_bias(call, bias))
        tail = _wide_tail(call, have.quant.scale, weight)
        return call.call(cortex_m.quantized_linear_int16.default, have.node, *constants, *tail)
    multipliers, shifts = _factors(call, have.quant.scale, weight, weight.scales.numel())
    offset, sums = -have.quant.zero_point, None
    if call.backend is InstructionSet.MVE:
        total = _with_offset(bias, offset, weight)
        sums, bias = call.constant(total.reshape(1, -1), "kernel_sum"), None
    elif bias is not None:
        bias, offset = _with_offset(bias, offset, weight), 0
    output = call.output
    return call.call(
        cortex_m.quantized_linear.default,
        have.node,
        call.constant(weight.values, "weight"),
        _plus_bias(call, bias),
        sums,
        offset,
        0,
        output.zero_point,
        multipliers.tolist(),
        shifts.tolist(),
        output.high,
        output.low,
    )


@fold("bmm")
def bmm(call: Call) -> Node | None:
    left, right = (integers_of(one) for one in call.args)
    if left is None or right is None:
        return None
    multiplier, shift = quantize_multiplier(left.quant.scale * right.quant.scale / call.output.scale)
    if (call.output.low, call.output.high) != (-128, 127):
        return None
    turned = call.call(cortex_m.transpose.default, right.node, [0, 2, 1])
    zero_points = (-left.quant.zero_point, -right.quant.zero_point, call.output.zero_point)
    return call.call(
        cortex_m.quantized_batch_matmul.default,
        left.node,
        zero_points[0],
        turned,
        zero_points[1],
        zero_points[2],
        multiplier,
        shift,
        call.scratch(batch_matmul_scratch(planned_size(sizes_of(turned)[1]))),
    )
