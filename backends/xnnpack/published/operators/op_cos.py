"""Cosines."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class CosVisitor(BuiltinVisitor):
    """Cosines."""

    target = "aten.cos.default"
