"""Images of another size, with numbers between pixels on straight lines."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class StaticResizeBilinear2DVisitor(BuiltinVisitor):
    """Images of another size, with numbers between pixels on straight lines."""

    target = "aten.upsample_bilinear2d.vec"
