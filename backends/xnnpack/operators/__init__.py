"""Lowerings of one's own, as released ExecuTorch 1.x has them; the backend's own are in ``graph``."""

from executorch.backends.xnnpack.operators.node_visitor import (
    NodeVisitor,
    get_node_visitors,
    register_node_visitor,
)

__all__ = ["NodeVisitor", "get_node_visitors", "register_node_visitor"]
