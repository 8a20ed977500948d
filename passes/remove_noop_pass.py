"""Removes operators that change nothing at inference."""

from typing import Final

import torch
from torch.fx import GraphModule, Node

from executorch.dialects.edge_ops import aten_op
from executorch.ir.values import have_same_layout
from executorch.passes.pass_base import NodePass
from executorch.passes.quantize_pairs_pass import FoldRedundantDequantizeQuantizePass

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
_CLONES: Final = frozenset({_aten.clone.default, torch.ops.dim_order_ops._clone_dim_order.default})
#: Of these, the ones a model author writes to get a value that later writes do not touch.
_COPIES: Final = frozenset(
    {
        *_CLONES,
        _aten._to_copy.default,
        _aten.lift_fresh_copy.default,
        _aten.detach_copy.default,
        _aten.alias_copy.default,
        torch.ops.dim_order_ops._to_dim_order_copy.default,
    }
)


class RemoveNoopPass(NodePass):
    """Replaces identities, casts to the own type and reshapes to the own shape by their argument; and values that are
    dequantized only to be quantized in the same way, by themselves.

    A copy stays where it is needed to keep values apart: from a graph input (which may be a buffer that the
    program writes later, or memory of the caller) to a graph output.

    Args:
        remove_clones: treat ``clone`` in the same way. In the edge dialect clones stay, because authors and
            partitioners see them; a program that is executed does without.
    """

    removes_dead_code = True

    def __init__(self, remove_clones: bool = False) -> None:
        self._candidates = _MAYBE | _CLONES if remove_clones else _MAYBE
        self._pairs = FoldRedundantDequantizeQuantizePass()

    def begin(self, graph_module: GraphModule) -> bool:
        # The pass runs over every node; looking for output users is needed for copies only.
        self._outputs = set(graph_module.graph.find_nodes(op="output"))
        return False

    def rewrite(self, node: Node) -> bool:
        if node.op != "call_function" or not node.args or not isinstance(node.args[0], Node):
            return False
        op = aten_op(node.target)
        if op in IDENTITIES:
            return self._bypass(node, op in _COPIES)
        if op in self._candidates and have_same_layout(node, node.args[0]):
            return self._bypass(node, op in _COPIES)
        return self._pairs.rewrite(node)

    def _bypass(self, node: Node, is_copy: bool) -> bool:
        source = node.args[0]
        assert isinstance(source, Node)
        # An output must not become an alias of an input or of another output by the removal.
        is_shared = source.op in ("placeholder", "get_attr") or bool(self._outputs & source.users.keys())
        if self._outputs & node.users.keys() and is_shared and (is_copy or source.op == "placeholder"):
            return False
        node.replace_all_uses_with(source, propagate_meta=False)
        node.graph.erase_node(node)
        return True
