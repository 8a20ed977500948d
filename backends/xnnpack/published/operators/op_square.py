"""Squares and cubes."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class SquareVisitor(BuiltinVisitor):
    """Squares and cubes."""

    target = "aten.pow.Tensor_Scalar"
