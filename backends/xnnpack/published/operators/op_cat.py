"""Tensors behind each other."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class CatVisitor(BuiltinVisitor):
    """Tensors behind each other."""

    target = "aten.cat.default"
