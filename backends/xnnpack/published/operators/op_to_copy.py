"""The same numbers in another order in memory."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class ConvertMemoryFormat(BuiltinVisitor):
    """The same numbers in another order in memory."""

    target = "dim_order_ops._to_dim_order_copy.default"
