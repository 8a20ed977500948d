"""Square roots."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class SquareRootVisitor(BuiltinVisitor):
    """Square roots."""

    target = "aten.sqrt.default"
