"""Quotients."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class DivVisitor(BuiltinVisitor):
    """Quotients."""

    target = "aten.div.Tensor"
