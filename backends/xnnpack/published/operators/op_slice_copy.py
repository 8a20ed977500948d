"""Parts of a dimension."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class SliceCopyVisitor(BuiltinVisitor):
    """Parts of a dimension."""

    target = "aten.slice_copy.Tensor"
