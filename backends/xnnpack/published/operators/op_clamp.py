"""Numbers kept within limits."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class ClampVisitor(BuiltinVisitor):
    """Numbers kept within limits."""

    target = "aten.clamp.default"
