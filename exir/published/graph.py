"""A graph whose new nodes have specs, for passes that run after spec propagation."""

import operator
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.tensor_spec import TensorSpec


class ExportGraph:
    """A view of ``graph`` for edits.

    Args:
        owning_module: whose attributes :meth:`get_attr` names.
        graph: is changed in place.
    """

    def __init__(self, owning_module: GraphModule, graph: Graph) -> None:
        self.owning_module = owning_module
        self.graph = graph

    @property
    def nodes(self) -> Any:
        """The nodes, in order."""
        return self.graph.nodes

    def erase_node(self, to_erase: Node) -> None:
        """Removes a node without users."""
        self.graph.erase_node(to_erase)

    def inserting_before(self, n: "Node | None" = None) -> Any:
        """Within it new nodes go before ``n``; at the beginning without one."""
        return self.graph.inserting_before(n)

    def get_attr(self, qualified_name: str, type_expr: "Any | None" = None) -> Node:
        """A node that reads an attribute of the module; a tensor gets the spec of a constant.

        Raises:
            AttributeError: the module has none of this name.
        """
        value = operator.attrgetter(qualified_name)(self.owning_module)
        node = self.graph.get_attr(qualified_name, type_expr)
        if isinstance(value, torch.Tensor):
            node.meta[meta_keys.SPEC] = TensorSpec.from_tensor(value, const=True)
        return node
