"""ATen operators between permutations for the ``channels_last`` operators that nobody took."""

from __future__ import annotations

import operator
from typing import Any

from torch.fx import Node

from executorch.backends.transforms import channels_last_ops  # noqa: F401  (defines the operators)
from executorch.dialects.ops import ops
from executorch.ir.rewriter import new_call, replace
from executorch.passes.infrastructure.pass_base import GraphPass

_NHWC_TO_NCHW = [0, 3, 1, 2]
_NCHW_TO_NHWC = [0, 2, 3, 1]
_aten, _own = ops.edge.aten, ops.edge.channels_last
_PERMUTE = _aten.permute_copy.default
#: operator on NHWC -> operator on NCHW with the same arguments, and the number of its results.
_DECOMPOSITIONS: dict[Any, tuple[Any, int]] = {
    _own.convolution.default: (_aten.convolution.default, 1),
    _own.avg_pool2d.default: (_aten.avg_pool2d.default, 1),
    _own.adaptive_avg_pool2d.default: (_aten._adaptive_avg_pool2d.default, 1),
    _own.max_pool2d.default: (_aten.max_pool2d_with_indices.default, 2),
    _own.max_pool2d_with_indices.default: (_aten.max_pool2d_with_indices.default, 2),
    _own.upsample_bilinear2d.default: (_aten.upsample_bilinear2d.vec, 1),
    _own.upsample_nearest2d.default: (_aten.upsample_nearest2d.vec, 1),
    _own.grid_sampler_2d.default: (_aten.grid_sampler_2d.default, 1),
}


class DecomposeChannelsLastPass(GraphPass):
    """``channels_last`` operators become ``permute_copy``, the ATen operator, ``permute_copy`` back.

    ``channels_last.permute_copy`` becomes ATen's; of two results each is permuted back where it is read.
    """

    def rewrite_node(self, node: Node) -> bool:
        if node.target is _own.permute_copy.default:
            node.target = _PERMUTE
            return True
        if node.target not in _DECOMPOSITIONS:
            return False
        target, results = _DECOMPOSITIONS[node.target]
        with node.graph.inserting_before(node):
            image = new_call(node, _PERMUTE, (node.args[0], _NHWC_TO_NCHW))
            made = new_call(node, target, (image, *node.args[1:]), dict(node.kwargs))
            if node.target is _own.max_pool2d.default:
                replace(node, _back(new_call(node, operator.getitem, (made, 0))))
                return True
            if results == 1:
                replace(node, _back(made))
                return True
        for selected in list(node.users):
            with node.graph.inserting_before(selected):
                replace(selected, _back(new_call(selected, operator.getitem, (made, selected.args[1]))))
        node.graph.erase_node(node)
        return True


def _back(value: Node) -> Node:
    return new_call(value, _PERMUTE, (value, _NCHW_TO_NHWC))


__all__ = ["DecomposeChannelsLastPass"]
