"""Numbers kept within limits, by default from -1 to 1."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class HardTanhVisitor(BuiltinVisitor):
    """Numbers kept within limits, by default from -1 to 1."""

    target = "aten.hardtanh.default"
