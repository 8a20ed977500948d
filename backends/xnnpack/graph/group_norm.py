"""Norms over groups of channels, and with the statistics of the batch at hand, in single precision.

Rows and volumes are images to them: of height 1, and of all frames below each other.

Elements are read where they lie. Channels-last ones have a mean for each channel by XNNPACK's mean over an image, and the
few numbers that this leaves are averaged by group. In plain order each channel of a sample is a row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import sizes_of
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.graph.orders import Order, results_of
from executorch.backends.xnnpack.graph.reduce import (
    FLOATS,
    KEEP_DIMS,
    in_single_precision,
    parameter_of_norm,
    row_mean,
)
from executorch.backends.xnnpack.serialization import schema


def _symbolic(sizes: Sequence[Any]) -> int:
    return sum(not isinstance(size, int) for size in sizes)


def _group_norm_order(node: Node) -> Order:
    """Rows want a size that is known; channels-last images do without."""
    return Order.SAME if _symbolic(sizes_of(node.all_input_nodes[0])[2:]) == 0 else Order.CHANNELS_LAST


def _batch_norm_order(node: Node) -> Order:
    """Statistics of one sample are those of groups of one channel; of channels that are not counted, rows."""
    sizes = sizes_of(node.all_input_nodes[0])
    if _symbolic(sizes[1:2]):
        return Order.PLAIN
    return _group_norm_order(node) if sizes[0] == 1 else Order.CHANNELS_LAST


class _Norm:
    """A norm on its way into the graph.

    Args:
        operator: the norm.
        order: what it asks of the order of its elements.
        groups: of channels, in each sample; None where each channel is one.
        by_sample: whether samples have statistics of their own.

    Attributes:
        by_group: the shape of a number for each group.
        by_channel: same, for each channel.
        shape: of the source and the result.
        image: elements as means are made of them.
        elements: as they are centred.
        spread: the shape in which ``by_channel`` fits the elements of the result.
    """

    def __init__(self, operator: Operator, order: Order, groups: int | None, by_sample: bool) -> None:
        source: Any = operator.node.args[0]
        self.operator, self.node, self.builder = operator, operator.node, operator.builder
        chosen = operator.layout_of(next(one for one in results_of(operator.node) if one.args[1] == 0))
        self.layout = Layout.CHANNELS_LAST if order is Order.CHANNELS_LAST else chosen
        sizes = sizes_of(source)
        samples, channels = sizes[0] if by_sample else 1, sizes[1]
        self.by_group = [samples, channels if groups is None else groups, 1]
        self.by_channel = [*self.by_group[:2], 1 if groups is None else channels // groups]
        self.shape = flat = self.layout.arrange(sizes)
        if len(sizes) != 4:
            sizes = [*sizes[:2], math.prod(sizes[2:-1]), sizes[-1]]
            flat = self.layout.arrange(sizes)
        self.is_row = by_sample and self.layout is Layout.PLAIN
        if self.is_row:
            self.elements = self.image = [samples * channels, sizes[2] * sizes[3]]
            self.spread = [samples * channels, 1]
            return
        self.spread = [samples, 1, 1, channels]
        self.image = flat if by_sample else [1, sizes[0] * sizes[2] * sizes[3], 1, channels]
        # A reshape back finds one size.
        self.elements = self.image if _symbolic(sizes) <= 1 else flat

    def reshaped(self, source: int, before: Sequence[Any], after: Sequence[Any]) -> int:
        """The value itself where its shape stays."""
        return source if before is after else self.builder.reshape(source, after, FLOATS)

    def apply(
        self, made: Any, first: int, other: int, shape: Sequence[Any], target: int | None = None
    ) -> int:
        """A node of two inputs, and its result."""
        target = self.builder.value(shape, FLOATS) if target is None else target
        self.builder.add(made(input1_id=first, input2_id=other, output_id=target), self.node)
        return target

    def means(self, elements: int) -> int:
        """The mean of each group."""
        image = self.reshaped(elements, self.elements, self.image)
        if self.is_row:
            pooled = row_mean(self.builder, image, self.image, FLOATS, handle=self.node)
        else:
            pooled = self.builder.value([self.image[0], 1, 1, self.image[3]], FLOATS)
            pool = schema.XNNGlobalAvgPooling2d(input_id=image, output_id=pooled, flags=KEEP_DIMS)
            self.builder.add(pool, self.node)
        channels = self.builder.reshape(pooled, self.by_channel, FLOATS)
        if self.by_channel[2] == 1:
            return channels
        return row_mean(self.builder, channels, self.by_channel, FLOATS, handle=self.node)

    def parameter(self, node: Node | None) -> int:
        """A number for each channel; ones if there is none."""
        if node is None:
            return self.builder.constant(torch.ones(1, 1, self.by_channel[2], dtype=torch.float32))
        shape = [1, *self.by_channel[1:]]
        tensor = self.builder.tensor_of(node)
        if tensor is not None:
            return self.builder.constant(tensor.float().reshape(shape))
        return self.builder.reshape(parameter_of_norm(self.builder, node), shape, FLOATS)

    def centred(self, source: int) -> int:
        """Elements less the mean of their group, as exact as a mean of them is."""
        means = self.apply(schema.XNNMultiply, self.means(source), self.parameter(None), self.by_channel)
        spread = self.builder.reshape(means, self.spread, FLOATS)
        return self.apply(schema.XNNSubtract, source, spread, self.elements)

    def scales(self, centred: int, rest: int, eps: float) -> int:
        """``1 / sqrt(variance + eps)`` of each group; ``rest`` is the mean that is left."""
        squares = self.builder.value(self.elements, FLOATS)
        self.builder.add(schema.XNNSquare(input_id=centred, output_id=squares), self.node)
        moments = self.means(squares)
        square = self.builder.value(self.by_group, FLOATS)
        self.builder.add(schema.XNNSquare(input_id=rest, output_id=square), self.node)
        variances = self.builder.value(self.by_group, FLOATS)
        difference = schema.XNNSubtract(input1_id=moments, input2_id=square, output_id=variances)
        self.builder.add(difference, self.node, (0.0, math.inf))
        least = self.builder.constant(torch.tensor([eps], dtype=torch.float32))
        shifted = self.apply(schema.XNNAdd, variances, least, self.by_group)
        scales = self.builder.value(self.by_group, FLOATS)
        self.builder.add(schema.XNNReciprocalSquareRoot(input_id=shifted, output_id=scales), self.node)
        return scales


def _normalize(norm: _Norm, weight: Node | None, bias: Node | None, eps: float) -> None:
    """``centred * scale - shift``, both for each channel.

    A mean is off by its own rounding, which counts where elements are large and close to each other: what is left of it
    in the centred ones is found by a second mean, and is part of the shift.
    """
    builder = norm.builder

    def calculate(first: int, target: int) -> None:
        centred = norm.centred(norm.reshaped(first, norm.shape, norm.elements))
        rest = norm.means(centred)
        scales = norm.scales(centred, rest, eps)
        factors = norm.apply(schema.XNNMultiply, scales, norm.parameter(weight), norm.by_channel)
        shift = norm.apply(schema.XNNMultiply, factors, rest, norm.by_channel)
        if bias is not None:
            shift = norm.apply(schema.XNNSubtract, shift, norm.parameter(bias), norm.by_channel)
        factors, shift = (builder.reshape(one, norm.spread, FLOATS) for one in (factors, shift))
        scaled = norm.apply(schema.XNNMultiply, centred, factors, norm.elements)
        if norm.elements is norm.shape:
            norm.apply(schema.XNNSubtract, scaled, shift, norm.shape, target)
        else:
            made = norm.apply(schema.XNNSubtract, scaled, shift, norm.elements)
            builder.reshape(made, norm.shape, FLOATS, target)

    in_single_precision(norm.operator, calculate, norm.layout)


@lowers("aten.native_group_norm.default", order=_group_norm_order)
def group_norm(operator: Operator) -> None:
    node = operator.node
    weight, bias, groups, eps = (node.args[position] for position in (1, 2, 6, 7))
    _normalize(_Norm(operator, _group_norm_order(node), groups, True), weight, bias, float(eps))


@lowers("aten._native_batch_norm_legit.no_stats", order=_batch_norm_order)
def batch_norm(operator: Operator) -> None:
    """With the statistics of the batch: of each channel over all samples."""
    node = operator.node
    source, weight, bias, _, _, eps = node.args
    norm = _Norm(operator, _batch_norm_order(node), None, sizes_of(source)[0] == 1)
    _normalize(norm, weight, bias, float(eps))
