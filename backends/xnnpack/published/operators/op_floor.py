"""Numbers rounded down."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class Floor(BuiltinVisitor):
    """Numbers rounded down."""

    target = "aten.floor.default"
