"""The same numbers in another shape."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class ViewCopyVisitor(BuiltinVisitor):
    """The same numbers in another shape."""

    target = "aten.view_copy.default"
