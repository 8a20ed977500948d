"""Rewrites to a normal form that later passes and backends rely on; none changes a value."""

from typing import Any, Final

import torch
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.dialects.torch_types import OpOverload
from executorch.ir.values import have_same_layout, value_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
_TO_COPIES: Final = frozenset({_aten._to_copy.default, torch.ops.dim_order_ops._to_dim_order_copy.default})


class NormalizeTransposePass(GraphPass):
    """Spells the transposition of a matrix in one way: ``t`` and ``t_copy`` become ``transpose_copy.int(x, 0, 1)``."""

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or aten_op(node.target) not in (_aten.t.default, _aten.t_copy.default):
            return False
        (source,) = node.args
        value = value_of(source) if isinstance(source, Node) else None
        if isinstance(value, torch.Tensor) and value.dim() < 2:
            node.replace_all_uses_with(source, propagate_meta=False)  # type: ignore[arg-type]
            node.graph.erase_node(node)
            return True
        node.target = _same_dialect(node.target, _aten.transpose_copy.int)
        node.args = (source, 0, 1)
        return True


class NormalizeViewCopyBasePass(GraphPass):
    """Points every ``view_copy`` at the first value upstream that is no ``view_copy`` itself.

    Those in between stay: whether somebody still asks for them is for dead code elimination to say.
    """

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        if not _is_view_copy(node):
            return False
        base = node.args[0]
        while isinstance(base, Node) and _is_view_copy(base):
            base = base.args[0]
        if base is node.args[0]:
            return False
        node.args = (base, *node.args[1:])
        return True


class PruneEmptyTensorsPass(GraphPass):
    """Drops tensors without elements from the inputs of ``cat``.

    A ``cat`` of one tensor becomes that tensor; if only a run tells its sizes, it stays, as in released packages.
    """

    describes_values = True

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or aten_op(node.target) is not _aten.cat.default:
            return False
        sources: Any = node.args[0]
        kept = [source for source in sources if not _is_empty(source)]
        if not kept or len(kept) == len(sources):
            return False
        alone = len(kept) == 1 and kept[0].op != "placeholder" and not _has_unknown_sizes(kept[0])
        if alone and have_same_layout(kept[0], node):
            node.replace_all_uses_with(kept[0], propagate_meta=False)
            node.graph.erase_node(node)
        else:
            self.remove_empty_tensors_from_cat(node.graph.owning_module, node)
        return True

    def remove_empty_tensors_from_cat(self, graph_module: "GraphModule | None", cat_node: Node) -> None:
        """Leaves to a ``cat``, of which not all are empty, those tensors that have elements (in place)."""
        sources: Any = cat_node.args[0]
        cat_node.args = ([source for source in sources if not _is_empty(source)], *cat_node.args[1:])


class RemoveToCopyPass(GraphPass):
    """Removes casts and copies whose result has the element type, layout and device of their argument."""

    describes_values = True

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or aten_op(node.target) not in _TO_COPIES:
            return False
        source = node.args[0]
        if not isinstance(source, Node) or not have_same_layout(source, node):
            return False
        if source.op == "placeholder" and any(user.op == "output" for user in node.users):
            return False  # an output must not become an alias of an input
        node.replace_all_uses_with(source, propagate_meta=False)
        node.graph.erase_node(node)
        return True


class InitializedMutableBufferPass(GraphPass):
    """Marks mutable buffers whose first value matters: ``meta["et_init_buffer"]`` on their placeholders.

    Programs of this compiler keep the first value of every mutable buffer, so the mark changes nothing in them; it
    is for code that reads it.

    Args:
        patterns: parts of the placeholders' names.
    """

    describes_values = True
    removes_dead_code = False

    MARK: Final = "et_init_buffer"

    def __init__(self, patterns: "list[str]") -> None:
        self.patterns = list(patterns)

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "placeholder" or not any(pattern in str(node.target) for pattern in self.patterns):
            return False
        if node.meta.get(self.MARK):
            return False
        node.meta[self.MARK] = True
        return True


def _same_dialect(target: Any, op: OpOverload) -> Any:
    return edge_op(op) if isinstance(target, EdgeOpOverload) else op


def _is_view_copy(node: Node) -> bool:
    return node.op == "call_function" and aten_op(node.target) is _aten.view_copy.default


def _has_unknown_sizes(node: Node) -> bool:
    """Whether sizes depend on values, as those of ``nonzero`` do."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols  # slow to import

    return bool(free_unbacked_symbols(value_of(node)))


def _is_empty(node: Any) -> bool:
    value = node.meta.get(meta_keys.VAL) if isinstance(node, Node) else None
    return isinstance(value, torch.Tensor) and any(
        isinstance(size, int) and size == 0 for size in value.shape
    )


__all__ = [
    "InitializedMutableBufferPass",
    "NormalizeTransposePass",
    "NormalizeViewCopyBasePass",
    "PruneEmptyTensorsPass",
    "RemoveToCopyPass",
]
