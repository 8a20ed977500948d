"""Quantized operators on channels that lie next to each other, which is what the processors' kernels multiply fastest."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.backends.cadence.passes.convolutions import CHANNELS_FIRST, convolution_of
from executorch.backends.cadence.passes.edits import ATEN, EDGE, permute, shape, stand_in, transpose
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.ir.rewriter import arguments, call_like

_aten = EDGE.aten


class ReplaceConvWithChannelLastConvPass(RemoveOrReplacePassInterface):
    """Quantized convolutions run on channels-last tensors, between permutations.

    The weights of depthwise ones over two dimensions are of shape (height, width, output channels) then. Convolutions over
    one dimension that call the operator for two get the operator for one.
    """

    @property
    def targets(self) -> list[Any]:
        return list(CHANNELS_FIRST)

    def maybe_remove_or_replace(self, node: Node) -> bool:
        conv = convolution_of(node)
        if conv is None or len(conv.sizes) not in (3, 4) or len(conv.weight_sizes) != len(conv.sizes):
            return False
        named, rank = dict(conv.named), len(conv.sizes)
        is_depthwise = named["groups"] == conv.channels and conv.channels > 1
        to_last, to_first = _orders(rank)
        source = permute(node, named.pop("input"), to_last)
        weight = named.pop("weight")
        if is_depthwise and rank == 4:
            # (outputs, 1, height, width) -> (height, width, outputs)
            weight = permute(node, weight, [2, 3, 0, 1])
            weight = call_like(node, ATEN.squeeze_copy.dim, (weight, -1))
        elif is_depthwise:
            weight = transpose(node, weight, 1, 2)
        else:
            weight = permute(node, weight, to_last)
        cadence = torch.ops.cadence
        op = cadence.quantized_conv1d_nlc if rank == 3 else cadence.quantized_conv2d_nhwc
        if rank == 3:
            named.update({name: named[name][-1:] for name in ("stride", "padding", "dilation")})
        made = call_like(node, op.per_tensor, (source, weight, *named.values()))
        stand_in(node, permute(node, made, to_first))
        return True


class ReplaceMaxPool2dWithChannelLastMaxPool2dPass(RemoveOrReplacePassInterface):
    """Quantized maximum pools run on channels-last tensors, between permutations."""

    @property
    def targets(self) -> list[Any]:
        return [EDGE.cadence.quantized_max_pool2d_nchw.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        sizes = shape(named["input"])
        if sizes is None or len(sizes) != 4:
            return False
        to_last, to_first = _orders(4)
        source = permute(node, named.pop("input"), to_last)
        op = torch.ops.cadence.quantized_max_pool2d_nhwc.default
        made = call_like(node, op, (source, *named.values()))
        stand_in(node, permute(node, made, to_first))
        return True


def _orders(rank: int) -> tuple[list[int], list[int]]:
    """The permutations to channels last and back."""
    return [0, *range(2, rank), 1], [0, rank - 1, *range(1, rank - 1)]


class MakeSliceAndCatDimOutermostPass(RemoveOrReplacePassInterface):
    """Slices and concatenations along an inner dimension run along the first one, between transpositions.

    They copy blocks of memory then, or nothing, where the plan lays the parts next to each other. Dimensions of size 1 in
    front do not matter.
    """

    @property
    def targets(self) -> list[Any]:
        return [_aten.cat.default, _aten.slice_copy.Tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        sizes = shape(node)
        if not sizes:
            return False
        dim = named["dim"] % len(sizes)
        # All have these sizes before the dimension; the result's own says nothing of what is cut off.
        if all(size == 1 for size in sizes[:dim]):
            return False
        if node.target == _aten.cat.default:
            parts = named["tensors"]
            if any(len(shape(part) or []) != len(sizes) for part in parts):
                return False
            args: tuple[Any, ...] = ([transpose(node, part, 0, dim) for part in parts], 0)
            op = ATEN.cat.default
        else:
            source = transpose(node, named["self"], 0, dim)
            args = (source, 0, named["start"], named["end"], named["step"])
            op = ATEN.slice_copy.Tensor
        stand_in(node, transpose(node, call_like(node, op, args), 0, dim))
        return True


__all__ = [
    "MakeSliceAndCatDimOutermostPass",
    "ReplaceConvWithChannelLastConvPass",
    "ReplaceMaxPool2dWithChannelLastMaxPool2dPass",
]
