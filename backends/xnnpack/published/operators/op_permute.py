"""Dimensions in another order."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class PermuteVisitor(BuiltinVisitor):
    """Dimensions in another order."""

    target = "aten.permute_copy.default"
