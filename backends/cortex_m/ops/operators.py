"""Defines the operators of ``cortex_m``, with their out variants, by what they calculate on integers.

``cortex_m::quantized_conv2d`` and its kin work on ``[n, c, h, w]`` in the memory format channels_last, those with ``_nhwc``
on contiguous ``[n, h, w, c]``. Weights are ``[o, h, w, i]``, of depthwise ones ``[1, h, w, o]``. The kernels for
microcontrollers (``../kernels``) give the same integers. Importing this module is enough.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final

import torch
from torch.library import Library

from executorch.backends.cortex_m.ops import layers, shapes, simple, wide_layers
from executorch.backends.cortex_m.ops.softmax import softmax

_TYPES: Final = {
    "torch.Tensor": "Tensor",
    "torch.Tensor | None": "Tensor?",
    "torch.dtype": "ScalarType",
    "list[int]": "int[]",
    "int": "int",
    "float": "float",
    "bool": "bool",
}

Function = Callable[..., torch.Tensor]

_IMAGES: Final[dict[str, Function]] = {
    "quantized_avg_pool2d": simple.avg_pool2d_nhwc,
    "quantized_conv2d": layers.conv2d_nhwc,
    "quantized_conv2d_int16": wide_layers.conv2d_int16_nhwc,
    "quantized_depthwise_conv2d": layers.depthwise_conv2d_nhwc,
    "quantized_max_pool2d": simple.max_pool2d_nhwc,
    "quantized_transpose_conv2d": layers.transpose_conv2d_nhwc,
}


def _channels_last(function: Function) -> Function:
    @functools.wraps(function)
    def run(input: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        return function(input.permute(0, 2, 3, 1).contiguous(), *args, **kwargs).permute(0, 3, 1, 2)

    return run


def _shapes_with_channels_last(function: Function) -> Function:
    def run(input: torch.Tensor, *args: Any) -> torch.Tensor:
        return function(input.permute(0, 2, 3, 1), *args).permute(0, 3, 1, 2)

    return run


#: Name of an operator -> what it calculates; schemas are made of the signatures.
FUNCTIONS: Final[dict[str, Function]] = {
    "dequantize_per_tensor": simple.dequantize_per_tensor,
    "maximum": simple.maximum,
    "minimum": simple.minimum,
    "pad": simple.pad,
    "quantize_per_tensor": simple.quantize_per_tensor,
    "quantized_activation": simple.quantized_activation,
    "quantized_add": simple.quantized_add,
    "quantized_batch_matmul": layers.quantized_batch_matmul,
    "quantized_div": simple.quantized_div,
    "quantized_linear": layers.quantized_linear,
    "quantized_linear_int16": wide_layers.linear_int16,
    "quantized_mul": simple.quantized_mul,
    "softmax": softmax,
    "transpose": simple.transpose,
    **{name: _channels_last(function) for name, function in _IMAGES.items()},
    **{f"{name}_nhwc": function for name, function in _IMAGES.items()},
}

_IMAGE_SHAPES: Final[dict[str, Function]] = {
    "quantized_avg_pool2d": shapes.avg_pool2d_nhwc,
    "quantized_conv2d": shapes.conv2d_nhwc,
    "quantized_conv2d_int16": shapes.conv2d_nhwc,
    "quantized_depthwise_conv2d": shapes.depthwise_conv2d_nhwc,
    "quantized_max_pool2d": shapes.max_pool2d_nhwc,
    "quantized_transpose_conv2d": shapes.transpose_conv2d_nhwc,
}
#: Name of an operator -> what it gives of example values.
_SHAPES: Final[dict[str, Function]] = {
    "dequantize_per_tensor": shapes.dequantize_per_tensor,
    "maximum": shapes.broadcast,
    "minimum": shapes.broadcast,
    "pad": shapes.pad,
    "quantize_per_tensor": shapes.quantize_per_tensor,
    "quantized_activation": shapes.elementwise,
    "quantized_add": shapes.broadcast,
    "quantized_batch_matmul": shapes.batch_matmul,
    "quantized_div": shapes.elementwise,
    "quantized_linear": shapes.linear,
    "quantized_linear_int16": shapes.linear,
    "quantized_mul": shapes.broadcast,
    "softmax": shapes.elementwise,
    "transpose": shapes.transpose,
    **{name: _shapes_with_channels_last(function) for name, function in _IMAGE_SHAPES.items()},
    **{f"{name}_nhwc": function for name, function in _IMAGE_SHAPES.items()},
}


def schema(name: str, *, out: bool = False) -> str:
    """The schema of an operator, or of its out variant, without the namespace."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    arguments = ", ".join(f"{_TYPES[one.annotation]} {one.name}" for one in parameters)
    if out:
        return f"{name}.out({arguments}, *, Tensor(a!) out) -> Tensor(a!)"
    return f"{name}({arguments}) -> Tensor"


def _writing(function: Function) -> Function:
    def write(*args: Any, out: torch.Tensor, **kwargs: Any) -> torch.Tensor:
        result = function(*args, **kwargs)
        out.resize_(result.shape)
        return out.copy_(result)

    return write


def _define() -> Library:
    library = Library("cortex_m", "DEF")
    for name, function in FUNCTIONS.items():
        library.define(schema(name))
        library.impl(name, function, "CompositeExplicitAutograd")
        torch.library.register_fake(f"cortex_m::{name}", _SHAPES[name], lib=library)
        library.define(schema(name, out=True))
        library.impl(f"{name}.out", _writing(function), "CompositeExplicitAutograd")
    return library


#: Keeps the operators alive.
LIBRARY: Final = _define()

__all__ = ["FUNCTIONS", "LIBRARY", "schema"]
