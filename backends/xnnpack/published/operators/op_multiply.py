"""Products of numbers."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class MultiplyVisitor(BuiltinVisitor):
    """Products of numbers."""

    target = "aten.mul.Tensor"
