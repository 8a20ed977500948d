"""Common subexpressions: what a graph computes twice is computed once."""

import operator
from collections.abc import Hashable
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.dialects.edge_ops import aten_op
from executorch.passes.infrastructure.pass_base import GraphPass


class CSEPass(GraphPass):
    """Replaces a node by an earlier one that calls the same operator with the same arguments (in place).

    Left alone are operators that write, draw random numbers or return nothing, and results that would make two
    outputs of the program one tensor.
    """

    describes_values = True

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        self._first: dict[Hashable, Node] = {}
        (output,) = graph_module.graph.find_nodes(op="output")
        self._results = set(output.all_input_nodes)
        return super().rewrite_graph(graph_module)

    def rewrite_node(self, node: Node) -> bool:
        key = _key(node)
        if key is None:
            return False
        first = self._first.setdefault(key, node)
        if first is node or (node in self._results and first in self._results):
            return False
        node.replace_all_uses_with(first, propagate_meta=False)
        if node in self._results:
            self._results.add(first)
        node.graph.erase_node(node)
        return True


def _key(node: Node) -> "Hashable | None":
    if node.op != "call_function":
        return None
    op = aten_op(node.target)
    if op is None and node.target is not operator.getitem:
        return None
    if op is not None and (
        op._schema.is_mutable
        or not op._schema.returns
        or torch.Tag.nondeterministic_seeded in op.tags
        or op in (torch.ops.aten.empty.memory_format, torch.ops.aten.clone.default)
    ):
        return None
    return node.target, _frozen(node.args), _frozen(node.kwargs)


def _frozen(value: Any) -> Hashable:
    """``value`` as something to compare: types count (``1`` is not ``1.0`` or ``True``), nodes by identity.

    Floats are compared as text, which keeps ``0.0`` and ``-0.0`` apart.
    """
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return tuple(sorted((key, _frozen(item)) for key, item in value.items()))
    return type(value), repr(value) if isinstance(value, (float, complex)) else value


__all__ = ["CSEPass"]
