"""Numbers rounded up."""

from executorch.backends.xnnpack.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class CeilingVisitor(BuiltinVisitor):
    """Numbers rounded up."""

    target = "aten.ceil.default"
