"""Brings a graph into the edge dialect: edge operators as call targets, edge names on the nodes."""

from typing import Any

from torch._ops import OpOverload
from torch.fx import Node

from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.dialects.verifiers import returns_tensor
from executorch.passes.pass_base import NodePass


class EdgeOpsPass(NodePass):
    """Replaces every operator that returns tensors by its edge operator; the node is named after it.

    ``add_3`` of ``aten.add.Tensor`` becomes ``aten_add_tensor`` (with a number when the name is taken). Operators that
    return numbers (``sym_size``) stay torch operators. Names of outputs change: sync the signature afterwards.
    """

    def rewrite(self, node: Node) -> bool:
        target = node.target
        if node.op != "call_function" or not isinstance(target, OpOverload) or not returns_tensor(target):
            return False
        replacement = edge_op(target)
        node.target = replacement
        rename_after(node, replacement)
        return True


class EdgeToAtenPass(NodePass):
    """The inverse for targets; names stay."""

    def rewrite(self, node: Node) -> bool:
        if node.op != "call_function" or not isinstance(node.target, EdgeOpOverload):
            return False
        node.target = node.target._op
        return True


def rename_after(node: Node, target: Any) -> None:
    """Names ``node`` as fx would name a new call of ``target``."""
    node._rename(node.graph._target_to_str(target))


#: The name under which published code knows this pass.
OpReplacePass = EdgeOpsPass
