"""One view for several that follow each other, none where they lead back."""

from __future__ import annotations

import torch
from torch.fx import GraphModule

from executorch.backends.transforms.graph_edit import same_shape
from executorch.ir.rewriter import is_call, replace
from executorch.ir.values import shape_of
from executorch.passes.infrastructure.pass_base import GraphPass

_VIEW = torch.ops.aten.view_copy.default


class CollapseViewCopyPass(GraphPass):
    """Points a ``view_copy`` past the ``view_copy`` before it, whose only user it is; drops it if sizes are equal then."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if not is_call(node, _VIEW):
                continue
            parent = node.args[0]
            merged = False
            while is_call(parent, _VIEW) and len(parent.users) == 1:
                node.args = (parent.args[0], *node.args[1:])
                graph_module.graph.erase_node(parent)
                parent, merged = node.args[0], True
            if merged and same_shape(shape_of(parent), shape_of(node)):
                replace(node, parent)
            modified |= merged
        return modified


__all__ = ["CollapseViewCopyPass"]
