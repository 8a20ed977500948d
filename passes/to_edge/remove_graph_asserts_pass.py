"""Removes the assertions that export leaves in a graph; the executor has no operators for them."""

from typing import Final

import torch
from torch.fx import Node

from executorch.dialects.edge_ops import aten_op
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
ASSERTIONS: Final = frozenset(
    {
        _aten._assert_async.msg,
        _aten._assert_async.default,
        _aten._assert_scalar.default,
        _aten._assert_tensor_metadata.default,
        _aten.sym_constrain_range.default,
        _aten.sym_constrain_range_for_size.default,
    }
)


class RemoveGraphAssertsPass(GraphPass):
    """Removes run-time assertions, and the comparisons that were computed for them only."""

    describes_values = True

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or aten_op(node.target) not in ASSERTIONS:
            return False
        node.graph.erase_node(node)
        return True


#: Before decomposition the same assertions stand in the way of core ATen.
RemoveNonCoreAtenOpGraphAssertsPass = RemoveGraphAssertsPass
