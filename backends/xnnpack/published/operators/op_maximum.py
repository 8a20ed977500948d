"""The larger of two numbers."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class MaximumVisitor(BuiltinVisitor):
    """The larger of two numbers."""

    target = "aten.maximum.default"
