"""Bytes that kernels work in, known ahead of time, on any processor (``kernels/common.h``, class Scratch)."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from executorch.backends.cortex_m.passes.quantized_values import name_of
from executorch.backends.cortex_m.target_config import InstructionSet
from executorch.ir.values import sizes_of
from executorch.passes.to_execution.sym_shape_eval_pass import planned_size

#: Inputs of so many outputs are gathered at a time.
_COLUMNS = 4
_POINTER = 8


def _part(size: int) -> int:
    return (size + 7) // 8 * 8


def convolution_scratch(outputs: int, depth: int) -> int:
    """Of a convolution whose outputs are sums over ``depth`` inputs."""
    column = (depth + 3) // 4 * 4
    return _part(4 * outputs) + _part(_COLUMNS * column) + _part(4 * column)


def wide_convolution_scratch(depth: int) -> int:
    """The same of int16: inputs of one output are gathered."""
    return _part(2 * depth)


def depthwise_scratch(inputs: int, outputs: int, taps: int) -> int:
    return _part(4 * outputs) + _part(inputs) + _part(_POINTER * taps)


def average_scratch() -> int:
    """Means are finished as they are read."""
    return 0


def batch_matmul_scratch(columns: int) -> int:
    return 2 * _part(4 * columns)


def required_cmsis_nn_buffer_sizes(node: Node, backend: InstructionSet) -> list[int] | None:
    """Bytes of each scratch argument of a call, as released versions name it; None where an operator has none.

    Args:
        node: calls an operator of ``cortex_m``.
        backend: sizes do not depend on it.
    """
    args: tuple[Any, ...] = node.args
    name = name_of(node).removeprefix("cortex_m::").removesuffix("_nhwc")
    if name == "quantized_avg_pool2d":
        return [average_scratch()]
    if name == "quantized_batch_matmul":
        return [batch_matmul_scratch(planned_size(sizes_of(args[2])[1]))]
    if "conv2d" not in name:
        return None
    outputs, height, width, inputs = sizes_of(args[1])
    if name == "quantized_depthwise_conv2d":
        # The weight is [1, height, width, outputs], inputs times the depth multiplier.
        return [depthwise_scratch(inputs // args[6], inputs, height * width)]
    depth = height * width * inputs
    if name == "quantized_conv2d_int16":
        return [wide_convolution_scratch(depth)]
    room = convolution_scratch(outputs, depth)
    return [room, 0] if name == "quantized_transpose_conv2d" else [room]


__all__ = [
    "average_scratch",
    "batch_matmul_scratch",
    "convolution_scratch",
    "depthwise_scratch",
    "required_cmsis_nn_buffer_sizes",
    "wide_convolution_scratch",
]
