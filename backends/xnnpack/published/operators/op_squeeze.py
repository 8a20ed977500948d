"""Dimensions of size 1."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class SqueezeVisitor(BuiltinVisitor):
    """Fewer dimensions of size 1."""

    target = "aten.squeeze_copy.dims"


@offer_node_visitor
class SqueezeDimVisitor(BuiltinVisitor):
    """One dimension of size 1 fewer."""

    target = "aten.squeeze_copy.dim"


@offer_node_visitor
class UnsqueezeVisitor(BuiltinVisitor):
    """One more dimension of size 1."""

    target = "aten.unsqueeze_copy.default"
