"""Numbers as tensors that are filled where they are needed: the processors' kernels take tensors, and passes see numbers."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.cadence.passes.edits import (
    ATEN,
    EDGE,
    dtype,
    filled,
    full,
    put,
    shape,
    stand_in,
)
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.torch_types import OpOverload
from executorch.ir.rewriter import arguments, call_like, is_call
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = EDGE.aten


class ReplaceScalarTensorWithFullPass(RemoveOrReplacePassInterface):
    """``scalar_tensor`` becomes ``full``."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.scalar_tensor.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        number = node.args[0]
        if isinstance(number, Node):
            return False
        stand_in(node, full(node, [], number, dtype(node)))
        return True


class ReplaceFullLikeWithFullPass(RemoveOrReplacePassInterface):
    """``full_like`` becomes ``full`` of the sizes and the type that are known."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.full_like.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        sizes, number = shape(node), arguments(node)["fill_value"]
        if sizes is None or isinstance(number, Node):
            return False
        stand_in(node, full(node, sizes, number, dtype(node)))
        return True


class ReplaceInfArgInFullWithValuePass(RemoveOrReplacePassInterface):
    """Infinities in ``full`` become the largest numbers of the type: they mask scores as well, and can be calculated with."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.full.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        number = filled(node)
        if number is None or not math.isinf(number):
            return False
        limits = torch.finfo(dtype(node))
        limit = limits.max if number > 0 else limits.min
        put(node, ATEN.full.default, (node.args[0], limit), dict(node.kwargs))
        return True


class ReplaceEmptyTensorsWithFullPass(GraphPass):
    """What makes a tensor without elements becomes ``full``: nothing has to be read for it."""

    def rewrite_node(self, node: Node) -> bool:
        sizes = shape(node)
        calls = isinstance(node.target, (EdgeOpOverload, OpOverload))
        if not calls or not node.users or sizes is None or 0 not in sizes:
            return False
        if is_call(node, ATEN.full.default) or node.target._schema.is_mutable:  # type: ignore[union-attr]
            return False
        stand_in(node, full(node, sizes, 0, dtype(node)))
        return True


class ReplaceMulTensorWithMulAndFullOpsPass(GraphPass):
    """A product with a number, before there are edge operators, becomes one with a filled tensor."""

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or node.target is not ATEN.mul.Tensor:
            return False
        left, right = node.args
        tensor, number = (left, right) if isinstance(left, Node) else (right, left)
        if isinstance(number, (Node, bool)) or not isinstance(tensor, Node):
            return False
        # As with a number, a float makes the result of integers a float.
        fraction = isinstance(number, float) and not dtype(tensor).is_floating_point
        kind = torch.get_default_dtype() if fraction else dtype(tensor)
        put(node, ATEN.mul.Tensor, (tensor, full(node, [1] if shape(tensor) else [], number, kind)))
        return True


class ReplaceWhereWithFullArgsWithWhereScalar(RemoveOrReplacePassInterface):
    """``where`` between two filled tensors of the condition's sizes becomes ``cadence::where_Scalar``, which reads neither."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.where.self]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        condition, first, second = node.args
        numbers = filled(first), filled(second)
        if None in numbers or dtype(node) != torch.float32:
            return False
        if not shape(condition) == shape(first) == shape(second):
            return False
        put(node, torch.ops.cadence.where_Scalar.default, (condition, *map(float, numbers)))  # type: ignore[arg-type]
        return True


class ReplaceLogicalNotBooleanWhereWithWherePass(RemoveOrReplacePassInterface):
    """``where(not c, x, y)`` becomes ``where(c, y, x)``."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.where.self]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        condition, first, second = node.args
        if not is_call(condition, ATEN.logical_not.default):
            return False
        inner = condition.args[0]  # type: ignore[union-attr]
        if dtype(inner) != torch.bool:
            return False
        node.args = (inner, second, first)
        return True


