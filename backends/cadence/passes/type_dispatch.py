"""Variants of quantized operators for one type of integers, chosen ahead of time.

A program then links no kernels for types that it does not have, and its kernels do not ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import torch
from torch.fx import Node

from executorch.backends.cadence.passes.edits import EDGE, dtype, shape, stand_in
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.ir.rewriter import arguments, call_like

_Suffixes: TypeAlias = dict[tuple[torch.dtype, ...], str]
_PAIRS: Final[_Suffixes] = {
    (torch.int8, torch.int8): "asym8sxasym8s_asym8s",
    (torch.uint8, torch.uint8): "asym8uxasym8u_asym8u",
}
_CONV: Final[_Suffixes] = {types: suffix.replace("xasym", "xsym") for types, suffix in _PAIRS.items()}
_ONE: Final[_Suffixes] = {(torch.int8,): "asym8s_asym8s", (torch.uint8,): "asym8u_asym8u"}
_KINDS: Final[_Suffixes] = {
    (torch.int8,): "asym8s",
    (torch.uint8,): "asym8u",
    (torch.int16,): "asym16s",
    (torch.uint16,): "asym16u",
    (torch.int32,): "asym32s",
}


@dataclass(frozen=True)
class OpConfig:
    """How the variants of an operator are named.

    Attributes:
        base_name: what its variants' names begin with.
        type_dispatch_suffixes: by types of the input, or of input and second operand, what they end with.
        weight_arg_idx: the place of the second operand; None where only the input decides.
        is_quant_op: the type is an argument.
        variant: overload.
    """

    base_name: str
    type_dispatch_suffixes: _Suffixes
    weight_arg_idx: int | None = None
    is_quant_op: bool = False
    variant: str = "per_tensor"


_cadence = EDGE.cadence
OPERATORS: Final[dict[Any, OpConfig]] = {
    _cadence.quantized_fully_connected.per_tensor: OpConfig("quantized_fully_connected", _PAIRS, 1),
    _cadence.quantized_linear.per_tensor: OpConfig("quantized_linear", _PAIRS, 1),
    _cadence.quantized_matmul.default: OpConfig("quantized_matmul", _PAIRS, 2, variant="default"),
    _cadence.quantized_add.per_tensor: OpConfig("quantized_add", _PAIRS, 3),
    _cadence.quantized_conv2d_nchw.per_tensor: OpConfig("quantized_conv2d_nchw", _CONV, 1),
    _cadence.quantized_conv2d_nhwc.per_tensor: OpConfig("quantized_conv2d_nhwc", _CONV, 1),
    _cadence.quantized_relu.per_tensor: OpConfig("quantized_relu", _ONE),
    _cadence.quantize_per_tensor.default: OpConfig(
        "quantize_per_tensor", _KINDS, is_quant_op=True, variant="default"
    ),
    _cadence.dequantize_per_tensor.default: OpConfig("dequantize_per_tensor", _KINDS, variant="default"),
}


class CompileTimeTypeDispatchPass(RemoveOrReplacePassInterface):
    """Puts the variant for the types that an operator has in its place.

    Convolutions that are depthwise or dilated have variants of their own.

    Raises:
        RuntimeError: there is no variant for these types.
    """

    @property
    def targets(self) -> list[Any]:
        return list(OPERATORS)

    def maybe_remove_or_replace(self, node: Node) -> bool:
        config = OPERATORS[node.target]  # type: ignore[index]
        types = _types(node, config)
        suffix = config.type_dispatch_suffixes.get(types)
        if suffix is None:
            raise RuntimeError(
                f"Unsupported input types for {node.target}: {types} at {node.format_node()}\n"
                "Way out: quantize its operands to one of "
                + ", ".join(" and ".join(map(str, known)) for known in config.type_dispatch_suffixes)
            )
        name = f"{config.base_name}{_geometry(node)}_{suffix}"
        variant = getattr(getattr(torch.ops.cadence, name), config.variant)
        stand_in(node, call_like(node, variant, node.args, dict(node.kwargs)))
        return True


def _types(node: Node, config: OpConfig) -> tuple[torch.dtype, ...]:
    if config.is_quant_op:
        return (arguments(node)["dtype"],)
    first = dtype(node.args[0])
    return (first,) if config.weight_arg_idx is None else (first, dtype(node.args[config.weight_arg_idx]))


def _geometry(node: Node) -> str:
    if "conv" not in node.target._schema.name:  # type: ignore[union-attr]
        return ""
    named = arguments(node)
    sizes = shape(named["input"]) or []
    channels = sizes[-1] if "nhwc" in node.target._schema.name else sizes[1]  # type: ignore[union-attr]
    if named["groups"] == channels and channels > 1:
        return "_depthwise"
    return "_dilated" if any(step > 1 for step in named["dilation"]) else ""


__all__ = ["CompileTimeTypeDispatchPass", "OpConfig"]
