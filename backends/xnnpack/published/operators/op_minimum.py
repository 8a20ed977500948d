"""The smaller of two numbers."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class MinimumVisitor(BuiltinVisitor):
    """The smaller of two numbers."""

    target = "aten.minimum.default"
