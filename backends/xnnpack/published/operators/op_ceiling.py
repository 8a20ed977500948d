"""Numbers rounded up."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class CeilingVisitor(BuiltinVisitor):
    """Numbers rounded up."""

    target = "aten.ceil.default"
