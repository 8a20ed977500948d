"""Permutations for the copies that put channels-last inputs in contiguous order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node

import executorch.backends.transforms.channels_last_ops  # noqa: F401  (defines channels_last::permute_copy)
from executorch.dialects.dim_order import dim_order_of
from executorch.ir.rewriter import call_like, is_call, replace
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_TO_NCHW = torch.ops.channels_last.permute_copy.default
_own = torch.ops.dim_order_ops
_DIM_ORDER_CHANGING_OPS = (_own._clone_dim_order.default, _own._to_dim_order_copy.default)
_TO_NHWC_PERMUTATION = [0, 2, 3, 1]
_TO_NCHW_PERMUTATION = [0, 3, 1, 2]


def _is_4d_contiguous(dim_order: Sequence[int]) -> bool:
    return list(dim_order) == [0, 1, 2, 3]


def _is_4d_channels_last(dim_order: Sequence[int]) -> bool:
    return list(dim_order) == _TO_NHWC_PERMUTATION


class ReplaceChannelsLastInputClones(GraphPass):
    """The copy of a channels-last input to contiguous order becomes two permutations, to NHWC and back.

    For such an input ``permute_copy(x, [0, 2, 3, 1])`` moves nothing in memory, and passes for permutations merge
    ``channels_last::permute_copy(..., [0, 3, 1, 2])``, which marks the border of the layouts, with the one before an
    operator in NHWC: no data are moved at all then.
    """

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if is_call(node, *_DIM_ORDER_CHANGING_OPS) and _is_replaceable_input_boundary_clone(node):
                data = call_like(
                    node, torch.ops.aten.permute_copy.default, (node.args[0], _TO_NHWC_PERMUTATION)
                )
                replace(node, call_like(node, _TO_NCHW, (data, _TO_NCHW_PERMUTATION)))
                modified = True
        return modified


def _is_replaceable_input_boundary_clone(node: Node) -> bool:
    """Whether ``node`` copies a channels-last input of four dimensions to contiguous order and does nothing else."""
    source: Any = node.args[0]
    before, after = tensor_of(source), tensor_of(node)
    if node.kwargs.get("dtype") not in (None, getattr(before, "dtype", None)):
        return False
    if before is None or after is None or source.op != "placeholder" or before.dtype is not after.dtype:
        return False
    given, wanted = (dim_order_of(value.shape, value.stride()) for value in (before, after))
    return _is_4d_channels_last(given) and _is_4d_contiguous(wanted)


__all__ = ["ReplaceChannelsLastInputClones"]
