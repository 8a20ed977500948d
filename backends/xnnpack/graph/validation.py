"""Scales and zero points that a graph may have; what XNNPACK is given without looking would be wrong numbers."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.backends.xnnpack.graph.constants import (
    DEQUANTIZE,
    DEQUANTIZE_CHANNELS,
    QUANTIZE,
    Constants,
    name_of,
)

_SMALLEST_NORMAL = torch.finfo(torch.float32).tiny


def is_tensor_subnormal(tensor: torch.Tensor) -> torch.Tensor:
    """For each element whether it is nearer to zero than normal float32 numbers are, and not zero."""
    return (tensor.abs() > 0) & (tensor.abs() < _SMALLEST_NORMAL)


def validate_quant_scales(scales: float | torch.Tensor) -> None:
    """Raises a ``ValueError`` unless all scales are finite, positive and normal numbers."""
    found = torch.as_tensor(scales)
    wrong = ~torch.isfinite(found) | (found <= 0) | is_tensor_subnormal(found)
    if bool(wrong.any()):
        value, where = _first(found, wrong)
        raise ValueError(
            f"Scales must be finite and normal, however found scale value: {value} in scale tensor at index: {where}"
        )


def validate_quant_zeropoints(zp: float | torch.Tensor, dtype: torch.dtype, is_4bit: bool) -> None:
    """Raises a ``ValueError`` unless all zero points are in the range of ``dtype``.

    Args:
        zp: zero points.
        dtype: of the integers.
        is_4bit: whether these are four bits, stored in bytes from 0 to 15.
    """
    found = torch.as_tensor(zp)
    limits = torch.iinfo(dtype)
    low, high = (0, 15) if is_4bit else (limits.min, limits.max)
    wrong = (found < low) | (found > high)
    if bool(wrong.any()):
        value, where = _first(found, wrong)
        raise ValueError(f"Found invalid zeropoint {value} in zero point tensor at index: {where}")


def _first(found: torch.Tensor, wrong: torch.Tensor) -> tuple[float, tuple[int, ...]]:
    """The first wrong number, and where it is; a number by itself counts as a tensor of one."""
    where = tuple(int(index) for index in wrong.reshape(wrong.shape or (1,)).nonzero()[0])
    return found.reshape(found.shape or (1,))[where].item(), where


def validate_quantization(program: ExportedProgram, constants: Constants) -> None:
    """Checks all scales and zero points of a subgraph.

    Raises:
        ValueError: one is none; says of which node.
    """
    for node in program.graph.nodes:
        validate_conversion(node, constants)


def validate_conversion(node: torch.fx.Node, constants: Constants) -> None:
    """Checks the scales and zero points of a quantization or dequantization; nothing else has any.

    Raises:
        ValueError: one is none; says of which node.
    """
    name = name_of(node)
    if name not in (QUANTIZE, DEQUANTIZE, DEQUANTIZE_CHANNELS):
        return
    args: Any = node.args
    dtype = args[6] if name == DEQUANTIZE_CHANNELS else args[5]
    found = [constants(one) if isinstance(one, torch.fx.Node) else one for one in args[1:3]]
    try:
        if found[0] is not None:
            validate_quant_scales(found[0])
        if found[1] is not None:
            validate_quant_zeropoints(found[1], dtype, is_4bit=False)
    except ValueError as error:
        raise ValueError(f"Invalid quantization scale or zero point for {node.name}: {error}") from error