class ReplacePowWithMulPass(RemoveOrReplacePassInterface):
    """Squares, cubes and fourth powers become products."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.pow.Tensor_Scalar]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        source, exponent = node.args
        if isinstance(exponent, bool) or exponent not in (2, 3, 4) or dtype(source) != dtype(node):
            return False
        product: Any = source
        for _ in range(int(exponent) - 1):  # type: ignore[arg-type]
            product = call_like(node, ATEN.mul.Tensor, (product, source))
        stand_in(node, product)
        return True


class ReplaceRepeatWithCatPass(RemoveOrReplacePassInterface):
    """``repeat`` becomes a concatenation of copies along each dimension that is repeated."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.repeat.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        source, times = node.args
        sizes = shape(source)
        if sizes is None or not all(isinstance(one, int) and one > 0 for one in times):  # type: ignore[union-attr]
            return False
        made: Any = source
        if len(times) > len(sizes):  # type: ignore[arg-type]
            wide = [1] * (len(times) - len(sizes)) + sizes  # type: ignore[arg-type]
            made = call_like(node, ATEN.view_copy.default, (made, wide))
        for dim, count in enumerate(times):  # type: ignore[arg-type]
            if count > 1:
                made = call_like(node, ATEN.cat.default, ([made] * count, dim))
        if made is source:
            node.replace_all_uses_with(source, propagate_meta=False)  # type: ignore[arg-type]
            node.graph.erase_node(node)
        else:
            stand_in(node, made)
        return True


class ReplacePadWithCatPass(RemoveOrReplacePassInterface):
    """A pad along one dimension becomes a concatenation with filled tensors."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.constant_pad_nd.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        sizes = shape(node.args[0])
        padded = padded_dims(node)
        if sizes is None or padded is None or len(padded) != 1:
            return False
        ((dim, (before, after)),) = padded.items()
        if before < 0 or after < 0:
            return False
        number = arguments(node)["value"]

        def edge(count: int) -> list[Node]:
            piece = [*sizes[:dim], count, *sizes[dim + 1 :]]
            return [full(node, piece, number, dtype(node))] if count else []

        put(node, ATEN.cat.default, ([*edge(before), node.args[0], *edge(after)], dim))
        return True


class ReplaceConstantPadNdWithSlicePass(RemoveOrReplacePassInterface):
    """A pad that adds nothing, but may take something off at the ends of one dimension, becomes a slice."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.constant_pad_nd.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        sizes = shape(node.args[0])
        padded = padded_dims(node)
        if not sizes or padded is None or len(padded) > 1:
            return False
        dim, (before, after) = next(iter(padded.items()), (0, (0, 0)))
        if before > 0 or after > 0:
            return False
        put(node, ATEN.slice.Tensor, (node.args[0], dim, -before, sizes[dim] + after))
        return True


def padded_dims(pad: Node) -> dict[int, tuple[int, int]] | None:
    """How much each dimension that is padded gets before and after; None where that is not known."""
    named = arguments(pad)
    value = tensor_of(named["self"])
    amounts = named["pad"]
    if value is None or not all(isinstance(one, int) for one in amounts):
        return None
    # From the last dimension on.
    pairs = list(zip(amounts[::2], amounts[1::2], strict=True))
    return {value.dim() - 1 - place: pair for place, pair in enumerate(pairs) if pair != (0, 0)}


class ReplaceConvolutionOptionalArgsWithConcreteArgsPass(GraphPass):
    """Convolutions without a bias get one of zeros, which kernels of ``cadence`` expect."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        cadence = torch.ops.cadence
        targets = (
            cadence.conv1d.default,
            cadence.conv2d.default,
            cadence.conv3d.default,
            cadence.transposed_convolution.default,
        )
        changed = False
        for node in list(graph_module.graph.nodes):
            sizes = shape(node)
            if is_call(node, *targets) and node.args[2] is None and sizes is not None:
                channels = sizes[-1] if arguments(node).get("channel_last") else sizes[1]
                node.update_arg(2, full(node, [channels], 0, dtype(node)))
                changed = True
        return changed


__all__ = [
    "ReplaceConstantPadNdWithSlicePass",
    "ReplaceConvolutionOptionalArgsWithConcreteArgsPass",
    "ReplaceEmptyTensorsWithFullPass",
    "ReplaceFullLikeWithFullPass",
    "ReplaceInfArgInFullWithValuePass",
    "ReplaceLogicalNotBooleanWhereWithWherePass",
    "ReplaceMulTensorWithMulAndFullOpsPass",
    "ReplacePadWithCatPass",
    "ReplacePowWithMulPass",
    "ReplaceRepeatWithCatPass",
    "ReplaceScalarTensorWithFullPass",
    "ReplaceWhereWithFullArgsWithWhereScalar",
]
