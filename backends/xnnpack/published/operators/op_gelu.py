"""Gaussian error linear units, exact or approximate."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class GeluVisitor(BuiltinVisitor):
    """Gaussian error linear units, exact or approximate."""

    target = "aten.gelu.default"
