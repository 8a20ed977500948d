"""Passes over the graph of an exported language model, before it is lowered."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
_FORMS = frozenset(
    (
        _aten.transpose.int,
        _aten.permute.default,
        _aten.transpose_copy.int,
        _aten.permute_copy.default,
        _aten.t.default,
    )
)


class RemoveRedundantTransposes(GraphPass):
    """Takes out transpositions and permutations that undo the ones right before them.

    ``update_cache`` takes and gives caches with positions first, attention heads first, and each module turns tensors to what it
    takes itself: between two of them a tensor is turned and turned back.
    """

    describes_values = True

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        #: Node to the value that it is a permutation of, and the dimensions of that in its order.
        sources: dict[Node, tuple[Node, tuple[int, ...]]] = {}
        for node in list(graph_module.graph.nodes):
            dims = _dims(node)
            if dims is None:
                continue
            source, before = sources.get(node.args[0], (node.args[0], tuple(range(len(dims)))))
            dims = tuple(before[dim] for dim in dims)
            sources[node] = source, dims
            if dims == tuple(range(len(dims))):
                node.replace_all_uses_with(source)
                changed = True
        return changed


def _dims(node: Node) -> tuple[int, ...] | None:
    """The dimensions of the operand in the order of a permutation's result; None for another node."""
    if node.op != "call_function" or node.target not in _FORMS or not isinstance(node.args[0], Node):
        return None
    rank = node.args[0].meta["val"].dim()
    if node.target in (_aten.permute.default, _aten.permute_copy.default):
        return tuple(dim % rank for dim in node.args[1])  # type: ignore[union-attr]
    dims = list(range(rank))
    if rank:
        one, other = node.args[1:] or (0, 1) if rank > 1 else (0, 0)
        one, other = one % rank, other % rank  # type: ignore[operator]
        dims[one], dims[other] = other, one
    return tuple(dims)


__all__ = ["RemoveRedundantTransposes"]
