"""The patterns of layers whose activations are integers."""

from __future__ import annotations

import operator
from typing import Any, ClassVar, Final

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.utils.source_matcher_utils import SourcePartition
from torchao.quantization.pt2e.quantizer import DerivedQuantizationSpec, SharedQuantizationSpec

from executorch.backends.cadence.ops import operators
from executorch.backends.cadence.passes.edits import fixed_point
from executorch.backends.cadence.quantizer.integers import (
    Quantized,
    argument,
    bias_of,
    dequantized,
    filled,
    quantized_by,
    replace_with,
    write,
)
from executorch.backends.cadence.quantizer.pattern import PartitionAnchors, QuantizationPattern, chain_from
from executorch.dialects.torch_types import OpOverload
from executorch.ir.values import sizes_of

assert operators.LIBRARIES
_aten = torch.ops.aten
_cadence = torch.ops.cadence
_BYTES: Final = (torch.int8, torch.uint8)


def get_bias_qparams(observers: list[Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """The scale of the sums of a layer, from its observed input and weight; sums have no zero point."""
    scales = [one.calculate_qparams()[0] for one in observers]
    scale = scales[0] * scales[1]
    return scale, torch.zeros(scale.shape, dtype=torch.int32)


def _bias(layer: Node, position: int, input: int, weight: int) -> list[tuple[Any, ...]]:
    """The edge of a bias that is quantized in the scale of the sums."""
    if not isinstance(argument(layer, position, None), Node):
        return []
    limits = torch.iinfo(torch.int32)
    spec = DerivedQuantizationSpec(
        derived_from=[(layer.args[input], layer), (layer.args[weight], layer)],  # type: ignore[list-item]
        derive_qparams_fn=get_bias_qparams,
        dtype=torch.int32,
        quant_min=limits.min,
        quant_max=limits.max,
        qscheme=torch.per_tensor_affine,
    )
    return [(layer, position, spec)]


class _Chain(QuantizationPattern):
    """Operators one after the other, of which the last one's value is quantized."""

    types: ClassVar[tuple[OpOverload, ...]]
    replacement: ClassVar[OpOverload]

    def partition_types(self) -> list[OpOverload]:
        return list(self.types)

    def replacement_op(self) -> OpOverload:
        return self.replacement

    def get_anchors(
        self, gm: GraphModule, fused_partition: list[SourcePartition]
    ) -> tuple[PartitionAnchors, Node]:
        nodes = [one.output_nodes[0] for one in fused_partition]
        return self.anchors(nodes[0], nodes[-1]), nodes[-1]

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        raise NotImplementedError

    def fuse(self, gm: GraphModule, anchor_node: Node) -> Node | None:
        chain = chain_from(anchor_node, self.types)
        output = quantized_by(chain[-1]) if chain else None
        return None if output is None else self.fused(anchor_node, output)

    def fused(self, node: Node, output: Quantized) -> Node | None:
        """The call in the place of ``output``, the quantization behind a match that begins with ``node``."""
        raise NotImplementedError


def fused_convolution(
    op: OpOverload, node: Node, x: Quantized | None, weight: Quantized | None, output: Quantized
) -> Node | None:
    """``op``, with the arguments of ``quantized_conv2d_nchw.per_tensor``, for the convolution ``node``."""
    if x is None or weight is None or x.dtype != output.dtype:
        return None
    bias = bias_of(output.node, argument(node, 2, None), sizes_of(weight.node)[0])
    if bias is None:
        return None
    dimensions = len(sizes_of(weight.node)) - 2
    geometry = [argument(node, 3 + i, [value] * dimensions) for i, value in enumerate((1, 0, 1))]
    scale = x.scale * weight.scale
    return replace_with(
        output,
        op,
        *(x.node, weight.node, bias),
        *(list(one) * dimensions if len(one) == 1 else list(one) for one in geometry),
        *(argument(node, 6, 1), x.zero_point, weight.zero_point, scale, *output.quant),
        *fixed_point(scale / output.scale),
    )


def fused_layer(
    op: OpOverload, x: Quantized | None, weight: Quantized | None, bias: Any, output: Quantized
) -> Node | None:
    """``op``, with the arguments of ``quantized_linear.per_tensor``; the weight is ``[outputs, inputs]``."""
    if x is None or weight is None or x.dtype != output.dtype:
        return None
    integers = bias_of(output.node, bias, sizes_of(weight.node)[0])
    if integers is None:
        return None
    zeros = x.zero_point, weight.zero_point
    scale = fixed_point(x.scale * weight.scale / output.scale)
    return replace_with(output, op, x.node, weight.node, integers, *zeros, *scale, output.zero_point, None)


def fused_product(op: OpOverload, x: Quantized | None, y: Quantized | None, output: Quantized) -> Node | None:
    """``op``, with the arguments of ``quantized_matmul``, for two operands whose batches are the same."""
    if x is None or y is None or not x.dtype == y.dtype == output.dtype:
        return None
    left, right = sizes_of(x.node), sizes_of(y.node)
    if min(len(left), len(right)) < 2 or left[:-2] != right[:-2]:
        return None
    scale = fixed_point(x.scale * y.scale / output.scale)
    operands = x.node, x.zero_point, y.node, y.zero_point
    return replace_with(output, op, *operands, None, *scale, output.zero_point, False)


class _Convolution(_Chain):
    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        return PartitionAnchors(
            inputs=[(first, 0)], weights=[(first, 1)], biases=_bias(first, 2, 0, 1), output=[(last,)]
        )

    def fused(self, node: Node, output: Quantized) -> Node | None:
        x, weight = dequantized(node.args[0]), dequantized(node.args[1])
        return fused_convolution(self.replacement, node, x, weight, output)


class Conv1dPattern(_Convolution):
    types = (_aten.conv1d.default,)
    replacement = _cadence.quantized_conv1d_ncl.per_tensor


class Conv2dPattern(_Convolution):
    types = (_aten.conv2d.default,)
    replacement = _cadence.quantized_conv2d_nchw.per_tensor


def _starts_at_zero(output: Quantized) -> bool:
    """Whether nothing below zero can be said in the integers, so that they are an activation's already."""
    return output.zero_point == output.low == torch.iinfo(output.dtype).min


class ConvReluBasePattern(_Convolution):
    """A convolution and the activation behind it, which is the range of the integers."""

    def fused(self, node: Node, output: Quantized) -> Node | None:
        return super().fused(node, output) if _starts_at_zero(output) else None


class Conv1dReluPattern0(ConvReluBasePattern):
    types = (_aten.conv1d.default, _aten.relu.default)
    replacement = Conv1dPattern.replacement


class Conv1dReluPattern1(ConvReluBasePattern):
    types = (_aten.conv1d.default, _aten.relu_.default)
    replacement = Conv1dPattern.replacement


class Conv2dReluPattern0(ConvReluBasePattern):
    types = (_aten.conv2d.default, _aten.relu.default)
    replacement = Conv2dPattern.replacement


class Conv2dReluPattern1(ConvReluBasePattern):
    types = (_aten.conv2d.default, _aten.relu_.default)
    replacement = Conv2dPattern.replacement


class ConvBNReluBasePattern(_Convolution):
    """The same with a batch norm between, for training; conversion folds it into the convolution, and what is left is no match."""

    def fuse(self, gm: GraphModule, anchor_node: Node) -> Node | None:
        """Leaves a batch norm that is still there alone: the integers of the weights are made already."""
        return None


class Conv1dBNReluPattern0(ConvBNReluBasePattern):
    types = (_aten.conv1d.default, _aten.batch_norm.default, _aten.relu.default)
    replacement = Conv1dPattern.replacement


class Conv1dBNReluPattern1(ConvBNReluBasePattern):
    types = (_aten.conv1d.default, _aten.batch_norm.default, _aten.relu_.default)
    replacement = Conv1dPattern.replacement


class Conv2dBNReluPattern0(ConvBNReluBasePattern):
    types = (_aten.conv2d.default, _aten.batch_norm.default, _aten.relu.default)
    replacement = Conv2dPattern.replacement


class Conv2dBNReluPattern1(ConvBNReluBasePattern):
    types = (_aten.conv2d.default, _aten.batch_norm.default, _aten.relu_.default)
    replacement = Conv2dPattern.replacement


class LinearPattern(_Chain):
    types = (_aten.linear.default,)
    replacement = _cadence.quantized_linear.per_tensor

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        return PartitionAnchors(
            inputs=[(first, 0)], weights=[(first, 1)], biases=_bias(first, 2, 0, 1), output=[(last,)]
        )

    def fused(self, node: Node, output: Quantized) -> Node | None:
        x, weight = dequantized(node.args[0]), dequantized(node.args[1])
        return fused_layer(self.replacement, x, weight, argument(node, 2, None), output)


class AddmmPattern(LinearPattern):
    types = (_aten.addmm.default,)

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        if any(first.kwargs.get(name, 1) != 1 for name in ("alpha", "beta")):
            return PartitionAnchors(empty=True)
        return PartitionAnchors(
            inputs=[(first, 1)], weights=[(first, 2)], biases=_bias(first, 0, 1, 2), output=[(last,)]
        )

    def fused(self, node: Node, output: Quantized) -> Node | None:
        x, weight = dequantized(node.args[1]), dequantized(node.args[2])
        bias = dequantized(node.args[0])
        if weight is None or bias is None or len(sizes_of(bias.node)) != 1:
            return None
        rows = write(output.node, _aten.permute_copy.default, weight.node, [1, 0])
        return fused_layer(self.replacement, x, weight._replace(node=rows), node.args[0], output)


class MatmulPattern(_Chain):
    types = (_aten.matmul.default,)
    replacement = _cadence.quantized_matmul.default

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        return PartitionAnchors(inputs=[(first, 0), (first, 1)], output=[(last,)])

    def fused(self, node: Node, output: Quantized) -> Node | None:
        x, y = dequantized(node.args[0]), dequantized(node.args[1])
        return fused_product(self.replacement, x, y, output)


class BmmPattern(MatmulPattern):
    types = (_aten.bmm.default,)


class AddPattern(_Chain):
    types: ClassVar[tuple[OpOverload, ...]] = (_aten.add.Tensor,)
    replacement = _cadence.quantized_add.per_tensor

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        if not all(isinstance(one, Node) for one in first.args[:2]) or first.kwargs.get("alpha", 1) != 1:
            return PartitionAnchors(empty=True)
        return PartitionAnchors(inputs=[(first, 0), (first, 1)], output=[(last,)])

    def fused(self, node: Node, output: Quantized) -> Node | None:
        x, y = dequantized(node.args[0]), dequantized(node.args[1])
        if x is None or y is None or not x.dtype == y.dtype == output.dtype or x.dtype not in _BYTES:
            return None
        if node.kwargs.get("alpha", 1) != 1:
            return None
        return replace_with(output, self.replacement, x.node, *x.quant, y.node, *y.quant, *output.quant)


class AddReluBasePattern(AddPattern):
    """A sum and the activation behind it, which is the range of the integers."""

    def fused(self, node: Node, output: Quantized) -> Node | None:
        return super().fused(node, output) if _starts_at_zero(output) else None


class AddReluPattern0(AddReluBasePattern):
    types = (_aten.add.Tensor, _aten.relu.default)


class AddReluPattern1(AddReluBasePattern):
    types = (_aten.add.Tensor, _aten.relu_.default)


class ReluBasePattern(_Chain):
    replacement = _cadence.quantized_relu.per_tensor

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        return PartitionAnchors(inputs=[(first, 0)], output=[(last,)])

    def fused(self, node: Node, output: Quantized) -> Node | None:
        x = dequantized(node.args[0])
        if x is None or x.dtype != output.dtype:
            return None
        scale = fixed_point(x.scale / output.scale)
        return replace_with(output, self.replacement, x.node, x.zero_point, output.zero_point, *scale)


class ReluPattern0(ReluBasePattern):
    types = (_aten.relu.default,)


class ReluPattern1(ReluBasePattern):
    types = (_aten.relu_.default,)


class LayerNormPattern(_Chain):
    types = (_aten.layer_norm.default,)
    replacement = _cadence.quantized_layer_norm.per_tensor

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        others = [(first, i) for i in (2, 3) if isinstance(argument(first, i, None), Node)]
        return PartitionAnchors(inputs=[(first, 0)], others=others, literals=[(first, 1)], output=[(last,)])

    def fused(self, node: Node, output: Quantized) -> Node | None:
        x = dequantized(node.args[0])
        if x is None or x.dtype != output.dtype or x.dtype not in _BYTES:
            return None
        sizes: Any = node.args[1]
        weight, bias = argument(node, 2, None), argument(node, 3, None)
        if weight is None:
            weight = filled(output.node, sizes, 1.0, torch.float32)
        if bias is None:
            bias = filled(output.node, sizes, 0.0, torch.float32)
        eps = argument(node, 4, 1e-5)
        return replace_with(
            output, self.replacement, x.node, *x.quant, list(sizes), weight, bias, eps, *output.quant
        )


class SoftmaxPattern(_Chain):
    types = (_aten._softmax.default,)
    replacement = _cadence.quantized_softmax.per_tensor

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        return PartitionAnchors(inputs=[(first, 0)], output=[(last,)])

    def fused(self, node: Node, output: Quantized) -> Node | None:
        x = dequantized(node.args[0])
        if x is None or x.dtype != output.dtype:
            return None
        # No mask: its type is 0, and its bits, 16 values a word, are not read.
        *batch, size = sizes_of(x.node)
        mask = filled(output.node, [*batch, size // 16], 0, torch.int32)
        position = filled(output.node, [1], 0, torch.int64)
        return replace_with(
            output, self.replacement, x.node, mask, node.args[1], 0, position, *x.quant, *output.quant
        )


class CatPattern(_Chain):
    types = (_aten.cat.default,)
    replacement = _aten.cat.default

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        """All in the scale of the first one."""
        nodes: Any = first.args[0]
        shared = SharedQuantizationSpec((nodes[0], first))
        rest = [(first, (0, i), shared) for i in range(1, len(nodes))]
        return PartitionAnchors(inputs=[(first, (0, 0)), *rest], output=[(last, shared)])

    def fused(self, node: Node, output: Quantized) -> Node | None:
        nodes: Any = node.args[0]
        inputs = [dequantized(one) for one in nodes]
        integers = [one.node for one in inputs if one is not None and one.quant == output.quant]
        if len(integers) != len(nodes):
            return None
        return replace_with(output, self.replacement, integers, argument(node, 1, 0))


class MaxPool2dWithoutIndicesPattern(_Chain):
    """Order is the same among integers: they are in one scale before and behind."""

    types = (_aten.max_pool2d.default,)
    replacement = _cadence.quantized_max_pool2d_nchw.default

    def anchors(self, first: Node, last: Node) -> PartitionAnchors:
        shared = SharedQuantizationSpec((first.args[0], first))  # type: ignore[arg-type]
        return PartitionAnchors(inputs=[(first, 0)], output=[(last, shared)])

    def fused(self, node: Node, output: Quantized) -> Node | None:
        x = dequantized(node.args[0])
        if x is None or x.quant != output.quant or len(sizes_of(x.node)) != 4:
            return None
        window: Any = node.args[1]
        given = [argument(node, 2, []) or window, argument(node, 3, [0]), argument(node, 4, [1])]
        geometry = [list(one) * 2 if len(one) == 1 else list(one) for one in (window, *given)]
        return replace_with(output, self.replacement, x.node, *geometry, argument(node, 5, False))


class MaxPool2dPattern(MaxPool2dWithoutIndicesPattern):
    """The same where the indices are given as well and nobody reads them."""

    types = (_aten.max_pool2d_with_indices.default,)

    def get_anchors(
        self, gm: GraphModule, fused_partition: list[SourcePartition]
    ) -> tuple[PartitionAnchors, Node]:
        pool = fused_partition[0].output_nodes[0]
        values = _only_values(pool)
        if values is None:
            return PartitionAnchors(empty=True), pool
        return self.anchors(pool, values), pool

    def fuse(self, gm: GraphModule, anchor_node: Node) -> Node | None:
        values = _only_values(anchor_node)
        output = None if values is None else quantized_by(values)
        return None if output is None else self.fused(anchor_node, output)


def _only_values(pool: Node) -> Node | None:
    """What reads the values of a pool, if nobody reads the indices."""
    readers = list(pool.users)
    is_read = len(readers) == 1 and readers[0].target is operator.getitem and readers[0].args[1] == 0
    return readers[0] if is_read else None


class RmsNormPattern(QuantizationPattern):
    """Stays in floating point; asking for it keeps the operator in one piece."""

    def partition_types(self) -> list[OpOverload]:
        return [_aten.rms_norm.default]

    def get_anchors(
        self, gm: GraphModule, fused_partition: list[SourcePartition]
    ) -> tuple[PartitionAnchors, Node]:
        return PartitionAnchors(empty=True), fused_partition[0].output_nodes[0]

    def replacement_op(self) -> OpOverload:
        return _aten.rms_norm.default
