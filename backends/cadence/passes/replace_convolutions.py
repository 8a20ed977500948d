"""Convolutions by the operators of ``cadence``, and by linear layers where they are such."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.cadence.passes.convolutions import FLOATS, QUANTIZED, convolution_of
from executorch.backends.cadence.passes.edits import (
    ATEN,
    EDGE,
    full,
    permute,
    put,
    shape,
    stand_in,
    transpose,
    view,
)
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.ir.rewriter import arguments, call_like
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = EDGE.aten


class ReplaceAtenConvolutionWithCadenceConvolutionPass(RemoveOrReplacePassInterface):
    """``aten.convolution`` becomes ``conv1d``, ``conv2d`` or ``conv3d`` of ``cadence``, or ``transposed_convolution``.

    The weights of the last one have the output channels first and are turned around: its kernel slides them over the input
    with zeros in between.
    """

    @property
    def targets(self) -> list[Any]:
        return [_aten.convolution.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        rank = len(shape(named["weight"]) or []) - 2
        cadence = torch.ops.cadence
        place = (named["stride"], named["padding"], named["dilation"])
        if named["transposed"]:
            if rank not in (1, 2):
                return False
            weight = transpose(node, named["weight"], 0, 1)
            weight = call_like(node, ATEN.flip.default, (weight, [-1 - dim for dim in range(rank)]))
            rest = (named["output_padding"], named["groups"], False)
            args = (named["input"], weight, named["bias"], *place, *rest)
            put(node, cadence.transposed_convolution.default, args)
            return True
        if rank not in (1, 2, 3):
            return False
        op = (cadence.conv1d, cadence.conv2d, cadence.conv3d)[rank - 1].default
        put(node, op, (named["input"], named["weight"], named["bias"], *place, named["groups"]))
        return True


class ReplaceTrivialConvWithLinear(RemoveOrReplacePassInterface):
    """A convolution whose window is as large as its input is a linear layer over all of it."""

    @property
    def targets(self) -> list[Any]:
        return [*FLOATS, *QUANTIZED]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        conv = convolution_of(node)
        if conv is None or conv.named["groups"] != 1 or any(conv.named["padding"]):
            return False
        if conv.extent != conv.window or len(conv.sizes) != len(conv.weight_sizes):
            return False
        count = conv.channels * math.prod(conv.window)
        weight = view(node, conv.named["weight"], [conv.weight_sizes[0], count])
        rows = view(node, conv.named["input"], [conv.sizes[0], count])
        made = conv.linear(rows, weight)
        stand_in(node, view(node, made, shape(node) or []))
        return True


class ReplaceConvWithIm2RowAndLinear(RemoveOrReplacePassInterface):
    """A convolution becomes a linear layer over the rows that ``im2row`` copies its windows to: one product of matrices."""

    @property
    def targets(self) -> list[Any]:
        return [*FLOATS, *QUANTIZED]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        conv = convolution_of(node)
        if conv is None or conv.named["groups"] != 1 or len(conv.sizes) != len(conv.weight_sizes):
            return False
        named = conv.named
        args = (
            named["input"],
            _in_two(conv.window, 1),
            _in_two(named["dilation"], 1),
            _in_two(named["padding"], 0),
            _in_two(named["stride"], 1),
            named.get("input_zero_point", 0),
            conv.channels_last,
        )
        rows = call_like(node, torch.ops.cadence.im2row.per_tensor, args)
        weight = _flat(node, named["weight"], conv.channels_last)
        _put_rows(node, conv.linear(rows, weight), conv.channels_last)
        return True


class ReplaceTransposedConvWithLinearPass(RemoveOrReplacePassInterface):
    """A transposed convolution becomes a linear layer over the rows that ``transposed_im2row`` makes of its input."""

    @property
    def targets(self) -> list[Any]:
        return [EDGE.cadence.transposed_convolution.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        sizes = shape(named["weight"])
        if named["groups"] != 1 or sizes is None or shape(node) is None:
            return False
        last = named["channel_last"]
        args = (
            named["input"],
            _in_two(sizes[1:-1] if last else sizes[2:], 1),
            _in_two(named["dilation"], 1),
            _in_two(named["padding"], 0),
            _in_two(named["stride"], 1),
            _in_two(named["output_padding"], 0),
            full(node, [1], 0, torch.int32),
            last,
        )
        rows = call_like(node, torch.ops.cadence.transposed_im2row.default, args)
        weight = _flat(node, named["weight"], last)
        _put_rows(node, call_like(node, ATEN.linear.default, (rows, weight, named["bias"])), last)
        return True


def _in_two(numbers: list[int], fill: int) -> list[int]:
    """A number for each of two dimensions: one dimension is a row of height 1."""
    return [fill, numbers[0]] if len(numbers) == 1 else list(numbers)


def _flat(node: Node, weight: Node, channels_last: bool) -> Node:
    """A row of the weight for each output channel: all of the first input channel first, as ``im2row`` copies windows."""
    sizes = shape(weight) or []
    if channels_last:
        weight = permute(node, weight, [0, len(sizes) - 1, *range(1, len(sizes) - 1)])
    return view(node, weight, [sizes[0], math.prod(sizes[1:])])


def _put_rows(node: Node, rows: Node, channels_last: bool) -> None:
    """Puts a row for each place of a window, in the order that a convolution has them, in its place."""
    if not channels_last:
        rows = transpose(node, rows, 1, 2)
    stand_in(node, view(node, rows, shape(node) or []))


class ReplaceIm2RowWithViewPass(GraphPass):
    """``im2row`` by windows as large as the input copies all of it to one row: a view."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for node in list(graph_module.graph.nodes):
            if node.target in (EDGE.cadence.im2row.default, EDGE.cadence.im2row.per_tensor) and node.users:
                changed |= self._replace(node)
        return changed

    @staticmethod
    def _replace(node: Node) -> bool:
        named = arguments(node)
        sizes, after = shape(named["input"]), shape(node)
        if sizes is None or after is None or named["channel_last"] or any(named["padding"]):
            return False
        extent = [1, *sizes[2:]][-2:]
        if extent != list(named["kernel_size"]) or any(step != 1 for step in named["dilation"]):
            return False
        put(node, ATEN.view_copy.default, (named["input"], after))
        return True


__all__ = [
    "ReplaceAtenConvolutionWithCadenceConvolutionPass",
    "ReplaceConvWithIm2RowAndLinear",
    "ReplaceIm2RowWithViewPass",
    "ReplaceTransposedConvWithLinearPass",
    "ReplaceTrivialConvWithLinear",
]
