"""Convolutions of one and two dimensions, depthwise and transposed ones too."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class Conv2d(BuiltinVisitor):
    """Convolutions of one and two dimensions, depthwise and transposed ones too."""

    target = "aten.convolution.default"
