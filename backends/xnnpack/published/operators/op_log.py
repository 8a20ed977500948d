"""Natural logarithms."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class LogVisitor(BuiltinVisitor):
    """Natural logarithms."""

    target = "aten.log.default"
