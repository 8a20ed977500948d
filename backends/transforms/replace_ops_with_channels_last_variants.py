"""Operators on images in NHWC, between permutations, for those in NCHW."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.node import Target

from executorch.backends.transforms import channels_last_ops  # noqa: F401  (defines the operators)
from executorch.dialects.ops import ops
from executorch.ir.rewriter import arguments, call_like, replace
from executorch.ir.values import DERIVED_META, tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_NCHW_TO_NHWC_PERM = [0, 2, 3, 1]
_NHWC_TO_NCHW_PERM = [0, 3, 1, 2]
_aten, _own = ops.edge.aten, ops.edge.channels_last
Filter = Callable[[Node], bool]


@dataclass
class ChannelsLastOpSpec:
    """How an operator is replaced.

    Attributes:
        target: the operator on NHWC; takes the same arguments.
        input_indices: places of the arguments that are images.
        output_indices: results that are images.
        filter_fn: which nodes are replaced; all if None.
    """

    target: Target
    input_indices: list[int]
    output_indices: list[int]
    filter_fn: Filter | None = None


def _requires_rank(allowed_ranks: Sequence[int]) -> Filter:
    def takes(node: Node) -> bool:
        value = tensor_of(node.args[0])
        return value is not None and value.dim() in allowed_ranks

    return takes


def _has_2d_convolution_kernel() -> Filter:
    def takes(node: Node) -> bool:
        weight = tensor_of(arguments(node)["weight"])
        return weight is not None and weight.dim() == 4

    return takes


def _and(*filter_fns: Filter) -> Filter:
    return lambda node: all(takes(node) for takes in filter_fns)


def _spec(
    target: Target, outputs: int = 1, *filters: Filter, ranks: Sequence[int] = (3, 4)
) -> ChannelsLastOpSpec:
    return ChannelsLastOpSpec(target, [0], list(range(outputs)), _and(_requires_rank(ranks), *filters))


_DEFAULT_OP_MAP: dict[Target, ChannelsLastOpSpec] = {
    _aten._adaptive_avg_pool2d.default: _spec(_own.adaptive_avg_pool2d.default),
    _aten.avg_pool2d.default: _spec(_own.avg_pool2d.default),
    _aten.convolution.default: _spec(_own.convolution.default, 1, _has_2d_convolution_kernel()),
    _aten.grid_sampler_2d.default: _spec(_own.grid_sampler_2d.default, ranks=(4,)),
    _aten.max_pool2d_with_indices.default: _spec(_own.max_pool2d_with_indices.default, 2),
    _aten.max_pool2d.default: _spec(_own.max_pool2d.default),
    _aten.upsample_bilinear2d.vec: _spec(_own.upsample_bilinear2d.default, ranks=(4,)),
    _aten.upsample_nearest2d.vec: _spec(_own.upsample_nearest2d.default, ranks=(4,)),
}


class ReplaceOpsWithChannelsLastVariants(GraphPass):
    """``op(x)`` becomes ``permute_copy(channels_last::op(permute_copy(x)))``.

    An image without a batch dimension gets one for the operator. The permutations are
    ``channels_last.permute_copy``; passes for permutations merge those of neighbours.

    Args:
        exported_program: whose graph the pass is called with.
        op_map: operator -> how to replace it; convolution, pooling and resizing if None.
    """

    def __init__(
        self, exported_program: ExportedProgram, op_map: dict[Target, ChannelsLastOpSpec] | None = None
    ) -> None:
        super().__init__()
        self.exported_program = exported_program
        self.op_map = _DEFAULT_OP_MAP if op_map is None else op_map

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            spec = self.op_map.get(node.target) if node.op == "call_function" else None
            if spec is not None and (spec.filter_fn is None or spec.filter_fn(node)):
                _replace(node, spec)
                modified = True
        return modified


def _replace(node: Node, spec: ChannelsLastOpSpec) -> None:
    first = tensor_of(node.args[spec.input_indices[0]])
    implicit_batch = first is not None and first.dim() == 3
    args: list[Any] = list(node.args)
    for index in spec.input_indices:
        args[index] = _to_nhwc(node, args[index], implicit_batch)
    made = _call(node, spec.target, args, dict(node.kwargs))
    if isinstance(node.meta.get("val"), (tuple, list)):
        for user in list(node.users):
            if user.target is operator.getitem:
                _select(user, made, spec, implicit_batch)
        node.graph.erase_node(node)
    else:
        replace(node, _to_nchw(node, made, implicit_batch))


def _select(user: Node, made: Node, spec: ChannelsLastOpSpec, implicit_batch: bool) -> None:
    index: Any = user.args[1]
    with user.graph.inserting_before(user):
        selected = user.graph.call_function(operator.getitem, (made, index))
    selected.meta = {key: value for key, value in user.meta.items() if key not in DERIVED_META}
    selected.meta["val"] = made.meta["val"][index]
    is_image = index in spec.output_indices
    replace(user, _to_nchw(user, selected, implicit_batch) if is_image else selected)


def _to_nhwc(node: Node, image: Node, implicit_batch: bool) -> Node:
    if implicit_batch:
        image = _call(node, _aten.unsqueeze_copy.default, (image, 0))
    return _call(node, _own.permute_copy.default, (image, _NCHW_TO_NHWC_PERM))


def _to_nchw(node: Node, image: Node, implicit_batch: bool) -> Node:
    back = _call(node, _own.permute_copy.default, (image, _NHWC_TO_NCHW_PERM))
    return _call(node, _aten.squeeze_copy.dims, (back, [0])) if implicit_batch else back


def _call(node: Node, op: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Node:
    """A call of the edge dialect before ``node``, which may be a ``getitem``."""
    made = call_like(node, op._op, args, kwargs)
    made.target = op
    return made


__all__ = ["ChannelsLastOpSpec", "ReplaceOpsWithChannelsLastVariants"]
