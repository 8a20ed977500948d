"""Maxima over windows of an image."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class MaxPooling2d(BuiltinVisitor):
    """Maxima over windows of an image."""

    target = "aten.max_pool2d.default"
