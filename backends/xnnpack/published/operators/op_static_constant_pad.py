"""A margin of one number."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class StaticConstantPadVisitor(BuiltinVisitor):
    """A margin of one number."""

    target = "aten.constant_pad_nd.default"
