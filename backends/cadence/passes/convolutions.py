"""What convolutions of ``cadence`` have in common: where their channels are, and how they requantize."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.cadence.passes.edits import ATEN, fixed_point, is_one_of, shape
from executorch.dialects.ops import ops
from executorch.ir.rewriter import arguments, call_like

_cadence = ops.edge.cadence
FLOATS = (_cadence.conv1d.default, _cadence.conv2d.default)
#: Channels behind the batch; and in front of the batch for weights.
CHANNELS_FIRST = (_cadence.quantized_conv1d_ncl.per_tensor, _cadence.quantized_conv2d_nchw.per_tensor)
CHANNELS_LAST = (_cadence.quantized_conv1d_nlc.per_tensor, _cadence.quantized_conv2d_nhwc.per_tensor)
QUANTIZED = (*CHANNELS_FIRST, *CHANNELS_LAST)


@dataclass(frozen=True)
class Convolution:
    """A convolution whose sizes are known.

    Attributes:
        node: the call.
        named: its arguments.
        sizes, weight_sizes: of input and weight.
        channels_last: whether channels are the last dimension of input, weight and result.
    """

    node: Node
    named: dict[str, Any]
    sizes: list[int]
    weight_sizes: list[int]
    channels_last: bool

    @property
    def channels(self) -> int:
        """How many channels the input has."""
        return self.sizes[-1 if self.channels_last else 1]

    @property
    def extent(self) -> list[int]:
        """The input's sizes along the dimensions that the window moves over."""
        return self.sizes[1:-1] if self.channels_last else self.sizes[2:]

    @property
    def window(self) -> list[int]:
        """The weight's sizes along these."""
        return self.weight_sizes[1:-1] if self.channels_last else self.weight_sizes[2:]

    @property
    def is_quantized(self) -> bool:
        """Whether it calculates on integers."""
        return "input_zero_point" in self.named

    def linear(self, rows: Node, weight: Node) -> Node:
        """A linear layer with bias, scales and zero points of the convolution, made before it.

        Args:
            rows: one for each place of the window.
            weight: one row for each output channel.
        """
        named = self.named
        if not self.is_quantized:
            return call_like(self.node, ATEN.linear.default, (rows, weight, named["bias"]))
        factor = fixed_point(named["bias_scale"] / named["out_scale"])
        args = (
            rows,
            weight,
            named["bias"],
            named["input_zero_point"],
            named["weight_zero_point"],
            *factor,
            named["out_zero_point"],
            None,
        )
        return call_like(self.node, torch.ops.cadence.quantized_linear.per_tensor, args)


def convolution_of(node: Node) -> Convolution | None:
    """The convolution that a node calls; None for other nodes, and where sizes are symbols."""
    if not is_one_of(node, (*FLOATS, *QUANTIZED)):
        return None
    named = arguments(node)
    sizes, weight_sizes = shape(named["input"]), shape(named["weight"])
    if sizes is None or weight_sizes is None or shape(node) is None or named.get("offset") is not None:
        return None
    return Convolution(node, named, sizes, weight_sizes, is_one_of(node, CHANNELS_LAST))


__all__ = ["CHANNELS_FIRST", "CHANNELS_LAST", "FLOATS", "QUANTIZED", "Convolution", "convolution_of"]
