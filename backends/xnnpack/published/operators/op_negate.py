"""Numbers with the other sign."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class NegateVisitor(BuiltinVisitor):
    """Numbers with the other sign."""

    target = "aten.neg.default"
