"""Constants and inputs without dimensions, seen as tensors of one element with dimensions."""

from __future__ import annotations

import torch
from torch.fx import GraphModule

from executorch.dialects import meta_keys
from executorch.ir.rewriter import refresh_values
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass


class Rank0ToRank1Pass(GraphPass):
    """Gives placeholders of rank 0 the shape ``[1, 1]``, as released, in ``meta["val"]``, for backends whose tensors have dimensions.

    The data are one element either way; a backend writes constants out by the shape in ``meta``. Values that follow
    from such a placeholder are described anew. Values of unknown content (``item``) keep their symbols.
    """

    def __init__(self) -> None:
        super().__init__()

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = []
        for node in graph_module.graph.find_nodes(op="placeholder"):
            value = tensor_of(node)
            if value is not None and value.dim() == 0:
                with torch.no_grad():
                    node.meta[meta_keys.VAL] = value.reshape(1, 1)
                node.meta.pop("tensor_meta", None)
                changed.append(node)
        refresh_values(graph_module.graph, [user for node in changed for user in node.users])
        return bool(changed)


__all__ = ["Rank0ToRank1Pass"]
