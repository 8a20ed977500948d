"""How these passes edit graphs: they return a ``PassResult``, and their calls are edge operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch._ops import OpOverload
from torch.fx import Graph, GraphModule, Node

from executorch.dialects.edge_ops import edge_op
from executorch.ir import rewriter
from executorch.passes.infrastructure.pass_base import PassResult


def edited(graph_module: GraphModule, rewrite: Callable[[Graph], bool]) -> PassResult:
    """What a pass returns that edits graphs in place, see :func:`executorch.ir.rewriter.edited`.

    Args:
        graph_module: it and the bodies of its control flow are edited.
        rewrite: edits one graph and says whether it changed it.
    """
    return PassResult(graph_module, rewriter.edited(graph_module, lambda module: rewrite(module.graph)))


def new_call(like: Node, op: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Node:
    """A call at the graph's insertion point, see :func:`executorch.ir.rewriter.new_call`.

    Args:
        like: what the call stands for, or stands beside.
        op: an ATen overload becomes the edge operator.
        args, kwargs: of the call.
    """
    return rewriter.new_call(like, edge_op(op) if isinstance(op, OpOverload) else op, args, kwargs)
