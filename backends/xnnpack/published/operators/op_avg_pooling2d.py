"""Averages over windows of an image."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class AveragePooling2d(BuiltinVisitor):
    """Averages over windows of an image."""

    target = "aten.avg_pool2d.default"
