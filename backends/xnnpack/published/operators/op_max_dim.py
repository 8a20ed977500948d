"""The largest numbers along a dimension."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class ArgMaxDim(BuiltinVisitor):
    """The largest numbers along a dimension."""

    target = "aten.max.dim"


@offer_node_visitor
class MaxDim(BuiltinVisitor):
    """The largest numbers over dimensions that are neighbours."""

    target = "aten.amax.default"
