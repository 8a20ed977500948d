"""Exponentials that sum up to 1."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class SoftmaxVisitor(BuiltinVisitor):
    """Exponentials that sum up to 1."""

    target = "aten._softmax.default"
