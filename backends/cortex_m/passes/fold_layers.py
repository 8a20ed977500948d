"""Layers with weights, on integers."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.backends.cortex_m.ops.arithmetic import quantize_multiplier
from executorch.backends.cortex_m.passes.folding import Call, cortex_m, fold
from executorch.backends.cortex_m.passes.quantized_values import Weight, bias_of, integers_of, weight_of
from executorch.backends.cortex_m.passes.scratch_buffer_sizes import (
    batch_matmul_scratch,
    convolution_scratch,
    depthwise_scratch,
)
from executorch.ir.values import sizes_of
from executorch.passes.to_execution.sym_shape_eval_pass import planned_size

_INT32 = torch.iinfo(torch.int32)


def _factors(call: Call, in_scale: float, weight: Weight, outputs: int) -> list[torch.Tensor]:
    """Multipliers and shifts, one for each output."""
    reals = (in_scale * weight.scales / call.output.scale).expand(outputs).tolist()
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


def _plus_bias(call: Call, bias: torch.Tensor | None) -> Node | None:
    return None if bias is None else call.constant(bias, "bias")


@fold("convolution")
def convolution(call: Call) -> Node | None:
    value, weight_node, bias_node, stride, padding, dilation, transposed, output_padding, groups = call.args
    have = integers_of(value)
    weight = weight_of(weight_node, call.constants, 1 if transposed else 0)
    if have is None or weight is None or weight.values.dim() != 4 or _is_calculated(call, bias_node):
        return None
    inputs = sizes_of(have.node)[1]
    if groups != 1 and transposed:
        return None
    bias = _bias(call, bias_node, have.quant.scale, weight)
    values = weight.values
    outputs = values.shape[1] if transposed else values.shape[0]
    multipliers, shifts = _factors(call, have.quant.scale, weight, outputs)
    output = call.output
    tail = (
        -have.quant.zero_point,
        output.zero_point,
        call.constant(multipliers, "multipliers"),
        call.constant(shifts, "shifts"),
        output.low,
        output.high,
    )
    added = _plus_bias(call, bias)
    if transposed:
        kernel = call.constant(values.permute(1, 2, 3, 0), "weight")
        op = cortex_m.quantized_transpose_conv2d.default
        spread = (stride, padding, output_padding, dilation)
        room = call.scratch(convolution_scratch(outputs, values.numel() // outputs))
        return call.call(op, have.node, kernel, added, *spread, *tail, room, call.scratch(0))
    geometry = (stride, padding, dilation)
    if groups == inputs and groups > 1:
        kernel = call.constant(values.permute(1, 2, 3, 0), "weight")
        op = cortex_m.quantized_depthwise_conv2d.default
        room = call.scratch(depthwise_scratch(inputs, outputs, values.shape[2] * values.shape[3]))
        return call.call(op, have.node, kernel, added, *geometry, outputs // inputs, *tail, room)
    kernel = call.constant(values.permute(0, 2, 3, 1), "weight")
    room = call.scratch(convolution_scratch(outputs, values.numel() // outputs))
    op = cortex_m.quantized_conv2d.default
    return call.call(op, have.node, kernel, added, *geometry, *tail, room)


@fold("linear")
def linear(call: Call) -> Node | None:
    value, weight_node, bias_node = (*call.args, None)[:3]
    have = integers_of(value)
    weight = weight_of(weight_node, call.constants, 0)
    if have is None or weight is None or _is_calculated(call, bias_node):
        return None
    bias = _bias(call, bias_node, have.quant.scale, weight)
    multipliers, shifts = _factors(call, have.quant.scale, weight, weight.scales.numel())
    offset = -have.quant.zero_point
    sums = offset * weight.values.sum(1, dtype=torch.int64) + (0 if bias is None else bias)
    output = call.output
    return call.call(
        cortex_m.quantized_linear.default,
        have.node,
        call.constant(weight.values, "weight"),
        None,
        call.constant(sums.to(torch.int32).reshape(1, -1), "kernel_sum"),
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
