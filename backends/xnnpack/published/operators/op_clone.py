"""Copies."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class CloneVisitor(BuiltinVisitor):
    """A copy, which is the same value."""

    target = "aten.clone.default"


@offer_node_visitor
class CloneDimOrderVisitor(BuiltinVisitor):
    """A copy in another order in memory."""

    target = "dim_order_ops._clone_dim_order.default"
