"""Rectifiers."""

from executorch.backends.xnnpack.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class ReluVisitor(BuiltinVisitor):
    """Rectifiers."""

    target = "aten.relu.default"
