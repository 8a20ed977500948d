"""Rectifiers with slopes that were learnt."""

from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor


@offer_node_visitor
class PReLUVisitor(BuiltinVisitor):
    """Rectifiers with slopes that were learnt."""

    target = "aten.prelu.default"
