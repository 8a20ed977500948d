"""Exponential linear units."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class ELUVisitor(BuiltinVisitor):
    """Exponential linear units."""

    target = "aten.elu.default"
