"""Gives the operators ``cadence::`` what they calculate, in PyTorch on any processor: the oracle of kernels and passes.

Importing this module is enough.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import torch
from torch.library import Library

from executorch.backends.cadence.ops import operators, schemas
from executorch.backends.cadence.reference import arithmetic, elementwise, layers, quantization, windows

Function = Callable[..., Any]

BYTES: Final = {"8s": torch.int8, "8u": torch.uint8}
TYPES: Final = {**BYTES, "16s": torch.int16, "16u": torch.uint16, "32s": torch.int32}


def _of_type(function: Function, dtype: torch.dtype) -> Function:
    """The variant for one type of all quantized inputs."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> torch.Tensor:
        arithmetic.check_type(args[0], dtype, "X" if function.__name__ != "quantized_linear" else "src")
        return function(*args, **kwargs)

    return run


def _typed() -> dict[str, Function]:
    """The variants whose names say which type of integers they take."""
    made: dict[str, Function] = {}
    for kind, dtype in TYPES.items():
        made[f"quantize_per_tensor_asym{kind}"] = quantization.of_type(
            quantization.quantize_per_tensor, dtype
        )
        made[f"dequantize_per_tensor_asym{kind}"] = quantization.of_type(
            quantization.dequantize_per_tensor, dtype
        )
    for kind, dtype in BYTES.items():
        three = f"asym{kind}xasym{kind}_asym{kind}"
        made[f"quantized_add_{three}.per_tensor"] = _of_type(elementwise.quantized_add, dtype)
        made[f"quantized_fully_connected_{three}.per_tensor"] = _of_type(
            layers.quantized_fully_connected, dtype
        )
        made[f"quantized_linear_{three}.per_tensor"] = _of_type(layers.quantized_linear, dtype)
        made[f"quantized_matmul_{three}"] = _of_type(layers.quantized_matmul, dtype)
        made[f"quantized_relu_asym{kind}_asym{kind}.per_tensor"] = _of_type(elementwise.quantized_relu, dtype)
        for order, channels_last in (("nchw", False), ("nhwc", True)):
            convolution = windows.quantized_convolution(channels_last=channels_last, dtype=dtype)
            for shape in ("", "_depthwise", "_dilated"):
                name = f"quantized_conv2d_{order}{shape}_asym{kind}xsym{kind}_asym{kind}.per_tensor"
                made[name] = convolution
    return made


_FIRST: Final = windows.quantized_convolution(channels_last=False)
_LAST: Final = windows.quantized_convolution(channels_last=True)

#: Operators of tensors and of numbers: the definitions take either.
_BOTH: Final[dict[str, Function]] = {
    "im2row": windows.im2row,
    "quantized_add": elementwise.quantized_add,
    "quantized_conv1d_ncl": _FIRST,
    "quantized_conv1d_nlc": _LAST,
    "quantized_conv2d_nchw": _FIRST,
    "quantized_conv2d_nhwc": _LAST,
    "quantized_fully_connected": layers.quantized_fully_connected,
    "quantized_layer_norm": layers.quantized_layer_norm,
    "quantized_linear": layers.quantized_linear,
    "quantized_mul": elementwise.quantized_mul,
    "quantized_relu": elementwise.quantized_relu,
    "quantized_softmax": layers.quantized_softmax,
    "requantize": quantization.requantize,
}

#: Name and overload of an operator -> what it calculates.
FUNCTIONS: Final[dict[str, Function]] = {
    **_BOTH,
    **{f"{name}.per_tensor": function for name, function in _BOTH.items()},
    **_typed(),
    "_softmax_f32_f32": layers.softmax_f32_f32,
    "avg_pool2d": windows.avg_pool2d,
    **{f"conv{dimensions}d": windows.convolution for dimensions in (1, 2, 3)},
    "dequantize": quantization.dequantize,
    "dequantize_per_tensor": quantization.dequantize_per_tensor,
    "fully_connected": layers.fully_connected,
    **{f"idma_{name}": elementwise.transfer for name in ("copy", "load", "store", "wait")},
    "linalg_svd": layers.linalg_svd,
    "quantize_per_tensor": quantization.quantize_per_tensor,
    "quantized_add_Scalar": elementwise.quantized_add_scalar,
    "quantized_conv2d_depthwise_nhwc": _LAST,
    "quantized_depthwise_conv1d_ncl.per_tensor": _FIRST,
    "quantized_depthwise_conv1d_nlc.per_tensor": _LAST,
    "quantized_embedding_byte": layers.quantized_embedding_byte,
    "quantized_matmul": layers.quantized_matmul,
    "quantized_max_pool2d_nchw": windows.quantized_max_pool2d(channels_last=False),
    "quantized_max_pool2d_nhwc": windows.quantized_max_pool2d(channels_last=True),
    "quantized_mul_Scalar": elementwise.quantized_mul_scalar,
    "quantized_rope_rotate_stacked_halves": elementwise.quantized_rope_rotate_stacked_halves,
    "quantized_transposed_conv": windows.quantized_transposed_conv,
    "quantized_w8a32_conv": layers.quantized_w8a32_conv,
    "quantized_w8a32_gru": layers.quantized_w8a32_gru,
    "quantized_w8a32_linear": layers.quantized_w8a32_linear,
    "rope": elementwise.rope,
    "rope_rotate_stacked_halves": elementwise.rope_rotate_stacked_halves,
    "sdpa_bitwise_mask_gen": elementwise.mask_of_bits,
    "slice_scatter_": elementwise.slice_scatter_,
    "transposed_convolution": windows.transposed_convolution,
    "transposed_im2row": windows.transposed_im2row,
    "where_Scalar": elementwise.where_scalar,
}


def _writing(function: Function, name: str) -> Function:
    def write(*args: Any, **kwargs: Any) -> torch.Tensor:
        out: torch.Tensor = kwargs.pop(name)
        result = function(*args, **kwargs)
        out.resize_(result.shape)
        return out.copy_(result)

    return write


def _define() -> Library:
    assert operators.LIBRARIES
    library = Library("cadence", "IMPL")
    for name, function in FUNCTIONS.items():
        library.impl(name, function, "CompositeExplicitAutograd")
        if name in schemas.ARGUMENTS:
            writing = _writing(function, schemas.output_of(name))
            library.impl(schemas.out_name(name), writing, "CompositeExplicitAutograd")
    return library


#: Keeps what is registered alive.
LIBRARY: Final = _define()

__all__ = ["FUNCTIONS", "LIBRARY"]
