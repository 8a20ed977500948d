"""Expansions that expand nothing."""

import torch
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.passes.infrastructure.pass_base import GraphPass


class RemoveNoopExpandCopyPass(GraphPass):
    """Replaces ``expand_copy`` by its input where both have the same, static shape.

    Models that normalize in stages, or repeat heads once, leave such expansions; each would end a delegate.
    """

    describes_values = True

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or aten_op(node.target) not in (
            torch.ops.aten.expand_copy.default,
            torch.ops.aten.expand.default,
        ):
            return False
        source = node.args[0]
        if not isinstance(source, Node):
            return False
        before, after = source.meta.get(meta_keys.VAL), node.meta.get(meta_keys.VAL)
        if before is None or after is None or tuple(before.shape) != tuple(after.shape):
            return False
        if not all(isinstance(size, int) for size in after.shape) or _joins_interface(source, node):
            return False
        node.replace_all_uses_with(source)
        return True


def _joins_interface(source: Node, node: Node) -> bool:
    """Whether an input of the method would become its output, which is memory of somebody else."""
    return source.op == "placeholder" and any(user.op == "output" for user in node.users)
