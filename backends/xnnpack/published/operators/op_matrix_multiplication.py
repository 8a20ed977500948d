"""Products with a constant matrix."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class MatrixMultiplyVisitor(BuiltinVisitor):
    """Products with a constant matrix."""

    target = "aten.mm.default"
