"""The backend's own lowerings as visitors, for code that adds single operators to a graph.

The backend itself does not go this way: it decides for a whole subgraph what runs together and in which order values
lie (``graph/lowering.py``). A visitor does one operator by itself, in floating point.
"""

from __future__ import annotations

from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import GraphBuilder
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import lower_alone
from executorch.backends.xnnpack.published.operators.node_visitor import NodeVisitor
from executorch.backends.xnnpack.serialization import schema


class BuiltinVisitor(NodeVisitor):
    """Adds what the backend makes of ``target``."""

    def define_node(
        self, node: Node, xnn_graph: schema.XNNGraph, vals_to_ids: dict[Node, int], debug_handle: int
    ) -> None:
        """Appends the XNNPACK nodes for ``node``; its results, and inputs without a value, get one.

        Raises:
            ExportError: XNNPACK does not have the operator as it stands, or its dtype.
        """
        builder = GraphBuilder(self.exported_program, xnn_graph, self._named_data_store)
        for one in node.all_input_nodes:
            if one not in vals_to_ids and not builder.is_constant(one):
                vals_to_ids[one] = builder.output(one)
        for one, identifier in vals_to_ids.items():
            builder.found(one, Layout.PLAIN, identifier)
        first = len(xnn_graph.xnodes)
        lower_alone(builder, node)
        for one in (node, *node.users):
            if one not in vals_to_ids and builder.layouts(one):
                vals_to_ids[one] = builder.input(one)
        for made in xnn_graph.xnodes[first:]:
            made.debug_handle = debug_handle
