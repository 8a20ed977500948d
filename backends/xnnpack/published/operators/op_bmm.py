"""Products of matrices, batch by batch."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class BMMVisitor(BuiltinVisitor):
    """Products of matrices, batch by batch."""

    target = "aten.bmm.default"
