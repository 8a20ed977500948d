"""Replaces views by copies and settles the memory layout of every value.

The edge dialect has no aliasing: ``view`` becomes ``view_copy``, ``slice`` ``slice_copy`` and so on (a later pass turns
those that need no copy at run time back into views). Without aliasing every value is dense, so its layout is
one of the two the dialect knows, contiguous or channels-last, and is decided here once for the whole graph: an
operator's result is channels-last if export saw it so and one of its inputs is (or it asks for the format).
"""

from typing import Any, Final

import torch
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.errors import Problems
from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import graph_modules
from executorch.ir.values import contiguous_value, is_channels_last_value, is_contiguous_value
from executorch.ir.views import VIEW_TO_COPY
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten

_COPIES: Final = frozenset(VIEW_TO_COPY.values())
_ASKS_FOR_FORMAT: Final = frozenset({_aten._to_copy.default, _aten.clone.default, _aten.empty.memory_format})


class FunctionalizeViewsPass(GraphPass):
    """See the module's description. Idempotent.

    Raises:
        SpecViolationError: ``as_strided`` of a value whose strides are not those it will have; it would read other
            elements.
    """

    describes_values = True
    removes_dead_code = False

    def requires(self, graph_module: GraphModule) -> None:
        problems = Problems("Operators that depend on strides which a program does not keep")
        for module in graph_modules(graph_module):
            for node in module.graph.find_nodes(op="call_function", target=_aten.as_strided.default):
                value = node.args[0].meta.get(meta_keys.VAL)
                if isinstance(value, torch.Tensor) and not is_contiguous_value(value):
                    problems.add(node, f"reads a tensor with strides {tuple(value.stride())}")
        problems.raise_if_any("call .contiguous() on the tensor before as_strided")

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        self._channels_last: set[Node] = set()
        return super().rewrite_graph(graph_module)

    def rewrite_node(self, node: Node) -> bool:
        if node.op == "placeholder":
            return self._visit_placeholder(node)
        if node.op != "call_function":
            return False
        changed = False
        op = aten_op(node.target)
        copy_op = VIEW_TO_COPY.get(op) if op is not None else None
        if copy_op is not None and node.target is op:
            node.target = op = copy_op
            changed = True
        return self._settle(node, self._may_be_channels_last(node, op)) or changed

    def _visit_placeholder(self, node: Node) -> bool:
        # The caller supplies inputs; channels-last ones stay so, any other order becomes contiguous.
        return self._settle(node, True)

    def _may_be_channels_last(self, node: Node, op: "OpOverload | None") -> bool:
        if op in _COPIES:
            return False
        if op in _ASKS_FOR_FORMAT and node.kwargs.get("memory_format") not in (None, torch.preserve_format):
            return True
        return any(source in self._channels_last for source in node.all_input_nodes)

    def _settle(self, node: Node, may_be_channels_last: bool) -> bool:
        value = node.meta.get(meta_keys.VAL)
        settled = _settle_value(value, may_be_channels_last)
        if may_be_channels_last and any(map(is_channels_last_value, _leaves(settled))):
            self._channels_last.add(node)
        if settled is value:
            return False
        node.meta[meta_keys.VAL] = settled
        return True


def _leaves(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _settle_value(value: Any, may_be_channels_last: bool) -> Any:
    if isinstance(value, torch.Tensor):
        if is_contiguous_value(value) or (may_be_channels_last and is_channels_last_value(value)):
            return value
        return contiguous_value(value)
    if isinstance(value, (tuple, list)):
        settled = [_settle_value(item, may_be_channels_last) for item in value]
        if all(new is old for new, old in zip(settled, value, strict=True)):
            return value
        return type(value)(settled)
    return value
