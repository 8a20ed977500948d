"""One call for equal calls on the same value."""

from __future__ import annotations

from typing import Any

from torch.fx import GraphModule

from executorch.ir.rewriter import replace
from executorch.passes.infrastructure.pass_base import GraphPass
from executorch.passes.on_request.cse_pass import _key


class FuseDuplicateUsersPass(GraphPass):
    """Replaces an operator by an earlier one with equal arguments (in place); two outputs may become one value.

    Operators that write or draw random numbers stay.

    Args:
        excluded_targets: operators to leave alone.
    """

    def __init__(self, excluded_targets: frozenset[Any] | None = None) -> None:
        super().__init__()
        self.excluded_targets = frozenset() if excluded_targets is None else excluded_targets

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        first: dict[Any, Any] = {}
        modified = False
        for node in list(graph_module.graph.nodes):
            key = None if node.target in self.excluded_targets or not node.all_input_nodes else _key(node)
            if key is None:
                continue
            earlier = first.setdefault(key, node)
            if earlier is not node:
                replace(node, earlier)
                modified = True
        return modified


__all__ = ["FuseDuplicateUsersPass"]
