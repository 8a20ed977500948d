"""A product with a constant matrix, and a summand."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class AddmmVisitor(BuiltinVisitor):
    """A product with a constant matrix, and a summand."""

    target = "aten.addmm.default"
