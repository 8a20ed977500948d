"""Pairs of dequantize and quantize that cancel."""

from typing import Any, Final

import torch
from torch.fx import GraphModule, Node

from executorch.dialects.edge_ops import aten_op
from executorch.ir.values import is_plain_clone
from executorch.passes.infrastructure.pass_base import GraphPass

_NAMESPACE: Final = "quantized_decomposed::"
#: Number of arguments that say how the integers are to be read: everything between input and ``out_dtype``.
_PARAMETERS: Final = {"quantize_per_tensor": 5, "quantize_per_channel": 6}


class FoldRedundantDequantizeQuantizePass(GraphPass):
    """Removes ``quantize(dequantize(q))`` where both have the same parameters: the result is ``q`` (in place).

    Also where copies of the same layout stand between them, as dropout leaves one in a model for inference.
    """

    describes_values = True

    def rewrite_node(self, node: Node) -> bool:
        kind = _kind(node, "quantize_")
        source = _behind_copies(node.args[0]) if kind else None
        if kind is None or not isinstance(source, Node) or _kind(source, "dequantize_") != kind:
            return False
        count = _PARAMETERS[f"quantize_{kind}"]
        if not _equal(node.args[1 : count + 1], source.args[1 : count + 1]):
            return False
        node.replace_all_uses_with(source.args[0], propagate_meta=False)  # type: ignore[arg-type]
        node.graph.erase_node(node)
        return True


def eliminate_dq_q(graph_module: GraphModule, dequant_nodes: "list[Node]") -> None:
    """Removes the quantize nodes that only undo one of ``dequant_nodes`` (in place)."""
    fold = FoldRedundantDequantizeQuantizePass()
    for dequantize in dequant_nodes:
        for user in list(dequantize.users):
            if user.args and user.args[0] is dequantize:
                fold.rewrite_node(user)
    graph_module.graph.eliminate_dead_code()
    graph_module.recompile()


def _behind_copies(value: Any) -> Any:
    """What ``value`` is a copy of, element by element in the same order; ``value`` itself if it is no copy."""
    while is_plain_clone(value):
        (value,) = value.all_input_nodes
    return value


def _kind(node: Node, prefix: str) -> "str | None":
    """``per_tensor`` of a node that calls ``quantized_decomposed::<prefix>per_tensor``."""
    op = aten_op(node.target) if node.op == "call_function" else None
    name = op._schema.name if op is not None else ""
    kind = name.removeprefix(_NAMESPACE + prefix)
    return kind if kind != name and f"quantize_{kind}" in _PARAMETERS else None


def _equal(left: Any, right: Any) -> bool:
    def same(first: Any, second: Any) -> bool:
        if isinstance(first, Node) or isinstance(second, Node):
            return first is second
        if isinstance(first, torch.Tensor) or isinstance(second, torch.Tensor):
            return (
                isinstance(first, torch.Tensor)
                and isinstance(second, torch.Tensor)
                and torch.equal(first, second)
            )
        return bool(first == second)

    return len(left) == len(right) and all(map(same, left, right))


__all__ = ["FoldRedundantDequantizeQuantizePass", "eliminate_dq_q"]
