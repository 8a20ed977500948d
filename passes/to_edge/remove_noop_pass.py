"""Removes operators that change nothing at inference."""

from typing import Final

import torch
from torch.fx import GraphModule, Node

from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import replace, source_of
from executorch.ir.values import have_same_layout, is_plain_clone
from executorch.passes.infrastructure.pass_base import GraphPass
from executorch.passes.quantized.quantize_pairs_pass import FoldRedundantDequantizeQuantizePass

_aten = torch.ops.aten

#: Results always equal their first argument.
IDENTITIES: Final = frozenset(
    {
        _aten.detach.default,
        _aten.detach_copy.default,
        _aten.alias.default,
        _aten.alias_copy.default,
        _aten.lift_fresh.default,
        _aten.lift_fresh_copy.default,
    }
)

#: Results equal their first argument when neither element type nor shape nor layout changes.
_MAYBE: Final = frozenset(
    {
        _aten._to_copy.default,
        _aten.view.default,
        _aten.view_copy.default,
        _aten.expand.default,
        _aten.expand_copy.default,
        _aten.slice.Tensor,
        _aten.slice_copy.Tensor,
        torch.ops.dim_order_ops._to_dim_order_copy.default,
    }
)
#: Of these, the ones a model author writes to get a value that later writes do not touch.
_COPIES: Final = frozenset(
    {
        _aten._to_copy.default,
        _aten.lift_fresh_copy.default,
        _aten.detach_copy.default,
        _aten.alias_copy.default,
        torch.ops.dim_order_ops._to_dim_order_copy.default,
    }
)


class RemoveClonesPass(GraphPass):
    """Replaces a ``clone`` in the layout of its argument by that; and values that are dequantized only to be quantized
    in the same way, by themselves.

    Args:
        keeps_borders: a copy stays where it is needed to keep values apart: from a graph input (which may be a buffer
            that the program writes later, or memory of the caller) to a graph output.
        folds_pairs: switch for the second.
    """

    describes_values = True

    def __init__(self, keeps_borders: bool = True, folds_pairs: bool = True) -> None:
        self._keeps_borders = keeps_borders
        self._pairs = FoldRedundantDequantizeQuantizePass() if folds_pairs else None

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        # The pass runs over every node; looking for output users is needed for copies only.
        self._outputs = set(graph_module.graph.find_nodes(op="output"))
        return super().rewrite_graph(graph_module)

    def rewrite_node(self, node: Node) -> bool:
        if is_plain_clone(node):
            return self.bypass(node, is_copy=True)
        return self._pairs is not None and self._pairs.rewrite_node(node)

    def bypass(self, node: Node, is_copy: bool) -> bool:
        """Puts the first argument in the place of ``node``, unless it must stay; returns whether it did.

        Args:
            node: of the same value as its first argument.
            is_copy: what authors write to get a value that later writes do not touch.
        """
        source = source_of(node)
        # An output must not become an alias of an input or of another output by the removal.
        is_shared = source.op in ("placeholder", "get_attr") or bool(self._outputs & source.users.keys())
        is_border = bool(self._outputs & node.users.keys()) and is_shared
        if self._keeps_borders and is_border and (is_copy or source.op == "placeholder"):
            return False
        replace(node, source)
        return True


class RemoveNoopPass(RemoveClonesPass):
    """Replaces identities, casts to the own type and reshapes to the own shape by their argument; and what
    :class:`RemoveClonesPass` does.

    Args:
        remove_clones: treat ``clone`` in the same way. In the edge dialect clones stay, because authors and
            partitioners see them; a program that is executed does without.
    """

    def __init__(self, remove_clones: bool = False) -> None:
        super().__init__()
        self._remove_clones = remove_clones

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or not node.args or not isinstance(node.args[0], Node):
            return False
        op = aten_op(node.target)
        if op in IDENTITIES or (op in _MAYBE and have_same_layout(node, node.args[0])):
            return self.bypass(node, op in _COPIES)
        return (self._remove_clones or not is_plain_clone(node)) and super().rewrite_node(node)
