"""Reads quantization in edge graphs: which integers stand behind a value, and with which scale."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.fx import Node

from executorch.dialects.edge_ops import aten_op

_QUANTIZE = "quantized_decomposed::quantize_per_tensor"
_DEQUANTIZE = "quantized_decomposed::dequantize_per_tensor"
_PER_CHANNEL = "quantized_decomposed::dequantize_per_channel"


#: Of an activation that clamps; None where it has none.
Bounds = tuple[float | None, float | None]


class Quant(NamedTuple):
    """Scale, zero point and range of the integers of one tensor."""

    scale: float
    zero_point: int
    low: int
    high: int
    dtype: torch.dtype


class Integers(NamedTuple):
    """A tensor of integers, and what they mean."""

    node: Node
    quant: Quant


class Weight(NamedTuple):
    """A constant of int8, and the scale of each output, or of all."""

    values: torch.Tensor
    scales: torch.Tensor


def name_of(node: Any) -> str:
    """``namespace::operator`` of a call; empty for other nodes."""
    op = aten_op(node.target) if isinstance(node, Node) and node.op == "call_function" else None
    return op._schema.name if op is not None else ""


def op_of(node: Any) -> Any:
    """The torch overload that a node calls, or None."""
    return aten_op(node.target) if isinstance(node, Node) and node.op == "call_function" else None


#: Integers that there are kernels for.
DTYPES = (torch.int8, torch.int16)


def _quant_of(node: Node, dtypes: tuple[torch.dtype, ...]) -> Quant | None:
    """None if the parameters are tensors, or of another type."""
    params: tuple[Any, ...] = tuple(node.args[1:6])
    if len(params) != 5 or any(isinstance(one, Node) for one in params) or params[4] not in dtypes:
        return None
    return Quant(*params)


def quantized_by(node: Node) -> Quant | None:
    """What a quantization of int8 or int16 makes of its input; None for other nodes."""
    return _quant_of(node, DTYPES) if name_of(node) == _QUANTIZE else None


def integers_of(node: Any, *dtypes: torch.dtype) -> Integers | None:
    """What a dequantization of int8, or one of ``dtypes``, reads; None for other nodes."""
    if name_of(node) != _DEQUANTIZE:
        return None
    quant = _quant_of(node, dtypes or (torch.int8,))
    return Integers(node.args[0], quant) if quant is not None else None


def _read_by(node: Any, constants: dict[Node, torch.Tensor]) -> torch.Tensor | None:
    first: Any = node.args[0] if isinstance(node, Node) and node.args else None
    return constants.get(first)


def weight_of(node: Any, constants: dict[Node, torch.Tensor], axis: int) -> Weight | None:
    """A constant behind a symmetric dequantization; None for anything else.

    Args:
        node: what the layer reads.
        constants: of the program.
        axis: the dimension that scales may belong to.
    """
    values = _read_by(node, constants)
    if values is None or values.dtype is not torch.int8:
        return None
    if name_of(node) == _DEQUANTIZE:
        quant = _quant_of(node, (torch.int8,))
        if quant is None or quant.zero_point != 0:
            return None
        return Weight(values, torch.tensor([quant.scale], dtype=torch.float64))
    if name_of(node) != _PER_CHANNEL or node.args[3] % values.dim() != axis:
        return None
    scales, zero_points = (constants.get(one) for one in node.args[1:3])
    if scales is None or (zero_points is not None and bool(zero_points.any())):
        return None
    return Weight(values, scales.double())


def bias_of(node: Any, constants: dict[Node, torch.Tensor]) -> torch.Tensor | None:
    """The values of a constant bias, quantized or not; None if it is calculated."""
    if node in constants:
        return constants[node].double() if constants[node].is_floating_point() else None
    name = name_of(node)
    values = constants.get(node.args[0]) if name in (_DEQUANTIZE, _PER_CHANNEL) else None
    if values is None:
        return None
    if name == _DEQUANTIZE:
        return (values.double() - node.args[2]) * node.args[1]
    scales, zero_points = (constants.get(one) for one in node.args[1:3])
    zeros = 0.0 if zero_points is None else zero_points.double()
    return None if scales is None else (values.double() - zeros) * scales.double()


def limits_of(node: Node) -> Bounds | None:
    """The bounds of an activation that only clamps, between numbers; None of any other call."""
    name, args = name_of(node), list[Any](node.args)
    if name == "aten::relu":
        return 0.0, None
    if name == "aten::hardtanh":
        return (*args[1:], *[-1.0, 1.0][len(args) - 1 :])  # type: ignore[return-value]
    if name == "aten::clamp":
        low, high = [*args[1:], None, None][:2]
        return None if isinstance(low, Node) or isinstance(high, Node) else (low, high)
    return None


def narrow(output: Quant, bounds: Bounds) -> Quant | None:
    """Rounding keeps the order, so that a quantized bound bounds what is quantized. None if nothing lies between."""

    def quantized(real: float) -> int:
        return max(output.low, min(output.high, round(float(real) / output.scale) + output.zero_point))

    low = output.low if bounds[0] is None else quantized(bounds[0])
    high = output.high if bounds[1] is None else quantized(bounds[1])
    return output._replace(low=low, high=high) if low <= high else None


__all__ = [
    "DTYPES",
    "Bounds",
    "Integers",
    "Quant",
    "Weight",
    "bias_of",
    "integers_of",
    "limits_of",
    "name_of",
    "narrow",
    "op_of",
    "quantized_by",
    "weight_of",
]
